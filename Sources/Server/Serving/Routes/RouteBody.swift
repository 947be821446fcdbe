package enum RouteBody: Sendable {
  /// An object with these members.
  case json([RouteParameter])
  /// A form with fields of these names.
  case form([String])
  /// Bytes of one of these media types.
  case bytes([String])

  /// Members of a JSON object; empty for other bodies.
  package var members: [RouteParameter] { if case .json(let members) = self { members } else { [] } }
}
