internal import Analysis
internal import Records
internal import SystemPackage

extension FileRecord {
  /// The title, or else the name of the file.
  var title: String? { tags?.joined("title") ?? path.stem }
}

extension MusicalKey {
  /// `C`, `F#m`.
  var shortName: String { tonic + (mode == .minor ? "m" : "") }
}

extension KeyFinding {
  var key: MusicalKey? { name.flatMap { MusicalKey($0) } }
}
