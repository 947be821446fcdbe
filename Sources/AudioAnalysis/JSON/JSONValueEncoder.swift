extension JSONValue {
  /// Any encodable value as JSON. Unlike a text in between, this keeps the kinds of numbers: a `Double` of 126 stays a
  /// `number` and is written as 126.0, so that a field has one type whatever its value.
  public init(encoding value: some Encodable) throws {
    let encoder = JSONValueEncoder(codingPath: [])
    try encoder.encode(value)
    self = encoder.slot.value
  }
}

/// Where an encoder or container leaves its value; shared, since containers may be filled in any order.
private final class Slot {
  enum Content {
    case single(JSONValue)
    case array([Slot])
    case object([String: Slot])
  }

  var content = Content.single(.null)

  var value: JSONValue {
    switch content {
    case .single(let value): value
    case .array(let slots): .array(slots.map(\.value))
    case .object(let slots): .object(slots.mapValues(\.value))
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
    case let value as JSONValue: slot.content = .single(value)
    case let value as Double: try encode(floatingPoint: value)
    case let value as Float: try encode(floatingPoint: Double(value))
    case let value as Bool: slot.content = .single(.bool(value))
    case let value as String: slot.content = .single(.string(value))
    case let value as any BinaryInteger: slot.content = .single(Self.integer(value))
    default: try value.encode(to: self)
    }
  }

  private func encode(floatingPoint value: Double) throws {
    guard value.isFinite else {
      throw EncodingError.invalidValue(
        value, EncodingError.Context(codingPath: codingPath, debugDescription: "JSON has no \(value)"))
    }
    slot.content = .single(.number(value))
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

    mutating func encodeNil() { encoder.slot.content = .single(.null) }
    mutating func encode(_ value: some Encodable) throws { try encoder.encode(value) }
  }

  private struct UnkeyedContainer: UnkeyedEncodingContainer {
    struct Index: CodingKey {
      let index: Int
      var stringValue: String { String(index) }
      var intValue: Int? { index }
      init(_ index: Int) { self.index = index }
      init?(stringValue: String) { nil }
      init?(intValue: Int) { self.init(intValue) }
    }

    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int {
      if case .array(let slots) = encoder.slot.content { slots.count } else { 0 }
    }

    init(encoder: JSONValueEncoder) {
      self.encoder = encoder
      if case .array = encoder.slot.content { return }
      encoder.slot.content = .array([])
    }

    private func nextEncoder() -> JSONValueEncoder {
      let next = JSONValueEncoder(codingPath: codingPath + [Index(count)])
      if case .array(let slots) = encoder.slot.content { encoder.slot.content = .array(slots + [next.slot]) }
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
    struct Super: CodingKey {
      var stringValue: String { "super" }
      var intValue: Int? { nil }
      init() {}
      init?(stringValue: String) { nil }
      init?(intValue: Int) { nil }
    }

    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    init(encoder: JSONValueEncoder) {
      self.encoder = encoder
      if case .object = encoder.slot.content { return }
      encoder.slot.content = .object([:])
    }

    private func encoder(for key: any CodingKey) -> JSONValueEncoder {
      let next = JSONValueEncoder(codingPath: codingPath + [key])
      if case .object(var slots) = encoder.slot.content {
        slots[key.stringValue] = next.slot
        encoder.slot.content = .object(slots)
      }
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
    mutating func superEncoder() -> any Encoder { encoder(for: Super()) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }
  }
}
