internal import BuiltInAnalyzers
package import Exports
package import Filters
internal import Foundation
package import LibraryStore
package import Platform
internal import Records
package import ResultStore
package import SystemPackage

/// Exports tracks of a library to another program: either all tracks that match a filter, or only those of them that
/// have changed.
package struct LibraryExport: Sendable {
  package struct Outcome: Sendable {
    /// The files that the format wrote, followed by the cursor file if there is one.
    package var files: [FilePath]
    package var recordCount: Int
    package var removalCount: Int
    /// `true` if only changes were exported.
    package var isIncremental: Bool
    package var omissions = ExportOmissions()
    /// Number of files that runs skip, such as pictures and links, and that a list of checksums therefore lacks; 0 for
    /// other formats.
    package var skippedCount = 0
  }

  package var format: any ExportFormat
  /// The output; `nil` for standard output, which is not possible for formats that write a folder.
  package var output: FilePath?
  /// The paths to which the export is limited, including everything below them; `nil` for the whole library.
  package var roots: [FilePath]?
  package var filter: TrackFilter
  /// The start of the changes to export; `nil` for everything.
  package var since: Since?
  package var options: [String: String]
  package var overwriting: OverwriteRule

  package init(
    _ format: any ExportFormat, to output: FilePath?, roots: [FilePath]? = nil, filter: TrackFilter = .everything,
    since: Since? = nil, options: [String: String] = [:], overwriting: OverwriteRule = OverwriteRule()
  ) {
    self.format = format
    self.output = output
    self.roots = roots
    self.filter = filter
    self.since = since
    self.options = options
    self.overwriting = overwriting
  }

  /// The statuses of the files to export. Failed files are exported only if the format needs checksums.
  private var statuses: Set<FileRecord.Status> { format.needsChecksums ? [.ok, .partial, .failed] : [.ok, .partial] }

  /// Performs the export. The cursor is written last, so that after an interruption, the next export repeats the same
  /// changes.
  /// - Parameter progress: Called from time to time with the completed fraction, from 0 to 1.
  /// - Throws: `ExportError`, `CursorFileError`, `ChangePointError` or `StoreError`. The files are then unchanged,
  ///   unless an error occurs while several of them are being moved into place. The cursor is unchanged in any case.
  package func perform(_ store: ResultStore, progress: (Double) -> Void = { _ in }) throws -> Outcome {
    let point = try since?.point()
    let selection = RecordSelection(
      roots: roots, statuses: statuses, long: format.long, includesRuns: true,
      includesChecksums: format.needsChecksums)
    let skippedCount = format.needsChecksums ? try skippedCount(in: store) : 0
    return try store.extract(selection, matching: filter, since: point) { extract in
      let now = Timestamp.now
      // An incremental export without changes is fine.
      let mayBeEmpty = point != nil || format.isRule || overwriting.allowsOthers
      if extract.count == 0, !mayBeEmpty { throw ExportError.nothingSelected }
      try preparePlace()
      var writer = try format.begin(
        ExportContext(
          output: output, program: "Nocturne \(Nocturne.version)", now: now, isIncremental: point != nil,
          trackCount: extract.count, options: options, findings: BuiltInAnalyzers.findings,
          filter: roots == nil ? filter : nil, overwriting: overwriting))
      var outcome = Outcome(files: [], recordCount: 0, removalCount: 0, isIncremental: point != nil)
      try extract.forEachRecord { record in
        if format.needsFiles, record.path.isObject { return }
        try writer.append(record)
        outcome.recordCount += 1
        if outcome.recordCount.isMultiple(of: 64) { progress(Double(outcome.recordCount) / Double(extract.count)) }
      }
      if outcome.recordCount == 0, !mayBeEmpty { throw ExportError.nothingSelected }
      try extract.forEachRemoval { path in
        if format.needsFiles, path.isObject { return }
        try writer.remove(ExportRemoval(path: path))
        outcome.removalCount += 1
      }
      outcome.files = try writer.finish()
      outcome.omissions = writer.omissions
      outcome.skippedCount = skippedCount
      if let cursor = extract.cursor, let file = cursorFile {
        try file.write(cursor, at: now)
        outcome.files.append(file.path)
      }
      return outcome
    }
  }

  /// Returns the number of known files that runs skip.
  private func skippedCount(in store: ResultStore) throws -> Int {
    let skipped = RecordSelection(roots: roots, statuses: [.skipped])
    return try store.extract(skipped, matching: filter == .everything ? nil : filter) { $0.count }
  }

  /// The cursor file; `nil` for standard output, devices and pipes.
  private var cursorFile: CursorFile? {
    guard let output else { return nil }
    if format.output.isFolder { return CursorFile(inFolder: output) }
    let kind = output.fileKind
    return kind == nil || kind == .regular ? CursorFile(besideFile: output) : nil
  }

  /// Checks whether the output may be overwritten, and creates the output folder if the format writes one, before any
  /// work is done.
  private func preparePlace() throws(ExportError) {
    guard let output else { return }
    do {
      let rule = format.output.isFolder ? overwriting.forRegularFiles : overwriting
      try rule.check(files(at: output))
      if let cursorFile { try overwriting.forRegularFiles.check(cursorFile.path, CursorFile.proof) }
    } catch {
      throw .refused(error)
    }
    guard format.output.isFolder else { return }
    do {
      try output.makeFolder()
    } catch {
      throw .cannotCreate(output, reason: "\(error)")
    }
  }

  /// Returns the files that any export in this format writes, each with the proof that an earlier export wrote it. The
  /// mark in a file takes precedence over the cursor file beside it: if another program has saved the file since, the
  /// cursor is still there, but the mark is not.
  private func files(at output: FilePath) -> [(file: FilePath, proof: OriginProof)] {
    switch format.output {
    case .file: [(output, format.mark.map { .text(marks: [$0]) } ?? CursorFile.proofBesideFile)]
    case .folder: format.files(for: BuiltInAnalyzers.findings).map { (output.appending($0), FileInventory.proof) }
    case .tree: []
    }
  }
}
