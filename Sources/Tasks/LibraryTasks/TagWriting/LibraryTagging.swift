internal import Analysis
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage
package import TagWriting

/// Writes findings into the tags of files.
///
/// The store is only read. The next run detects that the tags have changed but the audio has not.
package final class LibraryTagging {
  package struct Options: Sendable {
    package var fields: [WritableField]
    package var keyNotation = WritableField.KeyNotation.musical
    /// `true` to replace existing values that differ instead of keeping them.
    package var overwrites = false
    package var isDryRun = false
    package var replacement = TagReplacement.Options()
    /// The path of the journal; `nil` for a new one in the folder of the database.
    package var journal: FilePath?

    package init(_ fields: [WritableField]) {
      self.fields = fields
    }
  }

  private let store: ResultStore
  private let options: Options
  private var journal: TagJournal?
  /// Number of records read from the database at a time.
  private static let batchSize = 100
  /// Maximum number of attempts for a file that other programs are changing.
  static let maxAttempts = 5

  package init(_ store: ResultStore, _ options: Options) {
    self.store = store
    self.options = options
  }

  /// The path of the journal; `nil` until a file is changed.
  package var journalPath: FilePath? { journal?.path }

  /// - Parameter report: Called with each result after a short delay. It returns `false` to stop.
  /// - Throws: `StoreError`, namely `lockedByRun` if a run is active and this is not a dry run; `TagJournalError`,
  ///   after which no more files are changed.
  package func perform(on files: [FilePath], report: @escaping (TaggingResult) throws -> Bool) throws {
    let lock = options.isDryRun ? nil : try RunLock.acquire(forDatabase: store.path)
    defer { lock?.release() }
    var check = LateOverwriteCheck(report: report)
    var start = 0
    while start < files.count, !check.isStopped {
      let batch = Array(files[start..<min(start + Self.batchSize, files.count)])
      start += batch.count
      var records: [FileRecord] = []
      try store.forEachRecord(at: batch) { _, record in
        records.append(record)
        return true
      }
      for record in records where !record.isVanished && !check.isStopped {
        try check.add(try outcome(for: record)) { try self.outcome(for: record) }
      }
    }
    try check.finish()
  }

  // MARK: One file

  private func outcome(for record: FileRecord) throws -> LateOverwriteCheck.Outcome {
    do {
      return try TagWriteError.retrying(Self.maxAttempts) { try write(record) }
    } catch let error as TagWriteError {
      var result = TaggingResult(record.path, .failed)
      result.problem = error
      return LateOverwriteCheck.Outcome(result)
    }
  }

  private func write(_ record: FileRecord) throws -> LateOverwriteCheck.Outcome {
    var result = TaggingResult(record.path, .nothing)
    var found: [WritableValue] = []
    // For Opus, only the values differ, not the set of fields that have a value.
    for field in options.fields {
      do throws(WritableField.Missing) {
        found += try field.values(of: record, options.keyNotation, isOpus: false)
      } catch {
        result.gaps.append(TaggingResult.Gap(field: field.rawValue, reason: error.reason))
      }
    }
    guard !found.isEmpty else { return LateOverwriteCheck.Outcome(result) }
    guard !record.path.isObject else {
      throw TagWriteError(.notWritable, "It is an object: tags can only be written to files.")
    }
    try refuseDamaged(record)
    let replacement = try TagReplacement(record.path, options.replacement)
    // Findings apply to the audio, so they are still valid if only the tags have changed.
    let isAsAnalyzed = replacement.identity.size == record.sizeBytes && replacement.identity.modified == record.modified
    guard try isAsAnalyzed || record.contentID.map({ try replacement.hasAudio($0) }) ?? false else {
      throw TagWriteError(.changed, "The audio has changed since it was analyzed; run `analyze` first.")
    }
    if replacement.file.isOpus, options.fields.contains(.replaygain) {
      found.removeAll { $0.field.hasPrefix("replaygain_") }
      found += (try? WritableField.replaygain.values(of: record, options.keyNotation, isOpus: true)) ?? []
    }
    for value in found { try plan(value, replacement, &result) }
    guard !result.changes.isEmpty else {
      result.status = result.kept.isEmpty ? .unchanged : .kept
      return LateOverwriteCheck.Outcome(result)
    }
    if options.isDryRun {
      result.status = .planned
      return LateOverwriteCheck.Outcome(result)
    }
    let changes = result.changes
    guard let contentID = record.contentID else {
      throw TagWriteError(.changed, "The audio of the file is unknown; run `analyze` first.")
    }
    // If a field has several keys, a tag reader may use one that already had this value, so no particular value can be
    // expected.
    var expected: [String: String] = [:]
    for change in changes where replacement.file.items(of: change.field).count <= 1 {
      expected[change.field] = change.after.first
    }
    let file = try replacement.perform(
      changes.map { TagItem(tag: $0.tag, key: $0.key, values: $0.after) }, of: Set(changes.map(\.field)),
      expecting: expected, contentID: contentID
    ) { new in
      try note(changes, record, contentID, replacement, new)
    }
    result.status = .written
    return LateOverwriteCheck.Outcome(result, file)
  }

  /// Refuses partial and damaged files, and files with an unusual structure. Findings about a part may be wrong for the
  /// whole recording, and a damaged file may be the only remaining copy.
  private func refuseDamaged(_ record: FileRecord) throws(TagWriteError) {
    guard record.status == .ok else {
      let code = record.problem.map { " (\($0.code))" } ?? ""
      throw TagWriteError(.oddStructure, "The file is damaged\(code); its tags were not changed.")
    }
    // A very short file is still intact.
    let odd = record.remarks.first { ($0.stage == .open || $0.stage == .decode) && $0.code != "very_short" }
    if let odd {
      throw TagWriteError(
        .oddStructure, "The structure of the file is unusual (\(odd.code)); its tags were not changed.")
    }
  }

  private func plan(
    _ value: WritableValue, _ replacement: TagReplacement, _ result: inout TaggingResult
  ) throws(TagWriteError) {
    let items = replacement.file.items(of: value.field)
    func change(_ item: TagItem) -> TagChange {
      TagChange(
        field: value.field, tag: item.tag, key: item.key, before: item.values, after: [value.text(for: item.key)])
    }
    for item in items {
      let present = item.values.filter { !value.isEmptyValue($0) }
      if present.count == 1, value.matches(present[0]) { continue }
      if present.isEmpty || options.overwrites {
        result.changes.append(change(item))
      } else {
        result.kept.append(change(item))
      }
    }
    guard items.isEmpty else { return }
    // The value may be in a place that tag readers use but this program does not write to: in another tag of the file,
    // or compressed.
    if let present = replacement.tags.fields[value.field] {
      if present.count == 1, value.matches(present[0]) { return }
      result.kept.append(
        TagChange(field: value.field, tag: "other", key: value.field, before: present, after: [value.text]))
      return
    }
    guard let (tag, key) = replacement.file.newKey(of: value.field) else {
      throw TagWriteError(.unsupportedFormat, "\(value.field) can't be written to the tags of this file.")
    }
    result.changes.append(change(TagItem(tag: tag, key: key, values: [])))
  }

  private func note(
    _ changes: [TagChange], _ record: FileRecord, _ contentID: ContentID, _ replacement: TagReplacement,
    _ new: TagReplacement.Prepared
  ) throws(TagJournalError) {
    if journal == nil {
      journal = try TagJournal(options.journal ?? TagJournal.newPath(besideDatabase: store.path))
    }
    try journal?.append(
      TagJournal.Entry(
        at: Timestamp.now.description, uri: record.path.uri, path: DisplayPath.text(of: record.path),
        contentId: contentID.description, before: TagJournal.Stamp(replacement.identity),
        after: TagJournal.Stamp(new.identity), changes: changes, restore: new.reversal.map(TagJournal.Restore.init)))
  }
}

extension TagWriteError {
  /// Calls `body` up to `limit` times, while another program keeps changing the file.
  static func retrying<Value>(_ limit: Int, _ body: () throws -> Value) throws -> Value {
    for _ in 1..<limit {
      do {
        return try body()
      } catch let error as TagWriteError where error.canBeRetried {
        continue
      }
    }
    return try body()
  }
}
