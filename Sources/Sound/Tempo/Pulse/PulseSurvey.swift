internal import DSP
internal import Mathematics

/// The measurements of a stretch of music, taken before anything is decided.
struct PulseSurvey {
  /// The range of candidate tempi, in beats per minute.
  static let range = 40.0...250.0
  /// The preferred tempo in beats per minute. Listeners tap near this tempo, and within an octave of it (van Noorden
  /// and Moelants, JNMR 1999).
  static let preferred = 115.0
  static let preferredOctaves = 0.9

  let envelopes: OnsetEnvelopes
  /// The sum of all lanes, scaled to mean 0 and standard deviation 1.
  let envelope: [Float]
  let tempogram: Tempogram
  let activation: BeatActivation
  /// The strongest tempi: up to two from the whole stretch, best first, then up to two from its windows.
  let strongest: [Double]

  init(_ envelopes: OnsetEnvelopes, hearing network: BeatNetwork = .trained) {
    self.envelopes = envelopes
    envelope = Self.combined(envelopes)
    tempogram = Tempogram(envelope, columnsPerSecond: OnsetEnvelopes.columnsPerSecond)
    activation = BeatActivation(envelopes.networkInput, by: network)
    let tempi = Tempogram.tempi
    let count = tempi.count
    var byWhole = [Float](repeating: 0, count: count)
    var byLocal = byWhole
    for index in 0..<count where Self.range.contains(tempi[index]) {
      let octaves = log2(tempi[index] / Self.preferred) / Self.preferredOctaves
      let prior = Float(exp(-0.5 * octaves * octaves))
      byWhole[index] = tempogram.comb[index] * tempogram.wholeSpectrum[index] * prior
      byLocal[index] = tempogram.comb[index] * tempogram.localSpectrum[index] * prior
    }
    var found: [Double] = []
    for (view, limit) in [(byWhole, 2), (byLocal, 2)] {
      for peak in peaks(of: view.span, limit: limit) {
        let bpm = tempi[0] * pow(tempi[count - 1] / tempi[0], peak.position / Double(count - 1))
        if !found.contains(where: { abs($0 / bpm - 1) < 0.02 }) { found.append(bpm) }
      }
    }
    let sound = envelope
    strongest = found.map {
      CoherentTempo(sound, near: $0, columnsPerSecond: OnsetEnvelopes.columnsPerSecond).strongest(within: 0.02)
    }
  }

  /// Returns the sum of all lanes, scaled to mean 0 and standard deviation 1.
  static func combined(_ envelopes: OnsetEnvelopes) -> [Float] { standardized(envelopes.values.map { $0.sum() }) }

  static func standardized(_ values: [Float]) -> [Float] {
    var (sum, squares) = (0.0, 0.0)
    for value in values {
      sum += Double(value)
      squares += Double(value) * Double(value)
    }
    let mean = sum / Double(max(values.count, 1))
    let deviation = max(squares / Double(max(values.count, 1)) - mean * mean, 0).squareRoot()
    guard deviation > 0 else { return [Float](repeating: 0, count: values.count) }
    return values.map { Float((Double($0) - mean) / deviation) }
  }

  /// Ratios of the candidate tempi to the strongest tempo.
  static let ratios: [Double] = [1, 1 / 2.0, 2, 2 / 3.0, 3 / 2.0, 1 / 3.0, 3, 3 / 4.0, 4 / 3.0, 4 / 5.0, 5 / 4.0]
  /// Ratios of further candidate tempi to each of the other strong tempi.
  static let ratiosOfOthers: [Double] = [1, 1 / 2.0, 2]

  /// The candidate tempi, without near-duplicates.
  var tempi: [Double] {
    var found: [Double] = []
    for (rank, base) in strongest.enumerated() {
      for ratio in rank == 0 ? Self.ratios : Self.ratiosOfOthers {
        let bpm = base * ratio
        if Self.range.contains(bpm), !found.contains(where: { abs($0 / bpm - 1) < 0.02 }) { found.append(bpm) }
      }
    }
    return found
  }

  func constant(_ bpm: Double) -> PulseCandidate {
    let period = 60 / bpm * OnsetEnvelopes.columnsPerSecond
    return candidate(
      bpm, BeatGrid(period: period, phase: 0, columnCount: envelopes.columnCount), isConstant: true)
  }

  func flexible(
    _ bpm: Double, along envelope: [Float], range: Double = 1.38, changeCost: Float, distanceCost: Float
  ) -> PulseCandidate? {
    let period = 60 / bpm * OnsetEnvelopes.columnsPerSecond
    let path = BeatPath(envelope, period: period, range: range, changeCost: changeCost, distanceCost: distanceCost)
    guard path.beats.count > 3 else { return nil }
    return candidate(along: BeatGrid(beats: path.beats.map(Double.init)))
  }

  private func candidate(along grid: BeatGrid) -> PulseCandidate {
    candidate(60 / grid.medianPeriod * OnsetEnvelopes.columnsPerSecond, grid, isConstant: false)
  }

