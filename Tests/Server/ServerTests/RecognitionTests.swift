import Analysis
import AnalysisTesting
import HTTPTypes
import NIOCore
import RecognitionTasks
import Testing

@testable import Server
@testable import Serving

@Suite(.bounded) struct AudioTypeTests {
  @Test func pcmIsDescribedByItsParameters() throws {
    let type = try AudioType(contentType: "Audio/PCM; rate=48000 ;channels=2;encoding=\"f32le\"")
    #expect(type == .pcm(PCMFormat(sampleRate: 48_000, channelCount: 2, encoding: .f32le)))
    #expect(
      try AudioType(contentType: "audio/pcm") == .pcm(PCMFormat(sampleRate: 44_100, channelCount: 1, encoding: .s16le)))
  }

  /// RFC 2586: network byte order.
  @Test func l16IsBigEndianUnlessItSaysOtherwise() throws {
    #expect(
      try AudioType(contentType: "audio/l16;rate=8000")
        == .pcm(PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .s16be)))
    #expect(
      try AudioType(contentType: "audio/l16;rate=8000;endianness=little-endian")
        == .pcm(PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .s16le)))
  }

  @Test(arguments: [nil, "audio/mpeg", "application/octet-stream", ""])
  func anythingElseIsForDecoders(_ type: String?) throws {
    #expect(try AudioType(contentType: type) == .encoded)
  }

  @Test(arguments: ["rate=0", "rate=", "rate=1e9", "channels=0", "channels=17", "encoding=mp3", "rate=-1"])
  func pcmThatCannotBeIsRefused(_ parameter: String) {
    #expect(throws: RequestError.self) { try AudioType(contentType: "audio/pcm;\(parameter)") }
  }

  @Test func samplesBecomeOneChannel() {
    let stereo = PCMFormat(sampleRate: 8000, channelCount: 2, encoding: .s16le)
    // Half and full scale; a frame that is cut off.
    let bytes = ByteBuffer(bytes: [0, 0x40, 0, 0x80, 0, 0])
    #expect(stereo.mono(bytes.readableBytesView) == [-0.25])
    let float = PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .f32le)
    var buffer = ByteBuffer()
    for value in [Float.nan, .infinity, 1000, 0.5] { buffer.writeInteger(value.bitPattern, endianness: .little) }
    #expect(float.mono(buffer.readableBytesView) == [0, 0, 16, 0.5])
  }
}

@Suite(.bounded) struct LiveSessionTests {
  private let format = PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .s16le)
  private let session = LiveSession(id: "a", limit: ConfidenceLimit(), waiting: BufferBudget(limit: 64 << 20))
  private let second = ByteBuffer(repeating: 0, count: 16_000)

  @Test func chunksAreTakenInOrder() throws {
    #expect(try session.add(second, format, sequence: 0).isWorkNew)
    let next = try session.add(second, format, sequence: nil)
    #expect(!next.isWorkNew)
    #expect(next.receipt == .init(sequence: 1, isDuplicate: false, receivedSeconds: 2))
    let again = try session.add(second, format, sequence: 0)
    #expect(again.receipt == .init(sequence: 0, isDuplicate: true, receivedSeconds: 2))
    #expect(throws: RequestError.self) { try session.add(second, format, sequence: 3) }
  }

  @Test func memoryIsBounded() throws {
    let chunk = ByteBuffer(repeating: 0, count: LiveSession.maximumChunkSize)
    let error = #expect(throws: RequestError.self) {
      for _ in 0..<100 { _ = try session.add(chunk, format, sequence: nil) }
    }
    #expect(error?.status == .tooManyRequests)
    #expect(error?.retryAfter != nil)
  }

  @Test func manySmallChunksAreTooMuchAsWell() {
    #expect(throws: RequestError.self) {
      for _ in 0..<1_000 { _ = try session.add(ByteBuffer(), format, sequence: nil) }
    }
  }

  @Test func formatsAreNotMixed() throws {
    _ = try session.add(second, format, sequence: nil)
    var other = format
    other.sampleRate = 16_000
    #expect(throws: RequestError.self) { try session.add(second, other, sequence: nil) }
  }

  @Test func anEventIsOneBlockOfLines() {
    var buffer = ByteBuffer()
    SessionEvent(id: 7, name: .noMatch, data: Array("{}".utf8)).write(to: &buffer)
    #expect(String(buffer: buffer) == "id: 7\nevent: no-match\ndata: {}\n\n")
  }
}

@Suite(.bounded) struct AcoustIDAnswerTests {
  @Test func idsHaveTheFormOfUUIDs() {
    let content = ContentID(high: 0x0123_4567_89ab_cdef, low: 0x1)
    #expect(AcoustIDAnswer.uuid(of: content) == "01234567-89ab-cdef-0000-000000000001")
    #expect(AcoustIDAnswer.content(ofUUID: "01234567-89AB-cdef-0000-000000000001") == content)
    for text in ["", "7", "0123456789abcdef0000000000000001", "0123456z-89ab-cdef-0000-000000000001"] {
      #expect(AcoustIDAnswer.content(ofUUID: text) == nil)
    }
  }
}

@Suite(.bounded) struct GzipBodyTests {
  /// `gzip` of "a=1".
  private let packed: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 180, 53, 4, 0, 129, 48, 98, 141, 3, 0, 0, 0,
  ]

  @Test func bodiesAreUnpackedUpToALimit() throws {
    #expect(try GzipBody.unpacked(packed, limit: 3) == Array("a=1".utf8))
    #expect(throws: RequestError.self) { try GzipBody.unpacked(packed, limit: 2) }
  }

  @Test func damageIsRefused() {
    #expect(throws: RequestError.self) { try GzipBody.unpacked([], limit: 10) }
    #expect(throws: RequestError.self) { try GzipBody.unpacked([1, 2, 3], limit: 10) }
    #expect(throws: RequestError.self) { try GzipBody.unpacked(Array(packed.dropLast(12)), limit: 10) }
  }
}
