import AnalysisTesting
import MediaContainers
import Testing

@testable import Exports

/// Start of an MP3 file as played by DJ programs.
@Suite(.bounded) struct MP3TimeOffsetTests {
  /// 44.1 kHz, 128 kbit/s, stereo: 417 bytes, 1,152 samples.
  private static let header: [UInt8] = [0xFF, 0xFB, 0x90, 0x00]

  private func frame(_ bytes: [Int: [UInt8]] = [:]) -> [UInt8] {
    var frame = Self.header + [UInt8](repeating: 0, count: 413)
    for (offset, bytes) in bytes { frame.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
    return frame
  }

  /// An Info frame without optional parts, and the extension of an encoder with 576 samples of delay.
  private func start(_ encoder: String?, checksum: UInt16? = nil) throws -> MP3TimeOffset {
    var info: [Int: [UInt8]] = [36: Array("Info".utf8)]
    if let encoder {
      info[44] = Array(encoder.utf8)
      info[44 + 21] = [0x24, 0x00, 0x00]
      if let checksum { info[44 + 34] = [UInt8(checksum >> 8), UInt8(checksum & 0xFF)] }
    }
    let bytes = frame(info) + frame() + frame() + frame() + frame()
    return MP3TimeOffset(try #require(try MPEGStream(in: ByteSource(bytes), from: 0)), sampleRate: 44_100)
  }

  /// CRC-16/ARC of the frame up to the checksum, bit by bit from its definition.
  private func checksum(_ encoder: String) -> UInt16 {
    let bytes = frame([36: Array("Info".utf8), 44: Array(encoder.utf8), 65: [0x24, 0, 0]])[..<78]
    var sum: UInt16 = 0
    for byte in bytes {
      sum ^= UInt16(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xA001 : sum >> 1 }
    }
    return sum
  }

  @Test func lame() throws {
    let start = try start("LAME3.100", checksum: checksum("LAME3.100"))
    #expect(start.rekordboxDelay == 1_105.0 / 44_100)
    #expect(start.traktorDelay == 1_105.0 / 44_100)
  }

  @Test(arguments: ["LAME3.100", "Lavc60.3", nil]) func otherTags(encoder: String?) throws {
    let start = try start(encoder)
    #expect(start.rekordboxDelay == 0)
    #expect(start.traktorDelay == 1_152.0 / 44_100)
  }

  @Test func noTag() throws {
    let stream = try #require(try MPEGStream(in: ByteSource((0..<5).flatMap { _ in frame() }), from: 0))
    #expect(MP3TimeOffset(stream, sampleRate: 44_100) == MP3TimeOffset(stream, sampleRate: 0))
  }
}
