extension JSONValue {
  /// Decodes the value as an instance of a type. Unlike decoding from text, this keeps the kind of numbers in members
  /// of type `JSONValue`: 126.0 stays a `number`.
  public func decoded<T: Decodable>(
    as type: T.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    try JSONValueDecoder(value: self, codingPath: [], userInfo: userInfo).decode(type)
  }
}

struct JSONValueDecoder: Decoder {
  let value: JSONValue
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]

  fileprivate init(value: JSONValue, codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any]) {
    self.value = value
    self.codingPath = codingPath
    self.userInfo = userInfo
  }

  fileprivate func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let decoded: Any? =
      switch (type, value) {
      case (is JSONValue.Type, _): value
      case (is Double.Type, .number(let number)): number
      case (is Double.Type, .integer(let number)): Double(number)
      case (is Float.Type, .number(let number)): Float(number)
      case (is Float.Type, .integer(let number)): Float(number)
      case (is Bool.Type, .bool(let value)): value
      case (is String.Type, .string(let text)): text
      case (let type as any FixedWidthInteger.Type, .integer(let number)): type.init(exactly: number)
      case (let type as any FixedWidthInteger.Type, .number(let number)): type.init(exactly: number)
      case (is any Primitive.Type, .null): throw DecodingError.valueNotFound(type, context("found null"))
      case (is any Primitive.Type, _): throw mismatch(type)
      default: try T(from: self)
      }
    guard let decoded = decoded as? T else {
      throw DecodingError.dataCorrupted(context("the number does not fit into \(type)"))
    }
    return decoded
  }

  fileprivate func mismatch(_ type: any Any.Type) -> DecodingError {
    .typeMismatch(type, context("found \(value.kind ?? "null")"))
  }

  fileprivate func context(_ problem: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: problem)
  }

  fileprivate func decoder(for value: JSONValue, at key: any CodingKey) -> JSONValueDecoder {
    JSONValueDecoder(value: value, codingPath: codingPath + [key], userInfo: userInfo)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: JSONValue].self) }
    return KeyedDecodingContainer(KeyedContainer<Key>(decoder: self, members: members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
    return UnkeyedContainer(decoder: self, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleValueContainer(decoder: self) }

  private struct SingleValueContainer: SingleValueDecodingContainer {
    let decoder: JSONValueDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value == .null }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
  }

  private struct UnkeyedContainer: UnkeyedDecodingContainer {
    let decoder: JSONValueDecoder
    let elements: [JSONValue]
    var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func next() throws -> JSONValueDecoder {
      let key = JSONKey(index: currentIndex)
      guard !isAtEnd else {
        throw DecodingError.valueNotFound(
          JSONValue.self,
          DecodingError.Context(codingPath: codingPath + [key], debugDescription: "the list ends there"))
      }
      defer { currentIndex += 1 }
      return decoder.decoder(for: elements[currentIndex], at: key)
    }

    mutating func decodeNil() -> Bool {
      guard !isAtEnd, elements[currentIndex] == .null else { return false }
      currentIndex += 1
      return true
    }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }
    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      try next().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
  }

  private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: JSONValueDecoder
    let members: [String: JSONValue]

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    private func decoder(for key: any CodingKey) throws -> JSONValueDecoder {
      guard let member = members[key.stringValue] else {
        throw DecodingError.keyNotFound(key, decoder.context("the key \(key.stringValue) is missing"))
      }
      return decoder.decoder(for: member, at: key)
    }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder(for: key).value == .null }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(for: key).decode(type) }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { try decoder(for: key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(for: key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { try decoder(for: JSONKey.super) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(for: key) }
  }
}

/// A key that is not declared by any type.
struct JSONKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  static let `super` = JSONKey(stringValue: "super")

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(index: Int) {
    stringValue = String(index)
    intValue = index
  }

  init?(intValue: Int) { self.init(index: intValue) }
}

/// A type that a decoder reads directly.
private protocol Primitive {}
extension Bool: Primitive {}
extension String: Primitive {}
extension Double: Primitive {}
extension Float: Primitive {}
extension Int: Primitive {}
extension Int8: Primitive {}
extension Int16: Primitive {}
extension Int32: Primitive {}
extension Int64: Primitive {}
extension UInt: Primitive {}
extension UInt8: Primitive {}
extension UInt16: Primitive {}
extension UInt32: Primitive {}
extension UInt64: Primitive {}
