/// The body that a route takes.
package enum RouteBody: Sendable {
  /// An object with these members.
  case json([RouteParameter])
  /// A form with fields of these names.
  case form([String])
  /// Bytes of these media types.
  case bytes([String])

  /// Of an object.
  package var members: [RouteParameter] { if case .json(let members) = self { members } else { [] } }
}
