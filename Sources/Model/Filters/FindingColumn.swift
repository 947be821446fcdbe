public import Analysis

/// A number, text or flag of a declared finding by which tracks can be filtered and sorted. It has the same name as in
/// the CSV report: the finding and the field, as in `traits_energy`.
public struct FindingColumn: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    case number
    /// A number of seconds, which may be written as a time.
    case seconds
    case text, flag
  }

  public let name: String
  public let kind: Kind
  /// The name of the table in the database.
  public let table: String
  public let column: String
  public let isIndexed: Bool
  /// `true` for whole numbers.
  public let isWhole: Bool

  /// Returns the columns of the findings, in report order.
  ///
  /// The tempo is not included, because a person may have corrected it. `FilterField` has fields for the effective
  /// tempo.
  public static func all(of findings: [any DeclaredFinding.Type]) -> [FindingColumn] {
    findings.filter { $0 != TempoFinding.self }.flatMap { columns(of: $0) }
  }

  private static func columns<Finding: DeclaredFinding>(of type: Finding.Type) -> [FindingColumn] {
    let declaration = Finding.declaration
    return declaration.fields.compactMap { field in
      guard field.report != nil, case .columns(let columns) = field.storage, columns.count == 1 else { return nil }
      let kind: Kind
      switch columns[0].type {
      case .number, .integer: kind = field.name.hasSuffix("_s") ? .seconds : .number
      case .text: kind = .text
      case .boolean: kind = .flag
      default: return nil
      }
      let isWhole = if case .integer = columns[0].type { true } else { false }
      return FindingColumn(
        name: "\(declaration.name)_\(field.name)", kind: kind,
        table: columns[0].table ?? declaration.table, column: columns[0].name, isIndexed: columns[0].isIndexed,
        isWhole: isWhole)
    }
  }

  // MARK: Filters

  /// The expected form of a value, for messages.
  var expects: String {
    switch kind {
    case .number: "a number or range, such as 0.8.. or -14..-9, or none"
    case .seconds: "a time or range, such as 2.5, ..0:30 or 90s.., or none"
    case .text: "a text (a trailing * matches any ending), or none"
    case .flag: "yes, no or none"
    }
  }

  /// An example of a comparison by order; `nil` if the column has no order.
  var orderExample: String? {
    switch kind {
    case .number: "\(name)>=0.8"
    case .seconds: "\(name)<0:30"
    case .text, .flag: nil
    }
  }

  func expression(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    .condition(.finding(self, try test(value)))
  }

  private func test(_ value: FilterValue) throws(FilterSyntaxError) -> FindingTest {
    if !value.isQuoted, value.order == nil, value.text.lowercased() == "none" { return .none }
    switch kind {
    case .number: return .number(try value.range(expecting: expects, FilterNumber.decimal))
    case .seconds: return .number(try value.range(expecting: expects, FilterNumber.duration))
    case .flag: return .flag(try value.flag(expecting: expects))
    case .text:
      let (text, isPrefix) = value.withoutStar
      if text.isEmpty { throw value.error(expecting: expects) }
      return .text(text, isPrefix: isPrefix)
    }
  }
}

/// A test of a finding's field.
public enum FindingTest: Sendable, Equatable {
  case number(NumberRange)
  /// Matches the whole text or its beginning, ignoring case.
  case text(String, isPrefix: Bool)
  case flag(Bool)
  /// Matches if there is no value, or no finding.
  case none
}
