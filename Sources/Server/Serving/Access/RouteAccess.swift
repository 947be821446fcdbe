/// The clients that may use a route.
package enum RouteAccess: Sendable, Equatable {
  /// Clients with a token, in a header or in the app's cookie.
  case token
  /// Clients with a token, which may also be a parameter of this API.
  case tokenAmongParameters(Credentials.Parameters)
  /// Clients with a token or the key of a cover.
  case tokenOrCoverKey
  /// Clients with a token, and programs on this machine.
  case tokenOrThisMachine
  /// All clients.
  case open
  /// All clients; the route itself checks their credentials.
  case ownSecret
  /// All clients, even through links from other sites, because the files of the app do not contain data.
  case page

  var needsToken: Bool {
    switch self {
    case .token, .tokenAmongParameters, .tokenOrCoverKey, .tokenOrThisMachine: true
    case .open, .ownSecret, .page: false
    }
  }
}
