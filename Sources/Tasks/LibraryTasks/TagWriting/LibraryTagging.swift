internal import Analysis
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage
package import TagWriting

/// Writes findings into the tags of files.
///
/// The store is only read: the next run sees that tags have changed, and that the audio has not.
package final class LibraryTagging {
  package struct Options: Sendable {
    package var fields: [WritableField]
    package var keyNotation = WritableField.KeyNotation.musical
    /// Other values are replaced, and not kept.
    package var overwrites = false
    package var isDryRun = false
    package var replacement = TagReplacement.Options()
    /// `nil` for a new one beside the database.
    package var journal: FilePath?

    package init(_ fields: [WritableField]) {
      self.fields = fields
    }
  }

  private let store: ResultStore
  private let options: Options
  private var journal: TagJournal?
  /// Records that are read at once.
  private static let batchSize = 100
  /// How often the same is tried on a file that other programs change.
  static let attemptLimit = 5

  package init(_ store: ResultStore, _ options: Options) {
    self.store = store
    self.options = options
  }

  /// The path of the journal; `nil` as long as nothing was changed.
  package var journalPath: FilePath? { journal?.path }

  /// - Parameter report: Called with each result, some time after; returns false to stop.
  /// - Throws: `StoreError`, `lockedByRun` while a run is at work unless it is a dry run; `TagJournalError`, after which
  ///   nothing more was changed.
  package func perform(on files: [FilePath], report: @escaping (TaggingResult) throws -> Bool) throws {
    let lock = options.isDryRun ? nil : try RunLock.acquire(forDatabase: store.path)
    defer { lock?.release() }
    var confirmation = TagConfirmation(report: report)
    var start = 0
    while start < files.count, !confirmation.isStopped {
      let batch = Array(files[start..<min(start + Self.batchSize, files.count)])
      start += batch.count
      var records: [FileRecord] = []
      try store.forEachRecord(at: batch) { _, record in
        records.append(record)
        return true
      }
      for record in records where !record.isVanished && !confirmation.isStopped {
        try confirmation.add(try outcome(for: record)) { try self.outcome(for: record) }
      }
    }
    try confirmation.finish()
  }

  // MARK: One file

  private func outcome(for record: FileRecord) throws -> TagConfirmation.Outcome {
    do {
      return try TagWriteError.retrying(Self.attemptLimit) { try write(record) }
    } catch let error as TagWriteError {
      var result = TaggingResult(record.path, .failed)
      result.problem = error
      return TagConfirmation.Outcome(result)
    }
  }

  private func write(_ record: FileRecord) throws -> TagConfirmation.Outcome {
    var result = TaggingResult(record.path, .nothing)
    var found: [WritableValue] = []
    // Opus differs in the values only, not in whether there are any.
    for field in options.fields {
      do throws(WritableField.Missing) {
        found += try field.values(of: record, options.keyNotation, isOpus: false)
      } catch {
        result.gaps.append(TaggingResult.Gap(field: field.rawValue, reason: error.reason))
      }
    }
    guard !found.isEmpty else { return TagConfirmation.Outcome(result) }
    guard !record.path.isObject else {
      throw TagWriteError(.notWritable, "It is an object: tags are written into files only.")
    }
    try refuseDamaged(record)
    let replacement = try TagReplacement(record.path, options.replacement)
    // Findings are about the audio: where only tags have changed since, by this program or another one, they hold.
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
      return TagConfirmation.Outcome(result)
    }
    if options.isDryRun {
      result.status = .planned
      return TagConfirmation.Outcome(result)
    }
    let changes = result.changes
    guard let contentID = record.contentID else {
      throw TagWriteError(.changed, "The audio of the file is not known; run `analyze` first.")
    }
    // If a field has several keys, readers may take one that said it already.
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
    return TagConfirmation.Outcome(result, file)
  }

  /// Refuses partial and damaged files: findings of a part of a recording may be wrong for the whole of it, and a
  /// damaged file may be all that is left.
  private func refuseDamaged(_ record: FileRecord) throws(TagWriteError) {
    guard record.status == .ok else {
      let code = record.problem.map { " (\($0.code))" } ?? ""
      throw TagWriteError(.oddStructure, "The file is damaged\(code); its tags are left as they are.")
    }
    // That there is little audio says nothing against the file.
    let odd = record.remarks.first { ($0.stage == .open || $0.stage == .decode) && $0.code != "very_short" }
    if let odd {
      throw TagWriteError(
        .oddStructure, "The structure of the file is odd (\(odd.code)); its tags are left as they are.")
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
      let present = item.values.filter { !value.isNone($0) }
      if present.count == 1, value.isSaid(by: present[0]) { continue }
      if present.isEmpty || options.overwrites {
        result.changes.append(change(item))
      } else {
        result.kept.append(change(item))
      }
    }
    guard items.isEmpty else { return }
    // Seen by readers, and not where tags are written: in another tag of the file, or packed.
    if let present = replacement.tags.fields[value.field] {
      if present.count == 1, value.isSaid(by: present[0]) { return }
      result.kept.append(
        TagChange(field: value.field, tag: "other", key: value.field, before: present, after: [value.text]))
      return
    }
    guard let (tag, key) = replacement.file.newKey(of: value.field) else {
      throw TagWriteError(.unsupportedFormat, "Tags of this file have no place for \(value.field).")
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
  /// Does something again as long as another program changes the file just then.
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
