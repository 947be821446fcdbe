/// The client of a request.
package struct Client: Sendable, Equatable {
  /// The address of the client; behind a proxy that is trusted, the one that the proxy tells.
  package var address: NetworkAddress?
  /// Whether it reached us, or the trusted proxy, by TLS.
  package var isSecure = false
  /// The name of its token; `nil` where none is needed.
  package var token: String?
  /// Whether it is on this machine, and no proxy between.
  package var isLocal = false

  /// The unit that limits of one client count: all requests with a token, or else all from an address.
  package enum Owner: Sendable, Hashable {
    case token(String)
    case network([UInt8])
  }

  package var owner: Owner { token.map { .token($0) } ?? .network(address?.network ?? []) }
}
