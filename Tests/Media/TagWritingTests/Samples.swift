import AnalysisTesting
import Foundation
import SystemPackage

/// One second of audio in each format, encoded by ffmpeg once.
enum Samples {
  static let names = [
    "a.mp3", "old.mp3", "bare.mp3", "a.flac", "a.ogg", "a.opus", "a.oga", "a.m4a", "start.m4a", "room.m4a", "a.wav",
    "a.aiff", "a.wv", "a.wma",
  ]
  /// Without any text.
  private static let others = ["bare.flac", "plain.aiff"]

  private static let options: [String: [String]] = [
    "old.mp3": ["-id3v2_version", "3", "-write_id3v1", "1"],
    "bare.mp3": ["-map_metadata", "-1", "-id3v2_version", "0"],
    "bare.flac": ["-map_metadata", "-1", "-bitexact"], "plain.aiff": ["-map_metadata", "-1"],
    "a.opus": ["-b:a", "32k"],
    "a.ogg": ["-c:a", "libvorbis"], "a.oga": ["-c:a", "flac"], "start.m4a": ["-movflags", "+faststart"],
    "room.m4a": ["-moov_size", "6000"], "a.aiff": ["-write_id3v2", "1"], "a.wv": ["-c:a", "wavpack"],
    "a.wma": ["-c:a", "wmav2"],
  ]

  private static let made: [String: [UInt8]] = {
    var made: [String: [UInt8]] = [:]
    guard let folder = try? TemporaryDirectory() else { return [:] }
    for name in names + others {
      let path = folder.file(name).string
      let input = ["-f", "lavfi", "-i", "sine=d=1:r=48000"]
      let tags = ["-metadata", "title=Tïtle", "-metadata", "artist=Artist", "-metadata", "own=text"]
      _ = try? ExternalProgram.ffmpeg.run(input + tags + (options[name] ?? []) + [path])
      made[name] = (try? Data(contentsOf: URL(filePath: path))).map { Array($0) }
    }
    return made
  }()

  static func bytes(_ name: String) throws -> [UInt8] {
    guard let bytes = made[name] else { throw Errno.noSuchFileOrDirectory }
    return bytes
  }
}
