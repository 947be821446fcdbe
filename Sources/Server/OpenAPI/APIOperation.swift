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

  /// For names in clients that are made from the document: `getV1TracksById`.
  var id: String {
    let words = path.split { !$0.isLetter && !$0.isNumber && $0 != "{" && $0 != "_" }.map { part in
      part.first == "{" ? "By" + part.dropFirst().capitalizedFirst : part.capitalizedFirst
    }
    return method.rawValue.lowercased() + (words.isEmpty ? "Root" : words.joined())
  }

  /// The API that it belongs to.
  var tag: String {
    let tags = [
      ("/v1/match", "recognition"), ("/v1/sessions", "recognition"), ("/v1/catalog", "recognition"), ("/v1", "library"),
      ("/api/token", "library"), ("/api/v1", "acousticbrainz"), ("/v2", "acoustid"), ("/rest", "subsonic"),
      ("/media", "media"), ("/app", "app"),
    ]
    return tags.first { path.hasPrefix($0.0) }?.1 ?? "server"
  }

  /// Whether mistakes are told as `Error`, and not in another shape that an API has for them.
  var hasStandardErrors: Bool { ["library", "recognition", "media"].contains(tag) && path != "/api/token" }

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

extension StringProtocol {
  /// With a capital letter at its start.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
