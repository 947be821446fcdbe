internal import Analysis
internal import Library
internal import LibraryStore

/// A measured attribute of a track by which `Recommendations` filters and ranks.
package enum SoundAttribute: Sendable, CaseIterable {
  /// The tempo in beats per minute.
  case tempo
  /// Values from 0 to 1.
  case energy, danceability, speechiness
  /// The loudness in LUFS.
  case loudness
  case milliseconds
  /// The pitch class of the tonic, from 0 for C to 11.
  case key
  /// 1 for major, 0 for minor.
  case mode
  case beatsPerBar

  /// Returns the value for a track; `nil` if unknown.
  func value(of traits: AudioFeatures) -> Double? {
    switch self {
    case .tempo: traits.bpm
    case .energy: traits.energy
    case .danceability: traits.danceability
    case .speechiness: traits.speechiness
    case .loudness: traits.integratedLoudness
    case .milliseconds: traits.durationSeconds.map { $0 * 1000 }
    case .key: traits.musicalKey.map { Double($0.pitchClass) }
    case .mode: traits.musicalKey.map { $0.mode == .major ? 1 : 0 }
    case .beatsPerBar: traits.metre.flatMap(TempoFinding.beatsPerBar).map { Double($0) }
    }
  }

  /// The difference between two tracks that has the same weight as the whole range of likeness.
  var unit: Double {
    switch self {
    case .tempo: 30
    case .energy, .danceability, .speechiness: 0.5
    case .loudness: 12
    case .milliseconds: 120_000
    case .key: 6
    case .mode: 1
    case .beatsPerBar: 2
    }
  }
}

extension AudioFeatures {
  fileprivate var musicalKey: MusicalKey? { key.flatMap { MusicalKey($0) } }
}
