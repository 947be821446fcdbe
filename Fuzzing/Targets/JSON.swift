import Text

/// JSON of programs and of the database, and back to text.
struct JSONTarget: FuzzTarget {
  static let name = "json"

  func run(_ bytes: [UInt8]) throws {
    let value = try JSONValue(parsing: bytes)
    let text = value.text
    guard let again = try? JSONValue(parsing: text.utf8) else { fatalError("\(text) is written and cannot be read") }
    require(again == value, "\(text) stays what it is")
    require(again.canonicalText == value.canonicalText, "\(text) has one canonical text")
  }
}
