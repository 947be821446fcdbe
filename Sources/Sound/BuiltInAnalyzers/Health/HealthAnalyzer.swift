internal import Analysis
internal import DSP

/// Detects audible damage. `HealthScan` finds it in the samples; docs/health.md states the accuracy.
struct HealthAnalyzer: Analyzer {
  static let id = "health"
  static let version = 4
  static let summary = "Audible damage: clipping, dropouts, clicks, dead channels, hum"

  init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  var feed: Feed { .samples(SampleLayout(rate: .native, channels: .native)) }

  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session {
    guard let format = file.format, format.sampleRate >= 4000, format.channelCount > 0 else {
      throw .notApplicable("There is no audio, or its sample rate is too low.")
    }
    return Session(sampleRate: format.sampleRate, channelCount: format.channelCount)
  }

  struct Session: AnalysisSession {
    /// Minimum duration in seconds; shorter audio has too little signal around a fault.
    private static let minSeconds = 0.5
    private static let limit = 100

    private let channelCount: Int
    private var scan: HealthScan

    init(sampleRate: Int, channelCount: Int) {
      self.channelCount = channelCount
      scan = HealthScan(sampleRate: sampleRate, channelCount: channelCount)
    }

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      guard values.count % channelCount == 0 else {
        throw .failed("\(values.count) samples are not whole frames of \(channelCount) channels")
      }
      scan.push(values)
    }

    mutating func finish() throws(AnalysisError) -> HealthFinding {
      let faults = scan.finish()
      var finding = HealthFinding()
      guard Double(scan.frameCount) >= Self.minSeconds * Double(scan.sampleRate) else {
        finding.reason = "too_short"
        return finding
      }
      func count(_ kind: Fault.Kind) -> Int { faults.count { $0.kind == kind } }
      func first(_ kind: Fault.Kind) -> Fault? { faults.first { $0.kind == kind } }
      finding.clipped = count(.clipping)
      finding.dropouts = count(.dropout)
      finding.silences = count(.silence)
      finding.repeats = count(.repeated)
      finding.clicks = count(.click)
      finding.hasOffset = first(.offset) != nil
      finding.deadChannel = first(.deadChannel)?.channel.map { $0 + 1 }
      finding.isInverted = first(.inverted) != nil
      finding.isIdentical = first(.identical) != nil
      finding.hum = first(.hum)?.strength.rounded(toPlaces: 1)
      finding.hiss = first(.hiss)?.strength.rounded(toPlaces: 1)
      finding.isCutAtStart = first(.cutStart) != nil
      finding.isCutAtEnd = first(.cutEnd) != nil
      (finding.worst, finding.severity) = Severity.of(
        faults, seconds: seconds(scan.frameCount), rate: scan.sampleRate)
      var counts: [Fault.Kind: Int] = [:]
      finding.faults = faults.filter { fault in
        counts[fault.kind, default: 0] += 1
        return counts[fault.kind, default: 0] <= Self.limit
      }.map { fault in
        HealthFinding.Fault(
          kind: fault.kind.rawValue, startSeconds: seconds(fault.start), endSeconds: seconds(fault.end),
          channel: fault.channel.map { $0 + 1 }, strength: fault.strength.rounded(toPlaces: 2),
          confidence: fault.confidence)
      }
      return finding
    }

    private func seconds(_ frames: Int64) -> Double {
      (Double(frames) / Double(scan.sampleRate)).rounded(toPlaces: 5)
    }
  }
}

/// Overall severity of the faults of a file.
enum Severity {
  /// Returns the severity of a single fault, and that of many.
  private static func weight(_ kind: Fault.Kind) -> (one: Double, many: Double) {
    switch kind {
    case .deadChannel, .silent: (0.9, 0.9)
    case .dropout: (0.6, 0.95)
    case .repeated: (0.6, 0.95)
    case .silence: (0.6, 0.9)
    case .inverted: (0.7, 0.7)
    case .click: (0.35, 0.8)
    case .clipping: (0.1, 0.7)
    case .hum: (0.5, 0.5)
    case .offset: (0.3, 0.3)
    case .hiss: (0.25, 0.25)
    case .cutStart, .cutEnd: (0.15, 0.15)
    case .identical: (0.05, 0.05)
    }
  }

  /// Maximum number of faults per minute that add to the severity: beyond it, faults hide each other.
  private static let maxPerMinute = 60.0

  /// Returns the worst kind of fault and its severity. With more faults per minute, the severity approaches that of
  /// many faults.
  static func of(_ faults: [Fault], seconds: Double, rate: Int) -> (worst: String?, severity: Double) {
    var worst: (kind: Fault.Kind, severity: Double)?
    for kind in Fault.Kind.allCases {
      let some = faults.filter { $0.kind == kind }
      guard let confidence = some.map(\.confidence).max() else { continue }
      let (one, many) = weight(kind)
      let perMinute = min((count(of: some, rate: rate) - 1) * 60 / max(10, seconds), maxPerMinute)
      let severity = confidence * (one + (many - one) * perMinute / (perMinute + 10))
      if severity > worst?.severity ?? 0 { worst = (kind, severity) }
    }
    return (worst?.kind.rawValue, (worst?.severity ?? 0).rounded(toPlaces: 3))
  }

  /// Returns the number of faults of one kind. Clipped peaks in close succession are one fault, which counts for more
  /// the longer it is.
  private static func count(of faults: [Fault], rate: Int) -> Double {
    faults.reduce(0) { sum, fault in
      sum + 1
        + (fault.kind == .clipping ? Double(fault.end - fault.start) / (Double(rate) * Fault.maxClippingDistance) : 0)
    }
  }
}
