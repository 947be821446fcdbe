internal import HTTPTypes
internal import Text

/// What the OpenAPI document says of a route beyond its path and method.
struct APIOperation: Sendable {
  /// A parameter of the query string.
  struct Parameter: Sendable {
    var name: String
    var schema: JSONValue
    var isRequired = false

    static func text(_ name: String) -> Self { Self(name: name, schema: ["type": "string"]) }

    static func integer(_ name: String, _ range: ClosedRange<Int64>) -> Self {
      Self(
        name: name,
        schema: ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
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

  enum Body: Sendable {
    case json(JSONValue)
    case form([String])
    /// Bytes of these media types.
    case bytes([String])
  }

  var method: HTTPRequest.Method
  /// As the router has it: `/v1/tracks/{id}`.
  var path: String
  var summary: String
  var parameters: [Parameter]
  var body: Body?
  /// The media type of what it answers.
  var answer: String

  init(
    _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ parameters: [Parameter] = [], body: Body? = nil,
    answer: String = "application/json"
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.parameters = parameters
    self.body = body
    self.answer = answer
  }
}
