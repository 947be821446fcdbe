internal import Analysis
internal import Text

/// The values in `health:clipped`, `origin:lossy` and the like: short names for fields of the health and origin
/// findings.
enum HealthFilterWords {
  /// A test of a finding's field.
  private enum FieldTest {
    /// The flag is set.
    case flag
    /// The count is one or more.
    case count
    /// There is a value.
    case value
    case text(String)
  }

  private static let health: [(word: String, field: String, test: FieldTest)] = [
    ("clipped", "health_clipped", .count), ("dropout", "health_dropouts", .count),
    ("silence", "health_silences", .count), ("repeat", "health_repeats", .count), ("click", "health_clicks", .count),
    ("dc_offset", "health_dc_offset", .flag), ("dead_channel", "health_dead_channel", .value),
    ("inverted", "health_inverted", .flag), ("identical", "health_identical", .flag), ("hum", "health_hum_db", .value),
    ("hiss", "health_hiss_db", .value), ("silent", "health_worst", .text("silent")),
    ("cut_start", "health_cut_start", .flag), ("cut_end", "health_cut_end", .flag),
    ("any", "health_worst", .value),
  ]

  private static let origin: [(word: String, field: String, test: FieldTest)] = [
    ("lossless", "origin_verdict", .text("lossless")), ("unsure", "origin_verdict", .text("unsure")),
    ("lossy", "origin_verdict", .text("lossy")), ("upsampled", "origin_upsampled_from_hz", .value),
    ("padded", "origin_padded", .flag),
  ]

  private static let columns = FindingColumn.all(of: [HealthFinding.self, OriginFinding.self])

  static var faults: [String] { health.map(\.word) }
  static var origins: [String] { origin.map(\.word) }

  static func fault(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    try expression(value, in: health)
  }

  static func origin(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    try expression(value, in: origin)
  }

  private static func expression(
    _ value: FilterValue, in words: [(word: String, field: String, test: FieldTest)]
  ) throws(FilterSyntaxError) -> TrackFilter.Expression {
    let wanted = value.text.lowercased()
    guard let (_, field, test) = words.first(where: { $0.word == wanted }),
      let column = columns.first(where: { $0.name == field })
    else {
      let names = words.map(\.word)
      let nearest = Suggestion.nearest(to: wanted, in: names).map { "did you mean '\($0)'?" }
      throw value.error(nearest ?? "one of \(names.joined(separator: ", ")) is expected")
    }
    switch test {
    case .flag: return .condition(.finding(column, .flag(true)))
    case .count: return .condition(.finding(column, .number(NumberRange(lower: 1, upper: nil))))
    case .value: return .not(.condition(.finding(column, .none)))
    case .text(let text): return .condition(.finding(column, .text(text, isPrefix: false)))
    }
  }
}
