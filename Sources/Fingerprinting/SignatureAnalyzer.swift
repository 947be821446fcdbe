public import Analysis

/// Landmark signatures, by which a clip is recognised through noise, a telephone or another playback speed.
///
/// The 30 strongest local peaks of each second, ten in each third of the bands, of a spectrum of 138 logarithmic bands
/// that is whitened by the mean of ±12 bands and ±1 s. After Wang (ISMIR 2003); the logarithmic bands after Six & Leman
/// (ISMIR 2014).
public struct SignatureAnalyzer: Analyzer {
  public static let id = "signature"
  public static let version = Signature.version
  public static let summary = "spectral landmarks to recognise a clip by"

  public init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  public var feed: Feed { .spectrum(LandmarkSpectrum.layout) }

  public func makeSession(for track: Track) throws(AnalysisError) -> Session { Session() }

  public struct Session: AnalysisSession {
    private var builder = SignatureBuilder()
    private let spectrum = LandmarkSpectrum()
    private var levels = [Int32](repeating: 0, count: LandmarkSpectrum.bandCount)

    public init() {}

    public mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      spectrum.levels(of: values, into: &levels)
      builder.push(levels)
    }

    public mutating func finish() throws(AnalysisError) -> SignatureFinding {
      let signature = builder.finish()
      return SignatureFinding(
        version: Signature.version, landmarkCount: signature.landmarkCount, data: signature.bytes)
    }
  }
}
