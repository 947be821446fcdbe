package import Text

/// The answer of a route if all is well, in JSON or without a body.
package struct RouteAnswer: Sendable {
  package let status: Int
  /// `nil` without a body.
  package let schema: JSONValue?

  /// - Parameter text: Statuses and types as `ShortSchema` has them, such as `Track`, `204` and `200 Snapshot | 201 Snapshot`.
  static func answers(_ text: String) -> [Self] {
    text.split(separator: "|").map { part in
      let words = part.split(separator: " ")
      let status = words.first.flatMap { Int($0) }
      let type = status == nil ? words.first : words.dropFirst().first
      return Self(status: status ?? 200, schema: type.map { ShortSchema.type(String($0)) })
    }
  }
}
