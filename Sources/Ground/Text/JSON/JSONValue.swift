/// Any JSON value (RFC 8259). Whole numbers stay integers.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])
}

extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? JSONValueDecoder {
      self = decoder.value
    } else if let container = try? decoder.container(keyedBy: JSONKey.self) {
      var object: [String: JSONValue] = [:]
      for key in container.allKeys { object[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
      self = .object(object)
    } else if var container = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      while !container.isAtEnd { array.append(try container.decode(JSONValue.self)) }
      self = .array(array)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else {
        self = .string(try container.decode(String.self))
      }
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object):
      var container = encoder.container(keyedBy: JSONKey.self)
      for (key, value) in object { try container.encode(value, forKey: JSONKey(stringValue: key)) }
    case .array(let array):
      var container = encoder.unkeyedContainer()
      for value in array { try container.encode(value) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .integer(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .number(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}

extension JSONValue {
  /// A canonical form, which is the same for equal values: keys are in UTF-8 order, there are no spaces, and whole
  /// numbers that fit into 64 bits have no fraction or exponent. NaN and infinities, which JSON does not have, become
  /// null.
  public var canonicalText: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value):
      if let whole = Int64(exactly: value) { String(whole) } else if value.isFinite { "\(value)" } else { "null" }
    case .string(let value): Self.quoted(value)
    case .array(let values): "[\(values.map(\.canonicalText).joined(separator: ","))]"
    case .object(let values): "{\(values.sorted(by: Self.byKey).map(Self.member).joined(separator: ","))}"
    }
  }

  private static func byKey(_ first: (key: String, value: JSONValue), _ second: (key: String, value: JSONValue)) -> Bool
  {
    first.key.utf8.lexicographicallyPrecedes(second.key.utf8)
  }

  private static func member(_ key: String, _ value: JSONValue) -> String { "\(quoted(key)):\(value.canonicalText)" }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// The kind of this value, as named in messages; `nil` for null, which may stand for any kind.
  package var kind: String? {
    switch self {
    case .null: nil
    case .bool: "true or false"
    case .integer, .number: "a number"
    case .string: "text"
    case .array: "a list"
    case .object: "a mapping"
    }
  }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
