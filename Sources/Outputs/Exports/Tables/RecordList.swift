internal import Analysis
internal import Records

/// A list of records that a finding declares, as a separate table: `tempo_candidates`, `key_map`, `sections_map`, and
/// the lists of additional analyzers.
struct RecordList: Sendable {
  struct Member: Sendable {
    let name: String
    let kind: TrackField.Kind
    /// Index of the member among the values of a record.
    let place: Int
  }

  /// The names of the finding and the field, as in the CSV report.
  let name: String
  let members: [Member]
  private let records: @Sendable (FileRecord) -> [[FieldValue]]

  /// Returns the lists that findings declare, except the long ones, which reports contain only with `--include`.
  static func all(of findings: [any DeclaredFinding.Type]) -> [RecordList] { findings.flatMap { lists(of: $0) } }

  private static func lists<Finding: DeclaredFinding>(of type: Finding.Type) -> [RecordList] {
    let declaration = Finding.declaration
    return declaration.fields.compactMap { field in
      guard field.long == nil, case .records(let record) = field.type, let report = field.report else { return nil }
      let members = record.members.enumerated().compactMap { place, member in
        TrackField.Kind(member.type).map { Member(name: member.name, kind: $0, place: place) }
      }
      return RecordList(name: "\(declaration.name)_\(field.name)", members: members) { file in
        guard let finding = file.findings[type], case .records(let records) = report(finding, file.context) else {
          return []
        }
        return records
      }
    }
  }

  private init(name: String, members: [Member], records: @escaping @Sendable (FileRecord) -> [[FieldValue]]) {
    self.name = name
    self.members = members
    self.records = records
  }

  /// Returns a row for each record, with values in the order of `members`; `nil` for unknown values.
  func rows(of file: FileRecord) -> [[TrackField.Value?]] {
    records(file).map { record in members.map { TrackField.Value(record[$0.place]) } }
  }
}