  private func candidate(_ bpm: Double, _ grid: BeatGrid, isConstant: Bool) -> PulseCandidate {
    PulseCandidate(
      bpm: bpm, isConstant: isConstant, grid: grid, profile: BarProfile(envelopes.values, over: grid),
      comb: Tempogram.value(tempogram.comb, at: bpm),
      wholeSpectrum: Tempogram.value(tempogram.wholeSpectrum, at: bpm),
      localSpectrum: Tempogram.value(tempogram.localSpectrum, at: bpm))
  }
}

extension PulseSurvey {
  /// `true` if there are regular onsets. Noise, speech and drones have none. Music whose tempo varies widely barely
  /// passes.
  var hasPulse: Bool {
    let seconds = Float(envelopes.columnCount) / Float(OnsetEnvelopes.columnsPerSecond)
    // In a short stretch, chance alone yields more regularity.
    let regular = 0.31 * max(1, 15 / max(seconds, 1)).squareRoot()
    return envelopes.activity.sum() >= 8 && tempogram.clarity >= regular
  }

  /// Returns hypotheses about the beats, best first; empty if there is no pulse.
  ///
  /// - Parameter isWholeFile: `true` if the stretch is the whole file.
  func hypotheses(isWholeFile: Bool) -> [GridHypothesis] {
    var found = GridChoice.hypotheses(for: candidates(isWholeFile: isWholeFile), in: envelopes, activation)
    // If the audio consists only of beats, their slowest grid wins: the weights were fitted to music, not metronomes.
    let bare = found.indices.filter { found[$0].isBare && isSparse(beats(of: found[$0])) }
    for index in found.indices where !bare.contains(index) { found[index].isBare = false }
    if let slowest = bare.min(by: { found[$0].candidate.bpm < found[$1].candidate.bpm }) {
      found[slowest].score = found[0].score + 3
      found.insert(found.remove(at: slowest), at: 0)
    }
    return found
  }

  /// Returns hypotheses about the phase and course of the beats at a given tempo, best first.
  func hypotheses(near bpm: Double) -> [GridHypothesis] {
    let grid = constant(measured(near: bpm))
    let candidates =
      moves(against: tempi.map { constant($0) })
      ? pathSettings.compactMap {
        flexible(bpm, along: $0.envelope, range: Self.maxRatioToGiven, changeCost: $0.changeCost, distanceCost: 1)
      } : [grid]
    return GridChoice.hypotheses(for: candidates.isEmpty ? [grid] : candidates, in: envelopes, activation)
  }

  /// Maximum ratio between a varying tempo and the given tempo.
  private static let maxRatioToGiven = 1.25

  /// Refines a tempo given by the user, who may have rounded it. Returns the tempo within 1% at which the onsets
  /// clearly add up in phase, or else the given tempo.
  private func measured(near bpm: Double) -> Double {
    let rate = OnsetEnvelopes.columnsPerSecond
    let near = CoherentTempo(envelope, near: bpm, columnsPerSecond: rate)
    let found = near.strongest(within: 0.01)
    guard let strongest = strongest.first else { return bpm }
    let most = CoherentTempo(envelope, near: strongest, columnsPerSecond: rate).strength(at: strongest)
    return near.strength(at: found) > 0.4 * most ? found : bpm
  }

  /// Returns `true` if most beats have an onset and there is little or no energy between beats.
  private func isSparse(_ beats: [Double]) -> Bool {
    guard beats.count > 3 else { return false }
    let period = (beats[beats.count - 1] - beats[0]) / Double(beats.count - 1)
    var sounding = 0.0
    var strengths: [Float] = []
    for beat in beats {
      let first = max(0, Int(beat) - 3)
      let last = min(powers.count - 1, Int(beat + max(0.25 * period, 5)))
      guard first <= last else { continue }
      for column in first...last { sounding += Double(powers[column]) }
      strengths.append(envelope[first...last].max() ?? 0)
    }
    let strong = strengths.sorted()[strengths.count * 3 / 4]
    let total = powers.reduce(0.0) { $0 + Double($1) }
    return sounding > 0.85 * total && strengths.count { $0 > 0.4 * strong } * 10 >= strengths.count * 7
  }

  private var powers: [Float] { envelopes.powers }

  /// Returns candidates for all `tempi`, either all with a constant tempo or all along paths; empty if there is no
  /// pulse.
  func candidates(isWholeFile: Bool) -> [PulseCandidate] {
    guard !strongest.isEmpty, hasPulse else { return [] }
    var constants = tempi.map { constant($0) }
    if moves(against: constants) { return moving() }
    let columnCount = envelopes.columnCount
    for index in constants.indices where isWholeFile {
      constants[index].isLoop = Self.isLoop(constants[index].bpm, columnCount: columnCount)
    }
    return constants
  }

  /// The envelopes and costs to try. Music that pushes and pulls only a little needs a stiffer path than freely played
  /// music.
  private var pathSettings: [(envelope: [Float], changeCost: Float)] {
    [(envelope, 10), (envelope, 30), (activation.envelope(columnCount: envelopes.columnCount), 30)]
  }

