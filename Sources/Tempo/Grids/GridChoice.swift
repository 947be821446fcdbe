internal import Glibc

/// A possible grid of beats, and how well it explains the onsets.
struct GridHypothesis {
  var candidate: PulseCandidate
  /// The position of the beats within the candidate's beat, 0 to 1.
  var phase: Double
  /// In the order of `GridFeatures.names`.
  var features: [Float] = []
  /// A log-probability up to a constant.
  var score: Double
  /// Whether the music is nothing but these beats.
  var isBare = false
}

/// Chooses the right hypothesis: a conditional logit (McFadden 1974) over all tempi and phases at once. The score is a
/// weighted sum of the features plus a small hidden layer, for what features say only in combination.
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

  /// The penalty on the score of a fast tempo. People follow music most readily between about 80 and 160 BPM (van
  /// Noorden & Moelants, Journal of New Music Research 1999) and often count faster notated music in half; and the
  /// fitting material has more fast music than libraries have.
  static func reluctance(bpm: Double) -> Double {
    3 * max(0, log2(bpm / 165))
  }

  private static func dot(_ features: [Float], _ weights: ArraySlice<Float>) -> Float {
    var sum: Float = 0
    for (feature, weight) in zip(features, weights) { sum += feature * weight }
    return sum
  }

  /// All hypotheses, best first.
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
          activation: activation, chords: envelopes.chords
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

  /// Probabilities of the hypotheses, given that one of them is right.
  static func probabilities(_ hypotheses: [GridHypothesis]) -> [Double] {
    guard let best = hypotheses.map(\.score).max() else { return [] }
    let weights = hypotheses.map { exp($0.score - best) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }
}
