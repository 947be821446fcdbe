/// Reads numbers and text from bytes. Missing bytes never cause a trap.
extension RandomAccessCollection<UInt8> where Index == Int {
  /// The number at `offset`, most significant byte first; `nil` if its bytes are incomplete.
  @inlinable package func bigEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int = 0) -> Value? {
    let width = Value.bitWidth / 8
    guard offset >= 0, offset <= count - width else { return nil }
    let start = startIndex + offset
    return self[start..<start + width].reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
  }

  /// The number at `offset`, least significant byte first; `nil` if its bytes are incomplete.
  @inlinable package func littleEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int = 0) -> Value? {
    bigEndian(type, at: offset)?.byteSwapped
  }

  /// All bytes as one number, most significant byte first; only the last eight bytes count.
  @inlinable package var bigEndianNumber: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }

  /// `true` if the UTF-8 form of `text` is at `offset`.
  @inlinable package func has(_ text: String, at offset: Int = 0) -> Bool {
    offset >= 0 && dropFirst(offset).starts(with: text.utf8)
  }

  /// `true` if `bytes` are at `offset`.
  @inlinable package func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
    offset >= 0 && dropFirst(offset).starts(with: bytes)
  }

  /// The bytes decoded as ISO 8859-1.
  package var latin1: String {
    var scalars = String.UnicodeScalarView()
    for byte in self { scalars.append(Unicode.Scalar(byte)) }
    return String(scalars)
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, most significant first.
  package var bigEndianBytes: [UInt8] {
    stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }

  /// The bytes of the number, least significant first.
  package var littleEndianBytes: [UInt8] { bigEndianBytes.reversed() }
}
