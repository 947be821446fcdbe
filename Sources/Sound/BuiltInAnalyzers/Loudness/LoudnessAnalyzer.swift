internal import Analysis
internal import DSP
internal import Mathematics

/// Measures loudness, loudness range and peaks according to EBU R 128, and ReplayGain 2.
///
///     samples ─┬─ KWeightedPower    filter and channel weights: power of each 10 ms
///              │    └─ LoudnessMeter   blocks of 400 ms and 3 s, gates, histograms
///              └─ TruePeak          largest sample and largest value between samples
///
/// docs/loudness.md describes the method and its accuracy.
struct LoudnessAnalyzer: Analyzer {
  static let id = "loudness"
  static let version = 2
  static let summary = "Loudness, loudness range and true peak (EBU R 128), ReplayGain 2"

  init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  var feed: Feed { .samples(SampleLayout(rate: .native, channels: .native)) }

  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session {
    guard let format = file.format, format.sampleRate > 0, format.channelCount > 0 else {
      throw .notApplicable("There is no audio.")
    }
    return Session(
      sampleRate: format.sampleRate, channelCount: format.channelCount, channelMask: file.channelMask)
  }

  struct Session: AnalysisSession {
    private let sampleRate: Int
    private let channelCount: Int
    /// The power meter; `nil` if the sample rate is too low for the filter.
    private var power: KWeightedPower?
    private var frameCount = 0
    private var meter = LoudnessMeter()
    private var peak: TruePeak

    init(sampleRate: Int, channelCount: Int, channelMask: UInt64) {
      self.sampleRate = sampleRate
      self.channelCount = channelCount
      peak = TruePeak(channelCount: channelCount)
      let roles = ChannelRole.roles(channelCount: channelCount, mask: channelMask)
      power =
        sampleRate >= KWeightedPower.minSampleRate
        ? KWeightedPower(sampleRate: sampleRate, roles: roles) : nil
    }

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      guard values.count % channelCount == 0 else {
        throw .failed("\(values.count) samples are not whole frames of \(channelCount) channels")
      }
      let count = values.count / channelCount
      for channel in 0..<channelCount {
        peak.push(values.extracting(channel * count..<(channel + 1) * count), channel: channel)
      }
      guard power != nil else { return }
      var start = 0
      while start < count {
        let end = min(count, start + endOfStep - frameCount)
        power?.push(values, start..<end, stride: count)
        frameCount += end - start
        start = end
        if frameCount == endOfStep, let mean = power?.takeMean() { meter.push(mean) }
      }
    }

    /// The frame at which the current step ends. Steps differ in length by a frame if the sample rate is not a multiple
    /// of 100.
    private var endOfStep: Int { (meter.stepCount + 1) * LoudnessMeter.stepMilliseconds * sampleRate / 1000 }

    mutating func finish() throws(AnalysisError) -> LoudnessFinding {
      peak.finish()
      let integrated = meter.integrated?.rounded(toPlaces: 2)
      return LoudnessFinding(
        integrated: integrated, range: meter.range?.rounded(toPlaces: 2),
        maxMomentary: meter.maxMomentary?.rounded(toPlaces: 2), maxShortTerm: meter.maxShortTerm?.rounded(toPlaces: 2),
        samplePeak: Self.decibels(peak.samplePeak), truePeak: Self.decibels(peak.peak),
        trackGain: integrated.map { LoudnessFinding.gain(ofLoudness: $0) },
        trackPeak: peak.peak > 0 && peak.peak.isFinite ? Double(peak.peak).rounded(toPlaces: 6) : nil,
        reason: integrated == nil ? reason : nil, gatingBlocks: meter.gatingBlocks.bytes)
    }

    /// The reason there is no loudness.
    private var reason: String {
      if power == nil { return "low_sample_rate" }
      if !meter.hasBlock { return "too_short" }
      return peak.samplePeak > 0 ? "below_gate" : "silence"
    }

    /// Returns the level in dB; `nil` for silence and for infinity.
    private static func decibels(_ amplitude: Float) -> Double? {
      amplitude > 0 && amplitude.isFinite ? (20 * log10(Double(amplitude))).rounded(toPlaces: 2) : nil
    }
  }
}
