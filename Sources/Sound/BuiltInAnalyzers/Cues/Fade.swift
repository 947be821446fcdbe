internal import Mathematics

/// A fade at the start of a curve of power: a gain that rises from nothing to 1 and stays there, whatever the music does.
///
/// Fades of five shapes and many lengths are laid over the level in decibels. What such a fade leaves unexplained is the
/// music itself: its level keeps something of what it was half a second ago, and jumps at times. So residuals are
/// compared as those of an autoregressive process with Student's t-distribution, and the length is the median of what
/// the shapes and lengths say by their probability. A chord that dies away falls like an exponential fade; but in a
/// fade the music goes on, and its level still rises at each note.
struct Fade {
  /// Seconds.
  let length: Double

  /// Decibels of a shape over 1,024ths of its length, at least `floor`.
  private static let shapes: [(gains: [Double], chance: Double)] = [
    (curve { $0 }, 0.5), (curve { $0 * $0 }, 0.1), (curve { sin(.pi / 2 * $0) }, 0.13),
    (curve { (1 - cos(.pi * $0)) / 2 }, 0.13), (curve { $0 > 0 ? pow(10, 2.5 * ($0 - 1)) : 0 }, 0.14),
  ]
  private static let exponential = 4
  private static let steps = 1_024
  /// Decibels below the louder fifth of the music; what is softer tells nothing.
  private static let floor = -50.0
  private static let lengths: [Double] = Array(sequence(first: 1.0) { $0 < 38 ? $0 * step : nil })
  private static let step = 1.05
  /// Seconds.
  private static let blockSeconds = 0.5
  /// How much of the curve is looked at: seconds at first, then lengths of the fade that was found, and seconds at least.
  private static let (reach, nearReach, leastReach) = (60.0, 2.2, 25.0)
  /// A fade must begin this many decibels below what follows, explain this share of the deviations, and leave this many
  /// decibels at most, or so many times what varies after it.
  private static let (leastDepth, leastExplained) = (15.0, 0.6)
  private static let (mostLeft, mostLeftBeside) = (6.0, 2.5)
  /// How much the level moves against the fade, beside how much it moves after it; more for exponential fades, and
  /// seconds that these last at least: rooms and strings die away as fast.
  private static let (leastMotion, leastMotionOfDecay, leastDecay) = (0.4, 0.7, 4.0)

  private static func curve(_ gain: (Double) -> Double) -> [Double] {
    (0...steps).map { max(floor, 20 * log10(gain(Double($0) / Double(steps)) + 1e-9)) }
  }

  /// - Parameters:
  ///   - energies: Sums of squares of slots, from the first sound on (backward from the last one, for a fade-out).
  ///   - slotSeconds: Length of a slot.
  ///   - offset: Seconds from the start of the first slot to the sound.
  init?(_ energies: some Sequence<Float>, slotSeconds: Double, offset: Double) {
    let powers = energies.prefix(Int(Self.reach / slotSeconds)).map { Double($0) + 1e-12 }
    guard var fit = Fit(powers, slotSeconds: slotSeconds) else { return nil }
    let near = max(Self.leastReach, Self.nearReach * fit.length)
    if near < 0.9 * Self.reach,
      let nearer = Fit(Array(powers.prefix(Int(near / slotSeconds))), slotSeconds: slotSeconds)
    {
      fit = nearer
    }
    guard fit.depth >= Self.leastDepth, fit.explained >= Self.leastExplained,
      fit.left < max(Self.mostLeft, Self.mostLeftBeside * fit.leftAfter)
    else { return nil }
    let isExponential = fit.shape == Self.exponential
    guard !isExponential || fit.length >= Self.leastDecay else { return nil }
    let motion = Self.motion(powers, slotSeconds: slotSeconds, fit)
    guard motion.inside >= (isExponential ? Self.leastMotionOfDecay : Self.leastMotion) * motion.after else {
      return nil
    }
    length = max(0, fit.length - offset)
  }

