internal import Analysis
internal import DSP
internal import Foundation

/// How loud clicks and music are together: the music is turned down by one gain for the whole track, so the clicks
/// stand out and nothing clips.
package struct ClickLevels: Hashable, Sendable {
  /// The largest sample of an accent, in dBFS.
  package let clicks: Double
  /// The gain of the music, in dB; 0 or less.
  package let music: Double

  /// Largest samples of accents that can be asked for, in dBFS.
  package static let range = -40.0...(-1.0)
  /// Level of clicks alone, in dBFS.
  package static let standard = -6.0
  /// The largest sample of an accent above the integrated loudness of the music, in dB. A click has its energy in a few
  /// bands around 1 to 3 kHz and a few milliseconds, where music of that loudness has a small part of its own.
  private static let prominence = 12.0
  /// The largest sample of the mix, in dBFS: room for rounding and lossy encoders.
  private static let ceiling = -0.3
  /// The quietest accents, in dBFS, that are chosen: music that is nearly silent has clicks that can be heard.
  private static let quietest = -30.0
  /// Taken where the loudness is not known, in LUFS and dBFS: as loud as music is made.
  private static let loudest = (loudness: -9.0, peak: 0.0)

  /// - Parameters:
  ///   - level: Largest sample of an accent, in dBFS, within `range`; `nil` to follow the loudness.
  init(level: Double?, over loudness: LoudnessFinding?) {
    let peak = Self.amplitude(loudness?.truePeak ?? loudness?.samplePeak ?? Self.loudest.peak)
    let ceiling = Self.amplitude(Self.ceiling)
    // Clicks are `ratio` times as large as samples of the music's loudness, and both follow its gain: gain · (peak +
    // ratio) ≤ ceiling.
    let ratio = Self.amplitude((loudness?.integrated ?? Self.loudest.loudness) + Self.prominence)
    let chosen = Self.decibels(min(1, ceiling / (peak + ratio)) * ratio)
    clicks = (level ?? max(chosen, Self.quietest)).rounded(toPlaces: 1)
    // Rounded down: the sum must not exceed the ceiling.
    let gain = min(1, (ceiling - Self.amplitude(clicks)) / peak)
    music = (Self.decibels(gain) * 10).rounded(.down) / 10
  }

  /// Clicks without music.
  init(alone level: Double?) {
    clicks = level ?? Self.standard
    music = 0
  }

  static func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }
  private static func decibels(_ amplitude: Double) -> Double { 20 * log10(amplitude) }
}
