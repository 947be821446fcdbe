import AnalysisTesting

/// A request with a stored response.
struct SnapshotRequest: Sendable {
  /// Name of the file with the response.
  var name: String
  var method: String
  /// Path and query; `@name` stands for an id of `UntidyLibrary`.
  var target: String
  var headers: [String: String] = [:]
  /// Body, with `@name` as in `target`.
  var body = ""
  /// A short name for an id in the response, at a dotted path of members. The id differs each time, so responses are shown
  /// with the name in its place.
  var kept: (name: String, path: String)?
  /// Members of the response whose text differs each time.
  var hidden: [String] = []
  /// Characters in a line of the file.
  var width = ReadableText.width

  init(_ method: String, _ name: String, _ target: String) {
    self.name = name
    self.method = method
    self.target = target
  }

  static func get(_ name: String, _ target: String) -> Self { Self("GET", name, target) }

  static func json(_ method: String, _ name: String, _ target: String, _ body: String) -> Self {
    var request = Self(method, name, target)
    request.headers["Content-Type"] = "application/json"
    request.body = body
    return request
  }

  static func form(_ name: String, _ target: String, _ body: String) -> Self {
    var request = Self("POST", name, target)
    request.headers["Content-Type"] = "application/x-www-form-urlencoded"
    request.body = body
    return request
  }

  func with(_ header: String, _ value: String) -> Self {
    var request = self
    request.headers[header] = value
    return request
  }

  func inLines(of width: Int) -> Self {
    var request = self
    request.width = width
    return request
  }

  func keeping(_ name: String, at path: String) -> Self {
    var request = self
    request.kept = (name, path)
    return request
  }

  func hiding(_ members: String...) -> Self {
    var request = self
    request.hidden = members
    return request
  }
}
