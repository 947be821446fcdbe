import AnalysisTesting
import Foundation
import SystemPackage
import Testing

@testable import Exports

/// Thrift's compact protocol, Parquet's columns, and files that the reader of texts refuses.
@Suite(.bounded) struct ParquetPartsTests {
  // MARK: Thrift

  /// - Returns: The bytes of a structure with one field.
  private func field(_ write: (inout ThriftWriter) -> Void) -> [UInt8] { ThriftWriter.structure(write) }

  @Test func writtenFields() {
    #expect(field { _ in } == [0])
    #expect(field { $0.int32(1, 1) } == [0x15, 2, 0] && field { $0.int32(1, -1) } == [0x15, 1, 0])
    #expect(field { $0.int64(2, 64) } == [0x26, 0x80, 1, 0] && field { $0.int64(2, -64) } == [0x26, 127, 0])
    #expect(field { $0.boolean(3, true) } == [0x31, 0] && field { $0.boolean(3, false) } == [0x32, 0])
    #expect(field { $0.text(1, "ab") } == [0x18, 2, 0x61, 0x62, 0])
    #expect(field { $0.structure(4) { $0.int32(1, 0) } } == [0x4C, 0x15, 0, 0, 0])
    // The difference from the field before, also after an inner structure.
    let inner = field {
      $0.int32(2, 0)
      $0.structure(5) { $0.int32(7, 0) }
      $0.int32(6, 0)
    }
    #expect(inner == [0x25, 0, 0x3C, 0x75, 0, 0, 0x15, 0, 0])
    #expect(field { $0.int32s(1, [1, 2]) } == [0x19, 0x25, 2, 4, 0])
    #expect(field { $0.texts(1, ["a"]) } == [0x19, 0x18, 1, 0x61, 0])
    #expect(field { $0.structures(1, [1, 2]) { $1.int32(1, $0) } } == [0x19, 0x2C, 0x15, 2, 0, 0x15, 4, 0, 0])
    for count in [14, 15, 200] {
      let list = field { $0.int32s(1, [Int](repeating: 0, count: count)) }
      let head: [UInt8] = count < 15 ? [0xE5] : count < 128 ? [0xF5, 15] : [0xF5, 0xC8, 1]
      #expect(list == [0x19] + head + [UInt8](repeating: 0, count: count) + [0])
    }
  }