  private static func gain(_ gains: [Double], _ share: Double) -> Double {
    gains[min(steps, Int(share * Double(steps)))]
  }

  /// The same for a part of the length, measured as `Fit` measures levels.
  private static func gain(_ gains: [Double], from start: Double, to end: Double) -> Double {
    guard end - start > 1 / 16.0, start < 1 else { return gain(gains, (start + end) / 2) }
    let powers = (0..<4).map { (point: Int) -> Double in
      let share = start + (Double(point) + 0.5) / 4 * (end - start)
      return pow(10, gain(gains, share) / 10)
    }
    return level(of: powers)
  }

  /// Decibels between the mean power, which peaks rule, and the mean level, which pauses rule.
  private static func level(of powers: some Collection<Double>) -> Double {
    var (sum, logarithms) = (0.0, 0.0)
    for power in powers {
      sum += power
      logarithms += log10(power)
    }
    let count = Double(powers.count)
    return 5 * (log10(sum / count) + logarithms / count)
  }

  /// Decibels by which the level moves against the direction of the fade from a tenth of a second to the next, in the
  /// mean: within the louder part of the fade, and in the 20 seconds after it.
  private static func motion(_ powers: [Double], slotSeconds: Double, _ fit: Fit) -> (inside: Double, after: Double) {
    let width = max(1, Int((0.1 / slotSeconds).rounded()))
    let seconds = Double(width) * slotSeconds
    let gains = shapes[fit.shape].gains
    let steady = (0..<powers.count / width).map { (step: Int) -> Double in
      let power: Double = powers[step * width..<(step + 1) * width].reduce(0, +)
      return 10 * log10(power) - gain(gains, (Double(step) + 0.5) * seconds / fit.length)
    }
    func mean(from start: Double, to end: Double) -> Double {
      let falls = zip(steady, steady.dropFirst()).map { max(0, $0 - $1) }
      let part = falls.dropFirst(Int(start / seconds)).prefix(Int((end - start) / seconds))
      return part.isEmpty ? 0 : part.reduce(0, +) / Double(part.count)
    }
    return (mean(from: 0.3 * fit.length, to: fit.length), mean(from: fit.length, to: fit.length + 20))
  }

  /// The fade that comes nearest to a curve.
  private struct Fit {
    /// An index in `shapes`.
    var shape = 0
    /// Seconds: the most likely length, with which all else goes; then `length` is the median.
    var length = 0.0
    /// Decibels between the beginning and what follows.
    var depth = 0.0
    /// Share of the deviations from the level after the fade, and decibels that are left in the mean, and after it.
    var (explained, left, leftAfter) = (0.0, 0.0, 0.0)

    /// Degrees of freedom of residuals, and how much one has of the one before.
    private static let (freedom, memory) = (4.0, 0.5)
    /// Decibels: a first scale, and the least that is added to a fitted one.
    private static let (firstScale, leastScale) = (3.0, 0.4)
    /// Blocks are not independent.
    private static let evidence = 0.5

