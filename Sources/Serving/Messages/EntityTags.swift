internal import HTTPTypes

/// The header `If-None-Match`.
package struct EntityTags {
  private let tags: [Substring]

  package init(_ header: String) {
    // Weak comparison (RFC 9110, section 8.8.3.2).
    tags = header.split(separator: ",").map {
      let tag = $0.drop { $0 == " " || $0 == "\t" }
      let strong = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
      return strong.last == " " ? strong.prefix { $0 != " " } : strong
    }
  }

  package func contains(_ tag: String) -> Bool { tags.contains { $0 == tag || $0 == "*" } }
}

package enum HeaderText {
  /// All but letters, digits and `-._~` percent-encoded (RFC 8187).
  package static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension HTTPField.Name {
  static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
}
