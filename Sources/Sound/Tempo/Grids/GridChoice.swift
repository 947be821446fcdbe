internal import Mathematics

/// A beat grid that may be right, and how well it explains the onsets.
struct GridHypothesis {
  var candidate: PulseCandidate
  /// Shift of the beats from the candidate's grid, 0 to 1 beats.
  var phase: Double
  /// Values of the features, in the order of `GridFeatures.names`.
  var features: [Float] = []
  /// Log-probability, up to an additive constant.
  var score: Double
  /// `true` if onsets occur only on these beats; see `GridFeatures.isBare`.
  var isBare = false
}

/// Ranks hypotheses by a conditional logit (McFadden 1974) over all tempi and phases at once. The score is a weighted
/// sum of the features plus the output of a small hidden layer, for interactions between features.
enum GridChoice {
  static func score(of features: [Float]) -> Double {
    let weights = GridWeights.fitted
    var score = dot(features, weights.linear[...])
    for (unit, output) in weights.output.enumerated() {
      let own = weights.hidden[(unit * features.count)..<((unit + 1) * features.count)]
      score += output * tanh(weights.bias[unit] + dot(features, own))
    }
    return Double(score)
  }

  /// Returns the penalty on the score of a fast tempo. People follow music most readily between about 80 and 160 BPM
  /// (van Noorden & Moelants, Journal of New Music Research 1999), and often count music that is notated faster at half
  /// the tempo. In addition, the training data contains more fast music than real libraries do.
  static func reluctance(bpm: Double) -> Double {
    3 * max(0, log2(bpm / 165))
  }

  private static func dot(_ features: [Float], _ weights: ArraySlice<Float>) -> Float {
    var sum: Float = 0
    for (feature, weight) in zip(features, weights) { sum += feature * weight }
    return sum
  }

  /// Returns a hypothesis for each candidate and each of its likely phases, best first.
  static func hypotheses(
    for candidates: [PulseCandidate], in envelopes: OnsetEnvelopes, _ activation: BeatActivation
  ) -> [GridHypothesis] {
    guard !candidates.isEmpty else { return [] }
    let presence = OnsetPresence(envelopes.values)
    var found: [GridHypothesis] = []
    for candidate in candidates {
      let smoothed = GridFeatures.smoothed(candidate.profile, bpm: candidate.bpm)
      for phase in GridFeatures.phases(of: smoothed) {
        let values = GridFeatures.values(
          of: candidate, smoothed: smoothed, phase: phase, activity: envelopes.activity, presence: presence,
          activation: activation, chords: envelopes.chords, named: false
        ).values
        found.append(
          GridHypothesis(
            candidate: candidate, phase: phase, features: values,
            score: score(of: values) - reluctance(bpm: candidate.bpm),
            isBare: GridFeatures.isBare(smoothed, phase: phase, bpm: candidate.bpm)))
      }
    }
    return found.sorted { ($1.score, $0.candidate.bpm) < ($0.score, $1.candidate.bpm) }
  }

  /// Maximum relative difference between tempi that count as the same.
  static let tolerance = 0.04

  /// The hypotheses of one tempo.
  struct Tempo {
    /// The tempo of the likeliest hypothesis.
    var bpm: Double
    /// The total probability of the hypotheses for this tempo, assuming that one of all hypotheses is right.
    var probability: Double
    /// Indices of the hypotheses, best first.
    var hypotheses: [Int]
  }

  /// Groups hypotheses by tempo, the likeliest tempo first.
  /// - Parameter hypotheses: The hypotheses, best first.
  static func tempi(of hypotheses: [GridHypothesis]) -> [Tempo] {
    var found: [Tempo] = []
    for (index, probability) in probabilities(hypotheses).enumerated() {
      let bpm = hypotheses[index].candidate.bpm
      if let own = found.firstIndex(where: { abs(bpm / $0.bpm - 1) < tolerance }) {
        found[own].probability += probability
        found[own].hypotheses.append(index)
      } else {
        found.append(Tempo(bpm: bpm, probability: probability, hypotheses: [index]))
      }
    }
    return found.sorted { ($1.probability, $0.bpm) < ($0.probability, $1.bpm) }
  }

  /// Returns the probabilities of the hypotheses, assuming that one of them is right.
  static func probabilities(_ hypotheses: [GridHypothesis]) -> [Double] {
    guard let best = hypotheses.map(\.score).max() else { return [] }
    let weights = hypotheses.map { exp($0.score - best) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }
}
