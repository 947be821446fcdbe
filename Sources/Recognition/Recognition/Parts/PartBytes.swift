internal import Analysis

/// Bytes at the start of each request or answer, such as `NCQ2`, which identify its format and version.
struct PartMagic {
  let bytes: [UInt8]
  /// The name for messages, with its article.
  let name: String

  init(_ text: String, name: String) {
    bytes = Array(text.utf8)
    self.name = name
  }

  /// Returns the reason to refuse bytes that begin with something else.
  func objection(to other: [UInt8]) -> PartFailure {
    guard other.starts(with: bytes.dropLast()) else { return PartFailure("it is not \(name)") }
    return PartFailure("it is \(name) \(PartFailure.otherVersionText)")
  }
}

/// Writes the bytes of a request or answer, with little-endian numbers. The last 16 bytes are a checksum, so a bit
/// that was flipped on the way, by a proxy or in memory, cannot change a result.
struct PartBytesWriter {
  private var bytes: [UInt8]

  /// - Parameter magic: The first bytes, which identify the format.
  init(magic: PartMagic) {
    bytes = magic.bytes
  }

  /// Returns the bytes, followed by their checksum.
  /// - Parameter question: For an answer, the request, which the checksum also covers.
  func sealed(answering question: [UInt8] = []) -> [UInt8] {
    var sealed = self
    let checksum = PartChecksum.of(bytes[...], question)
    sealed.append(checksum.high)
    sealed.append(checksum.low)
    return sealed.bytes
  }

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: Float) { append(value.bitPattern) }

  /// Appends values in their memory layout. Like segments, this requires a little-endian machine.
  mutating func append(_ values: Slice<UnsafeBufferPointer<Int16>>) {
    bytes.append(contentsOf: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: values)))
  }

  /// Appends bytes, preceded by their count.
  mutating func append(counted values: [UInt8]) {
    append(UInt32(values.count))
    bytes += values
  }
}

private enum PartChecksum {
  static let size = 16

  /// Returns the XXH3-128 of the request and the bytes.
  static func of(_ bytes: ArraySlice<UInt8>, _ question: [UInt8]) -> ContentID {
    var hasher = ContentHasher()
    question.withUnsafeBytes { hasher.update($0) }
    bytes.withUnsafeBytes { hasher.update($0) }
    return hasher.finish()
  }
}

/// Reads the output of `PartBytesWriter`. Missing bytes and a wrong checksum are errors.
struct PartBytesReader {
  /// The bytes without the checksum.
  private let bytes: [UInt8]
  private var next = 0

  /// - Parameters:
  ///   - magic: The expected first bytes. They are skipped.
  ///   - question: For an answer, the request that was sent.
  init(_ bytes: [UInt8], magic: PartMagic, answering question: [UInt8] = []) throws(PartFailure) {
    guard bytes.starts(with: magic.bytes) else { throw magic.objection(to: bytes) }
    let end = bytes.count - PartChecksum.size
    guard end >= magic.bytes.count else { throw PartFailure.cutOff }
    self.bytes = Array(bytes[..<end])
    let checksum = bytes.withUnsafeBytes { bytes in
      ContentID(
        high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self)),
        low: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end + 8, as: UInt64.self)))
    }
    guard PartChecksum.of(bytes[..<end], question) == checksum else { throw PartFailure.changed }
    next = magic.bytes.count
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

  /// Reads the number of elements that take at least `size` bytes each. The number is checked against the remaining
  /// bytes, so that a wrong count cannot reserve memory.
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
  fileprivate static let changed = PartFailure("its bytes changed in transit: the checksum is wrong")

  /// The end of the message about a request or answer of another version. Servers of all versions send this text.
  package static let otherVersionText = "of another version of Nocturne"
}
