internal import CLibAV
internal import LibraryStore
internal import Platform
internal import SystemPackage

/// The inside of the process that makes one cover: reads a `CoverRequest` from standard input and writes a JPEG to standard
/// output; nothing if there is no cover.
package struct CoverWorker {
  private let side: Int

  /// - Parameter side: Pixels of the longer side.
  package init(side: Int) { self.side = side }

  /// The program that runs this.
  /// - Parameter command: Without options.
  static func program(_ command: [String], size: CoverSize) -> Program {
    var program = Program(command + ["--side", String(size.rawValue)])
    // A picture of the most pixels at once as decoded, as RGB and as made small.
    program.limits = Program.Limits(memory: 512 << 20, processorSeconds: 10)
    return program
  }

  package func run() throws {
    let input = try FileDescriptor.standardInput.readToEnd(limit: Self.inputLimit)
    guard let request = CoverRequest(input), let jpeg = cover(of: request.track) else { return }
    _ = try FileDescriptor.standardOutput.writeAll(jpeg)
  }

  /// Bytes; more than any request has.
  private static let inputLimit = 1 << 16

  /// The picture in the file, or else one beside it, as JPEG.
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
  /// Folders with more entries are no albums.
  private static let maximumEntryCount = 10_000

  /// Pictures that players take for the cover of what is in a folder, the likeliest first.
  private static func pictures(in folder: TrackFolder) -> [FilePath.Component] {
    let found = folder.names(atMost: maximumEntryCount).compactMap { name -> (rank: Int, name: FilePath.Component)? in
      guard let suffix = name.extension?.lowercased(), suffixes.contains(suffix),
        let rank = names.firstIndex(of: name.stem.lowercased())
      else { return nil }
      return (rank, name)
    }
    return found.sorted { ($0.rank, $0.name.string) < ($1.rank, $1.name.string) }.map(\.name)
  }
}

extension OpenFile {
  /// As it is in the file.
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
