public import Analysis
public import Filters
public import Platform
public import Records
public import SystemPackage

/// A format in which other programs can read the library.
public protocol ExportFormat: Sendable {
  /// The name on the command line.
  var name: String { get }
  /// A one-line description for the help.
  var abstract: String { get }
  /// Long fields of findings to read, by their `FindingField.long` names: `beats`, …
  var long: Set<String> { get }
  var output: ExportOutput { get }
  /// `true` if the format describes the bytes of files. Records then have checksums, and files without audio are
  /// included.
  var needsChecksums: Bool { get }
  /// `true` if the format can describe only files on this machine, so that objects are left out.
  var needsFiles: Bool { get }
  /// `true` if a file contains a rule for choosing tracks instead of a list of tracks, so that it makes sense even
  /// without tracks.
  var isRule: Bool { get }
  /// A mark near the beginning or end of each file that is written, which no other files contain; `nil` if the format
  /// has no room for one.
  var mark: String? { get }

  /// Returns the names of the files that an export to a folder always contains.
  /// - Parameter findings: The findings that records may have.
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
  /// A file or standard output. The extension, such as `xml`, is used only in examples.
  case file(extension: String)
  /// A folder that exists when the export begins. It contains files with these names and, depending on the format,
  /// further files.
  case folder(files: [String])
  /// A folder that exists when the export begins. It contains a tree of files for tracks.
  case tree

  public var isFolder: Bool { if case .file = self { false } else { true } }
}

/// Receives the records of one export in path order. Memory use does not grow with the number of records.
///
/// No file is in place before `finish`. If an error is thrown or the writer is released earlier, no file remains;
/// `ExportFile` ensures this.
public protocol ExportWriter {
  /// Appends a track with audio, whose status is `ok` or `partial`. Formats with checksums receive failed files, too.
  mutating func append(_ record: FileRecord) throws
  /// Records a removal. Called after all records of an incremental export, in path order.
  mutating func remove(_ removal: ExportRemoval) throws
  mutating func finish() throws -> [FilePath]
  /// The appended files that the export leaves out.
  var omissions: ExportOmissions { get }
}

extension ExportWriter {
  public var omissions: ExportOmissions { ExportOmissions() }
}

/// The number of files that an export leaves out, and the first ones as examples, with reasons.
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

/// A track removed since the last export: it was moved or deleted, or the filter no longer matches it. The receiver of
/// the export may never have received the track.
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
  /// The destination file or folder; `nil` for standard output.
  public var output: FilePath?
  /// Name and version of the program, such as `Nocturne 0.2.0`.
  public var program: String
  public var now: Timestamp
  /// `true` if only changed and removed tracks are exported.
  public var isIncremental: Bool
  /// Maximum number of records.
  public var trackCount: Int
  /// The options given by `--option name=value`. Each format checks its own.
  public var options: [String: String]
  /// The findings that records may have.
  public var findings: [any DeclaredFinding.Type]
  /// The filter that selects the tracks; `nil` if paths select them as well.
  public var filter: TrackFilter?
  /// The rule for replacing files that are named after tracks. Files that an export always contains are checked before
  /// the export begins.
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

  /// - Throws: `unknownOption`, with the names of the options that exist.
  public func checkOptions(_ known: [String] = []) throws(ExportError) {
    for name in options.keys.sorted() where !known.contains(name) {
      throw .unknownOption(name, known: known)
    }
  }
}
