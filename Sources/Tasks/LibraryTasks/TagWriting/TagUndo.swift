internal import Analysis
internal import Platform
internal import ResultStore
package import SystemPackage
package import TagWriting

/// Restores the tags that files had before `LibraryTagging` changed them, using its journal.
///
/// If a file has not changed since and the journal contains the bytes that were removed, the file is restored byte for
/// byte. Otherwise, only the old values are restored, and later changes by a person or another program stay. A journal
/// can therefore be undone repeatedly, even after an interrupted undo.
package struct TagUndo {
  package var isDryRun = false
  package var replacement = TagReplacement.Options()
  private let journal: TagJournal.Reader

  /// - Throws: `TagJournalError`.
  package init(journal: FilePath) throws {
    self.journal = try TagJournal.Reader(journal)
  }

  /// `true` if the program that created the journal ended before it had written the header.
  package var isEmpty: Bool { journal.isEmpty }

  /// Number of lines in the journal after the header.
  package var count: Int { journal.count }

  /// - Parameters:
  ///   - database: A database that is locked against runs during the undo; `nil` for none.
  ///   - report: Called with each result. It returns `false` to stop.
  /// - Throws: `StoreError`, which is `lockedByRun` while a run is active, except for a dry run.
  package func perform(database: FilePath?, report: @escaping (TaggingResult) throws -> Bool) throws {
    let lock = isDryRun ? nil : try database.map { try RunLock.acquire(forDatabase: $0) }
    defer { lock?.release() }
    var check = LateOverwriteCheck(report: report)
    // The last change is undone first, in case a file was changed twice.
    for line in (0..<journal.count).reversed() where !check.isStopped {
      guard let entry = try journal.entry(line), let path = try? FilePath(fileURI: Array(entry.uri.utf8)) else {
        continue
      }
      try check.add(try outcome(of: entry, path)) { try outcome(of: entry, path) }
    }
    try check.finish()
  }

  private func outcome(of entry: TagJournal.Entry, _ path: FilePath) throws -> LateOverwriteCheck.Outcome {
    do {
      return try TagWriteError.retrying(LibraryTagging.maxAttempts) { try undo(entry, of: path) }
    } catch let error as TagWriteError {
      var result = TaggingResult(path, .failed)
      result.problem = error
      return LateOverwriteCheck.Outcome(result)
    }
  }

  private func undo(_ entry: TagJournal.Entry, of path: FilePath) throws -> LateOverwriteCheck.Outcome {
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
      return LateOverwriteCheck.Outcome(result)
    }
    guard let contentID = ContentID(entry.contentId) else {
      throw TagWriteError(.changed, "The journal has no content id for the file.")
    }
    if isDryRun {
      result.status = .planned
      return LateOverwriteCheck.Outcome(result)
    }
    // If nothing else has changed, the old file is restored byte for byte.
    var new = try entry.restore?.reversal.flatMap { try file.reverse($0) }
    if new == nil {
      new = try TagReplacement(path, replacement).perform(
        result.changes.map { TagItem(tag: $0.tag, key: $0.key, values: $0.after) },
        of: Set(result.changes.map(\.field)), contentID: contentID
      ) { _ in }
    }
    result.status = .written
    return LateOverwriteCheck.Outcome(result, new)
  }
}
