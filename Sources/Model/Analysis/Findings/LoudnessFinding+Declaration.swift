internal import Foundation

extension LoudnessFinding {
  public static let declaration = FindingDeclaration<LoudnessFinding>(
    "loudness", "Loudness and peaks after EBU R 128, and ReplayGain 2; null if they were not measured.",
    fields: [
      .field(
        "integrated_lufs", \.integrated, "Loudness of the whole track, with gates; null if there is none.",
        shown: Shown(unit: "LUFS"), isIndexed: true),
      .field("range_lu", \.range, "Loudness range; null for less than 3 s above the gates.", shown: Shown(unit: "LU")),
      .field("max_momentary_lufs", \.maxMomentary, "Loudness of the loudest 400 ms."),
      .field("max_short_term_lufs", \.maxShortTerm, "Loudness of the loudest 3 s."),
      .field("sample_peak_dbfs", \.samplePeak, "Largest sample; null for digital silence."),
      .field(
        "true_peak_dbtp", \.truePeak, "Largest value between samples too, at 8 times the rate; null for silence.",
        shown: Shown("true peak", unit: "dBTP"), isIndexed: true),
      .field(
        "track_gain_db", \.trackGain, "ReplayGain 2: what brings the track to -18 LUFS.",
        shown: Shown("gain", unit: "dB")),
      .field("track_peak", \.trackPeak, "The true peak as ReplayGain has it: full scale is 1."),
      .field(
        "album_gain_db", \.albumGain,
        "ReplayGain 2 of all tracks of the album together; null without an album, or until all of them are known.",
        shown: Shown("album gain", unit: "dB")),
      .field("album_peak", \.albumPeak, "The largest track_peak of the album.", shown: Shown("album peak")),
      .field("reason", \.reason, "Why there is no loudness: silence, too_short, below_gate, low_sample_rate."),
      .stored("gating_blocks", \.gatingBlocks, "How many blocks of 400 ms are how loud, in steps of 0.02 LU."),
    ],
    lines: { loudness, _ in [FindingLine("loudness", loudness.text)] })

  private var text: String {
    var parts: [String] = []
    if let integrated {
      parts.append(String(format: "%.1f LUFS", integrated))
    } else {
      parts.append("none (\(reason ?? "unknown reason"))")
    }
    if let range { parts.append(String(format: "range %.1f LU", range)) }
    if let truePeak { parts.append(String(format: "true peak %.1f dBTP", truePeak)) }
    if let trackGain { parts.append(String(format: "gain %+.2f dB", trackGain)) }
    if let albumGain { parts.append(String(format: "album gain %+.2f dB", albumGain)) }
    return parts.joined(separator: ", ")
  }
}
