/// Writes the bytes of a question or answer; numbers are little-endian.
struct PartBytesWriter {
  private(set) var bytes: [UInt8]

  /// - Parameter magic: The first bytes, which identify the format.
  init(magic: [UInt8]) {
    bytes = magic
  }

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: Float) { append(value.bitPattern) }

  /// Appends values in their memory layout, which requires a little-endian machine, as segments do.
  mutating func append(_ values: Slice<UnsafeBufferPointer<Int16>>) {
    bytes.append(contentsOf: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: values)))
  }

  /// Appends bytes, preceded by their count.
  mutating func append(counted values: [UInt8]) {
    append(UInt32(values.count))
    bytes += values
  }
}

/// Reads the output of `PartBytesWriter`; missing bytes are an error.
struct PartBytesReader {
  private let bytes: [UInt8]
  private var next = 0

  /// - Parameters:
  ///   - magic: The expected first bytes, which are skipped.
  ///   - name: Name of the format, for messages.
  init(_ bytes: [UInt8], magic: [UInt8], of name: String) throws(PartFailure) {
    guard bytes.starts(with: magic) else {
      throw PartFailure("it is no \(name), or one of another version of Nocturne")
    }
    self.bytes = bytes
    next = magic.count
  }

  var remaining: Int { bytes.count - next }

  mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(PartFailure) -> Value {
    let size = Value.bitWidth / 8
    guard remaining >= size else { throw PartFailure.cutOff }
    defer { next += size }
    return Value(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: next, as: Value.self) })
  }

  /// Reads a finite number.
  mutating func float() throws(PartFailure) -> Float {
    let value = Float(bitPattern: try integer())
    guard value.isFinite else { throw PartFailure("it contains a number that is not finite") }
    return value
  }

  /// Reads a number of elements that take at least `size` bytes each. It is checked against the number of remaining
  /// bytes, so that a false count reserves no memory.
  mutating func count(ofSize size: Int) throws(PartFailure) -> Int {
    let count = Int(try integer(UInt32.self))
    guard count <= remaining / size else { throw PartFailure.cutOff }
    return count
  }

  mutating func integers(_ count: Int) throws(PartFailure) -> [Int16] {
    guard count <= remaining / 2 else { throw PartFailure.cutOff }
    defer { next += 2 * count }
    return bytes.withUnsafeBytes { bytes in
      (0..<count).map { Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: next + 2 * $0, as: Int16.self)) }
    }
  }

  /// Reads bytes that are preceded by their count.
  mutating func counted() throws(PartFailure) -> [UInt8] {
    let count = try count(ofSize: 1)
    defer { next += count }
    return Array(bytes[next..<next + count])
  }
}

extension PartFailure {
  fileprivate static let cutOff = PartFailure("it is truncated")
}
