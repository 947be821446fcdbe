internal import CLibAV
internal import LibraryStore
internal import Platform
internal import SystemPackage

/// The main function of the process that creates one cover. It reads a `CoverRequest` from standard input and writes a
/// JPEG to standard output, or nothing if there is no cover.
package struct CoverWorker {
  private let side: Int

  /// - Parameter side: Length of the longer side, in pixels.
  package init(side: Int) { self.side = side }

  /// Returns the command line of the worker process.
  /// - Parameter command: The command without options.
  static func program(_ command: [String], size: CoverSize) -> ProgramCommand {
    var program = ProgramCommand(command + ["--side", String(size.rawValue)])
    // Enough memory for the largest allowed picture decoded, as RGB, and scaled down, all at the same time.
    program.limits = ProgramCommand.Limits(memory: 512 << 20, processorSeconds: 10)
    return program
  }

  package func run() throws {
    let input = try FileDescriptor.standardInput.readToEnd(limit: Self.maxInputSize)
    guard let request = CoverRequest(input), let jpeg = cover(of: request.track) else { return }
    _ = try FileDescriptor.standardOutput.writeAll(jpeg)
  }

  /// Maximum size of the input in bytes, which no request reaches.
  private static let maxInputSize = 1 << 16

  /// Returns the embedded picture, or else one in the same folder, scaled down and encoded as JPEG; `nil` if there is
  /// neither.
  func cover(of track: TrackFile) -> [UInt8]? {
    guard let folder = try? TrackFolder(of: track) else { return nil }
    let file = try? OpenFile(track, in: folder)
    if let picture = file?.attachedPicture, let jpeg = small(picture) { return jpeg }
    guard file != nil || !folder.isBehindLink else { return nil }
    for name in Self.pictures(in: folder) {
      guard let file = try? folder.file(beside: name), file.size <= LAV_MAXIMUM_PICTURE_SIZE,
        let bytes = try? file.read(Int(file.size), at: 0), let jpeg = small(bytes)
      else { continue }
      return jpeg
    }
    return nil
  }

  private func small(_ picture: [UInt8]) -> [UInt8]? {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    let status = unsafe lav_thumbnail(picture, picture.count, CInt(side), &bytes, &count)
    defer { unsafe lav_free_picture(bytes) }
    guard status == LAVPictureStatusOK else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  private static let names = ["cover", "folder", "front", "album", "albumart"]
  private static let suffixes: Set<String> = ["jpg", "jpeg", "png", "webp", "gif", "bmp"]
  /// Maximum number of folder entries to read. Larger folders are not albums.
  private static let maxEntries = 10_000

  /// Returns the pictures that players use as the cover of a folder, most likely first.
  private static func pictures(in folder: TrackFolder) -> [FilePath.Component] {
    let found = folder.names(atMost: maxEntries).compactMap { name -> (rank: Int, name: FilePath.Component)? in
      guard let suffix = name.extension?.lowercased(), suffixes.contains(suffix),
        let rank = names.firstIndex(of: name.stem.lowercased())
      else { return nil }
      return (rank, name)
    }
    return found.sorted { ($0.rank, $0.name.string) < ($1.rank, $1.name.string) }.map(\.name)
  }
}

extension OpenFile {
  /// The embedded picture in its original encoding.
  fileprivate var attachedPicture: [UInt8]? {
    withDescriptor { descriptor in
      var bytes: UnsafeMutablePointer<UInt8>?
      var count = 0
      let status = unsafe lav_attached_picture(descriptor, size, &bytes, &count)
      defer { unsafe lav_free_picture(bytes) }
      guard status == LAVPictureStatusOK else { return nil }
      return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    }
  }
}
