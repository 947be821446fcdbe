internal import Analysis
internal import Foundation
internal import Library
internal import Platform
internal import Records
internal import SystemPackage

/// A playlist of all tracks in path order. `analyze playlist` creates ordered playlists.
public struct M3U8Export: ExportFormat {
  public let name = "m3u8"
  public let abstract = "A playlist for any player, in the order of paths"
  public let output = ExportOutput.file(extension: "m3u8")
  public var mark: String? { M3UFile.mark }

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(["paths"])
    return try M3U8Writer(context)
  }
}

private struct M3U8Writer: ExportWriter {
  /// The folder to which paths are relative; `nil` for absolute paths.
  private let folder: FilePath?
  private let file: ExportFile

  init(_ context: ExportContext) throws(ExportError) {
    let choice = context.options["paths"] ?? (context.output == nil ? "absolute" : "relative")
    guard ["absolute", "relative"].contains(choice), context.output != nil || choice == "absolute" else {
      throw .badOption("paths", value: choice, expected: "absolute, or relative with --output")
    }
    folder = choice == "absolute" ? nil : context.output.map { Self.folder(of: $0) }
    file = try ExportFile(context.output)
    try file.write(M3UFile.header)
  }

  /// Returns the folder after resolving links, because `..` refers to the parent of a link's target.
  private static func folder(of file: FilePath) -> FilePath {
    let folder = file.removingLastComponent()
    return (try? folder.resolved()) ?? folder
  }

  func append(_ record: FileRecord) throws {
    try file.write(
      M3UFile.entry(record.path, name: record.track.name, duration: record.format?.duration, relativeTo: folder))
  }

  /// Does nothing, because a new playlist does not contain removed tracks.
  func remove(_ removal: ExportRemoval) {}

  func finish() throws -> [FilePath] {
    try file.commit()
    return file.path.map { [$0] } ?? []
  }
}
