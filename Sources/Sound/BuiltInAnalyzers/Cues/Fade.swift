internal import Mathematics

/// A fade at the start of a power curve: a gain that rises from zero to 1 and stays there, independent of the music.
///
/// Fades of five shapes and many lengths are fitted to the level in decibels. The residual is the music itself: its
/// level depends in part on the level half a second before, and sometimes jumps. The residuals are therefore modeled as
/// an autoregressive process with Student's t-distribution. The length is the median over all shapes and lengths,
/// weighted by their probability. A decaying chord falls like an exponential fade, but in a fade the music continues,
/// and its level still rises at each note.
struct Fade {
  /// Length in seconds.
  let length: Double

  /// Gain curves in dB at each 1,024th of the length, but not below `floor`, with their prior probabilities.
  private static let shapes: [(gains: [Double], chance: Double)] = [
    (curve { $0 }, 0.5), (curve { $0 * $0 }, 0.1), (curve { sin(.pi / 2 * $0) }, 0.13),
    (curve { (1 - cos(.pi * $0)) / 2 }, 0.13), (curve { $0 > 0 ? pow(10, 2.5 * ($0 - 1)) : 0 }, 0.14),
  ]
  private static let exponential = 4
  private static let steps = 1_024
  /// Minimum level, in dB relative to the level that the loudest fifth of the music exceeds. Lower levels carry no
  /// information.
  private static let floor = -50.0
  private static let lengths: [Double] = Array(sequence(first: 1.0) { $0 < 38 ? $0 * step : nil })
  private static let step = 1.05
  private static let blockSeconds = 0.5
  /// Length of the analyzed part of the curve. In the first pass it is `reach` seconds; afterwards it is `nearReach`
  /// times the length of the fade found, but at least `minReach` seconds.
  private static let (reach, nearReach, minReach) = (60.0, 2.2, 25.0)
  /// Limits for a fade: minimum depth, in dB below the music that follows; minimum share of the deviations that it
  /// explains; maximum residual, in dB or as a multiple of the variation after the fade, whichever is larger.
  private static let (minDepth, minExplained) = (15.0, 0.6)
  private static let (maxResidual, maxResidualRatio) = (6.0, 2.5)
  /// The minimum motion of the level against the fade, relative to the motion after the fade. The higher value applies
  /// to exponential fades, which also have a minimum length in seconds, because rooms and strings decay just as fast.
  private static let (minMotion, minDecayMotion, minDecay) = (0.4, 0.7, 4.0)

  private static func curve(_ gain: (Double) -> Double) -> [Double] {
    (0...steps).map { max(floor, 20 * log10(gain(Double($0) / Double(steps)) + 1e-9)) }
  }

  /// - Parameters:
  ///   - energies: Sums of squares per slot, starting at the first audible slot. For a fade-out, the order is reversed
  ///     and starts at the last audible slot.
  ///   - slotSeconds: Length of a slot in seconds.
  ///   - offset: Time from the start of the first slot to the first audible sample, in seconds.
  /// - Returns: `nil` if there is no fade.
  init?(_ energies: some Sequence<Float>, slotSeconds: Double, offset: Double) {
    let powers = energies.prefix(Int(Self.reach / slotSeconds)).map { Double($0) + 1e-12 }
    guard var fit = Fit(powers, slotSeconds: slotSeconds) else { return nil }
    let near = max(Self.minReach, Self.nearReach * fit.length)
    if near < 0.9 * Self.reach,
      let nearer = Fit(Array(powers.prefix(Int(near / slotSeconds))), slotSeconds: slotSeconds)
    {
      fit = nearer
    }
    guard fit.depth >= Self.minDepth, fit.explained >= Self.minExplained,
      fit.left < max(Self.maxResidual, Self.maxResidualRatio * fit.leftAfter)
    else { return nil }
    let isExponential = fit.shape == Self.exponential
    guard !isExponential || fit.length >= Self.minDecay else { return nil }
    let motion = Self.motion(powers, slotSeconds: slotSeconds, fit)
    guard motion.inside >= (isExponential ? Self.minDecayMotion : Self.minMotion) * motion.after else {
      return nil
    }
    length = max(0, fit.length - offset)
  }

  private static func gain(_ gains: [Double], _ share: Double) -> Double {
    gains[min(steps, Int(share * Double(steps)))]
  }

