internal import Analysis
internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// A list of checksums for `sha256sum -c`, `md5sum -c` and `xxhsum -c`.
public struct ChecksumExport: ExportFormat {
  public let name = "checksums"
  public let abstract = "Checksums for sha256sum -c, md5sum -c or xxhsum -c"
  public let output = ExportOutput.file(extension: "sha256")
  public var needsChecksums: Bool { true }
  public let needsFiles = true

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(["algorithm", "missing", "paths"])
    return try ChecksumWriter(context)
  }
}

private struct ChecksumWriter: ExportWriter {
  private var choice: ChecksumChoice
  /// The folder to which paths are relative; `nil` for absolute paths.
  private let folder: FilePath?
  private let file: ExportFile

  init(_ context: ExportContext) throws(ExportError) {
    choice = try ChecksumChoice(context, algorithms: ChecksumAlgorithm.allCases)
    let paths = context.options["paths"] ?? "absolute"
    guard ["absolute", "relative"].contains(paths), context.output != nil || paths == "absolute" else {
      throw .badOption("paths", value: paths, expected: "absolute, or relative with --output")
    }
    folder =
      paths == "absolute"
      ? nil
      : context.output.map { output in
        let folder = output.removingLastComponent()
        return (try? folder.resolved()) ?? folder
      }
    file = try ExportFile(context.output)
  }

  var omissions: ExportOmissions { choice.omissions }

  mutating func append(_ record: FileRecord) throws {
    guard let checksum = try choice.checksum(of: record) else { return }
    let path = folder.map { M3UFile.relativePath(of: record.path, to: $0) } ?? record.path
    try file.write(Self.line(checksum, path.withBytes { Array($0) }))
  }

  /// Does nothing, because a new list does not contain removed files.
  func remove(_ removal: ExportRemoval) {}

  func finish() throws -> [FilePath] {
    try file.commit()
    return file.path.map { [$0] } ?? []
  }

  /// Returns a line in the format of coreutils 9. A name with a line break or backslash is escaped, and its line begins
  /// with a backslash. Other bytes stay unchanged, whether or not they are UTF-8.
  static func line(_ checksum: String, _ name: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    for byte in name {
      switch byte {
      case UInt8(ascii: "\\"): escaped += Array("\\\\".utf8)
      case UInt8(ascii: "\n"): escaped += Array("\\n".utf8)
      case UInt8(ascii: "\r"): escaped += Array("\\r".utf8)
      default: escaped.append(byte)
      }
    }
    return (escaped.count == name.count ? [] : Array("\\".utf8)) + Array("\(checksum)  ".utf8) + escaped
      + [UInt8(ascii: "\n")]
  }
}

/// A hash function. The raw value is its name in the option.
enum ChecksumAlgorithm: String, CaseIterable {
  case sha256, md5, xxh128

  func digits(of checksum: FileChecksum) -> String? {
    switch self {
    case .sha256: checksum.digests[.sha256]?.hexadecimal
    case .md5: checksum.digests[.md5]?.hexadecimal
    case .xxh128: checksum.whole.bigEndianBytes.hexadecimal
    }
  }
}

/// The checksum algorithm of an export, and what to do with files that have no checksum.
struct ChecksumChoice {
  let algorithm: ChecksumAlgorithm
  private let skipsMissing: Bool
  private(set) var omissions = ExportOmissions()

  init(_ context: ExportContext, algorithms: [ChecksumAlgorithm]) throws(ExportError) {
    let name = context.options["algorithm"] ?? "sha256"
    guard let algorithm = algorithms.first(where: { $0.rawValue == name }) else {
      throw .badOption(
        "algorithm", value: name, expected: algorithms.map(\.rawValue).joined(separator: ", "))
    }
    let missing = context.options["missing"] ?? "fail"
    guard ["fail", "skip"].contains(missing) else {
      throw .badOption("missing", value: missing, expected: "fail or skip")
    }
    self.algorithm = algorithm
    skipsMissing = missing == "skip"
  }

  /// Returns hexadecimal digits; `nil` if the file is left out.
  mutating func checksum(of record: FileRecord) throws(ExportError) -> String? {
    if let digits = record.checksum.flatMap(algorithm.digits) { return digits }
    let path = DisplayPath.text(of: record.path)
    // A file that cannot be read has no checksum, and it would not help to read it again.
    let cause = record.checksum == nil && record.status == .failed ? record.problem?.message : nil
    if skipsMissing {
      omissions.add(record.path, reason: cause ?? "There is no \(algorithm.rawValue) checksum of these bytes.")
      return nil
    }
    if let cause {
      throw .unavailable(
        "There is no \(algorithm.rawValue) checksum of \(path): \(cause) To leave such files out: --option missing=skip."
      )
    }
    let toDo =
      algorithm == .xxh128
      ? "`analyze verify` reads the files that have none"
      : "`analyze verify --checksum \(algorithm.rawValue)` computes it for all files, and the setting checksums for new "
        + "ones; --option algorithm=xxh128 needs nothing"
    throw .unavailable(
      "There is no \(algorithm.rawValue) checksum of \(path), or the file has changed since. \(toDo). "
        + "To leave such files out: --option missing=skip.")
  }
}
