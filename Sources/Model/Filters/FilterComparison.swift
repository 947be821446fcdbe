/// The sign between a field and a value in `bpm>=120`. A colon means `=`.
enum FilterComparison: String, CaseIterable {
  case equal = "="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  /// `true` for fields with an order only, and for one value only.
  var isOrder: Bool { self != .equal && self != .notEqual }

  /// All signs, for messages.
  static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// - Parameter sign: One of the signs, or its form in mathematics, such as `≥`.
  init?(sign: some StringProtocol) {
    switch sign {
    case "≠": self = .notEqual
    case "≤": self = .lessOrEqual
    case "≥": self = .greaterOrEqual
    default: self.init(rawValue: String(sign))
    }
  }

  /// The sign at the start of a text: as many of these characters as there are. An exclamation mark alone is a letter
  /// of a name.
  static func prefix(of text: some Collection<Character>) -> String {
    let sign = String(text.prefix { $0.isComparison || $0 == "!" })
    return sign.contains(where: \.isComparison) ? sign : ""
  }
}

extension Character {
  /// `true` for a character that is a comparison in words without quotation marks.
  var isComparison: Bool { "<>=≤≥≠".contains(self) }
}
