/// An analyzer: its id, the input it needs, and how it starts work on a file.
///
/// A new analyzer is one file and one line in `BuiltInAnalyzers.all`; the contract tests then cover it automatically.
public protocol Analyzer: Sendable {
  associatedtype Configuration: AnalyzerConfiguration
  associatedtype Session: AnalysisSession

  /// The analyzer's name in configurations, stores and reports, in snake_case. It is never reused for another analyzer.
  static var id: String { get }
  /// The version. It is incremented whenever findings may change for the same input and configuration, so that files
  /// are analyzed again.
  static var version: Int { get }
  /// One line for `analyze doctor` and the documentation.
  static var summary: String { get }

  /// The ids of the analyzers whose findings about the same audio a session reads in `finish(after:)`; none by default.
  /// These analyzers must come before this one in `BuiltInAnalyzers.all`, and none of them may have the feed `.file`. A
  /// change to one of them also counts as a change to this analyzer. An analyzer that is missing from the pipeline has
  /// no findings.
  static var reads: [String] { get }

  /// - Throws: `ConfigurationError` that names the key whose value is out of range.
  init(_ configuration: Configuration) throws(ConfigurationError)

  var feed: Feed { get }

  /// Opens a session for one file. Throws `AnalysisError.notApplicable` if the analyzer does not apply to the file.
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session
}

extension Analyzer {
  public static var reads: [String] { [] }
}

/// An analyzer's state for one file. Its memory use is bounded, no matter how long the file is.
public protocol AnalysisSession {
  associatedtype Finding: AnalysisFinding

  /// Processes the next values of the feed; see `Feed` for their shape. Results must not depend on how the values are
  /// divided into calls.
  mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError)

  /// `false` once further values cannot change the finding. The session then receives no more values, and a feed that
  /// no session wants is no longer computed. The property is checked after each call to `consume`; `true` by default.
  var wantsMore: Bool { get }

  /// Returns the finding. Called once, after the last values, unless an error has occurred.
  mutating func finish() throws(AnalysisError) -> Finding

  /// Returns the finding, which may depend on the findings of the analyzers in `reads`. Calls `finish()` by default.
  mutating func finish(after earlier: EarlierFindings) throws(AnalysisError) -> Finding
}

extension AnalysisSession {
  public var wantsMore: Bool { true }

  public mutating func finish(after earlier: EarlierFindings) throws(AnalysisError) -> Finding { try finish() }
}

/// The result of an analyzer for one file: plain data, without NaN or infinities.
public protocol AnalysisFinding: Codable, Hashable, Sendable {
  /// Sentences for people about the file, for example about parts left out because of damage; none by default.
  var remarks: [String] { get }
}

extension AnalysisFinding {
  public var remarks: [String] { [] }
}
