package import Text

/// JSON Schemas in a few words, such as `id: text, year: integer?, artists: [SimpleArtist], label?: text`.
///
/// Types are `text`, `integer`, `place` (a count from 0), `number`, `flag`, `any`, names of other schemas, `[type]` for lists and `{type}` for objects
/// with any names; `?` behind a type lets it be null, and before the colon lets the member be missing. A
/// member `*` says of which type those of any other name are.
package struct ShortSchema {
  private var rest: Substring

  private init(_ text: String) { rest = text[...] }

  /// An object with these members.
  package static func object(_ members: String) -> JSONValue {
    var schema = ShortSchema(members)
    return schema.object()
  }

  /// The names of members.
  package static func names(_ members: String) -> [String] {
    members.split(separator: ",").map { String($0.prefix { $0 != "?" && $0 != ":" }.drop(while: \.isWhitespace)) }
  }

  package static func type(_ text: String) -> JSONValue {
    var schema = ShortSchema(text)
    return schema.type()
  }

  private mutating func object() -> JSONValue {
    var (properties, required): ([String: JSONValue], [JSONValue]) = ([:], [])
    var others: JSONValue?
    while let start = rest.firstIndex(where: { $0.isLetter || $0 == "_" || $0 == "*" }) {
      rest = rest[start...]
      let isOthers = take("*")
      let name = String(takeName())
      let isOptional = take("?")
      precondition(take(":"), "A member has a type: \(name)")
      let type = type()
      if isOthers { others = type } else { properties[name] = type }
      if !isOthers, !isOptional { required.append(.string(name)) }
      _ = take(",")
    }
    var schema: [String: JSONValue] = [
      "type": "object", "properties": .object(properties), "required": .array(required),
    ]
    schema["additionalProperties"] = others
    return .object(schema)
  }

  private mutating func type() -> JSONValue {
    skipSpace()
    let type: JSONValue
    if take("[") {
      type = ["type": "array", "items": self.type()]
      precondition(take("]"), "A list ends with ]")
    } else if take("{") {
      type = ["type": "object", "additionalProperties": self.type()]
      precondition(take("}"), "A map ends with }")
    } else {
      let name = String(takeName())
      type = Self.plain[name] ?? ["$ref": .string("#/components/schemas/\(name)")]
    }
    return take("?") ? Self.orNull(type) : type
  }

  private static let plain: [String: JSONValue] = [
    "text": ["type": "string"], "integer": ["type": "integer"], "number": ["type": "number"],
    "place": ["type": "integer", "minimum": 0], "flag": ["type": "boolean"], "any": [:],
  ]

  private static func orNull(_ type: JSONValue) -> JSONValue { ["anyOf": [type, ["type": "null"]]] }

  private mutating func skipSpace() { rest = rest.drop { $0.isWhitespace } }

  private mutating func take(_ sign: Character) -> Bool {
    skipSpace()
    guard rest.first == sign else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func takeName() -> Substring {
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    rest = rest[name.endIndex...]
    return name
  }
}
