public import Analysis
public import Filters
public import Platform
public import Records
public import SystemPackage

/// A form in which other programs take the library.
public protocol ExportFormat: Sendable {
  /// On the command line.
  var name: String { get }
  /// One line for help.
  var abstract: String { get }
  /// The long fields of findings to read, by what `FindingField.long` calls them: `beats`, …
  var long: Set<String> { get }
  var output: ExportOutput { get }
  /// Whether records come with the checksums of their files.
  var needsChecksums: Bool { get }
  /// Whether it is about files of this machine only, so objects are left out.
  var needsFiles: Bool { get }
  /// A mark near the beginning or end of each file that it writes, and in no file of others; `nil` if the format has no
  /// room for one.
  var mark: String? { get }

  /// The names of the files that an export to a folder always has.
  /// - Parameter findings: Findings that records may have.
  func files(for findings: [any DeclaredFinding.Type]) -> [String]

  /// - Throws: `ExportError`: what is wrong with an option, or why nothing can be written.
  func begin(_ context: ExportContext) throws -> any ExportWriter
}

extension ExportFormat {
  public var long: Set<String> { [] }
  public var needsChecksums: Bool { false }
  public var needsFiles: Bool { false }
  public var mark: String? { nil }

  public func files(for findings: [any DeclaredFinding.Type]) -> [String] {
    if case .folder(let files) = output { files } else { [] }
  }
}

/// The destination of an export.
public enum ExportOutput: Hashable, Sendable {
  /// A file or standard output; the extension is for examples, such as `xml`.
  case file(extension: String)
  /// A folder, which is there when the export begins, with files of these names, and more where findings have lists.
  case folder(files: [String])
  /// A folder, which is there when the export begins, with a tree of files for tracks.
  case tree

  public var isFolder: Bool { if case .file = self { false } else { true } }
}

/// Takes the records of one export, in the order of paths, in memory that does not grow with their number.
///
/// Nothing is in place before `finish`, and nothing ever if an error is thrown or the writer is dropped before:
/// `ExportFile` sees to that.
public protocol ExportWriter {
  /// Only tracks with audio come: their status is `ok` or `partial`.
  mutating func append(_ record: FileRecord) throws
  /// After all records of an incremental export, in the order of paths.
  mutating func remove(_ removal: ExportRemoval) throws
  /// - Returns: The files written.
  mutating func finish() throws -> [FilePath]
}

/// A track that is gone since the last export: moved, deleted, or not matched by the filter any more. The receiver of
/// the export may never have had it.
public struct ExportRemoval: Hashable, Sendable {
  /// As it was.
  public var path: FilePath

  public init(path: FilePath) {
    self.path = path
  }

  /// The `file_id` of reports.
  public var fileID: String { ContentID(ofPath: path).description }
}

/// The facts about an export that a format gets.
public struct ExportContext: Sendable {
  /// The file or folder; `nil` for standard output.
  public var output: FilePath?
  /// Such as `Nocturne 0.2.0`.
  public var program: String
  public var now: Timestamp
  /// Only what has changed is exported, and what is gone.
  public var isIncremental: Bool
  /// How many records come at most.
  public var trackCount: Int
  /// Options of `--option name=value`; each format checks its own.
  public var options: [String: String]
  /// Findings that records may have.
  public var findings: [any DeclaredFinding.Type]
  /// The filter that chooses the tracks; `nil` if paths do, too.
  public var filter: TrackFilter?
  /// For files whose names the tracks make; those that an export always has are looked at before it begins.
  public var overwriting: OverwriteRule

  public init(
    output: FilePath?, program: String, now: Timestamp = .now, isIncremental: Bool = false, trackCount: Int,
    options: [String: String] = [:], findings: [any DeclaredFinding.Type] = [], filter: TrackFilter? = .everything,
    overwriting: OverwriteRule = OverwriteRule()
  ) {
    self.output = output
    self.program = program
    self.now = now
    self.isIncremental = isIncremental
    self.trackCount = trackCount
    self.options = options
    self.findings = findings
    self.filter = filter
    self.overwriting = overwriting
  }

  /// - Throws: `unknownOption`, which names those that there are.
  public func checkOptions(_ known: [String] = []) throws(ExportError) {
    for name in options.keys.sorted() where !known.contains(name) {
      throw .unknownOption(name, known: known)
    }
  }
}
