import AnalysisTesting
import MediaContainers
import Testing

@Suite(.bounded) struct OggTests {
  /// The check value of CRC-32/POSIX's polynomial without inversion, with the data split at any position.
  @Test func checksum() {
    func checksum(_ bytes: Bytes, from start: UInt32 = 0) -> UInt32 {
      bytes.withUnsafeBytes { OggChecksum.update(start, $0) }
    }
    #expect(checksum(Array("123456789".utf8)) == 0x89a1_897f)
    let bytes = (0..<100).map { UInt8($0 * 7 & 255) }
    for cut in 0...bytes.count {
      #expect(Int(checksum(Array(bytes[..<cut]))) == oggChecksum(Array(bytes[..<cut])))
      #expect(Int(checksum(Array(bytes[cut...]), from: checksum(Array(bytes[..<cut])))) == oggChecksum(bytes))
    }
  }

  private func pages(_ reader: OggPageReader) throws -> (numbers: [UInt32], end: OggPageReader) {
    var reader = reader
    var numbers: [UInt32] = []
    while let page = try reader.next() { numbers.append(page.number) }
    return (numbers, reader)
  }

  @Test func pagesAndJunk() throws {
    let body = Bytes(repeating: 0x4F, count: 60_000)
    let file = joined(
      oggPage(number: 0, flags: 2, body), "junk OggS".utf8, oggPage(number: 1, []), oggPage(number: 2, flags: 4, body))
    let source = ByteSource(file)
    let strict = try pages(OggPageReader(source, at: 0))
    #expect(strict.numbers == [0, 1, 2])
    #expect(strict.end.junkByteCount == 9 && strict.end.damagedPageCount == 0)
    #expect(try pages(OggPageReader(leniently: source, at: 0, junkLimit: 100)).numbers == [0, 1, 2])
    #expect(try pages(OggPageReader(leniently: source, at: 0, junkLimit: 3)).numbers == [0])
  }

  @Test func damagedPages() throws {
    var file = joined(oggPage(number: 0, flags: 2, Bytes(1...100)), oggPage(number: 1, Bytes(1...100)))
    let second = file.count / 2
    file[second + 60] ^= 1
    let strict = try pages(OggPageReader(ByteSource(file), at: 0))
    #expect(strict.numbers == [0])
    #expect(strict.end.damagedPageCount == 1 && strict.end.junkByteCount == second)
    #expect(try pages(OggPageReader(leniently: ByteSource(file), at: 0, junkLimit: 9)).numbers == [0, 1])
    // Cut off inside the second page.
    let cut = ByteSource(Array(file.dropLast(40)))
    #expect(try pages(OggPageReader(cut, at: 0)).numbers == [0])
    var lenient = OggPageReader(leniently: cut, at: 0, junkLimit: 9)
    _ = try lenient.next()
    #expect(try lenient.next()?.end == file.count)
    #expect(lenient.withContents { $1.count } == 60)
  }
}
