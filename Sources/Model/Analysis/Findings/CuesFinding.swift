internal import Foundation
internal import Text

/// The musical start and end of a track, for players, radio stations and DJs. All times are in seconds from the start
/// of the audio.
public struct CuesFinding: DeclaredFinding {
  /// Duration before the first sample of -60 dBFS or more; `nil` if there is no such sample.
  public var leadingSilence: Double?
  /// Duration after the last sample of -60 dBFS or more.
  public var trailingSilence: Double?
  /// Length of the fade-in; 0 if there is none.
  public var fadeIn: Double?
  /// Length of the fade-out; 0 if there is none.
  public var fadeOut: Double?
  public var firstBeat: Double?
  /// The time at which the music reaches its full level and bass.
  public var introEnd: Double?
  /// The time at which the music loses its full level or bass for good.
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
    "cues", "Where a track begins and ends, musically; null if that was not looked for.",
    fields: [
      .field(
        "leading_silence_s", \.leadingSilence, "Seconds before the first sample of -60 dBFS or more; null in silence.",
        isIndexed: true),
      .field(
        "trailing_silence_s", \.trailingSilence, "Seconds after the last sample of -60 dBFS or more; null in silence.",
        isIndexed: true),
      .field("fade_in_s", \.fadeIn, "Length of the fade-in; 0 if there is none, null in silence.", isIndexed: true),
      .field("fade_out_s", \.fadeOut, "Length of the fade-out; 0 if there is none, null in silence.", isIndexed: true),
      .field("first_beat_s", \.firstBeat, "The first beat that sounds; null if there are no beats."),
      .field(
        "intro_end_s", \.introEnd,
        "The beat from which the track has its full level and bass, a downbeat where those are known; "
          + "null if unknown."),
      .field(
        "outro_start_s", \.outroStart,
        "The beat at which the track loses its full level or bass for good, likewise; null if unknown."),
      .field("highlight_start_s", \.highlightStart, "Start of the highlight on a beat or downbeat; null if unknown."),
      .field("highlight_end_s", \.highlightEnd, "End of the highlight, 30 seconds later if the track is long enough."),
      .field("mix_in_start_s", \.mixInStart, "Where a DJ starts the transition into the track; null if unknown."),
      .field("mix_in_end_s", \.mixInEnd, "Where that transition is over; null if unknown."),
      .field("mix_out_start_s", \.mixOutStart, "Where a DJ starts the transition out of the track; null if unknown."),
      .field("mix_out_end_s", \.mixOutEnd, "Where that transition is over; null if unknown."),
      .field("reason", \.reason, "silence, or no_beats if what is bound to beats is unknown."),
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
