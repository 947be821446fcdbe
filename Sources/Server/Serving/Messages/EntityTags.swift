internal import HTTPTypes

/// The entity tags in the header `If-None-Match`.
package struct EntityTags {
  private let tags: [Substring]

  package init(_ header: String) {
    // Removes the mark of weak tags, for a weak comparison (RFC 9110, section 8.8.3.2).
    tags = header.split(separator: ",").map {
      let tag = $0.drop { $0 == " " || $0 == "\t" }
      let strong = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
      return strong.last == " " ? strong.prefix { $0 != " " } : strong
    }
  }

  package func contains(_ tag: String) -> Bool { tags.contains { $0 == tag || $0 == "*" } }
}

extension HTTPField.Name {
  static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
}
