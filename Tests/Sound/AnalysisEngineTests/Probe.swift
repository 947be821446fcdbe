import Analysis
import AudioDecoding
import Text

/// Session that records all its input, and fails or stops when configured to.
struct Probe: AnalysisSession {
  struct Finding: AnalysisFinding {
    var values: [Float] = []
    /// Index and length of each span.
    var starts: [Int64] = []
    var counts: [Int] = []
  }

  var failsAfter = Int.max
  var failsAtEnd: AnalysisError?
  var hasEnoughAfter = Int.max
  private var finding = Finding()

  init(failsAfter: Int = .max, failsAtEnd: AnalysisError? = nil, hasEnoughAfter: Int = .max) {
    self.failsAfter = failsAfter
    self.failsAtEnd = failsAtEnd
    self.hasEnoughAfter = hasEnoughAfter
  }

  var wantsMore: Bool { finding.values.count < hasEnoughAfter }

  mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
    for i in values.indices { finding.values.append(values[i]) }
    finding.starts.append(index)
    finding.counts.append(values.count)
    if finding.values.count > failsAfter { throw .failed("had too much") }
  }

  mutating func finish() throws(AnalysisError) -> Finding {
    if let failsAtEnd { throw failsAtEnd }
    return finding
  }

  static func plugin(_ id: String, _ feed: Feed, version: Int = 1, _ probe: Probe = Probe()) -> AnalyzerPlugin {
    AnalyzerPlugin(id: id, version: version, feed: feed, configuration: [:], shapingFinding: [:], resampler: "soxr") {
      _ in probe
    }
  }
}

/// Session that reports the findings it read.
struct Reader: AnalysisSession {
  struct Finding: AnalysisFinding {
    /// Number of values of the probe it reads; `nil` without one.
    var valuesOfProbe: Int?
    /// Depth of the chain of readers up to this one.
    var depth = 1
  }

  mutating func consume(_ values: Span<Float>, at index: Int64) {}

  mutating func finish() -> Finding { finish(after: EarlierFindings()) }

  mutating func finish(after earlier: EarlierFindings) -> Finding {
    Finding(valuesOfProbe: earlier[Probe.Finding.self]?.values.count, depth: 1 + (earlier[Finding.self]?.depth ?? 0))
  }

  static func plugin(_ id: String, _ feed: Feed, reads: [String]) -> AnalyzerPlugin {
    AnalyzerPlugin(
      id: id, version: 1, feed: feed, configuration: [:], shapingFinding: [:], resampler: "soxr", reads: reads
    ) { _ in Reader() }
  }
}

extension AnalyzerOutcome {
  var read: Reader.Finding? { finding as? Reader.Finding }

  var probed: Probe.Finding? {
    if case .finding(let finding as Probe.Finding) = result { finding } else { nil }
  }

  var failure: String? {
    if case .failed(let reason) = result { reason } else { nil }
  }
}
