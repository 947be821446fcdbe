internal import SystemPackage

/// Percent-encoding (RFC 3986, section 2), and the forms used in object names.
package enum PercentEncoding {
  /// A set of bytes that are not encoded.
  package struct Plain: Sendable {
    private let isPlain: [Bool]

    fileprivate init(_ characters: String...) {
      let bytes = Set(characters.joined().utf8)
      isPlain = (0...255).map { bytes.contains(UInt8($0)) }
    }

    fileprivate func contains(_ byte: UInt8) -> Bool { isPlain[Int(byte)] }

    private static let unreservedCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    private static let delimiters = ":/?#[]@!$&'()*+,;="

    package static let unreserved = Plain(unreservedCharacters)
    /// Unreserved characters and slashes.
    package static let path = Plain(unreservedCharacters, "/")
    fileprivate static let uri = Plain(unreservedCharacters, delimiters)
    fileprivate static let sendable = Plain(unreservedCharacters, delimiters, "%")
    /// The characters of a server path, without `?`, `#` and brackets, which would end the path or be rejected by
    /// servers.
    fileprivate static let serverPath = Plain(unreservedCharacters, "/:@!$&'()*+,;=")
    fileprivate static let nothing = Plain()
  }

  private static let percent = UInt8(ascii: "%")

  /// Encodes all bytes outside `plain` as a percent sign with two digits.
  package static func encoded(_ bytes: some Collection<UInt8>, plain: Plain = .unreserved) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 16)
    for byte in bytes { append(byte, to: &text, plain: plain) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text. Returns `nil` if it contains a percent sign without two digits, or a zero byte.
  package static func decoded(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    return forEachByte(of: text) { byte, _ in bytes.append(byte) } ? bytes : nil
  }

  /// Returns the same text for equivalent texts. Unreserved characters are not encoded, digits are in upper case, and
  /// characters that a URI cannot contain are encoded. Returns `nil` in the same cases as `decoded`.
  static func normal(_ text: [UInt8]) -> String? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    let isWhole = forEachByte(of: text) { byte, isEscaped in
      append(byte, to: &result, plain: isEscaped ? .unreserved : .uri)
    }
    return isWhole ? String(decoding: result, as: UTF8.self) : nil
  }

  /// - Returns: `false` if the text contains a percent sign without two digits, or a zero byte.
  private static func forEachByte(of text: [UInt8], _ body: (_ byte: UInt8, _ isEscaped: Bool) -> Void) -> Bool {
    var index = 0
    while index < text.count {
      let isEscaped = text[index] == percent
      guard let byte = isEscaped ? byte(text, at: index) : text[index], byte != 0 else { return false }
      body(byte, isEscaped)
      index += isEscaped ? 3 : 1
    }
    return true
  }

  /// Converts a key to a path. A slash at the start or after another slash is encoded. The parts `.` and `..` are
  /// errors, because they have a special meaning in file systems.
  static func path(ofKey key: [UInt8]) throws(ObjectNameError) -> String {
    let slash = UInt8(ascii: "/")
    var result: [UInt8] = []
    result.reserveCapacity(key.count)
    for (index, byte) in key.enumerated() {
      let isExtra = byte == slash && (index == 0 || key[index - 1] == slash)
      append(byte, to: &result, plain: isExtra ? .nothing : .serverPath)
    }
    for part in result.split(separator: slash) where part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) {
      throw .badPart
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes text for display: letters of all scripts, spaces and other characters that have no special meaning in
  /// URIs. `sendable` reverses this.
  static func readable(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      if text[index] == percent, let byte = byte(text, at: index), byte >= 0x20, byte != 0x7F, byte != percent,
        !Plain.uri.contains(byte)
      {
        result.append(byte)
        index += 3
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return result
  }

  /// Encodes characters that a request may not contain, but keeps percent signs and delimiters.
  static func sendable(_ text: [UInt8]) -> String {
    encoded(text, plain: .sendable)
  }

  private static func append(_ byte: UInt8, to result: inout [UInt8], plain: Plain) {
    if plain.contains(byte) {
      result.append(byte)
    } else {
      result += [percent, DisplayPath.hexDigits[Int(byte >> 4)], DisplayPath.hexDigits[Int(byte & 15)]]
    }
  }

  private static func byte(_ text: [UInt8], at index: Int) -> UInt8? {
    guard index + 2 < text.count, let high = hexDigit(text[index + 1]), let low = hexDigit(text[index + 2])
    else { return nil }
    return high << 4 | low
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
