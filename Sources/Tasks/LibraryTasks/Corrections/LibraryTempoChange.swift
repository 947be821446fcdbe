internal import Analysis
package import Filters
internal import Foundation
internal import LibraryStore
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage
internal import Text

/// Applies one change to many files. It is applied to all files that accept it or, after an interruption, to none.
///
/// Corrections are spooled to an unnamed file until the last one is known, and are then stored in one transaction, so
/// memory use hardly grows with their number. No run may be active, because that transaction may take longer than a run
/// waits for its own transactions.
package struct LibraryTempoChange {
  /// Files that do not accept the change, all of them for the same reason.
  package struct Refusal: Sendable {
    package var code: String
    /// Text that completes “3 files …”.
    package var text: String
    package var count: Int
  }

  package struct Outcome: Sendable {
    package var isDryRun: Bool
    /// Number of files to change.
    package var matchedCount = 0
    /// Number of recordings that were or would be changed. Copies share one correction.
    package var changedCount = 0
    /// Number of files that are copies of other matching files.
    package var copyCount = 0
    /// Number of files that have no correction to remove.
    package var unchangedCount = 0
    /// The refusals by reason, most frequent first.
    package var refusals: [Refusal] = []
    /// The first changes.
    package var examples: [TempoChange.Change] = []

    /// Creates the outcome for files given by name, all of which accept the change.
    package init(of changes: [TempoChange.Change], isDryRun: Bool) {
      self.isDryRun = isDryRun
      matchedCount = changes.count
      changedCount = Set(changes.map(\.audio)).count
      copyCount = matchedCount - changedCount
      examples = changes
    }
  }

  /// Maximum number of `Outcome.examples`.
  package static let maxExamples = 10
  /// Number of records with beats that are in memory at a time.
  private static let pageSize = 100

  package var change: TempoChange
  package var isDryRun: Bool
  /// The folder for the spool file.
  package var scratchFolder: FilePath

  package init(_ change: TempoChange, isDryRun: Bool, scratchFolder: FilePath) {
    self.change = change
    self.isDryRun = isDryRun
    self.scratchFolder = scratchFolder
  }

  /// Returns the matching tracks, sorted by path.
  package func files(matching filter: TrackFilter) throws(StoreError) -> [FilePath] {
    try change.store.paths(matching: filter)
  }

  /// - Parameter progress: Called with the number of files handled so far.
  /// - Throws: `LibraryTempoChangeError`, or `StoreError`, which is `lockedByRun` while a run is active, except for a
  ///   dry run.
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
        if outcome.examples.count < Self.maxExamples { outcome.examples.append(change) }
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

  /// Calls `body` for each record. The calls happen outside of any read transaction, because a long transaction would
  /// keep the write-ahead log from being truncated.
  /// - Parameter files: The files to read. Files that were forgotten in the meantime are skipped.
  private func forEachRecord(of files: [FilePath], _ body: (FileRecord) throws -> Void) throws {
    for start in stride(from: 0, to: files.count, by: Self.pageSize) {
      var records: [FileRecord] = []
      let page = Array(files[start..<min(start + Self.pageSize, files.count)])
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
    "Corrections cannot be written to the temporary folder \(printable(DisplayPath.text(of: folder))): \(reason). "
      + "Nothing was set. Set TMPDIR to use another folder."
  }
}

/// The corrections to store, in the form of rows of a `CorrectionTable` without its header.
private struct Spool: ~Copyable {
  private struct Location {
    var audio: ContentID
    var offset: Int64
    var size: Int
  }

  private static let bufferSize = 1 << 20

  private let folder: FilePath
  private let file: UnnamedFile
  private var places: [Location] = []
  /// Number of bytes in the file and in the buffer.
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
    if buffer.count >= Self.bufferSize { try flush() }
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
    // The rows are sorted by the key of the database table, so that the table is written sequentially.
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
