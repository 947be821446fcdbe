internal import Analysis
internal import Platform
internal import ResultStore
package import SystemPackage
package import TagWriting

/// Gives files back the tags that a journal of `LibraryTagging` wrote.
///
/// If the files that were written have not changed since, the old ones come back byte for byte, if the journal has the
/// bytes they had more. Otherwise the old values come back, and later changes, by a person or another program, stay. So
/// the same journal may be undone again, also after an undo that was ended before its end.
package struct TagUndo {
  package var isDryRun = false
  package var replacement = TagReplacement.Options()
  private let journal: TagJournal.Reader

  /// - Throws: `TagJournalError`.
  package init(journal: FilePath) throws {
    self.journal = try TagJournal.Reader(journal)
  }

  /// The program that began the journal was ended before it wrote anything.
  package var isEmpty: Bool { journal.isEmpty }

  /// Lines of the journal.
  package var count: Int { journal.count }

  /// - Parameters:
  ///   - database: No run may be at work on it; `nil` for none.
  ///   - report: Called with each result; returns false to stop.
  /// - Throws: `StoreError`, `lockedByRun` while a run is at work unless it is a dry run.
  package func perform(database: FilePath?, report: @escaping (TaggingResult) throws -> Bool) throws {
    let lock = isDryRun ? nil : try database.map { try RunLock.acquire(forDatabase: $0) }
    defer { lock?.release() }
    var confirmation = TagConfirmation(report: report)
    // The last change first, in case a file was changed twice.
    for line in (0..<journal.count).reversed() where !confirmation.isStopped {
      guard let entry = try journal.entry(line), let path = try? FilePath(fileURI: Array(entry.uri.utf8)) else {
        continue
      }
      try confirmation.add(try outcome(of: entry, path)) { try outcome(of: entry, path) }
    }
    try confirmation.finish()
  }

  private func outcome(of entry: TagJournal.Entry, _ path: FilePath) throws -> TagConfirmation.Outcome {
    do {
      return try TagWriteError.retrying(LibraryTagging.attemptLimit) { try undo(entry, of: path) }
    } catch let error as TagWriteError {
      var result = TaggingResult(path, .failed)
      result.problem = error
      return TagConfirmation.Outcome(result)
    }
  }

  private func undo(_ entry: TagJournal.Entry, of path: FilePath) throws -> TagConfirmation.Outcome {
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
      return TagConfirmation.Outcome(result)
    }
    guard let contentID = ContentID(entry.contentId) else {
      throw TagWriteError(.changed, "The journal has no content id for the file.")
    }
    if isDryRun {
      result.status = .planned
      return TagConfirmation.Outcome(result)
    }
    // As long as nothing else has changed, the old file comes back as it was.
    var new = try entry.restore?.reversal.flatMap { try file.reverse($0) }
    if new == nil {
      new = try TagReplacement(path, replacement).perform(
        result.changes.map { TagItem(tag: $0.tag, key: $0.key, values: $0.after) },
        of: Set(result.changes.map(\.field)), contentID: contentID
      ) { _ in }
    }
    result.status = .written
    return TagConfirmation.Outcome(result, new)
  }
}
