internal import Text

/// A parameter of the query string.
struct RouteParameter: Sendable {
  var name: String
  var schema: JSONValue
  var isRequired = false

  static func text(_ name: String) -> Self { Self(name: name, schema: ["type": "string"]) }

  static func integer(_ name: String, _ range: ClosedRange<Int>) -> Self {
    Self(
      name: name,
      schema: [
        "type": "integer", "minimum": .integer(Int64(range.lowerBound)), "maximum": .integer(Int64(range.upperBound)),
      ])
  }

  static func number(_ name: String) -> Self { Self(name: name, schema: ["type": "number"]) }

  static func choice(_ name: String, _ values: [String]) -> Self {
    Self(name: name, schema: ["type": "string", "enum": .array(values.map { .string($0) })])
  }

  var required: Self {
    var required = self
    required.isRequired = true
    return required
  }
}
