import Analysis
import AnalysisTesting
import AudioDecoding
import Testing

/// Tags that claim to overlap the audio.
@Suite(.bounded) struct TagRegionTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// The footer of an APEv2 tag of this size.
  private static func footer(_ size: Int) -> [UInt8] {
    Array("APETAGEX".utf8) + [0xd0, 7, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
      + [UInt8](repeating: 0, count: 16)
  }

  private static let id3v2 = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 40] + [UInt8](repeating: 0, count: 40)

  /// Two ADTS frames without decodable content.
  private static let adts: [UInt8] = ([0xff, 0xf1, 0x50, 0x80, 0x02, 0x00, 0xfc] + [UInt8](repeating: 0, count: 9))
  /// A frame of MPEG audio, layer III, 32 kbit/s at 44.1 kHz.
  private static let mpeg: [UInt8] = [0xff, 0xfb, 0x10, 0xc0] + [UInt8](repeating: 0, count: 100)

  @Test(arguments: [32, 40, 60, 90, 120, 150])
  func aTagThatReachesIntoTheTagInFrontIsNone(size: Int) throws {
    for audio in [Self.adts + Self.adts, Self.mpeg, Array("TTA1".utf8) + [1, 0], Array("fLaC".utf8)] {
      let path = try scratch.write(Self.id3v2 + audio + Self.footer(size), "x")
      // There may be no audio, or only a moment of it; opening just must not crash.
      _ = try? contentID(path)
      _ = openingError(path)
    }
  }

  /// FFmpeg may still find the frames by itself; then they have an id, too.
  @Test func framesInsideATagAreNotTheStream() throws {
    let frames = [[UInt8]](repeating: Self.mpeg, count: 6).flatMap { $0 }
    let bytes = [UInt8](repeating: 0x20, count: 100) + frames + Self.footer(frames.count + 32)
    let path = try scratch.write(bytes, "x")
    let id = try? contentID(path)
    #expect((openingError(path) == nil) == (id != nil))
  }
}
