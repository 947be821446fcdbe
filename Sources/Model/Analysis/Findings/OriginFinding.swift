internal import Foundation

/// A verdict on whether the audio of a lossless file was lossless from the start. It reports traces of a lossy codec, a
/// lower sample rate or fewer bits, with evidence that people can check.
public struct OriginFinding: DeclaredFinding {
  public enum Verdict: String, Sendable {
    /// There is no clear trace of a lossy codec, neither of its frames nor in the high frequencies.
    case lossless
    case unsure
    /// The audio was decoded from a lossy codec.
    case lossy
  }

  /// A `Verdict`; `nil` if the file cannot be judged, in which case `reason` says why.
  public var verdict: String?
  /// Confidence in the verdict, from 0 to 1.
  public var confidence: Double?
  /// The lossy codec: `mp3`, `aac`, `vorbis`, `opus` or `mp2`; `nil` unless the verdict is `lossy`. The same applies to
  /// its bit rate, sample rate, frame length, frame offset and quantization depth.
  public var codec: String?
  /// Approximate bit rate of the lossy codec.
  public var kilobitsPerSecond: Int?
  /// The sample rate at which the lossy codec worked. It differs from the file's rate if the audio was resampled
  /// afterwards.
  public var codedSampleRate: Int?
  /// The original sample rate of the audio, inferred from where its spectrum ends; `nil` if it is the file's own rate
  /// or unknown, or if the verdict is `lossy`.
  public var upsampledFrom: Int?
  /// Number of bits per sample that are actually used; `nil` for samples that are not whole numbers.
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
    "origin", "Whether the audio of a lossless file was once encoded with loss; null if not analyzed.",
    fields: [
      .field("verdict", \.verdict, "lossless, unsure or lossy; null if it could not be judged.", isIndexed: true),
      .field("confidence", \.confidence, "Confidence of the verdict, 0 to 1; null without a verdict."),
      .field(
        "codec", \.codec,
        "Lossy codec that the audio was decoded from: mp3, aac, vorbis, opus or mp2; null if none was found.",
        isIndexed: true),
      .field(
        "bit_rate_kbps", \.kilobitsPerSecond, "Approximate bit rate of that lossy codec in kbit/s; null if unknown."),
      .field("coded_rate_hz", \.codedSampleRate, "Sample rate in Hz at which the lossy codec worked; null if unknown."),
      .field(
        "upsampled_from_hz", \.upsampledFrom,
        "Sample rate in Hz that the audio had before it was upsampled; null if it was not.",
        isIndexed: true),
      .field(
        "used_bits", \.usedBits, "Number of bits per sample that are ever used; null for samples that are not integers."
      ),
      .field("padded", \.isPadded, "Fewer bits per sample are used than the file has.", isIndexed: true),
      .field(
        "frame_trace", \.frameTrace,
        "How far the frame positions of the likeliest codec stand out from all other positions, in standard deviations."
      ),
      .field("frame_length", \.frameLength, "Length of a frame of the likeliest codec in samples."),
      .field("frame_offset", \.frameOffset, "Start of the first whole frame, in samples at coded_rate_hz."),
      .field(
        "quantization_depth_db", \.quantizationDepth,
        "Drop in dB of the likeliest codec's coefficients at its frame positions, compared with other positions."),
      .field("wall_hz", \.wall, "Frequency in Hz at which the spectrum ends abruptly; null if it does not."),
      .field(
        "wall_depth_db", \.wallDepth, "Drop of the spectrum in dB above wall_hz; null if it does not end abruptly."),
      .field(
        "wall_steadiness", \.wallSteadiness, "Share of the excerpts, 0 to 1, in which the spectrum ends at wall_hz."),
      .field(
        "level_above_db", \.levelAbove,
        "Mean level per bin of the highest frequencies, in dB relative to full scale; null if unknown."),
      .field("excerpts", \.excerptCount, "Number of excerpts of the file that were examined."),
      .field("reason", \.reason, "Why there is no verdict: too_short or quiet; null otherwise."),
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
