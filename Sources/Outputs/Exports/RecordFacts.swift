internal import Analysis
internal import Records

/// The facts about a record that exports give in a few words.
extension FileRecord {
  var keyFinding: KeyFinding? { findings[KeyFinding.self] }
}

extension KeyFinding {
  /// `A minor`; `nil` if there is no key.
  var name: String? { tonic.flatMap { tonic in mode.map { "\(tonic) \($0)" } } }
}
