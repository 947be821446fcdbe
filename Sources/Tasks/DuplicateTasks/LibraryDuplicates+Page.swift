internal import Library
internal import Platform
internal import Records
package import Reporting
package import ResultStore
package import SystemPackage
internal import Text

extension LibraryDuplicates {
  private static let (maxGroups, maxFilesPerGroup) = (10, 20)

  /// Returns the known duplicates for the page of a report; `nil` if there are none.
  /// - Parameter roots: The paths to which groups are limited: at least one file must be below one of them; `nil` for
  ///   all groups.
  package static func onPage(of store: ResultStore, below roots: [FilePath]?) throws(StoreError) -> PageDuplicates? {
    let pairs = try store.duplicatePairs()
    var found = try LibraryDuplicates(pairs, in: store)
    if let roots {
      found.limit { file in roots.contains { file.record.path.starts(with: $0) } }
    }
    guard !found.groups.isEmpty else { return nil }
    let waiting = try DuplicateSearch(in: store).waitingCount()
    let rest = found.groups.count - Self.maxGroups
    let notes = [
      rest > 0 ? "\(counted(rest, "more group")): analyze duplicates." : nil,
      waiting > 0 ? "\(counted(waiting, "recording")) not compared yet: run analyze duplicates." : nil,
      "Found by sound. Nocturne deletes nothing; for a list to edit: analyze duplicates --plan FILE.",
    ]
    return PageDuplicates(
      summary: DuplicateText.spare(of: found), note: notes.compactMap { $0 }.joined(separator: " "),
      groups: found.groups.prefix(Self.maxGroups).map { group in
        PageDuplicates.Group(
          name: group.name, spare: group.spareBytes > 0 ? DuplicateText.size(group.spareBytes) : nil,
          files: group.files.prefix(Self.maxFilesPerGroup).map { file in
            PageDuplicates.File(
              advice: DuplicateText.title(of: file.advice), path: DisplayPath.text(of: file.record.path),
              text: DuplicateText.note(on: file))
          }, unlistedCount: max(0, group.files.count - Self.maxFilesPerGroup))
      })
  }

  /// Keeps only groups with a wanted file, and drops longer files and other versions, which the page does not show.
  private mutating func limit(_ isWanted: (DuplicateGroup.File) -> Bool) {
    self = LibraryDuplicates(groups: groups.filter { $0.files.contains(where: isWanted) })
  }
}
