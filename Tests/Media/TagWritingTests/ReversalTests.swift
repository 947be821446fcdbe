import Analysis
import AnalysisTesting
import Foundation
import MediaContainers
import SystemPackage
import Testing

@testable import TagWriting

/// Instructions that restore the old bytes from the new ones.
@Suite(.bounded) struct ReversalTests {
  // MARK: Equal bytes

  private static let (a, b, c) = (noise(48, seed: 1), noise(48, seed: 2), noise(48, seed: 3))

  private func pieces(of old: [UInt8], in fresh: (start: Int, bytes: [UInt8])...) -> [FileReversal.Piece] {
    ByteMatcher(fresh).pieces(of: old)
  }

  @Test func blocksAreFoundAnywhere() {
    let (a, b, c) = (Self.a, Self.b, Self.c)
    #expect(pieces(of: a, in: (100, a)) == [.kept(100..<148)])
    #expect(pieces(of: b, in: (100, a), (200, c + b)) == [.kept(248..<296)])
    #expect(pieces(of: [1, 2, 3] + a + [4], in: (100, a)) == [.bytes([1, 2, 3]), .kept(100..<148), .bytes([4])])
    // The match goes on for an odd number of bytes, and ends with the new bytes, or with the old ones.
    #expect(pieces(of: a + [9, 8], in: (0, a + [9, 7] + b)) == [.kept(0..<49), .bytes([8])])
    #expect(pieces(of: a + b, in: (0, a)) == [.kept(0..<48), .bytes(b)])
    #expect(pieces(of: a, in: (0, a + b)) == [.kept(0..<48)])
    // And it begins before the block.
    #expect(pieces(of: [9, 9] + a.suffix(9) + b, in: (10, a + b)) == [.bytes([9, 9]), .kept(49..<106)])
    #expect(pieces(of: a.suffix(9) + b, in: (10, a + b)) == [.kept(49..<106)])
    #expect(pieces(of: a.suffix(8) + b + c, in: (10, a + b)) == [.kept(50..<106), .bytes(c)])
    // No byte is used twice, although the one before the second match is the same in the new bytes.
    let similar = b.dropLast() + a.suffix(1)
    #expect(pieces(of: a + a, in: (0, similar + a)) == [.kept(48..<96), .kept(48..<96)])
    // Blocks that differ only at the start.
    let twin = b.prefix(16) + a.dropFirst(16)
    #expect(pieces(of: a, in: (0, a + twin)) == [.kept(0..<48)])
  }

  @Test func bytesThatAreNotFound() {
    let old = noise(100, seed: 4)
    #expect(pieces(of: old, in: (0, Self.a + Self.b)) == [.bytes(old)])
    #expect(pieces(of: Array(Self.a.dropLast()), in: (0, Self.a)) == [.bytes(Array(Self.a.dropLast()))])
    #expect(pieces(of: Self.a, in: (0, Array(Self.a.dropLast()))) == [.bytes(Self.a)])
    #expect(pieces(of: []) == [])
  }

  /// Long runs of zeros are stored as their number.
  @Test func zeros() {
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    #expect(pieces(of: zeros(32)) == [.zeros(32)])
    #expect(pieces(of: [1] + zeros(32) + [2, 1]) == [.bytes([1]), .zeros(32), .bytes([2, 1])])
    #expect(pieces(of: zeros(33) + [1, 0, 2] + zeros(32)) == [.zeros(33), .bytes([1, 0, 2]), .zeros(32)])
    let short = [1] + zeros(31) + [2] + zeros(31)
    #expect(pieces(of: short) == [.bytes(short)])
    #expect(pieces(of: [1] + zeros(40) + Self.a, in: (5, Self.a)) == [.bytes([1]), .zeros(40), .kept(5..<53)])
  }

  // MARK: Instructions

  private static let digest = ContentID(hashing: [])

  private func reversal(_ splice: FileSplice, of old: ByteSource) throws -> FileReversal? {
    try FileReversal.of(
      splice, source: old, old: FileDigest(old), new: FileDigest(size: splice.size, digest: splice.digest(from: old)))
  }

  /// Restores the old bytes from the new ones.
  private func restored(_ reversal: FileReversal, _ new: [UInt8]) throws -> [UInt8] {
    try fileBytes(of: reversal.splice, from: ByteSource(new))
  }

