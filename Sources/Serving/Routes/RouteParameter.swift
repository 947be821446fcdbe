package import Text

/// A parameter of the query string.
package struct RouteParameter: Sendable {
  package var name: String
  package var schema: JSONValue
  package var isRequired = false

  package static func text(_ name: String) -> Self { Self(name: name, schema: ["type": "string"]) }

  package static func integer(_ name: String, _ range: ClosedRange<Int>) -> Self {
    Self(
      name: name,
      schema: [
        "type": "integer", "minimum": .integer(Int64(range.lowerBound)), "maximum": .integer(Int64(range.upperBound)),
      ])
  }

  package static func number(_ name: String) -> Self { Self(name: name, schema: ["type": "number"]) }

  package static func choice(_ name: String, _ values: [String]) -> Self {
    Self(name: name, schema: ["type": "string", "enum": .array(values.map { .string($0) })])
  }

  package var required: Self {
    var required = self
    required.isRequired = true
    return required
  }
}
