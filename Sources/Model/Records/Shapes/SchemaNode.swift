package import Text

/// JSON whose objects keep the order of their members, for schemas that people read.
package indirect enum SchemaNode: Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  case null
  case bool(Bool)
  case integer(Int)
  case string(String)
  case array([SchemaNode])
  case object([(name: String, value: SchemaNode)])

  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(arrayLiteral elements: SchemaNode...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, SchemaNode)...) { self = .object(elements.map { ($0.0, $0.1) }) }

  package init<Value>(_ scalar: Scalar<Value>) {
    var members: [(name: String, value: SchemaNode)] = []
    if let type = scalar.type { members.append(("type", .string(type))) }
    if let format = scalar.format { members.append(("format", .string(format))) }
    if let choices = scalar.choices { members.append(("enum", .array(choices.map { .string($0) }))) }
    self = .object(members)
  }

  /// Creates the schema of a nonempty list; reports contain `null` instead of an empty one.
  package static func list(of element: SchemaNode) -> SchemaNode {
    .object([("type", "array"), ("minItems", 1), ("items", element)])
  }

  /// Creates the schema of a nonempty object with arbitrary keys; reports contain `null` instead of an empty one.
  static func map(of value: SchemaNode) -> SchemaNode {
    .object([("type", "object"), ("minProperties", 1), ("additionalProperties", value)])
  }

  /// Creates the schema of an object in which every field is required and no others are allowed.
  static func record(_ summary: String, _ fields: [(name: String, value: SchemaNode)]) -> SchemaNode {
    .object([
      ("type", "object"), ("description", .string(summary)), ("properties", .object(fields)),
      ("required", .array(fields.map { .string($0.name) })), ("additionalProperties", false),
    ])
  }

  /// The schema that also allows `null`.
  package var orNull: SchemaNode {
    guard case .object(let members) = self else { return self }
    return .object(
      members.map { name, value in
        switch (name, value) {
        case ("type", .string(let type)): (name, .array([.string(type), "null"]))
        case ("enum", .array(let choices)): (name, .array(choices + [.null]))
        default: (name, value)
        }
      })
  }

  /// Returns the schema with another description as its first member.
  package func described(_ description: String) -> SchemaNode {
    guard case .object(let members) = self else { return self }
    return .object([("description", .string(description))] + members.filter { $0.name != "description" })
  }

  /// The value as `JSONValue`, which does not keep the order of members.
  package var json: JSONValue {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(Int64(value))
    case .string(let value): .string(value)
    case .array(let elements): .array(elements.map(\.json))
    case .object(let members):
      .object(Dictionary(members.map { ($0.name, $0.value.json) }) { first, _ in first })
    }
  }

  /// The JSON text, indented by two spaces, with a line break at the end.
  package var text: String {
    var lines = ""
    write(into: &lines, indent: "")
    return lines + "\n"
  }

  private func write(into text: inout String, indent: String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += "\(value)"
    case .string(let value): text += JSONValue.string(value).text
    case .array(let elements):
      if elements.allSatisfy(\.isScalar) {
        text += "["
        for (index, element) in elements.enumerated() {
          if index > 0 { text += ", " }
          element.write(into: &text, indent: indent)
        }
        text += "]"
      } else {
        text += "[\n"
        for (index, element) in elements.enumerated() {
          text += indent + "  "
          element.write(into: &text, indent: indent + "  ")
          text += index < elements.count - 1 ? ",\n" : "\n"
        }
        text += indent + "]"
      }
    case .object(let members):
      if members.isEmpty {
        text += "{}"
        return
      }
      text += "{\n"
      for (index, member) in members.enumerated() {
        text += "\(indent)  \(JSONValue.string(member.name).text): "
        member.value.write(into: &text, indent: indent + "  ")
        text += index < members.count - 1 ? ",\n" : "\n"
      }
      text += indent + "}"
    }
  }

  private var isScalar: Bool {
    switch self {
    case .null, .bool, .integer, .string: true
    case .array, .object: false
    }
  }
}
