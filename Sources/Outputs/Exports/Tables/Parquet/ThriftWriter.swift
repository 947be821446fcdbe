/// Writes structures in Thrift's compact protocol, which Parquet uses for headers and the footer (Apache Thrift,
/// `doc/specs/thrift-compact-protocol.md`).
struct ThriftWriter {
  private(set) var bytes: [UInt8] = []
  /// The last field id of each open structure. Each field id is written as its difference from the previous one.
  private var lastFields: [Int] = []

  private enum Kind: UInt8 {
    case yes = 1
    case no = 2
    case int32 = 5
    case int64 = 6
    case binary = 8
    case list = 9
    case structure = 12
  }

  static func structure(_ write: (inout ThriftWriter) -> Void) -> [UInt8] {
    var writer = ThriftWriter()
    writer.structure(write)
    return writer.bytes
  }

  mutating func int32(_ field: Int, _ value: Int) { integer(field, .int32, value) }
  mutating func int64(_ field: Int, _ value: Int) { integer(field, .int64, value) }
  mutating func boolean(_ field: Int, _ value: Bool) { begin(field, value ? .yes : .no) }

  mutating func text(_ field: Int, _ value: String) {
    begin(field, .binary)
    binary(value)
  }

  mutating func structure(_ field: Int, _ write: (inout ThriftWriter) -> Void = { _ in }) {
    begin(field, .structure)
    structure(write)
  }

  mutating func int32s(_ field: Int, _ values: [Int]) {
    begin(field, .list, of: .int32, count: values.count)
    for value in values { varint(Self.zigzag(value)) }
  }

  mutating func texts(_ field: Int, _ values: [String]) {
    begin(field, .list, of: .binary, count: values.count)
    for value in values { binary(value) }
  }

  mutating func structures<Element>(
    _ field: Int, _ elements: [Element], _ write: (Element, inout ThriftWriter) -> Void
  ) {
    begin(field, .list, of: .structure, count: elements.count)
    for element in elements { structure { write(element, &$0) } }
  }

  private mutating func integer(_ field: Int, _ kind: Kind, _ value: Int) {
    begin(field, kind)
    varint(Self.zigzag(value))
  }

  private mutating func structure(_ write: (inout ThriftWriter) -> Void) {
    lastFields.append(0)
    write(&self)
    lastFields.removeLast()
    bytes.append(0)
  }

  /// Begins a field. Fields must be in ascending order with steps below 16, which is the case for all fields of
  /// Parquet.
  private mutating func begin(_ field: Int, _ kind: Kind) {
    let last = lastFields.indices.last ?? 0
    bytes.append(UInt8(field - lastFields[last]) << 4 | kind.rawValue)
    lastFields[last] = field
  }

  private mutating func begin(_ field: Int, _ kind: Kind, of element: Kind, count: Int) {
    begin(field, kind)
    if count < 15 {
      bytes.append(UInt8(count) << 4 | element.rawValue)
    } else {
      bytes.append(0xF0 | element.rawValue)
      varint(UInt64(count))
    }
  }

  private mutating func binary(_ text: String) {
    varint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func varint(_ value: UInt64) { bytes.appendVarint(value) }

  private static func zigzag(_ value: Int) -> UInt64 { UInt64(bitPattern: Int64(value << 1 ^ value >> 63)) }
}

extension [UInt8] {
  /// Appends an integer with seven bits per byte, low bits first (LEB128).
  mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }
}
