internal import Analysis
internal import Records

/// What exports say of a record in a few words.
extension FileRecord {
  var keyFinding: KeyFinding? { findings[KeyFinding.self] }

  /// One by one, or else as they are credited.
  var performers: [String] { tags?.fields["artists"] ?? tags?.fields["artist"] ?? [] }

  /// Of this release, or else of the first one.
  var year: Int64? {
    for name in ["date", "originaldate", "originalyear"] {
      guard let digits = tags?.first(name)?.utf8.prefix(4), digits.count == 4 else { continue }
      if digits.allSatisfy({ (48...57).contains($0) }) { return digits.reduce(0) { 10 * $0 + Int64($1 - 48) } }
    }
    return nil
  }
}

extension KeyFinding {
  /// `A minor`; `nil` if there is no key.
  var name: String? { tonic.flatMap { tonic in mode.map { "\(tonic) \($0)" } } }
}

extension TagFinding {
  func first(_ name: String) -> String? { fields[name]?.first }

  /// All values in one text; `nil` if there are none.
  func joined(_ name: String) -> String? { fields[name]?.joined(separator: ", ") }

  /// A whole number greater than zero.
  func integer(_ name: String) -> Int64? { first(name).flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil } }
}
