internal import Analysis
internal import DSP
internal import Mathematics

/// Computes the waveform of a track for display: peaks and RMS in three bands at up to 2,000 points, and an onset
/// envelope over which beats can be drawn.
///
/// - `BandFilters`: the signal in three bands.
/// - `WaveformFrames`: the measurements of each frame of 20 ms.
/// - `OnsetEnvelope`: the onset strengths.
struct WaveformAnalyzer: Analyzer {
  static let id = "waveform"
  static let version = 1
  static let summary = "Waveform for drawing: peaks and RMS in three bands, and an onset envelope"

  init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  var feed: Feed { .samples(SampleLayout(rate: .native)) }

  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session {
    guard let format = file.format, format.sampleRate > 0 else {
      throw .notApplicable("The sample rate is unknown.")
    }
    return Session(sampleRate: format.sampleRate)
  }

  struct Session: AnalysisSession {
    static let pointLimit = 2000
    /// Maximum number of frames: an hour in frames of 20 ms. In longer audio, frames are merged in pairs.
    static let frameLimit = 180_000

    private let sampleRate: Int
    private var frames: WaveformFrames
    private var curve = BoundedSeries<WaveformFrame>(limit: Self.frameLimit)
    private var sampleCount: Int64 = 0

    init(sampleRate: Int) {
      self.sampleRate = sampleRate
      frames = WaveformFrames(sampleRate: sampleRate)
    }

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      frames.push(values) { curve.append($0) }
      sampleCount += Int64(values.count)
    }

    mutating func finish() throws(AnalysisError) -> WaveformFinding {
      frames.finish { curve.append($0) }
      let samplesPerFrame = frames.frameLength * curve.merged
      let framesPerPoint = max(1, (curve.elements.count + Self.pointLimit - 1) / Self.pointLimit)
      var finding = WaveformFinding()
      finding.sampleRate = sampleRate
      finding.samplesPerPoint = samplesPerFrame * framesPerPoint
      finding.onsetStepSeconds = Double(samplesPerFrame) / Double(sampleRate)
      finding.setPoints(curve.grouped(by: framesPerPoint), sampleCount: sampleCount)
      finding.onsets = OnsetEnvelope.strengths(
        curve.elements.map(\.squares), framesPerSecond: 1 / finding.onsetStepSeconds
      ).map { UInt8($0 * 255 + 0.5) }
      return finding
    }
  }
}

extension WaveformFinding {
  /// - Parameter sampleCount: Number of samples in the whole track. The last point may cover fewer samples than the
  ///   others.
  fileprivate mutating func setPoints(_ points: [WaveformFrame], sampleCount: Int64) {
    pointCount = points.count
    var peaks = SIMD4<Float>.zero
    for point in points {
      peaks = pointwiseMax(peaks, point.peaks)
      peaks[3] = max(peaks[3], max(-point.minimum, point.maximum))
    }
    let decibels = (0..<4).map { Self.decibels(peaks[$0]) }
    (lowPeak, midPeak, highPeak, peak) = (decibels[0], decibels[1], decibels[2], decibels[3])
    if peak == nil { reason = "silence" }
    let steps = decibels.map { Self.stepsPerUnit($0) }
    let signed = steps[3] / 255 * 127
    for (index, point) in points.enumerated() {
      let count = min(Int64(samplesPerPoint), sampleCount - Int64(index) * Int64(samplesPerPoint))
      let means = SIMD4<Double>(point.squares) / Double(max(1, count))
      let roots = means.squareRoot()
      minima.append(Self.byte(128 + Double(point.minimum) * signed))
      maxima.append(Self.byte(128 + Double(point.maximum) * signed))
      rms.append(Self.byte(roots[3] * steps[3]))
      lowPeaks.append(Self.byte(Double(point.peaks[0]) * steps[0]))
      lowRMS.append(Self.byte(roots[0] * steps[0]))
      midPeaks.append(Self.byte(Double(point.peaks[1]) * steps[1]))
      midRMS.append(Self.byte(roots[1] * steps[1]))
      highPeaks.append(Self.byte(Double(point.peaks[2]) * steps[2]))
      highRMS.append(Self.byte(roots[2] * steps[2]))
    }
  }

  /// Returns the level in dB relative to full scale; `nil` below -200 dB, which counts as silence.
  private static func decibels(_ amplitude: Float) -> Double? {
    amplitude > 1e-10 ? (20 * log10(Double(amplitude))).rounded(toPlaces: 2) : nil
  }

  /// Returns the number of quantization steps per unit, so that `peak` is at step 255.
  private static func stepsPerUnit(_ peak: Double?) -> Double { peak.map { 255 / pow(10, $0 / 20) } ?? 0 }

  private static func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
}