    init?(_ slots: [Double], slotSeconds: Double) {
      let width = max(1, Int((Fade.blockSeconds / slotSeconds).rounded()))
      let seconds = Double(width) * slotSeconds
      var levels = (0..<slots.count / width).map { Fade.level(of: slots[$0 * width..<($0 + 1) * width]) }
      let lengths = Fade.lengths.filter { $0 * 1.25 <= Double(levels.count) * seconds }
      guard !lengths.isEmpty else { return nil }
      let loud = levels.sorted()[levels.count * 4 / 5]
      // Most music begins and ends at its level.
      guard levels[0] <= loud - Fade.leastDepth else { return nil }
      for index in levels.indices { levels[index] = max(levels[index], loud + Fade.floor) }

      let candidates = lengths.flatMap { length in Fade.shapes.indices.map { (shape: $0, length: length) } }
      let residuals = candidates.map { candidate in
        let share = seconds / candidate.length
        let gains = Fade.shapes[candidate.shape].gains
        return levels.indices.map {
          levels[$0] - Fade.gain(gains, from: Double($0) * share, to: Double($0 + 1) * share)
        }
      }
      func cost(_ candidate: Int, _ scale: Double) -> Double {
        Self.cost(Self.centered(residuals[candidate], scale), scale)
      }
      // Any of the better ones tells the scale.
      let nearest = stride(from: 0, to: candidates.count, by: 4).map { (index: $0, cost: cost($0, Self.firstScale)) }
        .min { $0.cost < $1.cost }!.index
      let innovations = Self.innovations(Self.centered(residuals[nearest], Self.firstScale)).map { abs($0) }
      // The median of a normal distribution's deviations is 0.67 of the standard deviation.
      let scale = 1.48 * innovations.sorted()[innovations.count / 2] + Self.leastScale
      let chances = candidates.indices.map {
        -Self.evidence * cost($0, scale) + log(Fade.shapes[candidates[$0].shape].chance)
      }
      let best = chances.indices.max { chances[$0] < chances[$1] }!
      shape = candidates[best].shape
      let likeliest = candidates[best].length
      let weights = chances.map { exp($0 - chances[best]) }
      length = Self.median(lengths, weights)

      let found = residuals[best]
      let level = Self.center(found, scale)
      let inside = min(levels.count, max(1, Int((likeliest / seconds + 0.5).rounded(.down))))
      let beginning = max(1, Int((max(seconds, likeliest / 8) / seconds).rounded()))
      func mean(_ values: some Collection<Double>) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
      depth = level - mean(levels.prefix(beginning))
      let deviations = found.map { abs($0 - level) }
      left = mean(deviations.prefix(inside))
      let after = deviations.dropFirst(inside).sorted()
      leftAfter = after.isEmpty ? .infinity : after[after.count / 2]
      explained = 1 - left / max(1e-9, mean(levels.prefix(inside).map { abs($0 - level) }))
    }

    /// The median of lengths whose weights stand shape by shape for each.
    private static func median(_ lengths: [Double], _ weights: [Double]) -> Double {
      var left = weights.reduce(0, +) / 2
      for (index, length) in lengths.enumerated() {
        let own = weights[index * shapes.count..<(index + 1) * shapes.count].reduce(0, +)
        if own >= left { return length * pow(step, left / own - 0.5) }
        left -= own
      }
      return lengths[lengths.count - 1]
    }

    /// The level that residuals vary about, by iteration: what is far off counts less.
    private static func center(_ residuals: [Double], _ scale: Double) -> Double {
      var level = residuals.reduce(0, +) / Double(residuals.count)
      for _ in 0..<3 {
        var (sum, weights) = (0.0, 0.0)
        for residual in residuals {
          let deviation = (residual - level) / scale
          let weight = 1 / (1 + deviation * deviation / freedom)
          sum += weight * residual
          weights += weight
        }
        level = sum / weights
      }
      return level
    }

    private static func centered(_ residuals: [Double], _ scale: Double) -> [Double] {
      let level = center(residuals, scale)
      return residuals.map { $0 - level }
    }

    /// What is new in each residual.
    private static func innovations(_ residuals: [Double]) -> [Double] {
      var found = residuals
      found[0] *= (1 - memory * memory).squareRoot()
      for index in 1..<residuals.count { found[index] -= memory * residuals[index - 1] }
      return found
    }

    /// The negative logarithm of the likelihood, but for a constant.
    private static func cost(_ residuals: [Double], _ scale: Double) -> Double {
      let factor = 1 / (scale * scale * freedom)
      // Products stay far below what a Double holds: a factor is below 10^4.
      var (sum, product) = (0.0, 1.0)
      let innovations = innovations(residuals)
      for index in innovations.indices {
        product *= 1 + innovations[index] * innovations[index] * factor
        if index % 32 == 31 {
          sum += log(product)
          product = 1
        }
      }
      return (freedom + 1) / 2 * (sum + log(product))
    }
  }
}
