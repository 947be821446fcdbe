public import Text

/// A type-erased `Analyzer` type, which makes analyzers for pipelines. `BuiltInAnalyzers.all` is a list of these.
///
///     let kinds = [AnalyzerKind(TempoAnalyzer.self), AnalyzerKind(ChromaprintAnalyzer.self)]
///     let plugin = try kinds[1].make(["length_s": 30], resampler: "soxr")
public struct AnalyzerKind: Sendable {
  public let analyzerType: any Analyzer.Type
  private let configure: @Sendable ([String: JSONValue], String) throws(ConfigurationError) -> AnalyzerPlugin

  public init<A: Analyzer>(_ type: A.Type) {
    analyzerType = type
    configure = { (settings, resampler) throws(ConfigurationError) in
      let configuration = try A.Configuration(merging: settings)
      let analyzer = try A(configuration)
      let resolved = JSONValue.object(try configuration.settings())
      return AnalyzerPlugin(
        id: A.id, version: A.version, feed: analyzer.feed, configuration: resolved, shapingFinding: resolved,
        resampler: resampler, reads: A.reads
      ) { (file) throws(AnalysisError) in try analyzer.makeSession(for: file) }
    }
  }

  public var id: String { analyzerType.id }
  public var version: Int { analyzerType.version }
  /// One line that describes the analyzer, for people.
  public var summary: String { analyzerType.summary }

  public var findingType: any AnalysisFinding.Type {
    func finding<A: Analyzer>(of type: A.Type) -> any AnalysisFinding.Type { A.Session.Finding.self }
    return finding(of: analyzerType)
  }

  /// Returns every key of the configuration with its default.
  ///
  /// - Throws: `ConfigurationError` if the analyzer's default configuration cannot be written as JSON.
  public func defaultSettings() throws(ConfigurationError) -> [String: JSONValue] {
    func defaults<A: Analyzer>(of type: A.Type) throws(ConfigurationError) -> [String: JSONValue] {
      try A.Configuration().settings()
    }
    return try defaults(of: analyzerType)
  }

  /// Creates an analyzer with the given settings and defaults for all other keys.
  ///
  /// - Parameter resampler: The name of the pipeline's resampler.
  /// - Throws: `ConfigurationError` for an unknown key (naming the most similar known one), a value of the wrong type,
  ///   or any other value that the analyzer rejects. The error joins nested keys with dots.
  public func make(
    _ settings: [String: JSONValue] = [:], resampler: String
  ) throws(ConfigurationError) -> AnalyzerPlugin {
    try configure(settings, resampler)
  }
}

extension AnalyzerKind: CustomStringConvertible {
  public var description: String { id }
}
