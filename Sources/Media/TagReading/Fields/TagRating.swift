internal import Analysis

/// Converts the ratings of all tag formats to stars: 0 to 5, with decimals where programs write them.
enum TagRating {
  /// Returns the stars as decimal digits; `nil` if the value is not a rating, or means that the track is unrated.
  static func stars(_ text: String, key: String, in space: KeySpace) -> String? {
    guard let value = Double(text.replacing(",", with: ".")), value >= 0 else { return nil }
    let key = key.uppercased()
    let stars: Double? =
      switch (space, key) {
      case (.id3v2, _) where key.hasPrefix("POPM"): popularimeter(value, owner: key.dropFirst(5))
      case (.asf, "WM/SHAREDUSERRATING"): windowsMedia(value)
      case (.asf, "SDB/RATING"), (.mp4, "RATE"): value <= 100 ? value / 20 : nil
      case (_, _) where key.contains("FMPS_RATING"), (.vorbis, _) where key.hasPrefix("RATING:"):
        value <= 1 ? value * 5 : nil
      // Depending on the player, the value is in stars, hundredths or fractions, without any indication of which.
      default: value <= 100 ? (value > 5 ? value / 20 : value < 1 && value != 0.5 ? value * 5 : value) : nil
      }
    guard let stars else { return nil }
    let hundredths = Int((stars * 100).rounded())
    guard hundredths % 100 != 0 else { return String(hundredths / 100) }
    return String(Double(hundredths) / 100)
  }

  /// ID3v2's POPM: 1 to 255; 0 means unknown (`nil`). Windows, MediaMonkey, MusicBee and foobar2000 use 1, 64, 128, 196
  /// and 255 for whole stars, and some of these programs use intermediate values for half stars. Picard spaces the
  /// stars evenly.
  private static func popularimeter(_ value: Double, owner: Substring) -> Double? {
    guard value > 0, value <= 255 else { return nil }
    if owner == "USERS@MUSICBRAINZ.ORG" { return (value / 51).rounded() }
    switch Int(value) {
    case 13: return 0.5
    case 54: return 1.5
    case 118: return 2.5
    case 186: return 3.5
    case 242: return 4.5
    case ..<32: return 1
    case ..<96: return 2
    case ..<160: return 3
    case ..<224: return 4
    default: return 5
    }
  }

  /// ASF's WM/SharedUserRating: Windows writes 1, 25, 50, 75 and 99 for 1 to 5 stars; Picard writes 20, 40, 59 and 79
  /// for 1 to 4 stars.
  private static func windowsMedia(_ value: Double) -> Double? {
    guard value > 0, value <= 99 else { return nil }
    switch Int(value) {
    case 20: return 1
    case 40: return 2
    case 79: return 4
    case ..<13: return 1
    case ..<38: return 2
    case ..<63: return 3
    case ..<87: return 4
    default: return 5
    }
  }
}
