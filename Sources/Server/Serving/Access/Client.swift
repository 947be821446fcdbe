/// The client of a request.
package struct Client: Sendable, Equatable {
  /// The address of the client. Behind a trusted proxy, this is the address that the proxy reports.
  package var address: NetworkAddress?
  /// `true` if a trusted proxy reports that the client is connected to it with TLS.
  package var isSecure = false
  /// The name of the client's token; `nil` if none is needed or the client has not sent a valid one.
  package var token: String?
  /// `true` if the client is on this machine and is not a proxy for another client.
  package var isLocal = false

  /// The unit for limits per client: all requests with one token or, if there is no token, all requests from one IPv4
  /// address or IPv6 network.
  package enum Owner: Sendable, Hashable {
    case token(String)
    case network([UInt8])
  }

  package var owner: Owner { token.map { .token($0) } ?? .network(address?.network ?? []) }
}
