extension JSONValue {
  /// Encodes any value as JSON. Unlike encoding to text, this keeps the kind of numbers: a `Double` of 126 stays a
  /// `number` and is written as 126.0, so a field always has the same type.
  public init(encoding value: some Encodable) throws {
    let encoder = JSONValueEncoder(codingPath: [])
    try encoder.encode(value)
    self = encoder.slot.value
  }
}

/// The storage of an encoder or container. It is a class, because containers may be filled in any order.
private final class Slot {
  enum Kind {
    case single, array, object
  }

  private(set) var kind = Kind.single
  private var single = JSONValue.null
  private var elements: [Slot] = []
  private var members: [String: Slot] = [:]

  var count: Int { elements.count }

  func set(_ value: JSONValue) {
    kind = .single
    single = value
  }

  /// Sets the kind of container.
  func become(_ kind: Kind) { self.kind = kind }

  func append(_ slot: Slot) { elements.append(slot) }
  func set(_ slot: Slot, forKey key: String) { members[key] = slot }

  var value: JSONValue {
    switch kind {
    case .single: single
    case .array: .array(elements.map(\.value))
    case .object: .object(members.mapValues(\.value))
    }
  }
}

private struct JSONValueEncoder: Encoder {
  let codingPath: [any CodingKey]
  let slot: Slot
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(codingPath: [any CodingKey], slot: Slot = Slot()) {
    self.codingPath = codingPath
    self.slot = slot
  }

  func encode(_ value: some Encodable) throws {
    switch value {
    case let value as Double: try encode(floatingPoint: value)
    case let value as JSONValue: slot.set(value)
    case let value as Float: try encode(floatingPoint: Double(value))
    case let value as Bool: slot.set(.bool(value))
    case let value as String: slot.set(.string(value))
    case let value as any BinaryInteger: slot.set(Self.integer(value))
    default: try value.encode(to: self)
    }
  }

  private func encode(floatingPoint value: Double) throws {
    guard value.isFinite else {
      throw EncodingError.invalidValue(
        value, EncodingError.Context(codingPath: codingPath, debugDescription: "JSON cannot represent \(value)"))
    }
    slot.set(.number(value))
  }

  private static func integer(_ value: any BinaryInteger) -> JSONValue {
    if let exact = Int64(exactly: value) { return .integer(exact) }
    return .number(Double(value))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedContainer(encoder: self) }
  func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueContainer(encoder: self) }

  private struct SingleValueContainer: SingleValueEncodingContainer {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() { encoder.slot.set(.null) }
    mutating func encode(_ value: some Encodable) throws { try encoder.encode(value) }
  }

  private struct UnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.slot.count }

    init(encoder: JSONValueEncoder) {
      self.encoder = encoder
      encoder.slot.become(.array)
    }

    private func nextEncoder() -> JSONValueEncoder {
      let next = JSONValueEncoder(codingPath: codingPath + [JSONKey(index: count)])
      encoder.slot.append(next.slot)
      return next
    }

    mutating func encodeNil() { _ = nextEncoder() }
    mutating func encode(_ value: some Encodable) throws { try nextEncoder().encode(value) }
    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      nextEncoder().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nextEncoder().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { nextEncoder() }
  }

  private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    init(encoder: JSONValueEncoder) {
      self.encoder = encoder
      encoder.slot.become(.object)
    }

    private func encoder(for key: any CodingKey) -> JSONValueEncoder {
      let next = JSONValueEncoder(codingPath: codingPath + [key])
      encoder.slot.set(next.slot, forKey: key.stringValue)
      return next
    }

    mutating func encodeNil(forKey key: Key) { _ = encoder(for: key) }
    mutating func encode(_ value: some Encodable, forKey key: Key) throws { try encoder(for: key).encode(value) }
    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { encoder(for: key).container(keyedBy: type) }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder(for: key).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { encoder(for: JSONKey.super) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }
  }
}
