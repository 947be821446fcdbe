/// A filter of tracks: the expression of `--where`, and all options that filter.
///
///     try TrackFilter(parsing: "genre:trance bpm:120..128 (key:8A~ OR lossless:yes) -status:failed")
public struct TrackFilter: Sendable, Equatable {
  public indirect enum Expression: Sendable, Equatable {
    /// All of them; every track if there are none.
    case all([Expression])
    /// At least one of them; no track if there are none.
    case any([Expression])
    /// An unknown value does not match a condition, and so matches its negation.
    case not(Expression)
    case condition(TrackCondition)
  }

  public let expression: Expression

  public init(_ expression: Expression) {
    self.expression = expression
  }

  /// Every track.
  public static let everything = TrackFilter(.all([]))

  /// - Parameters:
  ///   - text: As docs/search.md describes it; what is empty is every track.
  ///   - columns: Columns of findings, which may be asked for.
  public init(parsing text: String, columns: [FindingColumn] = []) throws(FilterSyntaxError) {
    var parser = FilterParser(text, columns: columns)
    expression = try parser.parse()
  }

  /// One field as an option gives it: `--key 8A,9A`.
  /// - Parameter values: Alternatives with commas between; of a text or path, the whole is one value.
  public init(field: FilterField, values: String) throws(FilterSyntaxError) {
    let pieces =
      field.takesText ? [values] : values.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    var alternatives: [Expression] = []
    for piece in pieces {
      alternatives.append(try field.expression(FilterValue(piece, isQuoted: false, position: nil)))
    }
    expression = alternatives.count == 1 ? alternatives[0] : .any(alternatives)
  }

  /// Tracks that match both.
  public func and(_ other: TrackFilter) -> TrackFilter {
    TrackFilter(.all(conjuncts + other.conjuncts))
  }

  /// Conditions that must all match.
  public var conjuncts: [Expression] {
    if case .all(let parts) = expression { parts } else { [expression] }
  }
}
