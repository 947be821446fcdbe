internal import FoundationEssentials
internal import Text

/// Encodes and decodes declared fields as JSON objects with exact values, for transfer from workers. Derived fields,
/// and fields without a value, are omitted.
enum FieldCoding {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  static func encode<Finding>(_ fields: [FindingField<Finding>], of finding: Finding, to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for field in fields {
      guard let exact = field.exact else { continue }
      try encode(exact.get(finding), field.type, Key(field.name), &container)
    }
  }

  static func decode<Finding>(
    _ fields: [FindingField<Finding>], into finding: inout Finding, from decoder: any Decoder
  ) throws {
    let container = try decoder.container(keyedBy: Key.self)
    for field in fields {
      guard let exact = field.exact else { continue }
      let key = Key(field.name)
      let isAbsent = try !container.contains(key) || container.decodeNil(forKey: key)
      if isAbsent && exact.isOptional { continue }
      exact.set(&finding, try decode(field.type, key, container))
    }
  }

  private static func encode(
    _ value: FieldValue, _ type: FieldType, _ key: Key, _ container: inout KeyedEncodingContainer<Key>
  ) throws {
    switch value {
    case .null: break
    case .text(let value): try container.encode(value, forKey: key)
    case .integer(let value): try container.encode(value, forKey: key)
    case .number(let value): try container.encode(value, forKey: key)
    case .boolean(let value): try container.encode(value, forKey: key)
    case .json(let value): try container.encode(value, forKey: key)
    // Base64 (RFC 4648): a list of numbers would take three times the space, and a long time to parse.
    case .blob(let bytes): try container.encode(Data(bytes).base64EncodedString(), forKey: key)
    case .texts(let list): try container.encode(list, forKey: key)
    case .numbers(let list): try container.encode(list, forKey: key)
    case .textLists(let lists): try container.encode(lists, forKey: key)
    case .record(let values):
      guard case .record(let type) = type else { return }
      var record = container.nestedContainer(keyedBy: Key.self, forKey: key)
      try encode(values, type, &record)
    case .records(let records):
      guard case .records(let type) = type else { return }
      var list = container.nestedUnkeyedContainer(forKey: key)
      for values in records {
        var record = list.nestedContainer(keyedBy: Key.self)
        try encode(values, type, &record)
      }
    }
  }

  private static func encode(
    _ values: [FieldValue], _ type: RecordType, _ container: inout KeyedEncodingContainer<Key>
  ) throws {
    for (member, value) in zip(type.members, values) {
      try encode(value, member.type, Key(member.name), &container)
    }
  }

  private static func decode(
    _ type: FieldType, _ key: Key, _ container: KeyedDecodingContainer<Key>
  ) throws -> FieldValue {
    switch type {
    case .text: return .text(try container.decode(String.self, forKey: key))
    case .integer: return .integer(try container.decode(Int.self, forKey: key))
    case .number: return .number(try container.decode(Double.self, forKey: key))
    case .boolean: return .boolean(try container.decode(Bool.self, forKey: key))
    case .json: return .json(try container.decode(JSONValue.self, forKey: key))
    case .blob:
      guard let data = Data(base64Encoded: try container.decode(String.self, forKey: key)) else {
        throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "not base64")
      }
      return .blob([UInt8](data))
    case .texts: return .texts(try container.decode([String].self, forKey: key))
    case .numbers: return .numbers(try container.decode([Double].self, forKey: key))
    case .textLists: return .textLists(try container.decode([String: [String]].self, forKey: key))
    case .record(let type):
      return .record(try decode(type, try container.nestedContainer(keyedBy: Key.self, forKey: key)))
    case .records(let type):
      var list = try container.nestedUnkeyedContainer(forKey: key)
      var records: [[FieldValue]] = []
      while !list.isAtEnd { records.append(try decode(type, try list.nestedContainer(keyedBy: Key.self))) }
      return .records(records)
    }
  }

  private static func decode(_ type: RecordType, _ container: KeyedDecodingContainer<Key>) throws -> [FieldValue] {
    try type.members.map { member in
      let key = Key(member.name)
      let isAbsent = try !container.contains(key) || container.decodeNil(forKey: key)
      return isAbsent && member.isOptional ? .null : try decode(member.type, key, container)
    }
  }
}
