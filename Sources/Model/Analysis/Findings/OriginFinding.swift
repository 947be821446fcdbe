internal import Foundation

/// A verdict on whether the audio of a lossless file was lossless from the start. It reports traces of a lossy codec, a
/// lower sample rate or fewer bits, with evidence that people can check.
public struct OriginFinding: DeclaredFinding {
  public enum Verdict: String, Sendable {
    /// There is no trace of a lossy codec, even in the high frequencies that would show one.
    case lossless
    case unsure
    /// The audio was decoded from a lossy codec.
    case lossy
  }

  /// A `Verdict`; `nil` if the file cannot be judged, in which case `reason` says why.
  public var verdict: String?
  /// Confidence in the verdict, from 0 to 1.
  public var confidence: Double?
  /// The lossy codec: `mp3`, `aac`, `vorbis`, `opus` or `mp2`; `nil` unless the verdict is `lossy`.
  public var codec: String?
  /// Approximate bit rate of the lossy codec.
  public var kilobitsPerSecond: Int?
  /// The sample rate at which the lossy codec worked. It differs from the file's rate if the audio was resampled
  /// afterwards.
  public var codedSampleRate: Int?
  /// The original sample rate of the audio, inferred from where its spectrum ends; `nil` if it is the file's own rate.
  public var upsampledFrom: Int?
  /// Number of bits per sample that are actually used.
  public var usedBits: Int?
  /// `true` if fewer bits are used than the file has per sample.
  public var isPadded: Bool?
  /// The degree to which the frames of the likeliest codec stand out from other positions, in standard deviations.
  public var frameTrace: Double?
  /// Number of samples from one codec frame to the next.
  public var frameLength: Int?
  /// Position of the first whole frame, in samples at `codedSampleRate`.
  public var frameOffset: Int?
  /// The amount in dB by which the codec's coefficients are lower on its frames than at other positions.
  public var quantizationDepth: Double?
  /// The frequency in Hz at which the spectrum ends abruptly; `nil` if it does not.
  public var wall: Double?
  /// Drop of the spectrum above the wall, in dB.
  public var wallDepth: Double?
  /// Share of excerpts whose spectrum ends at the wall, from 0 to 1.
  public var wallSteadiness: Double?
  /// Mean level per bin of the highest frequencies, in dB relative to full scale.
  public var levelAbove: Double?
  /// Number of excerpts analyzed.
  public var excerptCount = 0
  /// A code for programs: `too_short` or `quiet`; `nil` if the file was judged.
  public var reason: String?

  public init() {}

  public static let declaration = FindingDeclaration<OriginFinding>(
    "origin", "Whether the audio of a lossless file was lossless from the start; null if it was not judged.",
    fields: [
      .field("verdict", \.verdict, "lossless, unsure or lossy; null if there is nothing to judge.", isIndexed: true),
      .field("confidence", \.confidence, "0 to 1: how sure the verdict is."),
      .field(
        "codec", \.codec, "The codec that the audio was decoded from: mp3, aac, vorbis, opus or mp2.", isIndexed: true),
      .field("bit_rate_kbps", \.kilobitsPerSecond, "About which bit rate that codec had."),
      .field("coded_rate_hz", \.codedSampleRate, "The sample rate at which the codec worked."),
      .field(
        "upsampled_from_hz", \.upsampledFrom,
        "The sample rate that the audio had before; null if the file's own is used.",
        isIndexed: true),
      .field("used_bits", \.usedBits, "Bits of a sample that are ever used; null for samples without whole numbers."),
      .field("padded", \.isPadded, "Fewer bits are used than the file has.", isIndexed: true),
      .field(
        "frame_trace", \.frameTrace,
        "How far the frames of the likeliest codec stand out of all other places, in standard deviations."),
      .field("frame_length", \.frameLength, "Samples from one frame of that codec to the next."),
      .field("frame_offset", \.frameOffset, "Where the first whole frame begins, in samples of coded_rate_hz."),
      .field(
        "quantization_depth_db", \.quantizationDepth,
        "How much lower the coefficients of that codec are on its frames than beside them."),
      .field("wall_hz", \.wall, "Where the spectrum ends abruptly; null if it does not."),
      .field("wall_depth_db", \.wallDepth, "How much lower the spectrum is above the wall."),
      .field("wall_steadiness", \.wallSteadiness, "0 to 1: the share of excerpts in which the spectrum ends there."),
      .field("level_above_db", \.levelAbove, "Mean level of the highest frequencies, a bin, relative to full scale."),
      .field("excerpts", \.excerptCount, "Excerpts of the file that were looked at."),
      .field("reason", \.reason, "Why there is no verdict: too_short, quiet."),
    ],
    isOnPages: true,
    lines: { origin, _ in [FindingLine("origin", origin.text, details: origin.evidence)] })

  /// The verdict as text for people.
  public var text: String {
    var parts: [String] = []
    switch verdict.flatMap(Verdict.init(rawValue:)) {
    case .lossless: parts.append("lossless")
    case .unsure: parts.append("unsure")
    case .lossy:
      let rate = kilobitsPerSecond.map { " of about \($0) kbit/s" } ?? ""
      parts.append("lossy: decoded from \(codec.map(Self.codecName) ?? "a lossy codec")\(rate)")
    case nil: parts.append("not judged (\(reason ?? "unknown reason"))")
    }
    if let upsampledFrom { parts.append("upsampled from \(upsampledFrom) Hz") }
    if isPadded == true, let usedBits { parts.append("padded: only \(usedBits) bits are used") }
    return parts.joined(separator: "; ")
  }

  /// Evidence that people can check, as a list of sentences.
  public var evidence: [String] {
    var sentences: [String] = []
    if verdict == Verdict.lossy.rawValue, let frameTrace, let frameLength, let frameOffset, let codedSampleRate {
      var sentence = "frames of \(frameLength) samples from sample \(frameOffset) on at \(codedSampleRate) Hz, "
      sentence += String(format: "%.0f standard deviations", frameTrace)
      if let quantizationDepth { sentence += String(format: ", coefficients %.1f dB lower there", quantizationDepth) }
      sentences.append(sentence)
    }
    if let wall, let wallDepth {
      var sentence = String(format: "the spectrum ends at %.1f kHz, %.0f dB deep", wall / 1000, wallDepth)
      if let wallSteadiness { sentence += String(format: ", in %.0f%% of the excerpts", 100 * wallSteadiness) }
      sentences.append(sentence)
    }
    return sentences
  }

  private static func codecName(_ codec: String) -> String {
    ["mp3": "MP3", "aac": "AAC", "vorbis": "Vorbis", "opus": "Opus", "mp2": "MP2"][codec] ?? codec
  }
}
