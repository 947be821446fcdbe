internal import Analysis
package import Filters
internal import Foundation
internal import LibraryStore
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage
internal import Text

/// The same change for many files: all that can take it, or, if it is ended before its end, none.
///
/// Corrections wait in a file without a name until the last one is known, and are then stored in one transaction. So memory
/// hardly grows with their number. That transaction may take longer than a run waits for its own, so none may go on.
package struct LibraryTempoChange {
  /// Files that cannot take the change, for one reason.
  package struct Refusal: Sendable {
    package var code: String
    /// The end of a sentence: “3 files …”.
    package var text: String
    package var count: Int
  }

  package struct Outcome: Sendable {
    package var isDryRun: Bool
    /// Files to change.
    package var matchedCount = 0
    /// Recordings that were, or would be, changed. Copies share theirs.
    package var changedCount = 0
    /// Files that are copies of others that were matched.
    package var copyCount = 0
    /// Files where there is nothing to take back.
    package var unchangedCount = 0
    /// Most frequent first.
    package var refusals: [Refusal] = []
    /// The first changes.
    package var examples: [TempoChange.Change] = []

    /// Changes of files given by name, which all can take the change.
    package init(of changes: [TempoChange.Change], isDryRun: Bool) {
      self.isDryRun = isDryRun
      matchedCount = changes.count
      changedCount = Set(changes.map(\.audio)).count
      copyCount = matchedCount - changedCount
      examples = changes
    }
  }

  /// How many examples are kept.
  package static let exampleCount = 10
  /// Records with beats that are held at once.
  private static let recordCount = 100

  package var change: TempoChange
  package var isDryRun: Bool
  /// The folder in which corrections wait.
  package var scratchFolder: FilePath

  package init(_ change: TempoChange, isDryRun: Bool, scratchFolder: FilePath) {
    self.change = change
    self.isDryRun = isDryRun
    self.scratchFolder = scratchFolder
  }

  /// Tracks that match, in the order of paths.
  package func files(matching filter: TrackFilter) throws(StoreError) -> [FilePath] {
    try change.store.paths(matching: filter)
  }

  /// - Parameter progress: Called with the number of files so far.
  /// - Throws: `StoreError`, `lockedByRun` while a run is at work unless it is a dry run; `LibraryTempoChangeError`.
  package func perform(on files: [FilePath], progress: (Int) -> Void = { _ in }) throws -> Outcome {
    let lock = isDryRun ? nil : try RunLock.acquire(forDatabase: change.store.path)
    defer { lock?.release() }
    var outcome = Outcome(of: [], isDryRun: isDryRun)
    var changed: Set<ContentID> = []
    var refusals: [String: Refusal] = [:]
    var spool = try Spool(in: scratchFolder)
    try forEachRecord(of: files) { record in
      outcome.matchedCount += 1
      defer { progress(outcome.matchedCount) }
      if case .unset = change.request, record.tempoCorrection == nil {
        outcome.unchangedCount += 1
        return
      }
      if let audio = record.contentID, changed.contains(audio) {
        outcome.copyCount += 1
        return
      }
      do {
        let (audio, correction, change) = try change.change(of: record)
        changed.insert(audio)
        if outcome.examples.count < Self.exampleCount { outcome.examples.append(change) }
        if let correction, !isDryRun { try spool.append(audio, correction) }
      } catch let error as TempoChangeError {
        let kind = error.kind
        refusals[kind.code, default: Refusal(code: kind.code, text: kind.text, count: 0)].count += 1
      }
    }
    outcome.changedCount = changed.count
    outcome.refusals = refusals.values.sorted { ($1.count, $0.code) < ($0.count, $1.code) }
    if isDryRun { return outcome }
    if case .unset = change.request {
      var rest = changed.makeIterator()
      try change.store.correctTempo { rest.next().map { ($0, nil) } }
    } else {
      try spool.store(into: change.store)
    }
    return outcome
  }

  /// Calls `body` without a snapshot of the database, which would keep its log from being cut.
  /// - files: Files that were forgotten in the meantime are left out.
  private func forEachRecord(of files: [FilePath], _ body: (FileRecord) throws -> Void) throws {
    for start in stride(from: 0, to: files.count, by: Self.recordCount) {
      var records: [FileRecord] = []
      let page = Array(files[start..<min(start + Self.recordCount, files.count)])
      try change.store.forEachRecord(at: page, long: ["beats"]) { _, record in
        records.append(record)
        return true
      }
      for record in records { try body(record) }
    }
  }
}

package struct LibraryTempoChangeError: Error, CustomStringConvertible {
  package var folder: FilePath
  package var reason: String

  package var description: String {
    "Corrections cannot be kept in \(printable(DisplayPath.text(of: folder))) until all of them are made: \(reason). "
      + "Nothing was set. TMPDIR names another folder."
  }
}

/// Corrections that wait to be stored, as the rows of a table without its header.
private struct Spool: ~Copyable {
  private struct Location {
    var audio: ContentID
    var offset: Int64
    var size: Int
  }

  private static let pieceSize = 1 << 20

  private let folder: FilePath
  private let file: UnnamedFile
  private var places: [Location] = []
  /// Bytes in the file and in the buffer.
  private var size: Int64 = 0
  private var buffer: [UInt8] = []

  init(in folder: FilePath) throws(LibraryTempoChangeError) {
    self.folder = folder
    do {
      file = try UnnamedFile(in: folder)
    } catch {
      throw LibraryTempoChangeError(folder: folder, reason: "\(error)")
    }
  }

  mutating func append(_ audio: ContentID, _ correction: TempoCorrection) throws(LibraryTempoChangeError) {
    let row = CorrectionTable.row(ResultStore.ListedTempoCorrection(audio: audio, correction: correction))
    places.append(Location(audio: audio, offset: size, size: row.count))
    size += Int64(row.count)
    buffer += row
    if buffer.count >= Self.pieceSize { try flush() }
  }

  private mutating func flush() throws(LibraryTempoChangeError) {
    do {
      try file.descriptor.writeAll(buffer)
    } catch {
      throw LibraryTempoChangeError(folder: folder, reason: "\(error)")
    }
    buffer.removeAll(keepingCapacity: true)
  }

  mutating func store(into store: ResultStore) throws {
    try flush()
    let layout = try CorrectionTable.Layout(header: CorrectionTable.columns.columns.map(\.name))
    let now = Timestamp.now
    // In the order of the table, which is then written from its start to its end and not all over.
    var rest = places.sorted { ($0.audio.high, $0.audio.low) < ($1.audio.high, $1.audio.low) }.makeIterator()
    try store.correctTempo {
      guard let place = rest.next() else { return nil }
      return try CorrectionTable.correction(CSVReader.cells(row(at: place)), layout, now: now)
    }
  }

  private borrowing func row(at place: Location) throws(LibraryTempoChangeError) -> [UInt8] {
    var row = [UInt8](repeating: 0, count: place.size)
    do {
      let count = try row.withUnsafeMutableBytes { bytes in
        try file.descriptor.read(fromAbsoluteOffset: place.offset, into: bytes)
      }
      guard count == place.size else { throw Errno.ioError }
    } catch {
      throw LibraryTempoChangeError(folder: folder, reason: "\(error)")
    }
    return row
  }
}
