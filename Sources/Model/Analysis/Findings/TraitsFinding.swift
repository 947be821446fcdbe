/// Energy, danceability and speechiness of a track, each from 0 to 1.
///
/// Reports use the names of Spotify's audio features. Four of the features are always null, because the signal alone
/// does not define them.
public struct TraitsFinding: DeclaredFinding {
  /// The energy, which is high for dense, bright audio full of onsets, regardless of the volume; `nil` if the track
  /// cannot be judged, in which case `reason` says why.
  public var energy: Double?
  /// The danceability: how regular and strong the pulse is.
  public var danceability: Double?
  /// The speechiness: how much the audio has the rhythm of syllables without a pulse.
  public var speechiness: Double?
  /// A code for programs: `too_short` or `silence`; `nil` if the track was judged.
  public var reason: String?

  public init(energy: Double, danceability: Double, speechiness: Double) {
    self.energy = energy
    self.danceability = danceability
    self.speechiness = speechiness
  }

  public init() {}

  public static func none(reason: String) -> TraitsFinding {
    var finding = TraitsFinding()
    finding.reason = reason
    return finding
  }
}

extension TraitsFinding {
  public static let declaration = FindingDeclaration<TraitsFinding>(
    "traits", "How the track sounds, in numbers from 0 to 1; null if it was not judged.",
    fields: [
      .field(
        "energy", \.energy, "0 to 1: how dense, bright and full of onsets the sound is, whatever its volume.",
        shown: Shown("energy"), isIndexed: true),
      .field(
        "danceability", \.danceability, "0 to 1: how regular the pulse is, and how strong; tempo does not count.",
        shown: Shown("danceability"), isIndexed: true),
      .field(
        "speechiness", \.speechiness,
        "0 to 1: the rhythm of syllables without a pulse; speech is above 0.5, rap and singing over music are not.",
        shown: Shown("speechiness"), isIndexed: true),
      undefined("acousticness", "the sound of an instrument does not tell how it was made"),
      undefined("instrumentalness", "voices in music are not recognized"),
      undefined("liveness", "an audience is not recognized"),
      undefined("valence", "moods are not measured"),
      .field("reason", \.reason, "Why there are no values: too_short, silence.", shown: Shown("none:")),
    ])

  /// Declares a feature that apps expect, but that never has a value.
  private static func undefined(_ name: String, _ reason: String) -> FindingField<TraitsFinding> {
    .derived(name, "Always null: \(reason).") { _, _ in Double?.none }
  }
}
