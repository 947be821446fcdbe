/// The address of a server of Nocturne: `http://host:port`.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an address; one of IPv6 without its brackets.
  public let host: String
  public let port: Int

  /// Why a text is no such address.
  public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed
    /// Only http is spoken.
    case encrypted
    /// A name or a password stands in it.
    case hasSecret

    public var description: String {
      switch self {
      case .malformed: "an address of a server is http://host:port"
      case .encrypted:
        "https is not spoken to other servers: use http:// in a network of your own, or through a tunnel or proxy"
      case .hasSecret:
        "a token does not belong into an address, where others can read it: see the setting catalog_tokens"
      }
    }
  }

  /// The port of `analyze serve`.
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

  /// As it stands in the header Host (RFC 9110, section 7.2).
  public var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  public var description: String { "http://\(authority)" }
}
