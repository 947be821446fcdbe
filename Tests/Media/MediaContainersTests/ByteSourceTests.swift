import AnalysisTesting
import Glibc
import MediaContainers
import SystemPackage
import Testing

@Suite(.bounded) struct ByteSourceTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  /// Windows and their edges make no difference.
  @Test func fileAndMemoryAgree() throws {
    var random = SplitMix64(seed: 3)
    let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let memory = ByteSource(bytes)
    let file = try ByteSource(path: folder.write(bytes, as: "bytes"))
    #expect(file.size == bytes.count && memory.size == bytes.count)
    for _ in 0..<2_000 {
      let offset = Int.random(in: -5...bytes.count + 5, using: &random)
      let count = [1, 4, 100, ByteSource.windowSize, 100_000][Int.random(in: 0..<5, using: &random)]
      let expected = offset < 0 ? [] : Array(bytes.dropFirst(offset).prefix(count))
      #expect(try memory.bytes(at: offset, count: count) == expected)
      #expect(try file.bytes(at: offset, count: count) == expected)
    }
  }

  /// Digital silence may be stored as a hole. Only a file longer than any recording ends there.
  @Test func holes() throws {
    let start = [UInt8](repeating: 1, count: 8_192)
    for (size, isRead) in [(1_200 << 20, true), (8 << 30, true), (1 << 40, false)] as [(Int, Bool)] {
      let path = try folder.write(start, as: "\(size)")
      try #require(truncate(path.string, off_t(size)) == 0)
      let whole = try ByteSource(path: path)
      #expect(whole.size == size && whole.hole == nil)
      let part = try ByteSource(path: path, endsAtHole: true)
      #expect(part.hole == (isRead ? nil : 8_192..<size) && part.size == (isRead ? size : 8_192))
    }
  }

  @Test func budget() throws {
    let file = try ByteSource(path: folder.write(zeros(300_000), as: "x"), budget: 100_000)
    #expect(try file.bytes(at: 0, count: 60_000).count == 60_000)
    #expect(!file.isExhausted)
    #expect(try file.bytes(at: 60_000, count: 60_000).isEmpty)
    #expect(file.isExhausted)
    #expect(try file.bytes(at: 200_000, count: 1).isEmpty)
  }

  @Test func onlyRegularFilesAreOpened() throws {
    let fifo = folder.file("fifo")
    #expect(fifo.withPlatformString { mkfifo($0, 0o600) } == 0)
    for path in [fifo, folder.path, folder.file("missing")] {
      let error = #expect(throws: FileReadError.self) { try ByteSource(path: path) }
      #expect(error?.code == .unreadable)
    }
  }

  @Test func numbersAtTheEdge() {
    let bytes: Bytes = [0, 1, 2, 3, 0xFF]
    #expect(bytes.bigEndian(UInt16.self, at: 1) == 0x0102)
    #expect(bytes.littleEndian(UInt32.self) == 0x0302_0100)
    #expect(bytes.dropFirst(2).bigEndian(UInt16.self) == 0x0203)
    #expect(bytes.bigEndian(UInt32.self, at: 2) == nil)
    #expect(bytes.bigEndian(UInt16.self, at: -1) == nil)
    #expect(bytes.bigEndian(Int8.self, at: 4) == -1)
    #expect(bytes[1...].bigEndianNumber == 0x0102_03FF)
    #expect((0x0102 as UInt16).bigEndianBytes == [1, 2] && (0x0102 as UInt16).littleEndianBytes == [2, 1])
    #expect(Array("xRIFF".utf8).has("RIFF", at: 1) && !Array("RIF".utf8).has("RIFF") && !bytes.has("", at: -1))
  }
}
