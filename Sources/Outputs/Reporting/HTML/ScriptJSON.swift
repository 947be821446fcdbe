internal import Foundation
internal import Text

/// JSON for a `script` element of a page. Text in it cannot end the element, because `<` is always escaped.
struct ScriptJSON {
  private var json = JSONWriter()

  mutating func beginObject() { json.beginObject() }
  mutating func endObject() { json.endObject() }
  mutating func beginArray() { json.beginArray() }
  mutating func endArray() { json.endArray() }
  mutating func key(_ name: String) { json.key(name) }
  mutating func integer(_ value: some BinaryInteger) { json.integer(value) }
  mutating func bool(_ value: Bool) { json.bool(value) }
  mutating func null() { json.null() }
  mutating func string(_ value: String) { json.string(value) }
  mutating func base64(_ bytes: [UInt8]) { json.string(Data(bytes).base64EncodedString()) }

  /// Writes a number rounded to the given decimals, without trailing zeros; `null` if it is not finite.
  mutating func number(_ value: Double, decimals: Int) {
    let rounded = (value * pow(10, Double(decimals))).rounded() / pow(10, Double(decimals))
    if let whole = Int64(exactly: rounded) { json.integer(whole) } else { json.number(value, decimals: decimals) }
  }

  mutating func numbers(_ values: [Double], decimals: Int) {
    beginArray()
    for value in values { number(value, decimals: decimals) }
    endArray()
  }

  mutating func strings(_ values: some Sequence<String>) {
    beginArray()
    for value in values { string(value) }
    endArray()
  }

  /// Returns the bytes that were written since the last call.
  mutating func takeBytes() -> [UInt8] {
    defer { json.removeBytes() }
    return Self.escaped(json.bytes)
  }

  /// Escapes `<`, which in JSON occurs only within strings.
  private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    let less = UInt8(ascii: "<")
    guard bytes.contains(less) else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 64)
    for byte in bytes {
      if byte == less { result.append(contentsOf: #"\u003c"#.utf8) } else { result.append(byte) }
    }
    return result
  }
}
