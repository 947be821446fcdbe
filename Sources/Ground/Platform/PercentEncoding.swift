internal import SystemPackage

/// Percent-encoded text of URIs (RFC 3986, section 2), and the forms that names of objects have.
package enum PercentEncoding {
  /// Bytes that stand for themselves.
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
    /// In a path of a server; `?`, `#` and brackets would end it or are refused by servers.
    fileprivate static let serverPath = Plain(unreservedCharacters, "/:@!$&'()*+,;=")
    fileprivate static let nothing = Plain()
  }

  private static let percent = UInt8(ascii: "%")

  /// Text in which all other bytes are a percent sign with two digits.
  package static func encoded(_ bytes: some Collection<UInt8>, plain: Plain = .unreserved) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 16)
    for byte in bytes { append(byte, to: &text, plain: plain) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that the text stands for; `nil` for a percent sign without two digits, and for a zero byte.
  package static func decoded(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    return forEachByte(of: text) { byte, _ in bytes.append(byte) } ? bytes : nil
  }

  /// One form for all texts that a server must read alike: unreserved characters are not encoded, digits are in upper
  /// case, and what may not stand in a URI is encoded. `nil` as for `decoded`.
  static func normal(_ text: [UInt8]) -> String? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    let isWhole = forEachByte(of: text) { byte, isEscaped in
      append(byte, to: &result, plain: isEscaped ? .unreserved : .uri)
    }
    return isWhole ? String(decoding: result, as: UTF8.self) : nil
  }

  /// - Returns: False for a percent sign without two digits, and for a zero byte.
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

  /// The path of a key. A file system takes several slashes for one, and `.` and `..` for folders, so these are encoded.
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

  /// Encoded text for people: letters of all scripts, spaces and other characters without a meaning in URIs stand for
  /// themselves. `sendable` leads back.
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

  /// Text with percent signs and delimiters as they are, and everything else encoded that a request may not contain.
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

  /// The byte of an escape.
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
