public import AnalysisTesting
internal import Foundation
public import LibraryStore
internal import Platform
public import SystemPackage

/// A library, and files outside it that must not be served.
public struct ExposedLibrary {
  public let folder: TemporaryDirectory
  public var library: FilePath { folder.file("library") }
  public var outside: FilePath { folder.file("outside") }
  public var song: FilePath { library.appending("Artist/Album/song.wav") }

  public init() throws {
    folder = try TemporaryDirectory()
    try put(Self.music, song)
    try put(Self.secret, outside.appending("Album/song.wav"))
    try put(Self.picture, outside.appending("Album/cover.bmp"))
  }

  public func put(_ bytes: some Sequence<UInt8>, _ path: FilePath) throws {
    try FileManager.default.createDirectory(
      atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: path.string))
  }

  public func put(_ text: String, _ path: FilePath) throws { try put(text.utf8, path) }

  public func link(_ path: FilePath, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: target)
  }

  /// Replaces a file with a link, as an attacker with write access to the library would.
  public func swap(_ name: String, for target: FilePath) throws {
    let path = library.appending(name)
    try FileManager.default.moveItem(atPath: path.string, toPath: path.string + ".away")
    try link(path, to: target.string)
  }

  /// Returns the track as a run would see it now.
  public func track(_ path: FilePath, root: FilePath?) throws -> TrackFile {
    guard let file = FileIdentity(path) else { throw Errno.noSuchFileOrDirectory }
    var track = TrackFile(path: path, root: root)
    track.isAudio = true
    track.linkScope = [library]
    track.size = file.size
    track.key = FileKey(device: file.device, inode: file.inode)
    track.modified = file.modified
    track.statusChanged = file.changed
    return track
  }

  public static let music = wave("music")
  /// A file outside the library that is also audio, so that only its location forbids serving it.
  public static let secret = wave("secret")

  /// A WAV file with the text as its samples.
  public static func wave(_ text: String) -> [UInt8] {
    let samples = Array(text.utf8)
    let form = little(1, 2) + little(1, 2) + little(8_000) + little(16_000) + little(2, 2) + little(16, 2)
    let body =
      Array("WAVEfmt ".utf8) + little(16) + form + Array("data".utf8) + little(UInt32(samples.count)) + samples
    return Array("RIFF".utf8) + little(UInt32(body.count)) + body
  }

  private static func little(_ value: UInt32, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A BMP image of 2 × 2 pixels.
  public static let picture: [UInt8] = {
    let header = little(40) + little(2) + little(2) + little(1, 2) + little(24, 2) + little(0) + little(16)
    return Array("BM".utf8) + little(70) + little(0) + little(54) + header + little(2835) + little(2835) + little(0)
      + little(0) + [0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 0, 255, 255, 255, 0, 0]
  }()
}
