internal import HTTPTypes

/// The reverse proxies whose headers about the client are trusted.
package struct TrustedProxies: Sendable {
  private let ranges: [NetworkRange]

  package init(_ ranges: [NetworkRange]) { self.ranges = ranges }

  /// - Parameter peer: The address at the other end of the connection.
  func client(peer: NetworkAddress?, headers: HTTPFields) -> Client {
    // Even if these headers are not trusted, they show that a program is forwarding the request of another client.
    let isForwarded = headers[.xForwardedFor] != nil || headers[.forwarded] != nil
    var client = Client(address: peer, isLocal: peer?.isLoopback == true && !isForwarded)
    guard let peer, trusts(peer) else { return client }
    client.isSecure = headers[.xForwardedProto]?.lowercased() == "https"
    // The last address is the one that the trusted proxy saw. An earlier address counts only if the one after it also
    // belongs to a trusted proxy.
    for text in (headers[values: .xForwardedFor].joined(separator: ",")).split(separator: ",").reversed() {
      guard let address = NetworkAddress(Self.trimmed(text)) else { break }
      client.address = address
      if !trusts(address) { break }
    }
    return client
  }

  private func trusts(_ address: NetworkAddress) -> Bool { ranges.contains { $0.contains(address) } }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    return start.prefix { $0 != " " && $0 != "\t" }
  }
}

extension HTTPField.Name {
  static let xForwardedFor = Self("X-Forwarded-For")!
  static let xForwardedProto = Self("X-Forwarded-Proto")!
  static let forwarded = Self("Forwarded")!
}
