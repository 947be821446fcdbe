package import HTTPTypes
package import Records
package import Text

/// A successful response of a route, in JSON or without a body.
package struct RouteAnswer: Sendable {
  package let status: Int
  /// The schema of the body; `nil` if there is no body.
  package let schema: JSONValue?
  /// The objects that `schema` refers to, by name.
  package let definitions: [String: SchemaNode]

  private init(_ status: Int, _ schema: JSONValue?, _ definitions: [String: SchemaNode] = [:]) {
    self.status = status
    self.schema = schema
    self.definitions = definitions
  }

  package static func json<Value>(_ type: JSONType<Value>, _ status: HTTPResponse.Status = .ok) -> Self {
    Self(status.code, type.schema.json, type.definitions)
  }

  package static func empty(_ status: HTTPResponse.Status) -> Self { Self(status.code, nil) }
}
