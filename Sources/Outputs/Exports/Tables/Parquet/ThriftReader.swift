/// Reads a structure in Thrift's compact protocol from untrusted bytes. (Apache Thrift,
/// `doc/specs/thrift-compact-protocol.md`.)
struct ThriftReader {
  /// The input cannot be read: it is truncated, nested too deeply, or not in this protocol.
  struct Damage: Error {}

  enum Value {
    case boolean(Bool)
    case integer(Int64)
    case bytes([UInt8])
    case list([Value])
    case structure([Int: Value])
    /// A value of a type that `ParquetTextReader` does not need.
    case other
  }

  private let bytes: [UInt8]
  private(set) var position: Int

  private static let maxDepth = 16

  init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  mutating func structure() throws(Damage) -> [Int: Value] { try structure(depth: 0) }

  private mutating func structure(depth: Int) throws(Damage) -> [Int: Value] {
    guard depth < Self.maxDepth else { throw Damage() }
    var fields: [Int: Value] = [:]
    var field = 0
    while true {
      let head = try byte()
      if head == 0 { return fields }
      let step = Int(head >> 4)
      field = step == 0 ? Int(truncatingIfNeeded: try zigzag()) : field &+ step
      fields[field] =
        switch head & 15 {
        case 1: .boolean(true)
        case 2: .boolean(false)
        case let type: try value(type, depth: depth)
        }
    }
  }

  private mutating func value(_ type: UInt8, depth: Int) throws(Damage) -> Value {
    switch type {
    case 1, 2: return .boolean(try byte() == 1)
    case 3: return .integer(Int64(Int8(bitPattern: try byte())))
    case 4, 5, 6: return .integer(try zigzag())
    case 7:
      try skip(8)
      return .other
    case 8:
      let length = try length()
      let first = position
      try skip(length)
      return .bytes(Array(bytes[first..<position]))
    case 9, 10: return .list(try list(depth: depth))
    case 11:
      try skipMap(depth: depth)
      return .other
    case 12: return .structure(try structure(depth: depth + 1))
    case 13:
      try skip(16)
      return .other
    default: throw Damage()
    }
  }

  private mutating func list(depth: Int) throws(Damage) -> [Value] {
    guard depth < Self.maxDepth else { throw Damage() }
    let head = try byte()
    let count = head >> 4 == 15 ? try length() : Int(head >> 4)
    // Each element takes at least one byte.
    guard count <= bytes.count - position else { throw Damage() }
    var values: [Value] = []
    for _ in 0..<count { values.append(try value(head & 15, depth: depth + 1)) }
    return values
  }

  private mutating func skipMap(depth: Int) throws(Damage) {
    guard depth < Self.maxDepth else { throw Damage() }
    let count = try length()
    guard count > 0 else { return }
    let types = try byte()
    guard count <= bytes.count - position else { throw Damage() }
    for _ in 0..<count {
      _ = try value(types >> 4, depth: depth + 1)
      _ = try value(types & 15, depth: depth + 1)
    }
  }

  private mutating func byte() throws(Damage) -> UInt8 {
    guard position < bytes.count else { throw Damage() }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func skip(_ count: Int) throws(Damage) {
    guard count >= 0, count <= bytes.count - position else { throw Damage() }
    position += count
  }

  private mutating func length() throws(Damage) -> Int {
    guard let length = Int(exactly: try varint()) else { throw Damage() }
    return length
  }

  private mutating func zigzag() throws(Damage) -> Int64 {
    let number = try varint()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  private mutating func varint() throws(Damage) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: 0, through: 63, by: 7) {
      let next = try byte()
      number |= UInt64(next & 0x7F) << UInt64(shift)
      if next & 0x80 == 0 { return number }
    }
    throw Damage()
  }
}

extension [Int: ThriftReader.Value] {
  func integer(_ field: Int) -> Int? {
    if case .integer(let number)? = self[field] { Int(number) } else { nil }
  }

  func text(_ field: Int) -> String? {
    if case .bytes(let bytes)? = self[field] { String(validating: bytes, as: UTF8.self) } else { nil }
  }

  func structure(_ field: Int) -> [Int: ThriftReader.Value]? {
    if case .structure(let fields)? = self[field] { fields } else { nil }
  }

  func structures(_ field: Int) -> [[Int: ThriftReader.Value]] {
    guard case .list(let values)? = self[field] else { return [] }
    return values.compactMap { if case .structure(let fields) = $0 { fields } else { nil } }
  }
}
