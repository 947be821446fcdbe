public import Text

/// An analyzer with its settings, ready for a pipeline that knows nothing of its types.
public struct AnalyzerPlugin: Sendable {
  public let identity: AnalyzerIdentity
  public let feed: Feed
  /// The resolved settings: every key with its value.
  public let configuration: JSONValue
  private let open: @Sendable (Track) throws(AnalysisError) -> any AnalysisSession

  public var id: String { identity.id }
  public var version: Int { identity.version }

  /// - Parameters:
  ///   - configuration: The settings, for people to read.
  ///   - shapingFinding: What the digest is made of: the settings that can change a finding.
  ///   - resampler: Name of the pipeline's resampler; part of the digest if the feed depends on it.
  ///   - makeSession: Opens a session over one file, as `Analyzer.makeSession(for:)` does.
  public init(
    id: String, version: Int, feed: Feed, configuration: JSONValue, shapingFinding: JSONValue, resampler: String,
    makeSession: @escaping @Sendable (Track) throws(AnalysisError) -> any AnalysisSession
  ) {
    var shape: [String: JSONValue] = ["configuration": shapingFinding]
    if feed.dependsOnResampler { shape["resampler"] = .string(resampler) }
    let digest = ContentID(hashing: Array(JSONValue.object(shape).canonicalText.utf8)).description
    self.identity = AnalyzerIdentity(id: id, version: version, digest: digest)
    self.feed = feed
    self.configuration = configuration
    self.open = makeSession
  }

  /// Opens a session over one file.
  public func makeSession(for track: Track) throws(AnalysisError) -> any AnalysisSession {
    try open(track)
  }
}
