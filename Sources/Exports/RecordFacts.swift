internal import Analysis
internal import Records

/// What exports say of a record in a few words.
extension FileRecord {
  var keyFinding: KeyFinding? { findings[KeyFinding.self] }
}

extension KeyFinding {
  /// `A minor`; `nil` if there is no key.
  var name: String? { tonic.flatMap { tonic in mode.map { "\(tonic) \($0)" } } }
}
