internal import Foundation
internal import Text

/// The musical start and end of a track, for players, radio stations and DJs. All times are in seconds from the start
/// of the audio.
public struct CuesFinding: DeclaredFinding {
  /// Duration before the first sample of -60 dBFS or more; `nil` if there is no such sample.
  public var leadingSilence: Double?
  /// Duration after the last sample of -60 dBFS or more; `nil` if there is no such sample.
  public var trailingSilence: Double?
  /// Duration of the fade-in; 0 if there is none, `nil` in silence.
  public var fadeIn: Double?
  /// Duration of the fade-out; 0 if there is none, `nil` in silence.
  public var fadeOut: Double?
  public var firstBeat: Double?
  /// The time at which the music reaches its full level and bass; `nil` if unknown.
  public var introEnd: Double?
  /// The time at which the music loses its full level or bass for good; `nil` if unknown.
  public var outroStart: Double?
  public var highlightStart: Double?
  public var highlightEnd: Double?
  public var mixInStart: Double?
  public var mixInEnd: Double?
  public var mixOutStart: Double?
  public var mixOutEnd: Double?
  /// A code for programs: `silence`, or `no_beats` if beat-based cues are unknown; `nil` if everything was analyzed.
  public var reason: String?

  public init() {}

  public static let declaration = FindingDeclaration<CuesFinding>(
    "cues", "Musical start and end of a track, with fades and mix points; null if not analyzed.",
    fields: [
      .field(
        "leading_silence_s", \.leadingSilence, "Seconds before the first sample of -60 dBFS or more; null in silence.",
        isIndexed: true),
      .field(
        "trailing_silence_s", \.trailingSilence, "Seconds after the last sample of -60 dBFS or more; null in silence.",
        isIndexed: true),
      .field(
        "fade_in_s", \.fadeIn, "Length of the fade-in in seconds; 0 if there is none, null in silence.", isIndexed: true
      ),
      .field(
        "fade_out_s", \.fadeOut, "Length of the fade-out in seconds; 0 if there is none, null in silence.",
        isIndexed: true),
      .field("first_beat_s", \.firstBeat, "Time of the first audible beat in seconds; null if there are no beats."),
      .field(
        "intro_end_s", \.introEnd,
        "Time in seconds of the beat at which the track reaches its full level and bass (a downbeat where those are "
          + "known); null if unknown."
      ),
      .field(
        "outro_start_s", \.outroStart,
        "Time in seconds of the beat at which the track loses its full level or bass for good (a downbeat where "
          + "those are known); null if unknown."
      ),
      .field(
        "highlight_start_s", \.highlightStart,
        "Start of the highlight in seconds, on a beat or downbeat; null if unknown."),
      .field(
        "highlight_end_s", \.highlightEnd,
        "End of the highlight in seconds, 30 s after its start if the track is long enough; null if unknown."),
      .field("mix_in_start_s", \.mixInStart, "Start of a DJ's transition into the track, in seconds; null if unknown."),
      .field("mix_in_end_s", \.mixInEnd, "End of a DJ's transition into the track, in seconds; null if unknown."),
      .field(
        "mix_out_start_s", \.mixOutStart, "Start of a DJ's transition out of the track, in seconds; null if unknown."),
      .field("mix_out_end_s", \.mixOutEnd, "End of a DJ's transition out of the track, in seconds; null if unknown."),
      .field(
        "reason", \.reason, "Why values are unknown: silence, or no_beats for those that need beats; null otherwise."),
    ],
    isOnPages: true,
    lines: { cues, _ in [FindingLine("cues", cues.text)] })

  private var text: String {
    guard let leadingSilence, let trailingSilence else { return "none (\(reason ?? "unknown reason"))" }
    var parts: [String] = []
    if leadingSilence >= 0.001 { parts.append(String(format: "silence before %.3f s", leadingSilence)) }
    if trailingSilence >= 0.001 { parts.append(String(format: "silence after %.3f s", trailingSilence)) }
    if let fadeIn, fadeIn > 0 { parts.append(String(format: "fade-in %.1f s", fadeIn)) }
    if let fadeOut, fadeOut > 0 { parts.append(String(format: "fade-out %.1f s", fadeOut)) }
    if let introEnd { parts.append("intro to " + clockText(introEnd, decimals: 2)) }
    if let outroStart { parts.append("outro from " + clockText(outroStart, decimals: 2)) }
    if let highlightStart { parts.append("highlight at " + clockText(highlightStart, decimals: 2)) }
    return parts.isEmpty ? "no silence, no fades" : parts.joined(separator: ", ")
  }
}