  /// Returns the gain over a part of the length, measured in the same way as `Fit` measures levels.
  private static func gain(_ gains: [Double], from start: Double, to end: Double) -> Double {
    guard end - start > 1 / 16.0, start < 1 else { return gain(gains, (start + end) / 2) }
    let powers = (0..<4).map { (point: Int) -> Double in
      let share = start + (Double(point) + 0.5) / 4 * (end - start)
      return pow(10, gain(gains, share) / 10)
    }
    return level(of: powers)
  }

  /// Returns the level in dB: the average of two measures, the log of the mean power, which peaks dominate, and the
  /// mean of the log power, which pauses dominate.
  private static func level(of powers: some Collection<Double>) -> Double {
    var (sum, logarithms) = (0.0, 0.0)
    for power in powers {
      sum += power
      logarithms += log10(power)
    }
    let count = Double(powers.count)
    return 5 * (log10(sum / count) + logarithms / count)
  }

  /// Returns the mean motion of the level against the direction of the fade, in dB, from one tenth of a second to the
  /// next: in the louder 70% of the fade, and in the 20 seconds after it.
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

  /// The fade that fits a curve best.
  private struct Fit {
    /// Index of the shape in `shapes`.
    var shape = 0
    /// The median length in seconds. All other values are those for the likeliest length.
    var length = 0.0
    /// The difference in level between the beginning and the music that follows, in dB.
    var depth = 0.0
    /// The share of the deviations from the level after the fade that the fit explains, the mean residual in dB, and
    /// the median deviation after the fade in dB.
    var (explained, left, leftAfter) = (0.0, 0.0, 0.0)

    /// The residuals' degrees of freedom, and their autoregressive coefficient.
    private static let (freedom, memory) = (4.0, 0.5)
    /// Scales in dB: the initial one, and a minimum that is added to the fitted one.
    private static let (firstScale, minScale) = (3.0, 0.4)
    /// Weight of the log likelihood; it is below 1 because blocks are not independent.
    private static let evidence = 0.5

    init?(_ slots: [Double], slotSeconds: Double) {
      let width = max(1, Int((Fade.blockSeconds / slotSeconds).rounded()))
      let seconds = Double(width) * slotSeconds
      var levels = (0..<slots.count / width).map { Fade.level(of: slots[$0 * width..<($0 + 1) * width]) }
      let lengths = Fade.lengths.filter { $0 * 1.25 <= Double(levels.count) * seconds }
      guard !lengths.isEmpty else { return nil }
      let loud = levels.sorted()[levels.count * 4 / 5]
      // Most music begins and ends at its usual level, so this check saves time.
      guard levels[0] <= loud - Fade.minDepth else { return nil }
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
      // Any good candidate is enough to estimate the scale.
      let nearest = stride(from: 0, to: candidates.count, by: 4).map { (index: $0, cost: cost($0, Self.firstScale)) }
        .min { $0.cost < $1.cost }!.index
      let innovations = Self.innovations(Self.centered(residuals[nearest], Self.firstScale)).map { abs($0) }
      // The median absolute deviation of a normal distribution is 0.67 of the standard deviation.
      let scale = 1.48 * innovations.sorted()[innovations.count / 2] + Self.minScale
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

    /// Returns the weighted median of the lengths. `weights` contains one value for each length and shape.
    private static func median(_ lengths: [Double], _ weights: [Double]) -> Double {
      var left = weights.reduce(0, +) / 2
      for (index, length) in lengths.enumerated() {
        let own = weights[index * shapes.count..<(index + 1) * shapes.count].reduce(0, +)
        if own >= left { return length * pow(step, left / own - 0.5) }
        left -= own
      }
      return lengths[lengths.count - 1]
    }

    /// Returns the center of the residuals. It is found iteratively, with lower weights for outliers.
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

    /// Returns the innovations of the autoregressive process.
    private static func innovations(_ residuals: [Double]) -> [Double] {
      var found = residuals
      found[0] *= (1 - memory * memory).squareRoot()
      for index in 1..<residuals.count { found[index] -= memory * residuals[index - 1] }
      return found
    }

    /// Returns the negative log likelihood, up to a constant.
    private static func cost(_ residuals: [Double], _ scale: Double) -> Double {
      let factor = 1 / (scale * scale * freedom)
      // Each factor is below 10^4, so products stay far within the range of `Double`.
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