  @Test(arguments: [0, 1, -1, 63, 64, -64, -65, 8_191, 8_192, Int.max, Int.min]) func numbersAreReadBack(number: Int)
    throws
  {
    let bytes = field {
      $0.int64(1, number)
      $0.text(2, "é")
      $0.boolean(3, true)
      $0.structures(4, [number, 0]) { $1.int64(1, $0) }
      $0.structure(5) { $0.boolean(2, false) }
    }
    var reader = ThriftReader([9, 9] + bytes + [7], at: 2)
    let found = try reader.structure()
    #expect(found.integer(1) == number && found.text(2) == "é" && reader.position == 2 + bytes.count)
    #expect(found.structures(4).map { $0.integer(1) } == [number, 0] && found.structures(1).isEmpty)
    #expect(found.integer(2) == nil && found.text(1) == nil && found.structure(1) == nil && found.integer(9) == nil)
    if case .boolean(let flag)? = found[3] { #expect(flag) } else { Issue.record("no flag") }
    if case .boolean(let flag)? = found.structure(5)?[2] { #expect(!flag) } else { Issue.record("no flag") }
  }

  private func read(_ bytes: [UInt8]) -> [Int: ThriftReader.Value]? {
    var reader = ThriftReader(bytes)
    return try? reader.structure()
  }

  /// Kinds of fields that this program does not write.
  @Test func otherFields() {
    // A field with a number of its own, bytes, short integers, and then a known one.
    #expect(read([0x05, 40, 6, 0])?.integer(20) == 3)
    #expect(read([0x13, 0xFE, 0x15, 2, 0])?.integer(1) == -2 && read([0x13, 0xFE, 0x15, 2, 0])?.integer(2) == 1)
    #expect(read([0x14, 3, 0])?.integer(1) == -2)
    // A number of eight bytes, an identifier of sixteen, and maps.
    #expect(read([0x17] + [UInt8](repeating: 1, count: 8) + [0x15, 2, 0])?.integer(2) == 1)
    #expect(read([0x17] + [UInt8](repeating: 1, count: 7)) == nil)
    #expect(read([0x1D] + [UInt8](repeating: 1, count: 16) + [0x15, 2, 0])?.integer(2) == 1)
    #expect(read([0x1B, 0, 0x15, 2, 0])?.integer(2) == 1)
    #expect(read([0x1B, 2, 0x85, 1, 0x61, 2, 1, 0x62, 4, 0x15, 2, 0])?.integer(2) == 1)
    #expect(read([0x1B, 9, 0x85, 1]) == nil)
    // Lists of flags, and sets.
    if case .list(let flags)? = read([0x19, 0x31, 1, 2, 1, 0])?[1] {
      let values = flags.map { if case .boolean(let flag) = $0 { flag } else { false } }
      #expect(values == [true, false, true])
    } else {
      Issue.record("no list")
    }
    #expect(read([0x1A, 0x2C, 0x15, 2, 0, 0, 0])?.structures(1).count == 2)
    for kind in [0x10, 0x1E, 0x1F] as [UInt8] { #expect(read([kind, 0, 0]) == nil) }
  }

  /// Lengths beyond the bytes, lists that cannot be so long, and numbers without an end are damage.
  @Test func damagedFields() {
    #expect(read([]) == nil && read([0x15]) == nil && read([0x15, 2]) == nil)
    #expect(read([0x18, 3, 0x61, 0x62]) == nil && read([0x18, 2, 0x61, 0x62, 0])?.text(1) == "ab")
    #expect(read([0x18, 0, 0])?.text(1) == "" && read([0x18, 1, 0xFF, 0])?.text(1) == nil)
    #expect(read([0x19, 0x35, 0, 0]) == nil && read([0x19, 0x25, 0, 0, 0]) != nil)
    #expect(read([0x19, 0xF5, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0]) == nil)
    let nine = [UInt8](repeating: 0x80, count: 9)
    #expect(read([0x16] + nine + [1, 0])?.integer(1) == 1 << 62 && read([0x16] + nine + [0x80, 0, 0]) == nil)
    // Fifteen structures in one another are read.
    for (depth, isRead) in [(15, true), (16, false)] {
      let bytes = [UInt8](repeating: 0x1C, count: depth) + [UInt8](repeating: 0, count: depth + 1)
      #expect((read(bytes) != nil) == isRead, "\(depth)")
    }
  }

  // MARK: Columns

  @Test func runs() {
    var runs = RunLengths(maxValue: 3)
    #expect(runs.take() == [])
    for value in [0, 0, 0, 1, 0] { runs.append(value) }
    #expect(runs.take() == [6, 0, 2, 1, 2, 0] && runs.take() == [])
    for _ in 0..<64 { runs.append(2) }
    #expect(runs.take() == [0x80, 1, 2])
    for (most, width) in [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (Int.max, 4)] {
      var one = RunLengths(maxValue: most)
      one.append(7)
      #expect(one.take() == [2, 7] + [UInt8](repeating: 0, count: width - 1), "\(most)")
    }
  }

  private func chunk(_ kind: ParquetColumn.Kind, isRequired: Bool = false, _ values: [ParquetColumn.Value?])
    -> ParquetColumn.Chunk
  {
    var column = ParquetColumn("c", kind, isRequired: isRequired)
    for value in values { column.append(value) }
    return column.takeChunk()
  }

  @Test func chunksOfColumns() {
    let number = chunk(.number, [.number(1), nil, .number(.nan), .text("x"), .number(-2)])
    let doubles = [1.0, -2].flatMap { value in
      (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt64($0))) }
    }
    #expect(number.data == [6, 0, 0, 0, 2, 1, 6, 0, 2, 1] + doubles && number.valueCount == 5)
    #expect(chunk(.number, isRequired: true, [.number(1)]).data == Array(doubles.prefix(8)))
    #expect(chunk(.integer, isRequired: true, [.integer(258)]).data == [2, 1, 0, 0, 0, 0, 0, 0])
    #expect(chunk(.time, isRequired: true, [.time(258_999)]).data == [2, 1, 0, 0, 0, 0, 0, 0])
    #expect(chunk(.text, isRequired: true, [.text("ab"), .text("")]).data == [2, 0, 0, 0, 0x61, 0x62, 0, 0, 0, 0])
    let flags = chunk(.boolean, isRequired: true, (0..<9).map { .boolean($0 == 0 || $0 == 3 || $0 == 8) })
    #expect(flags.data == [0b1001, 1] && flags.valueCount == 9)
    let repeated = chunk(.repeatedText, isRequired: true, [.text("a"), .text("b"), .text("a"), .text("a")])
    #expect(repeated.dictionary?.count == 2 && repeated.dictionary?.bytes == [1, 0, 0, 0, 0x61, 1, 0, 0, 0, 0x62])
    #expect(repeated.data == [32, 2, 0, 0, 0, 0, 2, 1, 0, 0, 0, 4, 0, 0, 0, 0] && repeated.valueCount == 4)
    let lists = chunk(.integers, [.integers([1, 2]), nil, .integers([]), .integers([3])])
    #expect(lists.valueCount == 5)
    #expect(lists.data.prefix(20) == [6, 0, 0, 0, 2, 0, 2, 1, 6, 0, 6, 0, 0, 0, 4, 2, 4, 0, 2, 2])
    let texts = chunk(.texts, [.texts(["a"]), .texts([])])
    #expect(texts.data == [2, 0, 0, 0, 4, 0, 4, 0, 0, 0, 2, 2, 2, 0, 1, 0, 0, 0, 0x61] && texts.dictionary == nil)
  }

  /// Nothing of a group is left for the next.
  @Test func chunksOneAfterTheOther() {
    var column = ParquetColumn("c", .repeatedText)
    column.append(.text("aa"))
    #expect(column.size == 7 && column.valueCount == 1)
    let first = column.takeChunk()
    #expect(column.size == 0 && column.valueCount == 0)
    column.append(.text("aa"))
    let second = column.takeChunk()
    #expect(first.data == second.data && first.dictionary?.bytes == second.dictionary?.bytes)
    var flags = ParquetColumn("c", .boolean, isRequired: true)
    for _ in 0..<3 {
      flags.append(.boolean(true))
      #expect(flags.takeChunk().data == [1])
    }
  }

  // MARK: Refusals

  /// A file of one column and one page, any number of which may be wrong.
  private func file(
    type: Int = 6, repetition: Int = 0, codec: Int = 0, dictionary: Int? = nil, texts: [String] = ["ab", ""],
    pageKind: Int = 0, encoding: Int = 0, pageCount: Int? = nil, pageSize: Int? = nil, count: Int? = nil
  ) -> [UInt8] {
    var body: [UInt8] = []
    for text in texts {
      body.appendLittleEndian(UInt32(text.utf8.count))
      body += Array(text.utf8)
    }
    var bytes = Array("PAR1".utf8)
    bytes += ThriftWriter.structure {
      $0.int32(1, pageKind)
      $0.int32(2, pageSize ?? body.count)
      $0.int32(3, body.count)
      $0.structure(5) {
        $0.int32(1, pageCount ?? texts.count)
        $0.int32(2, encoding)
      }
    }
    bytes += body
    let footer = ThriftWriter.structure {
      $0.structures(2, [0]) {
        $1.int32(1, type)
        $1.int32(3, repetition)
        $1.text(4, "answer")
      }
      $0.structures(4, [0]) {
        $1.structures(1, [0]) {
          $1.structure(3) {
            $0.texts(3, ["answer"])
            $0.int32(4, codec)
            $0.int64(5, count ?? texts.count)
            $0.int64(9, 4)
            if let dictionary { $0.int64(11, dictionary) }
          }
        }
      }
    }
    bytes += footer
    bytes.appendLittleEndian(UInt32(footer.count))
    return bytes + Array("PAR1".utf8)
  }

  /// - Returns: The texts, or the reason for refusing them.
  private func outcome(_ bytes: [UInt8]) throws -> [String] {
    let folder = try TemporaryDirectory()
    let file = try FileDescriptor.open(try folder.write(bytes, as: "a.parquet"), .readOnly)
    defer { try? file.close() }
    do {
      var reader = try ParquetTextReader(file, column: "answer")
      var texts: [String] = []
      while let text = try reader.next() { texts.append(String(decoding: text, as: UTF8.self)) }
      return texts
    } catch let refusal as ParquetTextReader.Refusal {
      return [refusal.description]
    }
  }

  @Test func filesThatAreRefused() throws {
    #expect(try outcome(file()) == ["ab", ""] && outcome(file(dictionary: 0)) == ["ab", ""])
    #expect(try outcome(file(texts: [])) == [])
    let damaged = "The Parquet file is damaged."
    let nulls = "The column answer of the Parquet file must hold texts and no nulls."
    let pages = "The Parquet file has unsupported pages; write plain ones of version 1."
    let cases: [([UInt8], String)] = [
      (file(type: 5), nulls), (file(type: 7), nulls), (file(repetition: 1), nulls),
      (file(codec: 1), "The Parquet file uses an unsupported compression; use gzip or none."),
      (file(codec: 3), "The Parquet file uses an unsupported compression; use gzip or none."),
      (file(dictionary: 4), "The column answer of the Parquet file uses a dictionary; write it without one."),
      (file(pageKind: 3), pages), (file(encoding: 8), pages), (file(pageCount: 0), damaged),
      (file(pageCount: 3), damaged),
      (file(pageSize: 7), damaged), (file(pageSize: -1), damaged), (file(pageSize: 1 << 28 + 1), damaged),
      (file(codec: 2), damaged), (file(count: 3), damaged), (Array(file().prefix(11)), damaged),
      (Array(file().dropLast()), "The Parquet file has no footer; it may be truncated."),
    ]
    for (index, (bytes, reason)) in cases.enumerated() { #expect(try outcome(bytes) == [reason], "\(index)") }
    // A text that is longer than its page.
    var long = file(texts: ["ab"])
    let place = try #require(long.firstRange(of: [2, 0, 0, 0, 0x61])).lowerBound
    long[place] = 3
    #expect(try outcome(long) == [damaged])
    // Less than the first of two pages is left for the second.
    #expect(try outcome(file(pageCount: 1, count: 1)) == ["ab"])
  }
}
