/// The condition for using a route.
package enum RouteAccess: Sendable, Equatable {
  /// Clients with a token, in a header or by the app's cookie.
  case token
  /// Clients with a token, also among the parameters as clients of this API send it.
  case tokenAmongParameters(Credentials.Parameters)
  /// Clients with a token or the key of a cover.
  case tokenOrCoverKey
  /// Clients with a token, and programs on this machine.
  case tokenOrThisMachine
  /// Everybody.
  case open
  /// Everybody; the route itself looks at what they show.
  case ownSecret
  /// Everybody, also by links from elsewhere: pages of the app and what they are made of hold no data.
  case page

  var needsToken: Bool {
    switch self {
    case .token, .tokenAmongParameters, .tokenOrCoverKey, .tokenOrThisMachine: true
    case .open, .ownSecret, .page: false
    }
  }
}