  @Test func partsOfTheOldFile() throws {
    let (a, b, c) = (Self.a, Self.b, Self.c)
    let old = a + [1, 2, 3] + b + [UInt8](repeating: 0, count: 40) + c + [5]
    let source = ByteSource(old)
    var splice = FileSplice()
    // The ranges are in another order, and some are in the file twice.
    splice.add([7])
    splice.add(51..<99)
    splice.add(zeros: 3)
    splice.add(60..<99)
    splice.add(c + [8])
    splice.add(51..<60)
    splice.add(0..<48)
    let reversal = try #require(try reversal(splice, of: source))
    #expect(
      reversal.pieces == [
        .kept(149..<197), .bytes([1, 2, 3]), .kept(1..<49), .zeros(40), .kept(91..<139), .bytes([5]),
      ])
    #expect(reversal.old == FileDigest(size: old.count, digest: ContentID(hashing: old)))
    #expect(reversal.isConsistent && reversal.new.size == splice.size)
    #expect(try restored(reversal, fileBytes(of: splice, from: source)) == old)
  }

  @Test func neighboringParts() throws {
    let source = ByteSource(Self.a + Self.b)
    var splice = FileSplice()
    splice.add(48..<96)
    splice.add(0..<48)
    let reversal = try #require(try reversal(splice, of: source))
    #expect(reversal.pieces == [.kept(48..<96), .kept(0..<48)])
    // Ranges that overlap are not supported.
    var overlap = FileSplice()
    overlap.add(0..<50)
    overlap.add(40..<96)
    #expect(try self.reversal(overlap, of: source) == nil)
  }

  /// Pages of Ogg get their old numbers back.
  @Test func pagesThatWereNumberedAgain() throws {
    func page(_ number: UInt32) -> [UInt8] { OggBytes.page(5, number, lacing: [2], [1, 2]) }
    let source = ByteSource([1, 2] + page(7) + page(8))
    var splice = FileSplice()
    splice.add([3])
    splice.add(pages: 2..<62, serial: 5, numberShift: 3)
    let reversal = try #require(try reversal(splice, of: source))
    #expect(reversal.pieces == [.bytes([1, 2]), .pages(1..<61, serial: 5, numberShift: 0 &- 3)])
    #expect(try restored(reversal, [3] + page(10) + page(11)) == [1, 2] + page(7) + page(8))
  }

  @Test(arguments: [(65_536, true), (65_537, false)]) func limitOfStoredBytes(count: Int, isPossible: Bool) throws {
    let source = ByteSource(noise(count, seed: 5) + Self.a)
    var splice = FileSplice()
    splice.add([1])
    splice.add(count..<count + 48)
    #expect(try (reversal(splice, of: source) != nil) == isPossible)
  }

  /// More than 32 MB are not compared; the comparison of less fails here because the file was shortened.
  @Test func limitOfComparedBytes() throws {
    let folder = try TemporaryDirectory()
    var splice = FileSplice()
    splice.add([1])
    let digest = FileDigest(size: 1, digest: Self.digest)
    for (excess, isCompared) in [(0, true), (1, false)] {
      let path = try sparseFile(folder, size: (32 << 20) + excess, [])
      let source = try ByteSource(path: path)
      if isCompared {
        let file = try FileDescriptor.open(path, .writeOnly)
        try file.closeAfter { try file.resize(to: 10) }
        let error = #expect(throws: TagWriteError.self) {
          try FileReversal.of(splice, source: source, old: digest, new: digest)
        }
        #expect(error?.code == .changed)
      } else {
        #expect(try FileReversal.of(splice, source: source, old: digest, new: digest) == nil)
      }
    }
  }

  @Test func consistency() {
    func isConsistent(_ pieces: FileReversal.Piece...) -> Bool {
      FileReversal(
        old: FileDigest(size: 10, digest: Self.digest), new: FileDigest(size: 20, digest: Self.digest), pieces: pieces
      ).isConsistent
    }
    #expect(isConsistent(.kept(0..<10)) && isConsistent(.kept(10..<20)) && isConsistent(.zeros(10)))
    #expect(isConsistent(.pages(10..<19, serial: 1, numberShift: 1), .bytes([1]), .zeros(0)))
    #expect(!isConsistent(.kept(0..<9)) && !isConsistent(.kept(0..<11)) && !isConsistent())
    #expect(!isConsistent(.kept(11..<21)) && !isConsistent(.kept(-1..<9)))
    #expect(!isConsistent(.pages(11..<21, serial: 1, numberShift: 1)))
    #expect(!isConsistent(.zeros(11), .zeros(-1)) && !isConsistent(.zeros(-1), .kept(0..<11)))
  }
}