  private func moving() -> [PulseCandidate] {
    let pathSettings = pathSettings
    var found = tempi.flatMap { bpm in
      pathSettings.compactMap { flexible(bpm, along: $0.envelope, changeCost: $0.changeCost, distanceCost: 1) }
    }
    // A varying beat is often clearest in its subdivisions.
    for fast in found where fast.bpm > 100 {
      for factor in [2, 3] where fast.bpm / Double(factor) >= Self.range.lowerBound {
        let beats = stride(from: 0, to: fast.grid.beats.count, by: factor).map { fast.grid.beats[$0] }
        if beats.count > 3 { found.append(candidate(along: BeatGrid(beats: beats))) }
      }
    }
    return found
  }

  /// Returns `true` if the file consists of whole bars and is short enough that this cannot be chance.
  private static func isLoop(_ bpm: Double, columnCount: Int) -> Bool {
    let seconds = Double(columnCount - 1) / OnsetEnvelopes.columnsPerSecond
    let bars = seconds * bpm / 240
    return seconds < 40 && bars > 0.9 && abs(bars - bars.rounded()) * 4 < 0.06
  }

  /// Minimum ratio of the onset strength along the path of a varying tempo to that on the grid of the strongest tempo.
  private static let advantageOverOwn: Float = 1.5
  /// Minimum ratio of the onset strength along the path of a varying tempo to that on the best grid of any tempo.
  private static let advantageOverAny: Float = 1.2
  /// Maximum share of the beats of a varying tempo that are on the grid of the strongest tempo.
  private static let shareOnGrid = 0.92
  /// Maximum distance between a beat and the grid for the beat to count as on the grid, as a fraction of a beat.
  private static let onGrid = 0.12

  private func moves(against constants: [PulseCandidate]) -> Bool {
    guard let strongest = strongest.first,
      let path = flexible(strongest, along: envelope, changeCost: 100, distanceCost: 3)
    else { return false }
    let pathStrength = meanEnvelope(at: path.grid.beats)
    var (ownStrength, anyStrength): (Float, Float) = (0, 0)
    var share = 1.0
    for (index, candidate) in constants.enumerated() {
      let smoothed = GridFeatures.smoothed(candidate.profile, bpm: candidate.bpm)
      guard let phase = GridFeatures.phases(of: smoothed, limit: 1).first else { continue }
      let grid = beats(of: GridHypothesis(candidate: candidate, phase: phase, score: 0))
      // Very slow grids are ignored, because they may select just the few strongest onsets.
      let strength = candidate.bpm > 0.45 * constants[0].bpm ? meanEnvelope(at: grid) : 0
      anyStrength = max(anyStrength, strength)
      if index == 0 { ownStrength = strength }
      guard index == 0, let first = grid.first else { continue }
      let period = 60 / candidate.bpm * OnsetEnvelopes.columnsPerSecond
      let near = path.grid.beats.filter { beat in
        let position = (beat - first) / period
        return abs(position - position.rounded()) < Self.onGrid
      }
      share = Double(near.count) / Double(path.grid.beats.count)
    }
    return pathStrength > Self.advantageOverOwn * ownStrength && pathStrength > Self.advantageOverAny * anyStrength
      && share < Self.shareOnGrid
  }

  private func meanEnvelope(at beats: [Double]) -> Float {
    var sum: Float = 0
    var count: Float = 0
    for beat in beats where beat >= 0 && beat.rounded() < Double(envelope.count) {
      sum += envelope[Int(beat.rounded())]
      count += 1
    }
    return count > 0 ? sum / count : 0
  }

  /// Returns the beats of a hypothesis, in columns, within the stretch.
  func beats(of hypothesis: GridHypothesis) -> [Double] {
    var shifted = hypothesis.candidate.grid.beats(after: hypothesis.phase)
    if hypothesis.candidate.isConstant {
      let offset = fineOffset(of: shifted)
      for index in shifted.indices { shifted[index] += offset }
    }
    return shifted.filter { $0 >= 0 && $0 < Double(envelope.count) }
  }

  /// Returns the shift, in columns, that aligns beats of constant tempo with the onsets. It is needed because the
  /// resolution of the profile is only a 24th of a beat.
  private func fineOffset(of beats: [Double]) -> Double {
    let reach = 25
    // One column, in steps of a tenth. The sums extend one column further than the offsets on either side.
    let column = 10
    var sums = [Float](repeating: 0, count: 2 * (reach + column) + 1)
    for index in sums.indices {
      let offset = 0.1 * Double(index - reach - column)
      for beat in beats { sums[index] += interpolate(envelope, beat + offset) }
    }
    var strengths = [Float](repeating: 0, count: 2 * reach + 1)
    for index in strengths.indices {
      let besides = sums[index] + sums[index + 2 * column]
      strengths[index] = sums[index + column] + 0.6 * besides
    }
    guard let best = peaks(of: strengths.span, limit: 1).first else { return 0 }
    return (best.position - Double(reach)) * 0.1
  }
}
