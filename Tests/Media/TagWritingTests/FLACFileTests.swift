import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

@Suite(.bounded) struct FLACFileTests {
  private static let streamInfo = noise(34, seed: 1)
  private static let audio: [UInt8] = [0xFF, 0xF8] + noise(40, seed: 2)

  private static func block(_ kind: UInt8, _ body: [UInt8]) -> (kind: UInt8, body: [UInt8]) { (kind, body) }

  private static func comment(_ entries: String..., vendor: String = "V") -> (kind: UInt8, body: [UInt8]) {
    func text(_ text: String) -> [UInt8] { UInt32(text.utf8.count).littleEndianBytes + Array(text.utf8) }
    return (4, text(vendor) + UInt32(entries.count).littleEndianBytes + entries.flatMap { text($0) })
  }

  private static func padding(_ count: Int) -> (kind: UInt8, body: [UInt8]) {
    (1, [UInt8](repeating: 0, count: count))
  }

  /// A file after two other bytes, whose first block is the stream info.
  private static func file(_ blocks: (kind: UInt8, body: [UInt8])...) -> [UInt8] {
    let all = [block(0, streamInfo)] + blocks
    let bytes = all.enumerated().flatMap { index, block -> [UInt8] in
      [block.kind | (index == all.count - 1 ? 0x80 : 0)] + UInt32(block.body.count).bigEndianBytes.dropFirst()
        + block.body
    }
    return [1, 2] + Array("fLaC".utf8) + bytes + audio
  }

  private func written(_ file: [UInt8], _ items: (key: String, values: [String])...) throws -> [UInt8] {
    try FLACFile(ByteSource(file), at: 2).bytes(ByteSource(file), setting: items)
  }

  private static let other = block(2, noise(20, seed: 3))

  /// `BPM=1` takes nine bytes more than no entry.
  @Test func theCommentIsReplaced() throws {
    let (old, new) = (Self.comment("A=b"), Self.comment("A=b", "BPM=1"))
    for (before, after) in [
      (Self.file(old), Self.file(new)), (Self.file(old, Self.other), Self.file(new, Self.other)),
      (Self.file(Self.other, old), Self.file(Self.other, new)),
      // Padding before or behind it absorbs the difference, if it is large enough.
      (Self.file(old, Self.padding(30)), Self.file(new, Self.padding(21))),
      (Self.file(Self.padding(30), old), Self.file(Self.padding(21), new)),
      (Self.file(old, Self.padding(9), Self.other), Self.file(new, Self.padding(0), Self.other)),
      (Self.file(old, Self.padding(8), Self.other), Self.file(new, Self.padding(8), Self.other)),
      (Self.file(old, Self.padding(8), Self.padding(9)), Self.file(new, Self.padding(8), Self.padding(0))),
      (Self.file(old, Self.padding(20), Self.padding(20)), Self.file(new, Self.padding(11), Self.padding(20))),
    ] {
      #expect(try written(before, ("BPM", ["1"])) == after)
      #expect(try written(before) == before)
    }
    #expect(
      try written(Self.file(new, Self.padding(0)), ("BPM", [])) == Self.file(old, Self.padding(9)))
  }

  /// The comment follows the stream info.
  @Test func aCommentIsAdded() throws {
    let new = Self.comment("BPM=1", vendor: "Nocturne")
    for (before, after) in [
      (Self.file(), Self.file(new)), (Self.file(Self.other), Self.file(new, Self.other)),
      (Self.file(Self.padding(29)), Self.file(new, Self.padding(0))),
      (Self.file(Self.padding(28)), Self.file(new, Self.padding(28))),
      (Self.file(Self.padding(100), Self.other), Self.file(new, Self.padding(71), Self.other)),
    ] {
      #expect(try written(before, ("BPM", ["1"])) == after)
    }
  }

  @Test func filesThatAreLeftAlone() throws {
    let twice = Self.file(Self.comment(), Self.comment())
    var noInfo = Self.file(Self.comment())
    noInfo[6] = 2
    let cut = Array(Self.file(Self.comment("A=b"), Self.padding(300)).dropLast(Self.audio.count + 1))
    for bytes in [twice, noInfo, cut] {
      let error = #expect(throws: TagWriteError.self) { try FLACFile(ByteSource(bytes), at: 2) }
      #expect(error?.code == .oddStructure)
    }
    // A file without audio is whole.
    let silent = Array(Self.file(Self.comment("A=b")).dropLast(Self.audio.count))
    #expect(try FLACFile(ByteSource(silent), at: 2).tags[0].keys == ["A"])
  }

  // MARK: Limits

  @Test func aCommentThatIsTooLong() throws {
    let file = Self.file(Self.comment())
    var flac = try FLACFile(ByteSource(file), at: 2)
    // The other parts of the comment take 15 bytes.
    let value = String(decoding: [UInt8](repeating: 65, count: (1 << 24) - 15), as: UTF8.self)
    try flac.tags[0].set("K", to: [value])
    let error = #expect(throws: TagWriteError.self) { try flac.splice() }
    #expect(error?.code == .noRoom)
  }

  /// Padding cannot grow beyond the size of a block.
  @Test func paddingThatIsFull() throws {
    let folder = try TemporaryDirectory()
    let (first, comment) = (Self.file(), Self.comment("A=b"))
    let count = (1 << 24) - 1
    let head =
      [1, 2] + Array("fLaC".utf8) + [0, 0, 0, 34] + Self.streamInfo + [4, 0, 0, UInt8(comment.body.count)]
      + comment.body + [0x81, 0xFF, 0xFF, 0xFF]
    let source = try ByteSource(
      path: sparseFile(folder, size: head.count + count + first.count, [(0, head)]))
    var flac = try FLACFile(source, at: 2)
    try flac.tags[0].set("A", to: ["c"])
    #expect(try flac.splice().size == source.size)
    try flac.tags[0].set("A", to: [])
    let splice = try flac.splice()
    #expect(splice.size == source.size - 7)
    #expect(splice.pieces.contains(.original(head.count..<head.count + count)))
  }
}
