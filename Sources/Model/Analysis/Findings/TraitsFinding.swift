/// Energy, danceability and speechiness of a track, each from 0 to 1.
///
/// Reports use the names of Spotify's audio features. Four of them are always null, for the reasons given in their
/// summaries.
public struct TraitsFinding: DeclaredFinding {
  /// The energy, which is high for dense, bright audio full of onsets, regardless of the volume; `nil` if the track
  /// cannot be judged, in which case `reason` says why.
  public var energy: Double?
  /// The danceability: how regular and strong the pulse is.
  public var danceability: Double?
  /// The speechiness: the degree to which the audio has the rhythm of syllables, without a pulse.
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
    "traits", "Traits of the sound, from 0 to 1; null if not analyzed.",
    fields: [
      .field(
        "energy", \.energy,
        "How dense, bright and rich in onsets the sound is, 0 to 1, independent of its volume; null if unknown.",
        shown: Shown("energy"), isIndexed: true),
      .field(
        "danceability", \.danceability,
        "How regular and strong the pulse is, 0 to 1, independent of the tempo; null if unknown.",
        shown: Shown("danceability"), isIndexed: true),
      .field(
        "speechiness", \.speechiness,
        "How much the sound has the rhythm of syllables without a pulse, 0 to 1: speech is above 0.5, rap and "
          + "singing over music are below.",
        shown: Shown("speechiness"), isIndexed: true),
      undefined("acousticness", "the sound of an instrument does not tell how it was made"),
      undefined("instrumentalness", "voices in music are not recognized"),
      undefined("liveness", "an audience is not recognized"),
      undefined("valence", "moods are not measured"),
      .field(
        "reason", \.reason, "Why there are no values: too_short or silence; null otherwise.", shown: Shown("none:")),
    ])

  /// Declares a feature that apps expect, but that never has a value.
  private static func undefined(_ name: String, _ reason: String) -> FindingField<TraitsFinding> {
    .derived(name, "Always null: \(reason).") { _, _ in Double?.none }
  }
}
