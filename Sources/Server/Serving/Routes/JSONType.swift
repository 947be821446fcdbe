package import HTTPTypes
package import Hummingbird
package import Platform
package import Records
package import Text

/// A JSON type for responses and request bodies: its encoding and its schema. The members of an object are declared
/// once, as `Field`s.
package struct JSONType<Value>: Sendable {
  /// The schema; it refers to objects by name.
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

  /// An object. Clients generated from the OpenAPI document use its name.
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

  /// A type that schemas refer to by name.
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

  /// An object whose keys are data and stay in order.
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
  /// An index, counted from 0.
  package static var place: Self { JSONType(["type": "integer", "minimum": 0]) { $1.integer($0) } }
}

extension JSONType<Bool> {
  package static var flag: Self { JSONType(["type": "boolean"]) { $1.bool($0) } }
}

extension JSONType<Double> {
  /// A number with this many decimals; null if not finite.
  package static func number(decimals: Int) -> Self {
    JSONType(["type": "number"]) { $1.number($0, decimals: decimals) }
  }

  /// A number with all its digits.
  package static var number: Self { JSONType(["type": "number"]) { $1.number($0) } }
}

extension JSONType<[Double]> {
  /// A list of numbers with this many decimals; numbers that are not finite are left out.
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

  /// A member that is null if there is no value.
  package static func optional<Value>(
    _ name: String, _ type: JSONType<Value>, _ get: @escaping @Sendable (Record) -> Value?
  ) -> Field {
    let nullable = JSONType<Value?>.nullable(type)
    return Field(name, type.schema, isNullable: true, definitions: type.definitions) { nullable.write(get($0), &$1) }
  }

  /// A member that is omitted if there is no value.
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
  /// An object to which later versions may add members.
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

/// Schemas, by the names that other schemas use for them.
package enum Definitions {
  /// - Precondition: Schemas with the same name are equal.
  package static func merged(_ parts: [[String: SchemaNode]]) -> [String: SchemaNode] {
    parts.reduce(into: [:]) { all, part in
      all.merge(part) { first, second in
        precondition(first.json == second.json, "Two schemas have one name: \(first.text)")
        return first
      }
    }
  }
}
