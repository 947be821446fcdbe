internal import DSP
internal import Mathematics

/// The beat and downbeat activations of `BeatNetwork`, and the features of a beat grid that are derived from them.
struct BeatActivation {
  /// Logits of beats, frame by frame, clamped to a range.
  let beats: [Float]
  let downbeats: [Float]
  /// Beat probabilities, computed from the logits before clamping.
  private let probabilities: [Float]
  private let probabilitySum: Float
  /// The frames in which the beat probability has a local maximum above the detection threshold.
  private let peaks: [Int]

  /// Minimum probability of a detected beat.
  private static let minProbability: Float = 0.2
  /// Maximum distance between a peak and a beat, in seconds.
  private static let tolerance = 0.05

  init(_ input: BeatNetworkInput, by network: BeatNetwork = .trained) {
    let (beats, downbeats) = network(input)
    self.beats = beats.map { min(max($0, -6), 4) }
    self.downbeats = downbeats.map { min(max($0, -7), 3) }
    let probabilities = beats.map { 1 / (1 + exp(-$0)) }
    probabilitySum = probabilities.reduce(0, +)
    peaks = probabilities.indices.dropFirst().dropLast().filter {
      let here = probabilities[$0]
      return here > Self.minProbability && here > probabilities[$0 - 1] && here >= probabilities[$0 + 1]
    }
    self.probabilities = probabilities
  }

  /// Returns the fractional frame of a column.
  private static func frame(of column: Double) -> Double { (column - 0.5) / 2 }

  /// Returns the maximum of the three frames around each position. Positions at or beyond the ends are ignored.
  private static func maxima(_ values: [Float], at columns: some Sequence<Double>) -> [Float] {
    columns.compactMap { column in
      let frame = Int(Self.frame(of: column).rounded())
      guard frame > 0, frame < values.count - 1 else { return nil }
      return max(values[frame - 1], values[frame], values[frame + 1])
    }
  }

  private static func mean(_ values: [Float], else none: Float) -> Float {
    values.isEmpty ? none : values.reduce(0, +) / Float(values.count)
  }

  /// Returns the log-probability of a beat for `BeatPath`, column by column, with mean 0 and standard deviation 1.
  func envelope(columnCount: Int) -> [Float] {
    let logarithms = probabilities.map { log($0 + 0.02) }
    return PulseSurvey.standardized((0..<columnCount).map { interpolate(logarithms, Self.frame(of: Double($0))) })
  }

  /// Returns the downbeat logits at the columns, interpolated.
  func downbeats(at columns: [Double]) -> [Float] {
    columns.map { interpolate(downbeats, Self.frame(of: $0)) }
  }

  /// Returns features that help to choose the grid.
  ///
  /// - Parameters:
  ///   - grid: Columns of the beats, ascending. Columns outside the stretch are ignored.
  ///   - named: `true` to return the names as well.
  func features(of grid: [Double], named: Bool = true) -> NamedValues {
    let beats = grid.filter { (0..<Double(probabilities.count)).contains(Self.frame(of: $0)) }
    let periods = zip(beats, beats.dropFirst()).map { $1 - $0 }
    func between(_ share: Double) -> [Double] { zip(beats, periods).map { $0 + share * $1 } }
    let places = [beats, between(0.5), between(0.25), between(0.75), between(1 / 3.0) + between(2 / 3.0)]
    let logits = places.map { Self.maxima(self.beats, at: $0) }
    let chances = places.map { Self.maxima(probabilities, at: $0) }
    var found = NamedValues(capacity: 20, named: named)
    found.add("heard_logit_on_beats", Self.mean(logits[0], else: -6))
    found.add("heard_logit_on_halves", Self.mean(logits[1], else: -6))
    found.add("heard_logit_on_quarters", Self.mean(logits[2] + logits[3], else: -6))
    found.add("heard_logit_on_thirds", Self.mean(logits[4], else: -6))
    found.add("heard_chance_on_beats", log(Self.mean(chances[0], else: 0) + 0.02))
    found.add("heard_chance_on_halves", log(Self.mean(chances[1], else: 0) + 0.02))
    found.add("heard_chance_on_quarters", log(Self.mean(chances[2] + chances[3], else: 0) + 0.02))
    found.add("heard_chance_on_thirds", log(Self.mean(chances[4], else: 0) + 0.02))

    let onBeats = chances[0]
    let count = Float(max(onBeats.count, 1))
    found.add("beats_heard", Float(onBeats.count { $0 > Self.minProbability }) / count)
    found.add("peaks_on_beats", shareOfPeaks(on: beats))
    found.add("chance_on_beats_of_all", log(0.02 + onBeats.reduce(0, +) / max(probabilitySum, 0.5)))
    let seconds = Float(Double(probabilities.count) / BeatNetworkInput.framesPerSecond)
    found.add("heard_logits_per_second", logits[0].reduce(0, +) / max(seconds, 1))
    found.add("chance_of_all_per_beat", log(0.5 + probabilitySum / count / 1.5))

    let bars = downbeats(at: beats)
    func surety(ofBarsOf count: Int) -> Float {
      bars.count >= 2 * count ? Self.advantage(Self.means(bars, every: count)) : 0
    }
    found.add("bars_of_2", surety(ofBarsOf: 2))
    found.add("bars_of_3", surety(ofBarsOf: 3))
    found.add("bars_of_4", surety(ofBarsOf: 4))
    found.add("bars_of_6", surety(ofBarsOf: 6))
    found.add("bars_of_8", surety(ofBarsOf: 8))
    found.add(
      "bar_logit_on_halves_less_beats", Self.mean(downbeats(at: between(0.5)), else: 0) - Self.mean(bars, else: 0))
    found.add("heard_last_less_first_quarter", Self.mean(logits[3], else: 0) - Self.mean(logits[2], else: 0))
    return found
  }

  /// Returns, for each of the first `step` values, the mean of that value and every `step`-th value after it.
  static func means(_ values: [Float], every step: Int) -> [Float] {
    (0..<step).map { first in
      mean(stride(from: first, to: values.count, by: step).map { values[$0] }, else: 0)
    }
  }

  /// Returns the excess of the maximum over the mean. Applied to the result of `means`, it shows how clearly one of the
  /// beats begins the bars.
  static func advantage(_ means: [Float]) -> Float { means.max()! - mean(means, else: 0) }

  /// Returns the share of the peaks, weighted by probability, that coincide with beats.
  private func shareOfPeaks(on beats: [Double]) -> Float {
    guard beats.count > 1, !peaks.isEmpty else { return 0 }
    let tolerance = Self.tolerance * BeatNetworkInput.framesPerSecond
    let frames = beats.map(Self.frame)
    var (next, on, all) = (0, Float(0), Float(0))
    for peak in peaks {
      while next < frames.count - 1, frames[next] < Double(peak) { next += 1 }
      let distance = min(abs(frames[next] - Double(peak)), abs(frames[max(0, next - 1)] - Double(peak)))
      all += probabilities[peak]
      if distance < tolerance { on += probabilities[peak] }
    }
    return on / all
  }
}
