/// A fade at the start of a curve of power: a gain that rises in proportion to time, from nothing to 1.
///
/// Ramps of many lengths are laid over the curve; each is followed by constant gain. Two curves are compared, in
/// blocks of a second or more, so beats do not count:
///
/// - Amplitude: whether there is a fade at all. Music that simply begins is not explained by any ramp, and neither is a
///   chord that dies away, which falls fastest at first.
/// - Energy, added up from the start: how long the fade is. Sums vary less than amplitudes where the music gets louder
///   or softer.
struct Fade {
  /// Seconds. For a fade of another shape, the length of the ramp that comes nearest.
  let length: Double

  private static let lengths = 1.0...45.0
  /// Share of the variance of the amplitude that the ramp must explain, and that the best one must.
  private static let (leastExplained, leastBest) = (0.8, 0.9)
  /// The first tenth of a ramp has 25 dB less power than the sound after the ramp. A fade must have 18 dB less: softer
  /// music that ends is no fade.
  private static let mostPowerAtStart = 0.016
  /// How much of the curve is looked at, in lengths of the fade.
  private static let (amplitudeReach, energyReach) = (1.5, 2.0)
  /// Seconds; blocks of longer fades are longer.
  private static let shortestBlock = 1.0
  private static let (blocksPerFade, leastBlocks) = (20.0, 6)

  /// - Parameters:
  ///   - energies: Sums of squares of slots, from the first sound on (backward from the last one, for a fade-out).
  ///   - slotSeconds: Length of a slot.
  ///   - offset: Seconds from the start of the first slot to the sound.
  init?(_ energies: some Sequence<Float>, slotSeconds: Double, offset: Double) {
    let limit = Int(Self.lengths.upperBound * Self.energyReach / slotSeconds) + 2
    var sums = [0.0]
    for energy in energies.prefix(limit) { sums.append(sums[sums.count - 1] + Double(energy)) }
    let available = Double(sums.count - 1) * slotSeconds - offset
    guard sums.count > 1, available > 0 else { return nil }

    /// From the start of the sound.
    func energy(until seconds: Double) -> Double {
      let position = min(max(0, (seconds + offset) / slotSeconds), Double(sums.count - 1))
      let index = min(Int(position), sums.count - 2)
      return sums[index] + (position - Double(index)) * (sums[index + 1] - sums[index])
    }
    /// Energy of each block, as it is and as a ramp would have it.
    func blocks(_ length: Double, reach: Double) -> (found: [Double], ramp: [Double])? {
      guard length * reach <= available else { return nil }
      let blockSeconds = max(length / Self.blocksPerFade, Self.shortestBlock)
      let count = max(Int((length * reach / blockSeconds).rounded()), Self.leastBlocks)
      let edges = (0...count).map { length * reach * Double($0) / Double(count) }
      return (
        zip(edges, edges.dropFirst()).map { max(0, energy(until: $1) - energy(until: $0)) },
        zip(edges, edges.dropFirst()).map { Self.rampEnergy($1 / length) - Self.rampEnergy($0 / length) }
      )
    }

    var (isFade, best) = (false, (length: 0.0, explained: 0.0))
    func consider(_ length: Double) {
      guard let (found, ramp) = blocks(length, reach: Self.amplitudeReach) else { return }
      let flat = [Double](repeating: 1, count: ramp.count)
      let explained = Self.explained(found.map { $0.squareRoot() }, by: ramp.map { $0.squareRoot() }, beyond: flat)
      let start = energy(until: length / 10) * 10
      let after = (energy(until: length * 1.5) - energy(until: length)) * 2
      guard start <= Self.mostPowerAtStart * after else { return }
      if explained >= Self.leastBest { isFade = true }
      guard explained >= Self.leastExplained, let (found, ramp) = blocks(length, reach: Self.energyReach)
      else { return }
      let steady = (1...ramp.count).map { Double($0) }
      let share = Self.explained(Self.accumulated(found), by: Self.accumulated(ramp), beyond: steady)
      if share > best.explained { best = (length, share) }
    }
    var length = Self.lengths.lowerBound
    while length <= Self.lengths.upperBound {
      consider(length)
      length *= 1.04
    }
    let coarse = best.length
    for step in -8...8 where coarse > 0 { consider(coarse * (1 + 0.005 * Double(step))) }
    guard isFade, best.length > 0 else { return nil }
    self.length = best.length
  }

  /// Energy of a ramp of length and gain 1, up to a time.
  private static func rampEnergy(_ time: Double) -> Double { time < 1 ? time * time * time / 3 : time - 2.0 / 3 }

  private static func accumulated(_ values: [Double]) -> [Double] {
    var sum = 0.0
    return values.map {
      sum += $0
      return sum
    }
  }

  /// The share of another curve's error that is gone with this one.
  private static func explained(_ values: [Double], by curve: [Double], beyond other: [Double]) -> Double {
    let variance = error(of: other, to: values)
    return variance > 0 ? 1 - error(of: curve, to: values) / variance : 0
  }

  /// Sum of squares of what is left of the values once the curve, in the scale that fits best, is subtracted.
  private static func error(of curve: [Double], to values: [Double]) -> Double {
    var (product, square) = (0.0, 0.0)
    for (x, y) in zip(curve, values) {
      product += x * y
      square += x * x
    }
    let scale = square > 0 ? product / square : 0
    return zip(curve, values).reduce(0) { $0 + ($1.1 - scale * $1.0) * ($1.1 - scale * $1.0) }
  }
}
