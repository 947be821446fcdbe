internal import Text

/// An acoustic fingerprint for AcoustID lookups.
public struct FingerprintFinding: DeclaredFinding {
  /// The algorithm and its number, such as `chromaprint-2`.
  public var algorithm: String
  /// Number of seconds of audio that the fingerprint covers.
  public var duration: Double
  /// The fingerprint, compressed and encoded in URL-safe Base64, like the output of `fpcalc`.
  public var value: String

  public init(algorithm: String, duration: Double, value: String) {
    self.algorithm = algorithm
    self.duration = duration
    self.value = value
  }

  public init() { self.init(algorithm: "", duration: 0, value: "") }

  public static let declaration = FindingDeclaration<FingerprintFinding>(
    "fingerprint", analyzer: "chromaprint", "Acoustic fingerprint for AcoustID.",
    fields: [
      .field("algorithm", \.algorithm, "Name and number of the algorithm, such as chromaprint-2."),
      .field(
        "duration_s", \.duration,
        "Seconds of audio that the fingerprint covers, from the start: at most 120, unless set otherwise."),
      .derived(
        "track_duration_s", "Duration of the whole track in seconds, as AcoustID requires it; null if unknown."
      ) { TrackLength(of: $1)?.seconds },
      .derived(
        "track_duration_claimed",
        "track_duration_s is the duration that the file claims, since the file is damaged or was not decoded to its "
          + "end."
      ) { TrackLength(of: $1)?.isClaimed },
      .field("value", \.value, "Compressed fingerprint in URL-safe base64, as fpcalc prints it."),
    ],
    lines: { fingerprint, _ in
      [FindingLine("fingerprint", "\(fingerprint.algorithm), \(describe(seconds: fingerprint.duration))")]
    })
}

private struct TrackLength {
  let seconds: Double
  let isClaimed: Bool

  /// Uses the decoded duration if the file is intact and was decoded to the end; otherwise the claimed duration or, if
  /// there is none, the duration that was decoded.
  init?(of context: FindingContext) {
    guard let format = context.format, format.sampleRate > 0 else { return nil }
    let isWhole = context.isWhole && format.frameCount != nil
    guard let frames = isWhole ? format.frameCount : format.claimedFrameCount ?? format.frameCount else { return nil }
    seconds = Double(frames) / Double(format.sampleRate)
    isClaimed = !isWhole && format.claimedFrameCount != nil
  }
}
