/// An acoustic fingerprint for look-ups at AcoustID.
public struct FingerprintFinding: AnalysisFinding {
  /// Algorithm and its number, such as `chromaprint-2`.
  public var algorithm: String
  /// Seconds of audio the fingerprint covers.
  public var duration: Double
  /// Compressed and in URL-safe base64, as `fpcalc` prints it.
  public var value: String

  public init(algorithm: String, duration: Double, value: String) {
    self.algorithm = algorithm
    self.duration = duration
    self.value = value
  }

  enum CodingKeys: String, CodingKey {
    case algorithm, value
    case duration = "duration_s"
  }
}
