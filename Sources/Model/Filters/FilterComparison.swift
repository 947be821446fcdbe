/// The operator between a field and a value, as in `bpm>=120`. A colon means `=`.
enum FilterComparison: String, CaseIterable {
  case equal = "="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  /// `true` for comparisons that only fields with an order support, and that allow only one value.
  var isOrder: Bool { self != .equal && self != .notEqual }

  /// All operators, for messages.
  static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// - Parameter sign: One of the operators, or a mathematical symbol such as `≥`.
  init?(sign: some StringProtocol) {
    switch sign {
    case "≠": self = .notEqual
    case "≤": self = .lessOrEqual
    case "≥": self = .greaterOrEqual
    default: self.init(rawValue: String(sign))
    }
  }

  /// Returns the operator at the start of a text: all comparison characters and exclamation marks up to the first other
  /// character; empty if there is no operator. Exclamation marks alone are not an operator but part of a name.
  static func prefix(of text: some Collection<Character>) -> String {
    let sign = String(text.prefix { $0.isComparison || $0 == "!" })
    return sign.contains(where: \.isComparison) ? sign : ""
  }
}

extension Character {
  /// `true` for a character that counts as a comparison outside quotation marks.
  var isComparison: Bool { "<>=≤≥≠".contains(self) }
}
