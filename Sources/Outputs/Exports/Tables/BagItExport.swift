internal import Analysis
internal import Foundation
internal import Platform
internal import Records
internal import SystemPackage

/// The manifest and tag files of a BagIt bag (RFC 8493) whose payload, the folder `data`, is the library.
public struct BagItExport: ExportFormat {
  public let name = "bagit"
  public let abstract = "The manifest of a BagIt bag, for archives"
  public let output = ExportOutput.folder(files: ["bagit.txt", "bag-info.txt"])
  public var needsChecksums: Bool { true }
  public let needsFiles = true

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(["algorithm", "missing", "root"])
    return try BagItWriter(context)
  }
}

private struct BagItWriter: ExportWriter {
  private var choice: ChecksumChoice
  private let root: FilePath
  private let manifest: ExportFile
  private let declaration: ExportFile
  private let info: ExportFile
  private let context: ExportContext
  private var byteCount: Int64 = 0
  private var fileCount = 0

  init(_ context: ExportContext) throws(ExportError) {
    guard let folder = context.output else {
      throw .unavailable("This format writes a folder of files. Name the folder with --output.")
    }
    guard !context.isIncremental else {
      throw .unavailable("A manifest lists all files of a bag. Leave out --since.")
    }
    choice = try ChecksumChoice(context, algorithms: [.sha256, .md5])
    root = context.options["root"].map { FilePath($0).lexicallyNormalized() } ?? "/"
    guard root.isAbsolute else { throw .badOption("root", value: root.string, expected: "an absolute path") }
    let path = folder.appending("manifest-\(choice.algorithm.rawValue).txt")
    do {
      try context.overwriting.forRegularFiles.check(path, FileInventory.proof)
    } catch {
      throw .refused(error)
    }
    manifest = try ExportFile(path)
    declaration = try ExportFile(folder.appending("bagit.txt"))
    info = try ExportFile(folder.appending("bag-info.txt"))
    self.context = context
  }

  var omissions: ExportOmissions { choice.omissions }

  mutating func append(_ record: FileRecord) throws {
    guard let checksum = try choice.checksum(of: record) else { return }
    var path = record.path
    if !path.removePrefix(root) { path = FilePath(root: nil, record.path.components) }
    guard let name = path.withBytes({ unsafe String(validating: $0, as: UTF8.self) }) else {
      throw ExportError.unavailable(
        "The name of \(DisplayPath.text(of: record.path)) is not UTF-8, which a manifest cannot hold. Rename the "
          + "file, or leave it out by naming other paths.")
    }
    // See RFC 8493, section 2.1.3.
    let encoded = name.replacing("%", with: "%25").replacing("\n", with: "%0A").replacing("\r", with: "%0D")
    try manifest.write("\(checksum)  data/\(encoded)\n")
    fileCount += 1
    byteCount += record.sizeBytes ?? 0
  }

  func remove(_ removal: ExportRemoval) {}

  func finish() throws -> [FilePath] {
    try declaration.write("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    try info.write(
      """
      Bag-Software-Agent: \(context.program)
      Bagging-Date: \(context.now.description.prefix(10))
      Payload-Oxum: \(byteCount).\(fileCount)

      """)
    return try ExportFile.commit([declaration, info, manifest], listed: true)
  }
}
