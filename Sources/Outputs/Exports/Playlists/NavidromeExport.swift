internal import Foundation
internal import Records
internal import SystemPackage

/// A Navidrome smart playlist (`.nsp`): the filter as rules, which Navidrome applies to its own library.
public struct NavidromeExport: ExportFormat {
  public let name = "nsp"
  public let abstract = "A smart playlist for Navidrome: the filter as its rules"
  public let output = ExportOutput.file(extension: "nsp")
  public let isRule = true
  public var mark: String? { NavidromeFile.mark }

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(["name"])
    guard let filter = context.filter else {
      throw ExportError.unavailable(
        "A Navidrome smart playlist cannot list paths. Select tracks with --where, such as --where 'path:techno'.")
    }
    do {
      let name = context.options["name"] ?? context.output?.stem ?? "nocturne"
      return try NavidromeWriter(context, NavidromeFile.bytes(filter, name: name))
    } catch let error as NavidromeError {
      throw ExportError.unavailable("A Navidrome smart playlist cannot express \(error.what). \(error.advice)")
    }
  }
}

/// Ignores tracks, because Navidrome selects them itself.
private struct NavidromeWriter: ExportWriter {
  private let file: ExportFile

  init(_ context: ExportContext, _ bytes: [UInt8]) throws(ExportError) {
    file = try ExportFile(context.output)
    try file.write(bytes)
  }

  func append(_ record: FileRecord) {}

  func remove(_ removal: ExportRemoval) {}

  func finish() throws -> [FilePath] {
    try file.commit()
    return file.path.map { [$0] } ?? []
  }
}
