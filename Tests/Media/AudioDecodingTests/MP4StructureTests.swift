import AnalysisTesting
import CLibAV
import MediaContainers
import Testing

@testable import AudioDecoding

private func big(_ value: Int, _ count: Int = 4) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

private func box(_ name: String, _ parts: [UInt8]...) -> [UInt8] {
  let body = Array(parts.joined())
  return big(body.count + 8) + Array(name.utf8) + body
}

private func repeated(_ box: [UInt8], _ count: Int) -> [UInt8] { Array(repeatElement(box, count: count).joined()) }

/// Boxes that are hidden from FFmpeg, with both sides of each limit.
@Suite(.bounded) struct MP4StructureTests {
  /// A mask as its offset and its bytes.
  private struct Mask: Equatable {
    var offset: Int
    var bytes: [UInt8]

    /// The mask that hides a box.
    static func skip(_ start: Int) -> Mask { Mask(offset: start + 4, bytes: Array("skip".utf8)) }
  }

  private func masks(_ file: [UInt8]) throws -> [Mask] {
    try MP4Structure(in: ByteSource(file), from: 0).masks.map { mask in
      Mask(offset: Int(mask.offset), bytes: withUnsafeBytes(of: mask.bytes) { Array($0.prefix(Int(mask.count))) })
    }
  }

  private let type = box("ftyp", Array("M4A ".utf8))

  @Test func tagsHaveALimit() throws {
    let tag = box("name", [1, 2, 3])
    let start = type.count + 16
    #expect(try masks(type + box("moov", box("udta", repeated(tag, 1_000)))) == [])
    // The first tag too many becomes a box that holds the rest.
    for more in [1, 2, 50] {
      let found = try masks(type + box("moov", box("udta", repeated(tag, 1_000 + more))))
      #expect(found == [Mask(offset: start + 1_000 * 11, bytes: big(more * 11) + Array("skip".utf8))])
    }
    // Further lists are hidden when there are as many tags as are shown.
    for (count, isHidden) in [(999, false), (1_000, true)] {
      let list = box("udta", repeated(tag, count))
      let found = try masks(type + box("moov", list, box("udta", [])))
      #expect(found == (isHidden ? [.skip(type.count + 8 + list.count)] : []), "\(count)")
    }
    // Boxes that are not tags do not count.
    #expect(try masks(type + box("moov", repeated(tag, 3_000))) == [])
  }

  @Test func tracksHaveALimit() throws {
    let track = box("trak", [])
    #expect(try masks(type + box("moov", repeated(track, 128))) == [])
    let found = try masks(type + box("moov", repeated(track, 130)))
    #expect(found == [.skip(type.count + 8 + 128 * 8), .skip(type.count + 8 + 129 * 8)])
  }

  @Test func nestingHasALimit() throws {
    func nested(_ depth: Int) -> [UInt8] { depth == 0 ? [] : box("minf", nested(depth - 1)) }
    #expect(try masks(type + nested(7)) == [])
    #expect(try masks(type + nested(8)) == [.skip(type.count + 7 * 8)])
    #expect(try masks(type + nested(12)) == [.skip(type.count + 7 * 8)])
  }

  @Test func picturesAndKeysAreHidden() throws {
    let (cover, keys) = (box("covr", [1, 2, 3]), box("pssh", [4]))
    let file = type + box("moov", keys, box("udta", cover, box("name", [1])), keys)
    let start = type.count + 8
    let list = start + keys.count
    #expect(try masks(file) == [.skip(start), .skip(list + 8), .skip(list + 8 + cover.count + 9)])
  }

  // MARK: Edits

  /// Two seconds at 44.1 kHz, with edits in milliseconds.
  private func file(
    _ edits: [(duration: Int, start: Int)], isLong: Bool = false, movieTimescale: Int = 1_000,
    duration: Int = 88_200
  ) -> (bytes: [UInt8], list: Int) {
    let size = isLong ? 8 : 4
    let entries = edits.flatMap { big($0.duration, size) + big($0.start, size) + big(0x1_0000) }
    let list = box("elst", [isLong ? 1 : 0, 0, 0, 0], big(edits.count), entries)
    let movie = box("mvhd", [UInt8](repeating: 0, count: 12), big(movieTimescale), big(2_000), big(0, 80))
    let media = box("mdhd", [UInt8](repeating: 0, count: 12), big(44_100), big(duration), big(0))
    let bytes = type + box("moov", movie, box("trak", box("edts", list), box("mdia", media)))
    return (bytes, type.count + 8 + movie.count + 8 + 8)
  }

  @Test(arguments: [false, true]) func editsArePlausible(isLong: Bool) throws {
    let many = { (count: Int) in [(duration: Int, start: Int)](repeating: (1, 0), count: count) }
    let good: [[(duration: Int, start: Int)]] = [
      [], [(2_000, 0)], [(2_000, 0), (2_000, 0)], [(500, -1), (1, 88_199)], [(900_000, 0)],
      [(900_000, 0), (900_000, 0)], [(4_000, 44_100), (900_000, 44_100), (2_000, 0)], many(1_000),
    ]
    let bad: [[(duration: Int, start: Int)]] = [
      [(2_000, 0), (2_000, 0), (1, 0)], [(2_000, -1)], [(1, 88_200)], [(1, -2)], many(1_001),
      [(900_000, 0), (900_000, 0), (900_000, 0)], [(900_000, 0), (900_000, 0), (1, 44_100)],
    ]
    for edits in good {
      let structure = try MP4Structure(in: ByteSource(file(edits, isLong: isLong).bytes), from: 0)
      #expect(structure.masks.isEmpty && !structure.ignoresEdits, "\(edits.prefix(5))")
    }
    for edits in bad {
      let (bytes, list) = file(edits, isLong: isLong)
      #expect(try masks(bytes) == [.skip(list)], "\(edits.prefix(5))")
      #expect(try MP4Structure(in: ByteSource(bytes), from: 0).ignoresEdits)
    }
  }

  /// Without units there is nothing to compare but the number of edits.
  @Test func editsThatCannotBeCompared() throws {
    let edits = [(duration: Int, start: Int)](repeating: (2_000, 0), count: 9)
    #expect(try masks(file(edits).bytes).count == 1)
    #expect(try masks(file(edits, movieTimescale: 0).bytes).isEmpty)
    #expect(try masks(file(edits, duration: 0).bytes).isEmpty)
    #expect(try masks(file([(1, 88_200)], movieTimescale: 1, duration: 1).bytes).count == 1)
    #expect(try masks(file([(1, 0)], movieTimescale: 1, duration: 1).bytes).isEmpty)
    #expect(try masks(file(Array(repeating: (1, 0), count: 1_001), movieTimescale: 0).bytes).count == 1)
  }
}
