import Analysis
import Synchronization
import SystemPackage
import Text

/// Makes analyzers that remember for which files they were run.
final class Probe: Sendable {
  private let calls = Mutex<[String]>([])

  /// The analyzer and the name of the file, such as "first a.wav", in the order of the calls.
  var seen: [String] { calls.withLock { $0 } }

  /// Returns the calls since the last time, sorted.
  func take() -> [String] {
    calls.withLock { calls in
      defer { calls = [] }
      return calls.sorted()
    }
  }

  /// - Parameters:
  ///   - feed: The input; its values are ignored.
  ///   - work: Called for each file; it may throw the outcome.
  func plugin(
    _ id: String, feed: Feed = .file,
    _ work: @escaping @Sendable (AudioFile) throws(AnalysisError) -> Void = { (_) throws(AnalysisError) in }
  ) -> AnalyzerPlugin {
    AnalyzerPlugin(
      id: id, version: 1, feed: feed, configuration: .object([:]), shapingFinding: .object([:]), resampler: "soxr"
    ) { [self] (file) throws(AnalysisError) in
      calls.withLock { $0.append("\(id) \(file.path.lastComponent?.string ?? "")") }
      try work(file)
      return Session()
    }
  }

  static let audio = Feed.samples(SampleLayout(rate: .native))

  private struct Session: AnalysisSession {
    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {}
    mutating func finish() throws(AnalysisError) -> JSONFinding { JSONFinding(.object([:])) }
  }
}
