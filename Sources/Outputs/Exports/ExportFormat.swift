public import Analysis
public import Filters
public import Platform
public import Records
public import SystemPackage

/// Format in which other programs take the library.
public protocol ExportFormat: Sendable {
  /// Name on the command line.
  var name: String { get }
  /// One line for help.
  var abstract: String { get }
  /// Long fields of findings to read, by their `FindingField.long` names: `beats`, …
  var long: Set<String> { get }
  var output: ExportOutput { get }
  /// True if the format is about the bytes of files: records have checksums, and files without audio are included.
  var needsChecksums: Bool { get }
  /// True if the format is about files of this machine only, so objects are left out.
  var needsFiles: Bool { get }
  /// True if a file says which tracks to take instead of listing them, so it makes sense without any.
  var isRule: Bool { get }
  /// Mark near the beginning or end of each file written, found in no other files; `nil` if the format has no room for
  /// one.
  var mark: String? { get }

  /// Names of the files that an export to a folder always has.
  /// - Parameter findings: Findings that records may have.
  func files(for findings: [any DeclaredFinding.Type]) -> [String]

  /// - Throws: `ExportError` if an option is invalid or nothing can be written.
  func begin(_ context: ExportContext) throws -> any ExportWriter
}

extension ExportFormat {
  public var long: Set<String> { [] }
  public var needsChecksums: Bool { false }
  public var needsFiles: Bool { false }
  public var isRule: Bool { false }
  public var mark: String? { nil }

  public func files(for findings: [any DeclaredFinding.Type]) -> [String] {
    if case .folder(let files) = output { files } else { [] }
  }
}

/// Destination of an export.
public enum ExportOutput: Hashable, Sendable {
  /// A file or standard output; the extension is for examples, such as `xml`.
  case file(extension: String)
  /// A folder, existing when the export begins, with files of these names and more for findings with lists.
  case folder(files: [String])
  /// A folder, existing when the export begins, with a tree of files for tracks.
  case tree

  public var isFolder: Bool { if case .file = self { false } else { true } }
}

/// Receives the records of one export in path order, in memory that does not grow with their number.
///
/// Nothing is in place before `finish`, and never is if an error is thrown or the writer is dropped earlier:
/// `ExportFile` ensures that.
public protocol ExportWriter {
  /// Appends a track with audio: its status is `ok` or `partial`. Formats with checksums get failed files, too.
  mutating func append(_ record: FileRecord) throws
  /// Called after all records of an incremental export, in path order.
  mutating func remove(_ removal: ExportRemoval) throws
  /// - Returns: Files written.
  mutating func finish() throws -> [FilePath]
  /// Files that were appended and left out.
  var omissions: ExportOmissions { get }
}

extension ExportWriter {
  public var omissions: ExportOmissions { ExportOmissions() }
}

/// Files that an export leaves out, each with the reason; only the first ones are kept.
public struct ExportOmissions: Sendable {
  public private(set) var count = 0
  /// Each reason is a sentence.
  public private(set) var examples: [(path: FilePath, reason: String)] = []

  private static let maxExampleCount = 20

  public init() {}

  mutating func add(_ path: FilePath, reason: String) {
    count += 1
    if examples.count < Self.maxExampleCount { examples.append((path, reason)) }
  }
}

/// Track removed since the last export: moved, deleted, or no longer matched by the filter. The receiver of the export
/// may never have had it.
public struct ExportRemoval: Hashable, Sendable {
  /// Last known path.
  public var path: FilePath

  public init(path: FilePath) {
    self.path = path
  }

  /// The `file_id` of reports.
  public var fileID: String { ContentID(ofPath: path).description }
}

/// Facts about an export, passed to a format.
public struct ExportContext: Sendable {
  /// File or folder; `nil` for standard output.
  public var output: FilePath?
  /// Name and version, such as `Nocturne 0.2.0`.
  public var program: String
  public var now: Timestamp
  /// True if only changed and removed tracks are exported.
  public var isIncremental: Bool
  /// Maximum number of records.
  public var trackCount: Int
  /// Options of `--option name=value`; each format checks its own.
  public var options: [String: String]
  /// Findings that records may have.
  public var findings: [any DeclaredFinding.Type]
  /// Filter that selects the tracks; `nil` if paths also do.
  public var filter: TrackFilter?
  /// Rule for files named after tracks; files that an export always has are checked before it begins.
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

  /// - Throws: `unknownOption`, with the names of the known options.
  public func checkOptions(_ known: [String] = []) throws(ExportError) {
    for name in options.keys.sorted() where !known.contains(name) {
      throw .unknownOption(name, known: known)
    }
  }
}
