/// The bytes of a question to a part of a catalog, or of its answer: numbers are little-endian.
struct PartBytesWriter {
  private(set) var bytes: [UInt8]

  /// - Parameter magic: The first bytes, which say what it is.
  init(magic: [UInt8]) {
    bytes = magic
  }

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: Float) { append(value.bitPattern) }

  /// As they lie in memory: like segments, for little-endian machines.
  mutating func append(_ values: Slice<UnsafeBufferPointer<Int16>>) {
    bytes.append(contentsOf: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: values)))
  }

  /// Bytes behind their number.
  mutating func append(counted values: [UInt8]) {
    append(UInt32(values.count))
    bytes += values
  }
}

/// Reads what `PartBytesWriter` has written; bytes that are missing are an error.
struct PartBytesReader {
  private let bytes: [UInt8]
  private var next = 0

  /// - Parameters:
  ///   - magic: The first bytes that are expected, which are passed over.
  ///   - name: What they stand for.
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

  /// A number that is neither infinite nor none.
  mutating func float() throws(PartFailure) -> Float {
    let value = Float(bitPattern: try integer())
    guard value.isFinite else { throw PartFailure("a number in it is not finite") }
    return value
  }

  /// A count of things of which each takes some bytes: so no more are made room for than came.
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

  /// Bytes behind their number.
  mutating func counted() throws(PartFailure) -> [UInt8] {
    let count = try count(ofSize: 1)
    defer { next += count }
    return Array(bytes[next..<next + count])
  }
}

extension PartFailure {
  fileprivate static let cutOff = PartFailure("it is cut off")
}
