/// An error in JSON text that does not follow RFC 8259.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The offset in bytes from the start of the text.
  public var offset: Int
  public var problem: String

  public var description: String { "not JSON: \(problem) at byte \(offset)" }
}

extension JSONValue {
  /// Parses one JSON text. Numbers that have no decimal point or exponent and fit into 64 bits become `integer`. If
  /// several members have the same name, the last one wins. An unpaired surrogate escape becomes U+FFFD.
  /// - Parameter maximumDepth: Maximum nesting depth of arrays and objects.
  public init(parsing text: some Sequence<UInt8>, maximumDepth: Int = 100) throws(JSONSyntaxError) {
    var parser = JSONParser(text: Array(text), maximumDepth: maximumDepth)
    self = try parser.parseText()
  }

  /// The value as compact JSON text, with object keys in ascending order.
  public var text: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.text
  }
}

private struct JSONParser {
  let text: [UInt8]
  let maximumDepth: Int
  var index = 0

  init(text: [UInt8], maximumDepth: Int) {
    self.text = text
    self.maximumDepth = maximumDepth
  }

  mutating func parseText() throws(JSONSyntaxError) -> JSONValue {
    let value = try parseValue(depth: 0)
    skipSpace()
    guard index == text.count else { throw error("unexpected text after the value") }
    return value
  }

  private mutating func parseValue(depth: Int) throws(JSONSyntaxError) -> JSONValue {
    skipSpace()
    guard let first = peek else { throw error("unexpected end of text") }
    switch first {
    case UInt8(ascii: "{"):
      guard depth < maximumDepth else { throw error("nested deeper than \(maximumDepth)") }
      return try parseObject(depth: depth + 1)
    case UInt8(ascii: "["):
      guard depth < maximumDepth else { throw error("nested deeper than \(maximumDepth)") }
      return try parseArray(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "t"): return try parseLiteral("true", .bool(true))
    case UInt8(ascii: "f"): return try parseLiteral("false", .bool(false))
    case UInt8(ascii: "n"): return try parseLiteral("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    default: throw error("expected a value")
    }
  }

  private mutating func parseObject(depth: Int) throws(JSONSyntaxError) -> JSONValue {
    index += 1
    var members: [String: JSONValue] = [:]
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw error("expected a key") }
      let name = try parseString()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw error("expected a colon after a key") }
      members[name] = try parseValue(depth: depth)
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw error("expected a comma or the end of the object") }
    }
  }

  private mutating func parseArray(depth: Int) throws(JSONSyntaxError) -> JSONValue {
    index += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(elements) }
    while true {
      elements.append(try parseValue(depth: depth))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { throw error("expected a comma or the end of the array") }
    }
  }

  private mutating func parseLiteral(
    _ literal: StaticString, _ value: JSONValue
  ) throws(JSONSyntaxError) -> JSONValue {
    let end = index + literal.utf8CodeUnitCount
    guard end <= text.count, String(decoding: text[index..<end], as: UTF8.self) == literal.description else {
      throw error("expected a value")
    }
    index = end
    return value
  }

  private mutating func parseNumber() throws(JSONSyntaxError) -> JSONValue {
    let start = index
    var isWhole = true
    _ = take(UInt8(ascii: "-"))
    if take(UInt8(ascii: "0")) {
      if let peek, isDigit(peek) { throw error("number with a leading zero") }
    } else {
      try skipDigits()
    }
    if take(UInt8(ascii: ".")) {
      isWhole = false
      try skipDigits()
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isWhole = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try skipDigits()
    }
    let digits = String(decoding: text[start..<index], as: UTF8.self)
    if isWhole, let value = Int64(digits) { return .integer(value) }
    guard let value = Double(digits), value.isFinite else { throw error("number out of range") }
    return .number(value)
  }

  private mutating func skipDigits() throws(JSONSyntaxError) {
    let start = index
    while let peek, isDigit(peek) { index += 1 }
    if index == start { throw error("number without digits") }
  }

  private mutating func parseString() throws(JSONSyntaxError) -> String {
    index += 1
    let start = index
    while index < text.count, text[index] != UInt8(ascii: "\""), text[index] != UInt8(ascii: "\\"), text[index] >= 0x20
    {
      index += 1
    }
    if peek == UInt8(ascii: "\"") {
      let result = try string(text[start..<index])
      index += 1
      return result
    }
    var unescaped = Array(text[start..<index])
    while true {
      guard let byte = peek else { throw error("unterminated string") }
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return try string(unescaped[...])
      case UInt8(ascii: "\\"): try unescape(into: &unescaped)
      case 0..<0x20: throw error("control character in a string")
      default: unescaped.append(byte)
      }
    }
  }

  private mutating func unescape(into bytes: inout [UInt8]) throws(JSONSyntaxError) {
    guard let byte = peek else { throw error("unterminated string") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "u"):
      var scalar = try parseCodeUnit()
      if scalar & 0xFC00 == 0xD800, peek == UInt8(ascii: "\\"), index + 1 < text.count,
        text[index + 1] == UInt8(ascii: "u")
      {
        let afterHigh = index
        index += 2
        let low = try parseCodeUnit()
        if low & 0xFC00 == 0xDC00 {
          scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
        } else {
          index = afterHigh
        }
      }
      let character = Unicode.Scalar(scalar) ?? "\u{FFFD}"
      bytes.append(contentsOf: String(Character(character)).utf8)
    default: throw error("unknown escape")
    }
  }

  private mutating func parseCodeUnit() throws(JSONSyntaxError) -> UInt32 {
    guard index + 4 <= text.count else { throw error("unterminated string") }
    var unit: UInt32 = 0
    for byte in text[index..<index + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw error("expected a hex digit") }
      unit = unit << 4 | UInt32(digit)
    }
    index += 4
    return unit
  }

  private func string(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> String {
    guard let string = String(validating: bytes, as: UTF8.self) else { throw error("string that is not UTF-8") }
    return string
  }

  private var peek: UInt8? { index < text.count ? text[index] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    index += 1
    return true
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private mutating func skipSpace() {
    while let peek, peek == 0x20 || peek == 0x0A || peek == 0x0D || peek == 0x09 { index += 1 }
  }

  private func error(_ problem: String) -> JSONSyntaxError { JSONSyntaxError(offset: index, problem: problem) }
}
