internal import Foundation

extension LoudnessFinding {
  public static let declaration = FindingDeclaration<LoudnessFinding>(
    "loudness", "Loudness and peaks by EBU R 128, and ReplayGain 2; null if not analyzed.",
    fields: [
      .field(
        "integrated_lufs", \.integrated, "Gated loudness of the whole track in LUFS; null if it cannot be measured.",
        shown: Shown(unit: "LUFS"), isIndexed: true),
      .field(
        "range_lu", \.range, "Loudness range in LU; null if less than 3 s are above the gates.",
        shown: Shown(unit: "LU")),
      .field("max_momentary_lufs", \.maxMomentary, "Loudness of the loudest 400 ms in LUFS; null if there is none."),
      .field("max_short_term_lufs", \.maxShortTerm, "Loudness of the loudest 3 s in LUFS; null if there is none."),
      .field("sample_peak_dbfs", \.samplePeak, "Level of the largest sample in dBFS; null for digital silence."),
      .field(
        "true_peak_dbtp", \.truePeak,
        "Level of the largest peak in dBTP, also between samples (8 times oversampled); null for silence.",
        shown: Shown("true peak", unit: "dBTP"), isIndexed: true),
      .field(
        "track_gain_db", \.trackGain,
        "ReplayGain 2: gain in dB that brings the track to -18 LUFS; null without a loudness.",
        shown: Shown("gain", unit: "dB")),
      .field(
        "track_peak", \.trackPeak, "True peak on ReplayGain's linear scale, where full scale is 1; null for silence."),
      .field(
        "album_gain_db", \.albumGain,
        "ReplayGain 2 of the album: gain in dB for all its tracks together; null without an album, or until all its "
          + "tracks are known.",
        shown: Shown("album gain", unit: "dB")),
      .field(
        "album_peak", \.albumPeak,
        "Largest track_peak of the album; null without an album, or until all its tracks are known.",
        shown: Shown("album peak")),
      .field(
        "reason", \.reason,
        "Why there is no loudness: silence, too_short, below_gate or low_sample_rate; null otherwise."),
      .stored("gating_blocks", \.gatingBlocks, "Histogram of the loudness of 400 ms blocks, in steps of 0.02 LU."),
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
