internal import BuiltInAnalyzers
internal import DuplicateTasks
internal import Foundation
package import LibraryStore
internal import Likeness
package import Platform
package import Records
internal import Reporting
package import ResultStore
package import SystemPackage

/// Writes reports on a library, or on part of it, from the database.
package struct LibraryReports: Sendable {
  package enum Destination: Sendable {
    /// Writes each report to a file such as `report.json` in a folder, which is created if it does not exist.
    case folder(FilePath)
    /// Writes to standard output, which can receive only one report.
    case standardOutput
  }

  /// A report that was or will be written.
  package struct File: Hashable, Sendable {
    package var format: ReportFormat
    package var path: FilePath

    package var text: String { "\(format.rawValue) report: \(path.string)" }
  }

  package var formats: [ReportFormat]
  package var destination: Destination
  package var options: ReportOptions
  /// The folders and files to include; `nil` for the whole library.
  package var roots: [FilePath]?
  /// `true` to include vanished files.
  package var includesVanished: Bool
  /// The point since which changes are reported, with `removed.ndjson` and `cursor.json` in the folder of the reports;
  /// `nil` to report everything. Not supported for HTML and standard output.
  package var since: Since?

  package init(
    _ formats: [ReportFormat], to destination: Destination,
    options: ReportOptions = ReportOptions(findings: BuiltInAnalyzers.findings),
    roots: [FilePath]? = nil, includesVanished: Bool = false
  ) {
    self.formats = formats
    self.destination = destination
    self.options = options
    self.roots = roots
    self.includesVanished = includesVanished
  }

  /// The reports that `write` creates; empty for standard output.
  package var files: [File] {
    guard case .folder(let folder) = destination else { return [] }
    return formats.map { File(format: $0, path: folder.appending("report.\($0.fileExtension)")) }
  }

  /// Throws if `write` would replace files that must not be replaced. Call this before doing any work.
  package func check(_ overwriting: OverwriteRule) throws(OverwriteError) {
    guard case .folder(let folder) = destination else { return }
    var outputs = files.map { (file: $0.path, proof: $0.format.proof) }
    if since != nil {
      outputs.append((RemovedTracks.path(inFolder: folder), RemovedTracks.proof))
      outputs.append((CursorFile(inFolder: folder).path, CursorFile.proof))
    }
    try overwriting.forRegularFiles.check(outputs)
  }

  /// - Parameter run: The run that the reports describe.
  /// - Throws: `ReportError` or `StoreError`. A file that could not be completed keeps its previous content.
  /// - Returns: The reports that were written; empty for standard output.
  package func write(_ store: ResultStore, run: RunRecord?) throws -> [File] {
    if let since, case .folder(let folder) = destination {
      try makeFolder()
      try writeChanges(since: since, store, run: run, into: folder)
      return files
    }
    let selection = RecordSelection(
      roots: roots, includesVanished: includesVanished, long: options.long)
    func write(_ format: ReportFormat, to destination: ReportDestination) throws {
      if format == .html { return try writePage(store, run: run, to: destination) }
      let writer = try ReportWriter(format, to: destination, options: options, run: run)
      try store.forEachRecord(selection) { try writer.append($0) }
      try writer.finish()
    }
    guard case .folder = destination else {
      for format in formats { try write(format, to: .standardOutput) }
      return []
    }
    try makeFolder()
    for file in files { try write(file.format, to: .file(file.path)) }
    return files
  }

  private func makeFolder() throws(ReportError) {
    guard case .folder(let folder) = destination, !formats.isEmpty else { return }
    do {
      try folder.makeFolder()
    } catch {
      throw .cannotCreate(path: folder, reason: "\(error)")
    }
  }

  /// Writes the reports of changes and the list of removed files from one snapshot of the database. The cursor is
  /// written last, so that after an interruption, the next report repeats the same changes.
  private func writeChanges(since: Since, _ store: ResultStore, run: RunRecord?, into folder: FilePath) throws {
    let selection = RecordSelection(roots: roots, includesVanished: includesVanished, long: options.long)
    try store.extract(selection, since: try since.point()) { extract in
      let removals = try RemovedTracks(inFolder: folder)
      let writers = try files.map { try ReportWriter($0.format, to: .file($0.path), options: options, run: run) }
      try extract.forEachRecord { record in for writer in writers { try writer.append(record) } }
      try extract.forEachRemoval { try removals.append($0) }
      for writer in writers { try writer.finish() }
      try removals.finish()
      if let cursor = extract.cursor { try CursorFile(inFolder: folder).write(cursor, at: .now) }
    }
  }

  /// Maximum number of descriptors from which the reduction is computed.
  private static let soundSample = 2048
  /// Number of components of a reduced descriptor; see docs/likeness.md.
  private static let soundWidth = 48

  /// Writes the HTML page. It always reads vanished files, because the history counts them.
  private func writePage(_ store: ResultStore, run: RunRecord?, to destination: ReportDestination) throws {
    let sample = try store.descriptors(
      version: SoundDescriptor.version, size: SoundDescriptor.count, limit: Self.soundSample)
    let reduction = PrincipalComponents(sample: sample.bytes, width: Self.soundWidth)
    let page = PageInput(
      runs: try store.runs(), showsVanished: includesVanished, program: "Nocturne \(Nocturne.version)",
      sound: reduction.map { reduction in PageInput.Sound(width: reduction.width) { reduction.reduced($0) } },
      duplicates: try LibraryDuplicates.onPage(of: store, below: roots),
      longRecords: { try store.forEachRecord(at: $0, long: $1, $2) })
    let writer = try ReportWriter(.html, to: destination, options: options, run: run, page: page)
    let selection = RecordSelection(
      roots: roots, includesVanished: true, long: reduction == nil ? [] : ["descriptor"], includesRuns: true)
    try store.forEachRecord(selection) { try writer.append($0) }
    try writer.finish()
  }
}

extension ReportFormat {
  /// Identifies a report in this format.
  fileprivate var proof: OriginProof {
    switch self {
    case .json: .text(beginning: "{\"schema\":\"\(ReportWriter.schema)\"")
    case .ndjson: .text(beginning: "{\"file_id\":\"", marks: ["\"analyzed_at\":", "\"uri\":\"file://"])
    case .csv: .text(beginning: "file_id,analyzed_at,id,uri,")
    case .html: .text(marks: ["<meta name=\"generator\" content=\"Nocturne\">"])
    }
  }
}
