/// An analyzer: its id, the input it needs, and how it starts on a file.
///
/// A new analyzer is one file and one line in `BuiltInAnalyzers.all`; the contract tests then run over it by themselves.
public protocol Analyzer: Sendable {
  associatedtype Configuration: AnalyzerConfiguration
  associatedtype Session: AnalysisSession

  /// snake_case; names the analyzer in configurations, stores and reports, and is never used for another one.
  static var id: String { get }
  /// Raised whenever a finding may change for the same input and configuration: files are then analyzed again.
  static var version: Int { get }
  /// One line for `analyze doctor` and the documentation.
  static var summary: String { get }

  /// Ids of analyzers whose findings about the same audio a session looks at in `finish(after:)`; none unless an analyzer
  /// says otherwise. They stand before this one in `BuiltInAnalyzers.all`, and none of them has the feed `.file`. A change
  /// of theirs is a change of this analyzer as well; those that a pipeline does not have are not there.
  static var reads: [String] { get }

  /// - Throws: `ConfigurationError` naming the key that is out of range.
  init(_ configuration: Configuration) throws(ConfigurationError)

  var feed: Feed { get }

  /// Opens a session over one file. Throws `AnalysisError.notApplicable` if it has nothing to do for this file.
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session
}

extension Analyzer {
  public static var reads: [String] { [] }
}

/// An analyzer's state over one file. Memory is bounded whatever the length of the file.
public protocol AnalysisSession {
  associatedtype Finding: AnalysisFinding

  /// Takes the next values of the feed; see `Feed` for their shape. Results do not depend on how the values are cut.
  mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError)

  /// False once further values cannot change the finding: the session then gets no more of them, and a feed that no
  /// session wants is no longer made. Asked after each call of `consume`; true unless a session says otherwise.
  var wantsMore: Bool { get }

  /// Called once, after the last values (never after an error).
  mutating func finish() throws(AnalysisError) -> Finding

  /// The same for analyzers that read what others found, which is there by now. Calls `finish()` unless a session says
  /// otherwise.
  mutating func finish(after earlier: EarlierFindings) throws(AnalysisError) -> Finding
}

extension AnalysisSession {
  public var wantsMore: Bool { true }

  public mutating func finish(after earlier: EarlierFindings) throws(AnalysisError) -> Finding { try finish() }
}

/// The result of an analyzer for one file: plain data, without NaN or infinities.
public protocol AnalysisFinding: Codable, Hashable, Sendable {
  /// Sentences about the file for a person, such as what was left out because it was damaged; none unless a type says
  /// otherwise.
  var remarks: [String] { get }
}

extension AnalysisFinding {
  public var remarks: [String] { [] }
}
