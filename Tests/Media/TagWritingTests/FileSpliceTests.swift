import Analysis
import AnalysisTesting
import MediaContainers
import SystemPackage
import Testing

@testable import TagWriting

/// The pieces of a new file.
@Suite(.bounded) struct FileSpliceTests {
  // MARK: Pieces

  @Test func emptyPiecesAreLeftOut() {
    var splice = FileSplice()
    splice.add(3..<3)
    splice.add([])
    splice.add(zeros: 0)
    splice.add(.zeros(0))
    splice.add(.bytes([]))
    #expect(splice.pieces == [] && splice.size == 0)
    splice.add(3..<4)
    splice.add([1])
    splice.add(zeros: 1)
    splice.add(.zeros(1))
    splice.add(.joined([2, 3], 4..<9))
    #expect(
      splice.pieces == [.original(3..<4), .bytes([1]), .zeros(1), .zeros(1), .bytes([2, 3]), .original(4..<9)])
    #expect(splice.size == 11 && splice.ownBytes == [1, 0, 0, 2, 3])
    #expect(FileSplice.Piece.joined([2, 3], 4..<9).size == 7)
  }

  @Test func rangesAreReplacedInFileOrder() {
    func piece(_ byte: UInt8) -> FileSplice {
      var splice = FileSplice()
      splice.add([byte])
      return splice
    }
    var splice = FileSplice()
    splice.add(
      2..<20, replacing: [(12..<14, piece(1)), (5..<5, piece(2)), (5..<5, piece(3)), (5..<6, piece(4))])
    #expect(
      splice.pieces == [
        .original(2..<5), .bytes([2]), .bytes([3]), .bytes([4]), .original(6..<12), .bytes([1]), .original(14..<20),
      ])
    var other = FileSplice()
    other.add(5..<8, replacing: [(5..<6, piece(4)), (5..<5, piece(2))])
    #expect(other.pieces == [.bytes([2]), .bytes([4]), .original(6..<8)], "whichever comes first")
  }

  // MARK: Writing

  @Test func allPiecesAreWrittenAndDigested() throws {
    let old = noise(40, seed: 1)
    let source = ByteSource(old)
    var splice = FileSplice()
    splice.add(30..<40)
    splice.add([7, 8])
    splice.add(zeros: 1)
    splice.add(0..<1)
    splice.add(zeros: 5)
    let new = old[30...] + [7, 8, 0] + old[..<1] + [0, 0, 0, 0, 0]
    #expect(try fileBytes(of: splice, from: source) == Array(new))
    #expect(try splice.digest(from: source) == ContentID(hashing: Array(new)))
    #expect(splice.size == new.count)
    let folder = try TemporaryDirectory()
    let path = try folder.write([], as: "new")
    let file = try FileDescriptor.open(path, .writeOnly)
    let digest = try file.closeAfter { try splice.write(from: source, to: file) }
    #expect(digest == ContentID(hashing: Array(new)))
  }

  /// Pieces that are longer than what is read at once.
  @Test func longPieces() throws {
    let old = [UInt8](repeating: 3, count: 1 << 20) + [4, 5]
    let source = ByteSource(old)
    var splice = FileSplice()
    splice.add(zeros: (1 << 20) + 1)
    splice.add(0..<old.count)
    #expect(try splice.digest(from: source) == ContentID(hashing: [UInt8](repeating: 0, count: (1 << 20) + 1) + old))
  }

  @Test func aFileThatBecameShorter() throws {
    var splice = FileSplice()
    splice.add(2..<11)
    let error = #expect(throws: TagWriteError.self) { try splice.digest(from: ByteSource(noise(10, seed: 1))) }
    #expect(error?.code == .changed)
  }

  // MARK: Ogg pages

  private static func page(
    _ serial: UInt32, _ number: UInt32, flags: UInt8 = 0, granule: Int64 = 0, _ body: [UInt8] = []
  ) -> [UInt8] {
    OggBytes.page(serial, number, flags: flags, granule: granule, lacing: [UInt8(body.count)], body)
  }

  private func renumbered(_ pages: [UInt8], serial: UInt32, by shift: UInt32) throws -> [UInt8] {
    var splice = FileSplice()
    splice.add(pages: 2..<2 + pages.count, serial: serial, numberShift: shift)
    return try fileBytes(of: splice, from: ByteSource([9, 9] + pages))
  }

  /// Only the pages of one stream get new numbers, up to its last page: a later stream may have the same serial number.
  @Test func pagesAreNumberedAgain() throws {
    func pages(_ shift: UInt32) -> [UInt8] {
      let body = noise(60, seed: 1)
      return Self.page(5, 10 &+ shift, flags: 1, granule: 4, body) + Self.page(6, 10, flags: 4, body)
        + Self.page(5, 11 &+ shift, granule: -1) + Self.page(5, 12 &+ shift, flags: 4, [1])
        + Self.page(5, 0, flags: 2, body) + Self.page(5, 1, flags: 4)
    }
    for shift: UInt32 in [1, 300, 0 &- 2] { #expect(try renumbered(pages(0), serial: 5, by: shift) == pages(shift)) }
  }

  @Test func pagesThatAreCutOff() throws {
    let whole = Self.page(5, 1, [1, 2, 3])
    let noPage = "There is something other than an Ogg page at byte 33."
    for (bad, message) in [
      // No more than a header without the number of lacing values.
      (whole.prefix(26), noPage), (whole.prefix(27), noPage),
      (OggBytes.page(5, 1, lacing: [0, 0, 0, 0, 0], [])[..<30], noPage), ([8] + whole[1...], noPage),
      (whole.dropLast(), "The last Ogg page is cut off."),
    ] as [(ArraySlice<UInt8>, String)] {
      let error = #expect(throws: TagWriteError.self) { try renumbered(whole + bad, serial: 5, by: 1) }
      #expect(error?.message == message && error?.code == .oddStructure, "\(bad.count)")
    }
  }
}
