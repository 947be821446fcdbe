package import Analysis

/// Computes signatures of landmarks, by which a clip can be recognized despite noise, a telephone line or a different
/// playback speed.
///
/// Landmarks are the strongest local peaks of each second: up to 30, with up to ten in each third of the bands. The
/// spectrum has 138 logarithmic bands and is whitened by subtracting the mean of ±12 bands and ±1 s. The method follows
/// Wang (ISMIR 2003); the logarithmic bands follow Six & Leman (ISMIR 2014).
package struct SignatureAnalyzer: Analyzer {
  package static let id = "signature"
  package static let version = Signature.version
  package static let summary = "Spectral landmarks for recognizing a clip"

  package init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  package var feed: Feed { .spectrum(LandmarkSpectrum.layout) }

  package func makeSession(for file: AudioFile) throws(AnalysisError) -> Session { Session() }

  package struct Session: AnalysisSession {
    private var builder = SignatureBuilder()
    private let spectrum = LandmarkSpectrum()
    private var levels = [Int32](repeating: 0, count: LandmarkSpectrum.bandCount)

    package init() {}

    package mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      spectrum.levels(of: values, into: &levels)
      builder.push(levels)
    }

    package mutating func finish() throws(AnalysisError) -> SignatureFinding {
      let signature = builder.finish()
      return SignatureFinding(
        version: Signature.version, landmarkCount: signature.landmarkCount, data: signature.bytes)
    }
  }
}
