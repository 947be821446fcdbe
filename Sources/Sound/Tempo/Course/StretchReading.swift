internal import Mathematics

/// The evidence for the tempo of one stretch of music, before the stretches of a track are compared.
struct StretchReading {
  /// A tempo with its beats.
  struct Option {
    var bpm: Double
    /// The probability, assuming that one of the options is right.
    var probability: Double
    var isConstant: Bool
    /// Beat times in seconds from the start of the track.
    var beats: [Double]
    var bar: BarReading?

    /// The downbeats; `nil` if uncertain.
    var downbeats: [Double]? {
      guard let bar, let first = bar.firstDownbeat else { return nil }
      return stride(from: first, to: beats.count, by: bar.beatCount).map { beats[$0] }
    }
  }

  enum Outcome {
    case pulse([Option])
    case silence
    case noPulse
  }

  /// Start of the stretch, in seconds from the start of the track.
  let start: Double
  let duration: Double
  let outcome: Outcome
  /// The regularity of the onsets; see `Tempogram.clarity`.
  let clarity: Double

  /// Time, in seconds, by which a column precedes its onset: a window already contains the start of a sound before its
  /// center reaches the start. The value was measured with clicks, drums and plucked tones at known positions.
  static let onsetDelay = 0.008
  /// Maximum RMS level of silence, relative to full scale. 16-bit dither is louder.
  private static let silence: Float = 1e-5
  private static let optionLimit = 12
  /// Maximum number of grids per tempo.
  private static let gridLimit = 3

  init(start: Double, duration: Double, outcome: Outcome, clarity: Double) {
    self.start = start
    self.duration = duration
    self.outcome = outcome
    self.clarity = clarity
  }

  init(_ envelopes: OnsetEnvelopes, of bands: BandSpectrogram, firstColumn: Int64, isWholeFile: Bool) {
    self.init(envelopes, of: bands, firstColumn: firstColumn) { $0.hypotheses(isWholeFile: isWholeFile) }
  }

  /// - Parameter bpm: The tempo that the user has specified.
  init(_ envelopes: OnsetEnvelopes, of bands: BandSpectrogram, firstColumn: Int64, near bpm: Double) {
    self.init(envelopes, of: bands, firstColumn: firstColumn) { $0.hypotheses(near: bpm) }
  }

  private init(
    _ envelopes: OnsetEnvelopes, of bands: BandSpectrogram, firstColumn: Int64,
    hypotheses: (PulseSurvey) -> [GridHypothesis]
  ) {
    let rate = OnsetEnvelopes.columnsPerSecond
    start = Double(firstColumn) / rate
    duration = Double(envelopes.columnCount) / rate
    guard envelopes.level > Self.silence else {
      (outcome, clarity) = (.silence, 0)
      return
    }
    let survey = PulseSurvey(envelopes)
    let hypotheses = hypotheses(survey)
    clarity = Double(survey.tempogram.clarity)
    guard !hypotheses.isEmpty else {
      outcome = .noPulse
      return
    }
    let likely = Self.likely(hypotheses)
    let sounding = Self.sounding(bands)
    var options: [Option] = []
    for (hypothesis, probability) in likely {
      let columns = survey.beats(of: hypothesis).filter { sounding.contains($0) }
      let shift = Double(firstColumn) / rate + Self.onsetDelay
      let seconds = columns.map { $0 / rate + shift }
      options.append(
        Option(
          bpm: hypothesis.candidate.bpm, probability: probability, isConstant: hypothesis.candidate.isConstant,
          beats: seconds,
          bar: BarReading(
            BeatAccents(envelopes, at: columns), downbeats: survey.activation.downbeats(at: columns),
            bpm: hypothesis.candidate.bpm,
            hasThirds: BarProfile(envelopes.values, over: BeatGrid(beats: columns)).hasThirds)))
    }
    outcome = .pulse(options)
  }

  /// Returns the likeliest hypotheses, at most `gridLimit` per tempo, so that a tempo with many grids does not displace
  /// others. The probabilities of the hypotheses for one tempo add up to the probability of that tempo.
  private static func likely(_ hypotheses: [GridHypothesis]) -> [(GridHypothesis, Double)] {
    let all = GridChoice.probabilities(hypotheses)
    let found = GridChoice.tempi(of: hypotheses).flatMap { tempo in
      let own = tempo.hypotheses.prefix(gridLimit)
      let sum = own.reduce(0) { $0 + all[$1] }
      return own.map { (hypotheses[$0], sum > 0 ? tempo.probability * all[$0] / sum : 0) }
    }
    return Array(found.prefix(optionLimit))
  }

  /// Returns the range of columns between leading and trailing silence.
  private static func sounding(_ bands: BandSpectrogram) -> ClosedRange<Double> {
    let powers = bands.columnPowers
    let mean = powers.reduce(0, +) / Float(max(powers.count, 1))
    // This is 45 dB below the mean.
    let threshold = mean * 3e-5
    let first = powers.firstIndex { $0 > threshold } ?? 0
    let last = powers.lastIndex { $0 > threshold } ?? 0
    return Double(max(0, first - 5))...Double(max(first, last))
  }
}
