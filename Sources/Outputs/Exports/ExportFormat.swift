public import Analysis
public import Filters
public import Platform
public import Records
public import SystemPackage

/// A format in which other programs accept the library.
public protocol ExportFormat: Sendable {
  /// Name on the command line.
  var name: String { get }
  /// Description in one line for the help.
  var abstract: String { get }
  /// Long fields of findings to read, by their `FindingField.long` names: `beats`, …
  var long: Set<String> { get }
  var output: ExportOutput { get }
  /// True if the format is about the bytes of files: records have checksums, and files without audio are included.
  var needsChecksums: Bool { get }
  /// True if the format describes only files on this machine, so that objects are left out.
  var needsFiles: Bool { get }
  /// True if a file says which tracks to take instead of listing them, so it makes sense without any.
  var isRule: Bool { get }
  /// Mark near the beginning or end of each file written, found in no other files; `nil` if the format has no room for
  /// one.
  var mark: String? { get }

  /// Returns the names of the files that an export to a folder always contains.
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

public enum ExportOutput: Hashable, Sendable {
  /// A file or standard output; the extension, such as `xml`, is used only in examples.
  case file(extension: String)
  /// A folder that exists when the export begins, with files of these names, and further files for findings with lists.
  case folder(files: [String])
  /// A folder that exists when the export begins, with a tree of files for tracks.
  case tree

  public var isFolder: Bool { if case .file = self { false } else { true } }
}

/// Receives the records of one export in path order, in an amount of memory that does not grow with the number of
/// records.
///
/// No output is in place before `finish`, and none ever is if an error is thrown or the writer is dropped before that:
/// `ExportFile` ensures this.
public protocol ExportWriter {
  /// Appends a track with audio: its status is `ok` or `partial`. Formats with checksums get failed files, too.
  mutating func append(_ record: FileRecord) throws
  /// Records a removal; called after all records of an incremental export, in path order.
  mutating func remove(_ removal: ExportRemoval) throws
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

/// A track removed since the last export: moved, deleted, or no longer matched by the filter. The receiver of the
/// export may never have had it.
public struct ExportRemoval: Hashable, Sendable {
  /// Last known path.
  public var path: FilePath

  public init(path: FilePath) {
    self.path = path
  }

  /// The `file_id` of reports.
  public var fileID: String { ContentID(ofPath: path).description }
}

/// The facts about an export that are passed to a format.
public struct ExportContext: Sendable {
  /// Destination file or folder; `nil` for standard output.
  public var output: FilePath?
  /// Name and version of the program, such as `Nocturne 0.2.0`.
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
  /// Filter that selects the tracks; `nil` if paths select them as well.
  public var filter: TrackFilter?
  /// The rule for files named after tracks; files that an export always contains are checked before it begins.
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
