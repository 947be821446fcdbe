internal import Analysis
internal import DSP
internal import Foundation

/// The levels of clicks and music in the mix. The music of the whole track is attenuated by one gain, so that the
/// clicks stand out and nothing clips.
package struct ClickLevels: Hashable, Sendable {
  /// Peak level of an accent, in dBFS.
  package let clicks: Double
  /// Gain of the music, in dB; 0 or less.
  package let music: Double

  /// The allowed peak levels of an accent, in dBFS.
  package static let range = -40.0...(-1.0)
  /// The default peak level of accents without music, in dBFS.
  package static let standard = -6.0
  /// Peak of an accent above the integrated loudness of the music, in dB. The energy of a click is concentrated in a
  /// few milliseconds and a few bands around 1 to 3 kHz, where the music has only a small part of its energy.
  private static let prominence = 12.0
  /// Maximum peak of the mix, in dBFS. It leaves headroom for rounding and lossy encoders.
  private static let ceiling = -0.3
  /// Minimum peak level of accents if no level is given, in dBFS. It keeps clicks audible over nearly silent music.
  private static let minLevel = -30.0
  /// The loudness in LUFS and the peak in dBFS that are assumed if they are unknown, typical of very loud music.
  private static let assumed = (loudness: -9.0, peak: 0.0)

  /// - Parameters:
  ///   - level: The peak level of an accent, in dBFS, within `range`; `nil` to follow the loudness.
  init(level: Double?, over loudness: LoudnessFinding?) {
    let peak = Self.amplitude(loudness?.truePeak ?? loudness?.samplePeak ?? Self.assumed.peak)
    let ceiling = Self.amplitude(Self.ceiling)
    // An accent peaks at `ratio` times the music's gain, and the music at `peak` times that gain:
    // gain · (peak + ratio) ≤ ceiling.
    let ratio = Self.amplitude((loudness?.integrated ?? Self.assumed.loudness) + Self.prominence)
    let chosen = Self.decibels(min(1, ceiling / (peak + ratio)) * ratio)
    clicks = (level ?? max(chosen, Self.minLevel)).rounded(toPlaces: 1)
    // Rounds the gain down, because the sum must not exceed the ceiling.
    let gain = min(1, (ceiling - Self.amplitude(clicks)) / peak)
    music = (Self.decibels(gain) * 10).rounded(.down) / 10
  }

  /// Creates levels for clicks without music.
  init(alone level: Double?) {
    clicks = level ?? Self.standard
    music = 0
  }

  static func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }
  private static func decibels(_ amplitude: Double) -> Double { 20 * log10(amplitude) }
}
