/// The body that a route takes.
package enum RouteBody: Sendable {
  /// An object with these members, as `ShortSchema` has them.
  case json(String)
  /// A form with fields of these names.
  case form([String])
  /// Bytes of these media types.
  case bytes([String])
}
