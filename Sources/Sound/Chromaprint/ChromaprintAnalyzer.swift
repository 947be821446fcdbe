public import Analysis

/// Computes the acoustic fingerprint that AcoustID uses: one 32-bit word per 1,365 samples (0.124 s), compressed, in
/// URL-safe Base64, as printed by `fpcalc`.
///
/// The chroma of overlapping windows of 4,096 samples is smoothed over time, and the outputs of 16 box filters over 16
/// consecutive chroma vectors are quantized to 2 bits each. (Jang, Yoo, Lee, Kim and Kalker, "Pairwise Boosted Audio
/// Fingerprint", IEEE TIFS 2009; Ke, Hoiem and Sukthankar, "Computer Vision for Music Identification", CVPR 2005;
/// Lalinský, Chromaprint, 2010–.)
///
/// The finding's `duration` is that of the audio that the fingerprint covers. An AcoustID lookup also needs the
/// duration of the whole recording, which is `AudioFormat.duration`.
public struct ChromaprintAnalyzer: Analyzer {
  public static let id = "chromaprint"
  public static let version = 1
  public static let summary = "Acoustic fingerprint for look-ups at AcoustID (Chromaprint, algorithm 2)"

  /// The sample rate that Chromaprint uses, in Hz.
  static let sampleRate = 11_025

  public struct Configuration: AnalyzerConfiguration {
    /// Maximum duration of the audio that the fingerprint covers, in seconds from the start; 0 for the whole track.
    /// AcoustID lookups expect 120.
    public var length = 120.0

    public init() {}

    enum CodingKeys: String, CodingKey {
      case length = "length_s"
    }
  }

  private let frameLimit: Int?

  public init(_ configuration: Configuration) throws(ConfigurationError) {
    let length = configuration.length
    guard length == 0 || (3...86_400).contains(length) else {
      throw ConfigurationError(
        key: "length_s", problem: "must be 0 (the whole track) or 3 to 86400 seconds, not \(length)")
    }
    frameLimit = length == 0 ? nil : Int(length * Double(Self.sampleRate))
  }

  public var feed: Feed {
    .samples(SampleLayout(rate: .hertz(Self.sampleRate), channels: .mono, conversion: .acoustID))
  }

  public func makeSession(for file: AudioFile) throws(AnalysisError) -> Session {
    Session(context: try ChromaprintContext(sampleRate: Self.sampleRate), frameLimit: frameLimit)
  }

  public struct Session: AnalysisSession {
    private let context: ChromaprintContext
    private let frameLimit: Int?
    private var frameCount = 0
    private var words: [Int16] = []

    init(context: ChromaprintContext, frameLimit: Int?) {
      self.context = context
      self.frameLimit = frameLimit
    }

    public var wantsMore: Bool { frameLimit.map { frameCount < $0 } ?? true }

    public mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      let count = min(values.count, frameLimit.map { $0 - frameCount } ?? values.count)
      guard count > 0 else { return }
      if words.count < count { words = [Int16](repeating: 0, count: count) }
      var samples = words.mutableSpan
      for i in 0..<count { samples[i] = Int16(max(-32_768, min(32_767, values[i]))) }
      try context.feed(words.span.extracting(first: count))
      frameCount += count
    }

    public mutating func finish() throws(AnalysisError) -> FingerprintFinding {
      guard let value = try context.finish() else {
        throw .notApplicable("Less than 2.8 s of audio is too short for a fingerprint.")
      }
      let milliseconds = (Double(frameCount) / Double(ChromaprintAnalyzer.sampleRate) * 1_000).rounded()
      return FingerprintFinding(algorithm: "chromaprint-2", duration: milliseconds / 1_000, value: value)
    }
  }
}
