/// What of a route matters for access. It is told by its pattern, not by the path as the client writes it.
struct Route {
  /// APIs whose clients show the token among the parameters.
  enum Parameters {
    case subsonic, acoustID
  }

  let pattern: String

  /// - Parameter pattern: such as `/v1/tracks/{id}`; `nil` if there is no such route.
  init(_ pattern: String?) { self.pattern = pattern ?? "" }

  /// Pages of the app and what they are made of. They hold no data, so links from elsewhere may lead to them.
  var isPage: Bool {
    pattern == "/" || pattern == "/app" || pattern.hasPrefix("/app/") && !pattern.hasPrefix("/app/api")
      || pattern == "/favicon.ico"
  }

  /// Whether no token is needed.
  var isOpen: Bool {
    isPage || isTokenEndpoint || ["/healthz", "/app/api/login", "/app/api/logout"].contains(pattern)
  }

  /// Whether programs on this machine need no token.
  var isOpenLocally: Bool { pattern == "/metrics" }

  var isTokenEndpoint: Bool { pattern == "/api/token" }

  /// Whether the address itself may let one in.
  var isCover: Bool { pattern == "/media/covers/{id}" }

  var parameters: Parameters? {
    if pattern.hasPrefix("/rest/") { return .subsonic }
    if pattern.hasPrefix("/v2/") { return .acoustID }
    return nil
  }
}
