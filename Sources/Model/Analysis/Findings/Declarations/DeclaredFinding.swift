internal import Text

/// A finding with declared fields. The declaration determines the finding's tables in the store, its fields in reports,
/// schemas and pages, and its encoding for workers. Findings without a declaration are stored as JSON.
///
///     struct Loudness: DeclaredFinding {
///       var integrated: Double?
///       var truePeak: Double?
///
///       static let declaration = FindingDeclaration<Loudness>(
///         "loudness", "Loudness according to EBU R 128; null if it was not measured.",
///         fields: [
///           .field("integrated_lufs", \.integrated, "Integrated loudness.", shown: Shown(unit: "LUFS")),
///           .field("true_peak_dbtp", \.truePeak, "True peak.", shown: Shown("peak", unit: "dBTP"), isIndexed: true),
///         ])
///     }
public protocol DeclaredFinding: AnalysisFinding {
  /// Creates an empty finding, whose fields are then set from a row of the store or from JSON.
  init()
  static var declaration: FindingDeclaration<Self> { get }
}

extension DeclaredFinding {
  /// The id of the analyzer that produces these findings.
  public static var analyzer: String { declaration.analyzer }
  /// `true` if pages show the finding.
  public static var isOnPages: Bool { declaration.isOnPages }
  /// The names that add the finding's long fields to reports (`--include`); fields may share a name.
  public static var longFields: [String] { declaration.fields.compactMap { $0.report == nil ? nil : $0.long } }
}

/// The declaration of a finding.
public struct FindingDeclaration<Finding: DeclaredFinding>: Sendable {
  /// The finding's key in reports.
  public let name: String
  /// The id of the analyzer that produces the finding.
  public let analyzer: String
  /// The name of the table, which has one row for each file with the finding.
  public let table: String
  /// One sentence that describes the finding in schemas.
  public let summary: String
  /// The fields in report order.
  public let fields: [FindingField<Finding>]
  /// `true` if pages show the finding's lines.
  public let isOnPages: Bool
  private let customLines: (@Sendable (Finding, FindingContext) -> [FindingLine])?

  /// - Parameters:
  ///   - name: The finding's key in reports, in snake_case.
  ///   - analyzer: The id of the analyzer, if it differs from the name.
  ///   - table: The name of the table, if it differs from the name of the finding.
  ///   - isOnPages: `true` if pages show the finding's lines; `nil` to show them if any field has `shown`.
  ///   - lines: Returns the lines that `show` prints instead of the fields with `shown`.
  public init(
    _ name: String, analyzer: String? = nil, table: String? = nil, _ summary: String, fields: [FindingField<Finding>],
    isOnPages: Bool? = nil, lines: (@Sendable (Finding, FindingContext) -> [FindingLine])? = nil
  ) {
    self.name = name
    self.analyzer = analyzer ?? name
    self.table = table ?? name
    self.summary = summary
    self.fields = fields
    self.isOnPages = isOnPages ?? fields.contains { $0.shown != nil }
    customLines = lines
  }

  /// The type of the finding in reports, with only those fields that reports contain.
  public var reportType: RecordType {
    RecordType(
      summary: summary, members: fields.filter { $0.report != nil }.map { RecordType.Member($0) }, form: .object)
  }

  /// Returns a closure that returns the values of the fields that reports contain.
  /// - Parameter long: The names of the long fields to include. The other long fields are `null`.
  public func reportValues(
    long: Set<String>
  ) -> @Sendable (Finding, FindingContext) -> [FieldValue] {
    let reported = fields.filter { $0.report != nil }
    let blank = [FieldValue](repeating: .null, count: reported.count)
    var values: [(index: Int, get: @Sendable (Finding, FindingContext) -> FieldValue)] = []
    var map: (@Sendable (Finding) -> [String: [String]])?
    var entries: [String: (index: Int, value: @Sendable ([String]) -> FieldValue)] = [:]
    for (index, field) in reported.enumerated() {
      if let name = field.long, !long.contains(name) { continue }
      if let entry = field.entry {
        map = entry.map
        entries[field.name] = (index, entry.value)
      } else if let report = field.report {
        values.append((index, report))
      }
    }
    return { [map, values, entries] finding, context in
      var result = blank
      for value in values { result[value.index] = value.get(finding, context) }
      guard let map else { return result }
      for (name, texts) in map(finding) {
        if let entry = entries[name] { result[entry.index] = entry.value(texts) }
      }
      return result
    }
  }

  /// Returns the lines that `show` prints.
  public func lines(_ finding: Finding, _ context: FindingContext) -> [FindingLine] {
    if let customLines { return customLines(finding, context) }
    let text = shownFields(finding, context)
    return text.isEmpty ? [] : [FindingLine(name, text)]
  }

  /// Returns the fields with `shown`, joined by commas; empty if none of them has a value.
  private func shownFields(_ finding: Finding, _ context: FindingContext) -> String {
    fields.compactMap { field in
      field.shown.flatMap { shown in field.report.flatMap { shown.text($0(finding, context)) } }
    }.joined(separator: ", ")
  }
}

/// Information about the file that the fields and lines of a finding may need.
public struct FindingContext: Sendable {
  public var format: AudioFormat?
  /// `true` if no problem was found in the file, which was not necessarily decoded to its end.
  public var isWhole: Bool
  /// The manual correction of the tempo, if any.
  public var tempoCorrection: TempoCorrection?

  public init(format: AudioFormat?, isWhole: Bool, tempoCorrection: TempoCorrection?) {
    self.format = format
    self.isWhole = isWhole
    self.tempoCorrection = tempoCorrection
  }
}

/// A line that `show` prints, with its detail lines.
public struct FindingLine: Hashable, Sendable {
  public var label: String
  public var text: String
  public var details: [String]

  public init(_ label: String, _ text: String, details: [String] = []) {
    self.label = label
    self.text = text
    self.details = details
  }
}

extension Shown {
  /// Returns the value with its label and unit; `nil` for empty values, for numbers that are not finite, and for types
  /// that have no form in one line.
  func text(_ value: FieldValue) -> String? {
    let text: String? =
      switch value {
      case .text(let text): text.isEmpty ? nil : text
      case .integer(let number): String(number)
      case .number(let number): number.isFinite ? self.text(number) : nil
      case .boolean(let flag): flag ? "yes" : "no"
      case .texts(let list): ListText.joined(list)
      case .null, .json, .blob, .numbers, .textLists, .record, .records: nil
      }
    return text.map { [label, $0, unit].compactMap(\.self).joined(separator: " ") }
  }

  private func text(_ number: Double) -> String {
    var writer = JSONWriter()
    writer.number(number, decimals: decimals)
    return writer.text
  }
}

// MARK: - Coding

extension DeclaredFinding {
  public init(from decoder: any Decoder) throws {
    self.init()
    try FieldCoding.decode(Self.declaration.fields, into: &self, from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    try FieldCoding.encode(Self.declaration.fields, of: self, to: encoder)
  }
}
