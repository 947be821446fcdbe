package import HTTPTypes
package import Hummingbird
package import Platform
package import Records
package import Text

/// A type of what routes answer and take: how its values are written as JSON, and its schema. The members of an object are
/// declared once, as `Field`s.
package struct JSONType<Value>: Sendable {
  /// Refers to objects by their names.
  package let schema: SchemaNode
  /// The objects that `schema` refers to, by name.
  package let definitions: [String: SchemaNode]
  package let write: @Sendable (Value, inout JSONWriter) -> Void

  package init(
    _ schema: SchemaNode, definitions: [String: SchemaNode] = [:],
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    self.schema = schema
    self.definitions = definitions
    self.write = write
  }

  /// An object, by the name that clients made from the OpenAPI document give it.
  package static func object(_ name: String, _ fields: Field<Value>...) -> JSONType { object(name, groups: fields) }

  package static func object(_ name: String, groups: [Field<Value>]...) -> JSONType {
    let fields = groups.flatMap(\.self)
    return named(name, .open(fields), definitions: Definitions.merged(fields.map(\.definitions))) {
      [shape = Shape(fields)] in
      shape.writeJSON($0, into: &$1)
    }
  }

  /// An object with one member.
  package static func only(_ member: String, _ type: Self, as name: String) -> Self {
    .object(name, .required(member, type) { $0 })
  }

  /// A type that is referred to by a name.
  package static func named(
    _ name: String, _ schema: SchemaNode, definitions: [String: SchemaNode] = [:],
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) -> JSONType {
    JSONType(
      .object([("$ref", .string("#/components/schemas/\(name)"))]),
      definitions: Definitions.merged([definitions, [name: schema]]), write: write)
  }

  package static func list<Element>(_ element: JSONType<Element>) -> Self where Value == [Element] {
    JSONType(
      .object([("type", "array"), ("items", element.schema)]), definitions: element.definitions
    ) { values, json in
      json.beginArray()
      for value in values { element.write(value, &json) }
      json.endArray()
    }
  }

  /// An object whose keys are data, in this order.
  package static func map<Element>(_ element: JSONType<Element>) -> Self
  where Value == [(key: String, value: Element)] {
    JSONType(
      .object([("type", "object"), ("additionalProperties", element.schema)]), definitions: element.definitions
    ) { members, json in
      json.beginObject()
      for (key, value) in members {
        json.key(key)
        element.write(value, &json)
      }
      json.endObject()
    }
  }

  package static func nullable<Wrapped>(_ type: JSONType<Wrapped>) -> Self where Value == Wrapped? {
    JSONType(.nullable(type.schema), definitions: type.definitions) { value, json in
      if let value { type.write(value, &json) } else { json.null() }
    }
  }

  package func response(_ value: Value, status: HTTPResponse.Status = .ok) -> Response {
    .json(status: status) { write(value, &$0) }
  }
}

extension JSONType<String> {
  package static var text: Self { JSONType(["type": "string"]) { $1.string($0) } }
}

extension JSONType<Int> {
  package static var integer: Self { JSONType(["type": "integer"]) { $1.integer($0) } }
  /// From 0.
  package static var place: Self { JSONType(["type": "integer", "minimum": 0]) { $1.integer($0) } }
}

extension JSONType<Bool> {
  package static var flag: Self { JSONType(["type": "boolean"]) { $1.bool($0) } }
}

extension JSONType<Double> {
  /// Null for what is not finite.
  package static func number(decimals: Int) -> Self {
    JSONType(["type": "number"]) { $1.number($0, decimals: decimals) }
  }

  /// With all its digits.
  package static var number: Self { JSONType(["type": "number"]) { $1.number($0) } }
}

extension JSONType<[Double]> {
  /// Without what is not finite.
  package static func numbers(decimals: Int) -> Self {
    JSONType(["type": "array", "items": ["type": "number"]]) { values, json in
      json.beginArray()
      for value in values where value.isFinite { json.number(value, decimals: decimals) }
      json.endArray()
    }
  }
}

extension JSONType<Timestamp> {
  package static var time: JSONType<Timestamp> { JSONType(["type": "string"]) { $1.string($0.description) } }
}

extension JSONType<JSONValue> {
  package static var any: Self { JSONType([:]) { $1.value($0) } }
}

extension Field {
  package static func required<Value>(
    _ name: String, _ type: JSONType<Value>, _ get: @escaping @Sendable (Record) -> Value
  ) -> Field {
    Field(name, type.schema, definitions: type.definitions) { type.write(get($0), &$1) }
  }

  /// Null where there is no value.
  package static func optional<Value>(
    _ name: String, _ type: JSONType<Value>, _ get: @escaping @Sendable (Record) -> Value?
  ) -> Field {
    let nullable = JSONType<Value?>.nullable(type)
    return Field(name, type.schema, isNullable: true, definitions: type.definitions) { nullable.write(get($0), &$1) }
  }

  /// Left out where there is no value.
  package static func ifAny<Value>(
    _ name: String, _ type: JSONType<Value>, _ get: @escaping @Sendable (Record) -> Value?
  ) -> Field {
    var field = Field.optional(name, type, get)
    field.isNullable = false
    field.writeIfAny = { [key = field.key] record, json in
      guard let value = get(record) else { return }
      json.key(key)
      type.write(value, &json)
    }
    return field
  }
}

extension Shape {
  fileprivate init(_ fields: [Field<Record>]) { self.init(summary: "", fields: fields) }
}

extension SchemaNode {
  /// An object that may have more members later.
  package static func open<Record>(_ fields: [Field<Record>]) -> SchemaNode {
    let required = fields.filter { $0.writeIfAny == nil }
    return [
      "type": "object",
      "properties": .object(fields.map { ($0.name, $0.isNullable ? .nullable($0.schema) : $0.schema) }),
      "required": .array(required.map { .string($0.name) }),
    ]
  }

  fileprivate static func nullable(_ schema: SchemaNode) -> SchemaNode { ["anyOf": [schema, ["type": "null"]]] }
}

/// Schemas by the names that others refer to them by.
package enum Definitions {
  /// - Precondition: Two schemas of one name are the same.
  package static func merged(_ parts: [[String: SchemaNode]]) -> [String: SchemaNode] {
    parts.reduce(into: [:]) { all, part in
      all.merge(part) { first, second in
        precondition(first.json == second.json, "Two schemas have one name: \(first.text)")
        return first
      }
    }
  }
}
