package import Records
package import Text

/// A parameter of the query string, or a member of an object in the body.
package struct RouteParameter: Sendable {
  package var name: String
  package var schema: JSONValue
  package var isRequired = false
  /// The objects that `schema` refers to, by name.
  package var definitions: [String: SchemaNode] = [:]

  package static func of<Value>(_ name: String, _ type: JSONType<Value>) -> Self {
    Self(name: name, schema: type.schema.json, definitions: type.definitions)
  }

  package static func text(_ name: String) -> Self { of(name, .text) }
  package static func texts(_ name: String) -> Self { of(name, .list(.text)) }
  package static func number(_ name: String) -> Self { of(name, .number) }

  package static func integer(_ name: String, _ range: ClosedRange<Int>) -> Self {
    Self(
      name: name,
      schema: [
        "type": "integer", "minimum": .integer(Int64(range.lowerBound)), "maximum": .integer(Int64(range.upperBound)),
      ])
  }

  package static func choice(_ name: String, _ values: [String]) -> Self {
    Self(name: name, schema: ["type": "string", "enum": .array(values.map { .string($0) })])
  }

  package var required: Self {
    var required = self
    required.isRequired = true
    return required
  }
}
