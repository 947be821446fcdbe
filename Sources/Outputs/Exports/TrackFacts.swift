internal import Analysis
internal import Records
internal import SystemPackage

extension MusicalKey {
  /// The short name, such as `C` or `F#m`.
  var shortName: String { tonic + (mode == .minor ? "m" : "") }
}

extension KeyFinding {
  var key: MusicalKey? { name.flatMap { MusicalKey($0) } }
}
