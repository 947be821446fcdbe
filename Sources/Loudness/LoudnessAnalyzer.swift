public import Analysis
internal import DSP
internal import Glibc

/// Loudness, loudness range and peaks after EBU R 128; ReplayGain 2.
///
///     samples ─┬─ KWeightedPair     K weighting of two channels, sums of squares
///              │    └─ LoudnessMeter   blocks of 400 ms and 3 s, gates, histograms
///              └─ TruePeak          largest sample and largest value between samples
///
/// docs/loudness.md tells what it does and how well, and why the filter is not libebur128's.
public struct LoudnessAnalyzer: Analyzer {
  public static let id = "loudness"
  public static let version = 1
  public static let summary = "Loudness, loudness range and true peak (EBU R 128), ReplayGain 2"

  public init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  public var feed: Feed { .samples(SampleLayout(rate: .native, channels: .native)) }

  public func makeSession(for track: Track) throws(AnalysisError) -> Session {
    guard let format = track.format, format.sampleRate > 0, format.channelCount > 0 else {
      throw .notApplicable("There is no audio.")
    }
    return Session(
      sampleRate: format.sampleRate, channelCount: format.channelCount, channelMask: track.channelMask)
  }

  public struct Session: AnalysisSession {
    private let channelCount: Int
    private let weights: [Double]
    private let sampleRate: Int
    private let hasWeighting: Bool
    /// Two channels each, without those that do not count. The last may have the same channel twice.
    private var pairs: [(first: Int, second: Int, filter: KWeightedPair)] = []
    private var frameCount = 0
    /// Where a step of `meter` begins and ends.
    private var step = 0..<0
    private var meter = LoudnessMeter()
    private var peak: TruePeak

    init(sampleRate: Int, channelCount: Int, channelMask: UInt64) {
      self.channelCount = channelCount
      weights = ChannelWeights.weights(channelCount: channelCount, mask: channelMask)
      self.sampleRate = sampleRate
      hasWeighting = sampleRate >= KWeighting.leastSampleRate
      peak = TruePeak(channelCount: channelCount)
      guard hasWeighting else { return }
      step = nextStep
      let weighting = KWeighting(sampleRate: sampleRate)
      let counting = weights.indices.filter { weights[$0] > 0 }
      for index in stride(from: 0, to: counting.count, by: 2) {
        let second = index + 1 < counting.count ? counting[index + 1] : counting[index]
        pairs.append((counting[index], second, KWeightedPair(weighting)))
      }
    }

    public mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      guard values.count % channelCount == 0 else {
        throw .failed("\(values.count) samples are no whole frames of \(channelCount) channels")
      }
      let count = values.count / channelCount
      for channel in 0..<channelCount {
        peak.push(values.extracting(channel * count..<(channel + 1) * count), channel: channel)
      }
      guard hasWeighting else { return }
      var start = 0
      while start < count {
        let end = min(count, start + step.upperBound - frameCount)
        for pair in pairs.indices {
          let first = pairs[pair].first * count
          let second = pairs[pair].second * count
          pairs[pair].filter.push(
            values.extracting(first + start..<first + end), values.extracting(second + start..<second + end))
        }
        frameCount += end - start
        start = end
        if frameCount == step.upperBound { endStep() }
      }
    }

    private mutating func endStep() {
      var power = 0.0
      for pair in pairs.indices {
        let (first, second, _) = pairs[pair]
        let sum = pairs[pair].filter.takeSum()
        power += weights[first] * sum.x
        if second != first { power += weights[second] * sum.y }
      }
      meter.push(power / Double(step.count))
      step = nextStep
    }

    /// Not all steps have the same length if the rate is no multiple of theirs.
    private var nextStep: Range<Int> {
      step.upperBound..<(meter.stepCount + 1) * sampleRate / LoudnessMeter.stepsPerSecond
    }

    public mutating func finish() throws(AnalysisError) -> LoudnessFinding {
      peak.finish()
      let integrated = meter.integrated?.rounded(toPlaces: 2)
      return LoudnessFinding(
        integrated: integrated, range: meter.range?.rounded(toPlaces: 2),
        maxMomentary: meter.maxMomentary?.rounded(toPlaces: 2), maxShortTerm: meter.maxShortTerm?.rounded(toPlaces: 2),
        samplePeak: Self.decibels(peak.samplePeak), truePeak: Self.decibels(peak.peak),
        trackGain: integrated.map { (LoudnessFinding.replayGainReference - $0).rounded(toPlaces: 2) },
        trackPeak: peak.peak > 0 && peak.peak.isFinite ? Double(peak.peak).rounded(toPlaces: 6) : nil,
        reason: integrated == nil ? reason : nil, gatingBlocks: meter.gatingBlocks.bytes)
    }

    /// Why there is no loudness.
    private var reason: String {
      if !hasWeighting { return "low_sample_rate" }
      if !meter.hasBlock { return "too_short" }
      return peak.samplePeak > 0 ? "below_gate" : "silence"
    }

    /// `nil` for silence.
    private static func decibels(_ amplitude: Float) -> Double? {
      amplitude > 0 && amplitude.isFinite ? (20 * log10(Double(amplitude))).rounded(toPlaces: 2) : nil
    }
  }
}
