/// The address of a Nocturne server: `http://host:port`.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// A host name or IP address. An IPv6 address has no brackets.
  public let host: String
  public let port: Int

  /// The reason a text is not a server address.
  public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed
    /// The address uses https, which is not supported.
    case encrypted
    /// The address contains a user name or password.
    case hasSecret

    public var description: String {
      switch self {
      case .malformed: "a server address has the form http://host:port"
      case .encrypted:
        "https to other servers is not supported: use http:// in a private network, or through a tunnel or proxy"
      case .hasSecret:
        "a token does not belong in an address, where others can read it: see the setting catalog_tokens"
      }
    }
  }

  /// The default port of `analyze serve`.
  public static let standardPort = 8642

  public init(_ text: String) throws(Problem) {
    let scheme = "http://"
    if text.lowercased().hasPrefix("https://") { throw .encrypted }
    guard text.lowercased().hasPrefix(scheme) else { throw .malformed }
    var rest = text.dropFirst(scheme.count)
    if rest.contains("@") { throw .hasSecret }
    if rest.last == "/" { rest.removeLast() }
    var port = Self.standardPort
    if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
      guard let number = Int(rest[rest.index(after: colon)...]), 1...65535 ~= number else { throw .malformed }
      port = number
      rest = rest[..<colon]
    }
    if rest.first == "[", rest.last == "]" {
      rest = rest.dropFirst().dropLast()
    } else if rest.contains(":") {
      throw .malformed
    }
    guard !rest.isEmpty, rest.utf8.allSatisfy({ $0 > 32 && $0 < 127 && !Self.delimiters.contains($0) }) else {
      throw .malformed
    }
    host = rest.lowercased()
    self.port = port
  }

  private static let delimiters = Set("/?#[]@\"<>\\^`{|}".utf8)

  /// The value of the Host header (RFC 9110, section 7.2).
  public var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  public var description: String { "http://\(authority)" }
}
