/// A filter for tracks: the expression of `--where`, a filter option, or a combination of these.
///
///     try TrackFilter(parsing: "genre:trance bpm:120..128 (key:8A~ OR lossless:yes) -status:failed")
public struct TrackFilter: Sendable, Equatable {
  public indirect enum Expression: Sendable, Equatable {
    /// Matches if all of the expressions match. Always matches if there are none.
    case all([Expression])
    /// Matches if at least one of the expressions matches. Never matches if there are none.
    case any([Expression])
    /// Matches if the expression does not match. An unknown value does not match a condition, so it matches the
    /// negation.
    case not(Expression)
    case condition(TrackCondition)
  }

  public let expression: Expression

  public init(_ expression: Expression) {
    self.expression = expression
  }

  public static let everything = TrackFilter(.all([]))

  /// - Parameters:
  ///   - text: An expression as described in docs/search.md; empty for every track.
  ///   - columns: The columns of findings that the expression may use.
  public init(parsing text: String, columns: [FindingColumn] = []) throws(FilterSyntaxError) {
    var parser = FilterParser(text, columns: columns)
    expression = try parser.parse()
  }

  /// Creates a filter from one option, such as `--key 8A,9A`.
  /// - Parameter values: Alternatives separated by commas; for a text or path, the whole string is one value.
  public init(field: FilterField, values: String) throws(FilterSyntaxError) {
    let pieces =
      field.allowsCommas ? [values] : values.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    expression = try FilterTerm(
      field: .own(field), values: pieces.map { FilterValue($0, isQuoted: false, position: nil) }
    ).expression()
  }

  /// Returns a filter for tracks that match both filters.
  public func and(_ other: TrackFilter) -> TrackFilter {
    TrackFilter(.all(conjuncts + other.conjuncts))
  }

  /// The expressions that must all match.
  public var conjuncts: [Expression] {
    if case .all(let parts) = expression { parts } else { [expression] }
  }
}
