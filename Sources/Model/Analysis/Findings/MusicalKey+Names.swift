extension MusicalKey {
  /// All 24 keys: twelve tonics, major and minor.
  public static let all: [MusicalKey] = (0..<12).flatMap { pitchClass in
    [Mode.major, .minor].map { MusicalKey(pitchClass: pitchClass, mode: $0) }
  }

  /// Parses Camelot (`8A`, `08a`), Open Key (`1m`) and musical names: `Am`, `A minor`, `a min`, `C#m`, `D♭`, `Db
  /// major`.
  public init?(_ name: String) {
    let folded = name.lowercased().filter { $0 != " " }.map { $0 == "♯" ? "#" : $0 == "♭" ? "b" : $0 }
    guard let found = Self.names[String(folded.drop { $0 == "0" })] else { return nil }
    self = found
  }

  /// The keys that mix well with this one: itself, its relative major or minor, and the keys a fifth up and down. On
  /// the Camelot wheel, `8A` goes with `8A`, `8B`, `7A` and `9A`.
  public var compatible: [MusicalKey] {
    func key(_ step: Int, _ mode: Mode) -> MusicalKey { MusicalKey(pitchClass: (pitchClass + step) % 12, mode: mode) }
    return [self, mode == .major ? key(9, .minor) : key(3, .major), key(5, mode), key(7, mode)]
  }

  /// All keys by their names, in lower case and without spaces.
  private static let names: [String: MusicalKey] = {
    let tonics = [
      ["c", "b#"], ["c#", "db"], ["d"], ["d#", "eb"], ["e", "fb"], ["f", "e#"], ["f#", "gb"], ["g"], ["g#", "ab"],
      ["a"], ["a#", "bb"], ["b", "cb"],
    ]
    var names: [String: MusicalKey] = [:]
    for key in all {
      names[key.camelot.lowercased()] = key
      names[key.openKey] = key
      for tonic in tonics[key.pitchClass] {
        for mode in key.mode == .major ? ["", "maj", "major"] : ["m", "min", "minor"] { names[tonic + mode] = key }
      }
    }
    return names
  }()
}
