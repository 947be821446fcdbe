internal import Analysis
internal import Records

/// Access to findings that several exports need.
extension FileRecord {
  var keyFinding: KeyFinding? { findings[KeyFinding.self] }
}

extension KeyFinding {
  /// The name of the key, such as `A minor`; `nil` if there is no key.
  var name: String? { tonic.flatMap { tonic in mode.map { "\(tonic) \($0)" } } }
}
