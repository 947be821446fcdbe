internal import Analysis
internal import ResultStore

/// What Spotify's audio features call the traits of a track. What is not measured is `nil`.
struct SoundFigures {
  let traits: SongTraits

  init(_ traits: SongTraits) {
    self.traits = traits
  }

  /// 0 to 11, C is 0; major or not.
  var key: (pitchClass: Int, isMajor: Bool)? { traits.key.flatMap(Self.key(ofCamelot:)) }

  /// The wheel counts fifths from B major: `8B` is C major, `8A` is A minor.
  static func key(ofCamelot name: String) -> (pitchClass: Int, isMajor: Bool)? {
    guard let number = Int(name.dropLast()), 1...12 ~= number, let mode = name.last, mode == "A" || mode == "B" else {
      return nil
    }
    let major = (number + 4) * 7 % 12
    return mode == "B" ? (major, true) : ((major + 9) % 12, false)
  }

  /// Beats in a bar.
  static func timeSignature(_ metre: String?) -> Int? { metre?.split(separator: "/").first.flatMap { Int($0) } }

  /// By the names of parameters of recommendations.
  func value(_ name: String) -> Double? {
    switch name {
    case "tempo": traits.bpm
    case "energy": traits.energy
    case "danceability": traits.danceability
    case "speechiness": traits.speechiness
    case "loudness": traits.integratedLoudness
    case "duration_ms": traits.durationSeconds.map { $0 * 1000 }
    case "key": key.map { Double($0.pitchClass) }
    case "mode": key.map { $0.isMajor ? 1 : 0 }
    case "time_signature": Self.timeSignature(traits.metre).map { Double($0) }
    default: nil
    }
  }

  /// Attributes of recommendations, and what a difference is measured by.
  static let attributes: [String: Double] = [
    "tempo": 30, "energy": 0.5, "danceability": 0.5, "speechiness": 0.5, "loudness": 12, "duration_ms": 120_000,
    "key": 6,
    "mode": 1, "time_signature": 2,
    // Not measured.
    "acousticness": 1, "instrumentalness": 1, "liveness": 1, "valence": 1, "popularity": 100,
  ]
}
