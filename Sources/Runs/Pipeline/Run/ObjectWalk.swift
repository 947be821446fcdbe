internal import LibraryScan
internal import Objects
internal import Platform
internal import SystemPackage

/// Yields the objects in bucket folders in the same form in which a walk yields files: candidates, which are chosen by
/// name, skipped entries, and a report for each root.
struct ObjectWalk {
  private var roots: ArraySlice<FilePath>
  private let fetcher: ObjectFetcher?
  private let rule: CandidateRule
  private let isCancelled: () -> Bool
  private var current: (folder: ObjectFolder, listing: BucketListing)?
  private var fileCount = 0

  /// - Parameters:
  ///   - roots: The names of objects and of folders of objects.
  ///   - fetcher: The fetcher; `nil` to report all roots as unreadable.
  init(roots: [FilePath], fetcher: ObjectFetcher?, rule: CandidateRule, isCancelled: @escaping () -> Bool) {
    self.roots = roots[...]
    self.fetcher = fetcher
    self.rule = rule
    self.isCancelled = isCancelled
  }

  mutating func next() -> LibraryWalker.Entry? {
    while true {
      if current == nil {
        guard let root = roots.popFirst() else { return nil }
        guard let folder = ObjectFolder(root), let fetcher else {
          return .root(RootReport(path: root, state: .unreadable("only s3: and gs: names can be listed")))
        }
        current = (folder, BucketListing(folder, through: fetcher))
        fileCount = 0
      }
      guard let folder = current?.folder else { continue }
      do throws(FetchFailure) {
        if let object = try current?.listing.next(isCancelled: isCancelled) {
          if let entry = entry(object, in: folder) { return entry }
          continue
        }
        current = nil
        if isCancelled() { return nil }
        return .root(RootReport(path: folder.path, state: fileCount > 0 ? .scanned(fileCount: fileCount) : .empty))
      } catch {
        current = nil
        return .root(RootReport(path: folder.path, state: .unreadable(String(error.message.dropLast()))))
      }
    }
  }

  /// - Returns: `nil` for a key that represents a folder.
  private mutating func entry(_ object: ListedObject, in folder: ObjectFolder) -> LibraryWalker.Entry? {
    do throws(ObjectNameError) {
      let name = try folder.name(ofEncodedKey: object.encodedKey)
      if let reason = rule.reasonToSkip(fileNamed: name.fileName) {
        return .skipped(SkippedEntry(path: name.path, reason: reason))
      }
      fileCount += 1
      return .file(
        ScannedFile(name, size: object.size, modified: object.modified, entityTag: object.entityTag))
    } catch .noFile {
      return nil
    } catch {
      let path = folder.path.appending(FilePath(object.encodedKey).components)
      return .skipped(SkippedEntry(path: path, reason: .unreadableEntry, detail: error.message))
    }
  }
}
