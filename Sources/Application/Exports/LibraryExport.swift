package import Exports
package import Filters
internal import Foundation
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage

/// Hands the tracks of a library to another program: all that a filter matches, or what has changed of them.
package struct LibraryExport: Sendable {
  package struct Outcome: Sendable {
    /// Those of the format, and then the cursor.
    package var files: [FilePath]
    package var recordCount: Int
    package var removalCount: Int
    /// Only changes were exported.
    package var isIncremental: Bool
  }

  package var format: any ExportFormat
  /// `nil` for standard output, which formats with a folder do not have.
  package var output: FilePath?
  /// Only what is at or below these paths; `nil` for everything.
  package var roots: [FilePath]?
  package var filter: TrackFilter
  /// `nil` for everything.
  package var since: Since?
  package var options: [String: String]
  /// Whether a file that no export has written may be replaced.
  package var replacesOtherFiles: Bool

  package init(
    _ format: any ExportFormat, to output: FilePath?, roots: [FilePath]? = nil, filter: TrackFilter = .everything,
    since: Since? = nil, options: [String: String] = [:],
    replacesOtherFiles: Bool = false
  ) {
    self.format = format
    self.output = output
    self.roots = roots
    self.filter = filter
    self.since = since
    self.options = options
    self.replacesOtherFiles = replacesOtherFiles
  }

  /// Files in which no audio was found are no tracks for others.
  private static let statuses: Set<FileRecord.Status> = [.ok, .partial]

  /// The cursor comes last: if anything ends the export before, the next one tells the same again.
  /// - Parameter progress: Is told from time to time how much is done, 0 to 1.
  /// - Throws: `ExportError`, `CursorFileError`, `ChangePointError` or `StoreError`. Files are then as they were before, or, if
  ///   the last of several could not be put in place, some are; the cursor is the old one.
  package func perform(_ store: ResultStore, progress: (Double) -> Void = { _ in }) throws -> Outcome {
    let point = try since?.point()
    let selection = RecordSelection(roots: roots, statuses: Self.statuses, long: format.long, includesRuns: true)
    return try store.extract(selection, matching: filter, since: point) { extract in
      let now = Timestamp.now
      try preparePlace()
      var writer = try format.begin(
        ExportContext(
          output: output, program: "Nocturne \(Nocturne.version)", now: now, isIncremental: point != nil,
          trackCount: extract.count, options: options, filter: roots == nil ? filter : nil))
      var outcome = Outcome(files: [], recordCount: 0, removalCount: 0, isIncremental: point != nil)
      try extract.forEachRecord { record in
        try writer.append(record)
        outcome.recordCount += 1
        if outcome.recordCount.isMultiple(of: 64) { progress(Double(outcome.recordCount) / Double(extract.count)) }
      }
      try extract.forEachRemoval { path in
        try writer.remove(ExportRemoval(path: path))
        outcome.removalCount += 1
      }
      outcome.files = try writer.finish()
      if let cursor = extract.cursor, let file = cursorFile {
        try file.write(cursor, at: now)
        outcome.files.append(file.path)
      }
      return outcome
    }
  }

  /// `nil` where there is no place for one.
  private var cursorFile: CursorFile? {
    guard let output else { return nil }
    if format.output == .folder { return CursorFile(inFolder: output) }
    // Not beside a device or a pipe.
    let kind = Self.kind(of: output)
    return kind == nil || kind == .typeRegular ? CursorFile(besideFile: output) : nil
  }

  /// Before any work is done.
  private func preparePlace() throws(ExportError) {
    guard let output else { return }
    guard format.output == .folder else {
      if Self.kind(of: output) == .typeDirectory {
        throw .cannotCreate(output, reason: "it is a folder, and \(format.name) writes a file")
      }
      if !replacesOtherFiles, isOtherFile(output) { throw .notOurs(output) }
      return
    }
    do {
      try FileManager.default.createDirectory(atPath: output.string, withIntermediateDirectories: true)
    } catch {
      throw .cannotCreate(output, reason: error.localizedDescription)
    }
  }

  /// Whether a file with something in it has no cursor beside it, which exports leave: the collection of another program,
  /// say.
  private func isOtherFile(_ file: FilePath) -> Bool {
    guard let status = try? FileStatus(at: file, followingLinks: true), status.kind == .regular, status.size > 0 else {
      return false
    }
    return (try? CursorFile(besideFile: file).read()) == nil
  }

  /// `nil` if there is nothing. Links are followed.
  private static func kind(of path: FilePath) -> FileAttributeType? {
    let place = URL(filePath: path.string).resolvingSymlinksInPath().path
    return try? FileManager.default.attributesOfItem(atPath: place)[.type] as? FileAttributeType
  }
}
