/// Joins several values into one string with ` / `, to show them to people or to store them in a field for a single
/// value. A comma is not suitable, because names contain commas.
public enum ListText {
  public static let separator = " / "

  /// Returns the joined values; `nil` for an empty list.
  public static func joined(_ values: [String]) -> String? {
    switch values.count {
    case 0: nil
    case 1: values[0]
    default: values.joined(separator: separator)
    }
  }
}
