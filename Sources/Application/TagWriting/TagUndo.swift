internal import Analysis
internal import Platform
internal import ResultStore
package import SystemPackage
package import TagWriting

/// Gives files back the tags that a journal of `LibraryTagging` wrote.
///
/// What was changed since, by a person or another program, stays. So the same journal may be undone again, also after an undo
/// that was ended before its end.
package struct TagUndo {
  package var isDryRun = false
  package var replacement = TagReplacement.Options()
  private let entries: [TagJournal.Entry]

  /// - Throws: `TagJournalError`.
  package init(journal: FilePath) throws {
    entries = try TagJournal.entries(of: journal)
  }

  /// Lines of the journal.
  package var count: Int { entries.count }

  /// - Parameters:
  ///   - database: No run may be at work on it; `nil` for none.
  ///   - report: Called with each result; returns false to stop.
  /// - Throws: `StoreError`, `lockedByRun` while a run is at work unless it is a dry run.
  package func perform(database: FilePath?, report: (TaggingResult) throws -> Bool) throws {
    let lock = isDryRun ? nil : try database.map { try RunLock.acquire(forDatabase: $0) }
    defer { lock?.release() }
    // The last change first, in case a file was changed twice.
    for entry in entries.reversed() {
      guard let path = try? FilePath(fileURI: Array(entry.uri.utf8)) else { continue }
      do {
        guard try report(try undo(entry, of: path)) else { return }
      } catch let error as TagWriteError {
        var result = TaggingResult(path, .failed)
        result.problem = error
        guard try report(result) else { return }
      }
    }
  }

  private func undo(_ entry: TagJournal.Entry, of path: FilePath) throws -> TaggingResult {
    var result = TaggingResult(path, .unchanged)
    let file = try TagReplacement(path, replacement)
    for change in entry.changes {
      let present = file.file.item(tag: change.tag, key: change.key).values
      var back = change
      (back.before, back.after) = (present, change.before)
      if present == change.before { continue }
      if present == change.after { result.changes.append(back) } else { result.kept.append(back) }
    }
    guard !result.changes.isEmpty else {
      if !result.kept.isEmpty { result.status = .kept }
      return result
    }
    guard let contentID = ContentID(entry.contentId) else {
      throw TagWriteError(.changed, "The journal has no content id for the file.")
    }
    if isDryRun {
      result.status = .planned
      return result
    }
    try file.perform(
      result.changes.map { TagItem(tag: $0.tag, key: $0.key, values: $0.after) },
      of: Set(result.changes.map(\.field)), contentID: contentID
    ) { _ in }
    result.status = .written
    return result
  }
}
