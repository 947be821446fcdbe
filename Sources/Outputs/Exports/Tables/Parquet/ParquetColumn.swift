/// A column of a Parquet file. It collects the values of a row group.
package struct ParquetColumn {
  package enum Kind: Hashable, Sendable {
    case text
    /// Texts with many repetitions. Each distinct text is written once per row group.
    case repeatedText
    case texts
    case integer
    case integers
    case number
    case boolean
    /// A time in UTC, with a precision of a microsecond.
    case time

    var isList: Bool { self == .texts || self == .integers }
  }

  package enum Value {
    case text(String)
    case texts([String])
    case integer(Int64)
    case integers([Int64])
    case number(Double)
    case boolean(Bool)
    /// Nanoseconds since 1970.
    case time(Int64)
  }

  let name: String
  let kind: Kind
  /// `true` if every row has a value.
  let isRequired: Bool

  private(set) var valueCount = 0
  private var levels = RunLengths(maxValue: 3)
  private var repetitions = RunLengths(maxValue: 1)
  private var plain: [UInt8] = []
  private var booleans = 0
  private var dictionary: [String: Int] = [:]
  private var places = RunLengths(maxValue: .max)

  package init(_ name: String, _ kind: Kind, isRequired: Bool = false) {
    self.name = name
    self.kind = kind
    self.isRequired = isRequired
  }

  /// Approximate number of bytes that are waiting to be written.
  var size: Int { plain.count + valueCount }

  /// - Parameter value: The value. Null is stored for `nil`, an empty list, a number that is not finite, and a value of
  ///   another kind.
  mutating func append(_ value: Value?) {
    switch (value, kind) {
    case (.text(let text)?, .text): appendPresent { $0.appendPlain(text) }
    case (.text(let text)?, .repeatedText): appendPresent { $0.appendPlace(of: text) }
    case (.integer(let number)?, .integer): appendPresent { $0.plain.appendLittleEndian(number) }
    case (.number(let number)?, .number) where number.isFinite:
      appendPresent { $0.plain.appendLittleEndian(number.bitPattern) }
    case (.time(let nanoseconds)?, .time): appendPresent { $0.plain.appendLittleEndian(nanoseconds / 1000) }
    case (.boolean(let flag)?, .boolean): appendPresent { $0.appendBit(flag) }
    case (.texts(let texts)?, .texts) where !texts.isEmpty: appendList(texts) { $0.appendPlain($1) }
    case (.integers(let numbers)?, .integers) where !numbers.isEmpty:
      appendList(numbers) { $0.plain.appendLittleEndian($1) }
    default:
      valueCount += 1
      if kind.isList { repetitions.append(0) }
      levels.append(0)
    }
  }

  private mutating func appendList<Element>(_ list: [Element], _ write: (inout ParquetColumn, Element) -> Void) {
    for (index, element) in list.enumerated() {
      valueCount += 1
      repetitions.append(index == 0 ? 0 : 1)
      levels.append(Self.listLevel)
      write(&self, element)
    }
  }

  /// The definition level of a list element, which says that the list exists and has an element. Elements are required,
  /// so they are never null.
  private static let listLevel = 2

  private mutating func appendPresent(_ write: (inout ParquetColumn) -> Void) {
    valueCount += 1
    if !isRequired { levels.append(1) }
    write(&self)
  }

  private mutating func appendPlain(_ text: String) {
    plain.appendLittleEndian(UInt32(text.utf8.count))
    plain.append(contentsOf: text.utf8)
  }

  private mutating func appendPlace(of text: String) {
    let place = dictionary[text] ?? dictionary.count
    if place == dictionary.count {
      dictionary[text] = place
      appendPlain(text)
    }
    places.append(place)
  }

  /// Appends a bit. Eight bits form a byte, lowest bit first.
  private mutating func appendBit(_ flag: Bool) {
    if booleans.isMultiple(of: 8) { plain.append(0) }
    if flag { plain[plain.count - 1] |= 1 << UInt8(booleans % 8) }
    booleans += 1
  }

  // MARK: Writing

  /// The pages of the column in a row group, in order.
  struct Chunk {
    /// The dictionary, uncompressed; `nil` for a column without one.
    var dictionary: (bytes: [UInt8], count: Int)?
    var data: [UInt8]
    var valueCount: Int
  }

  mutating func takeChunk() -> Chunk {
    var data: [UInt8] = []
    func append(levels bytes: [UInt8]) {
      data.appendLittleEndian(UInt32(bytes.count))
      data += bytes
    }
    if kind.isList { append(levels: repetitions.take()) }
    if !isRequired { append(levels: levels.take()) }
    var chunk = Chunk(data: data, valueCount: valueCount)
    if kind == .repeatedText {
      chunk.dictionary = (plain, dictionary.count)
      // The bit width of indices, which `RunLengths` writes in whole bytes.
      chunk.data.append(32)
      chunk.data += places.take()
    } else {
      chunk.data += plain
    }
    plain.removeAll(keepingCapacity: true)
    dictionary.removeAll(keepingCapacity: true)
    valueCount = 0
    booleans = 0
    return chunk
  }

  // MARK: Schema

  /// The type as a value of Parquet's enumerations (`parquet.thrift`).
  var physicalType: Int {
    switch kind {
    case .boolean: 0
    case .integer, .integers, .time: 2
    case .number: 5
    case .text, .repeatedText, .texts: 6
    }
  }

  var pathInSchema: [String] { kind.isList ? [name, "list", "element"] : [name] }

  /// Returns the schema elements of the column: one, or three for a list.
  func schemaElements() -> [(inout ThriftWriter) -> Void] {
    guard kind.isList else { return [{ writeLeaf(into: &$0, name, repetition: isRequired ? 0 : 1) }] }
    return [
      {
        $0.int32(3, 1)
        $0.text(4, name)
        $0.int32(5, 1)
        $0.int32(6, 3)
        $0.structure(10) { $0.structure(3) }
      },
      {
        $0.int32(3, 2)
        $0.text(4, "list")
        $0.int32(5, 1)
      },
      { writeLeaf(into: &$0, "element", repetition: 0) },
    ]
  }

  private func writeLeaf(into thrift: inout ThriftWriter, _ name: String, repetition: Int) {
    thrift.int32(1, physicalType)
    thrift.int32(3, repetition)
    thrift.text(4, name)
    switch kind {
    case .text, .repeatedText, .texts:
      thrift.int32(6, 0)
      thrift.structure(10) { $0.structure(1) }
    case .time:
      thrift.int32(6, 10)
      thrift.structure(10) {
        $0.structure(8) {
          $0.boolean(1, true)
          $0.structure(2) { $0.structure(2) }
        }
      }
    case .integer, .integers, .number, .boolean: break
    }
  }
}
