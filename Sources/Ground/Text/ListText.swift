/// Several values as one text, wherever a person or a single-valued field gets it: with ` / ` between. A comma would not do,
/// because names have commas.
public enum ListText {
  public static let separator = " / "

  /// `nil` if there are none.
  public static func joined(_ values: [String]) -> String? {
    switch values.count {
    case 0: nil
    case 1: values[0]
    default: values.joined(separator: separator)
    }
  }
}
