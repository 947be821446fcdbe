internal import DSP
internal import Mathematics

/// Computes loudness measures from blocks of 400 ms and 3 s (ITU-R BS.1770-5; EBU Tech 3341 and 3342).
///
/// Gating blocks and blocks of 3 s begin every 100 ms. For the loudness range, the specification does not fix the
/// interval; here, one block of 3 s is used every half second. The maximum momentary loudness is evaluated every 10 ms,
/// because blocks every 100 ms would miss up to 0.6 LU of a burst of 400 ms (Tech 3341, case 13).
struct LoudnessMeter {
  static let stepMilliseconds = 10
  private static let blockHop = 10
  private static let rangeHop = 50
  private static let momentarySteps = 40
  private static let shortTermSteps = 300

  private(set) var gatingBlocks = LoudnessHistogram()
  private var shortTermBlocks = LoudnessHistogram()
  private var momentaryPower = 0.0
  private var shortTermPower = 0.0
  /// The weighted powers of the last 3 s.
  private var powers = [Double](repeating: 0, count: shortTermSteps)
  private(set) var stepCount = 0

  /// - Parameter power: The weighted sum of the channels' mean squares over the next 10 ms.
  mutating func push(_ power: Double) {
    powers[stepCount % Self.shortTermSteps] = power
    stepCount += 1
    let endsBlock = stepCount % Self.blockHop == 0
    if stepCount >= Self.momentarySteps {
      let power = meanPower(ofSteps: Self.momentarySteps)
      momentaryPower = max(momentaryPower, power)
      if endsBlock { gatingBlocks.add(LoudnessHistogram.loudness(ofPower: power)) }
    }
    if endsBlock, stepCount >= Self.shortTermSteps {
      let power = meanPower(ofSteps: Self.shortTermSteps)
      shortTermPower = max(shortTermPower, power)
      if stepCount % Self.rangeHop == 0 { shortTermBlocks.add(LoudnessHistogram.loudness(ofPower: power)) }
    }
  }

  /// Returns the mean power of the last `count` steps.
  private func meanPower(ofSteps count: Int) -> Double {
    var sum = 0.0
    for step in stepCount - count..<stepCount { sum += powers[step % Self.shortTermSteps] }
    return sum / Double(count)
  }

  /// The maximum momentary loudness in LUFS; `nil` if no block is above the absolute gate.
  var maxMomentary: Double? { Self.loudness(momentaryPower) }
  var maxShortTerm: Double? { Self.loudness(shortTermPower) }

  private static func loudness(_ power: Double) -> Double? {
    let loudness = LoudnessHistogram.loudness(ofPower: power)
    return loudness > LoudnessHistogram.absoluteGate ? loudness : nil
  }

  /// `true` once a gating block is complete.
  var hasBlock: Bool { stepCount >= Self.momentarySteps }

  /// The integrated loudness in LUFS; `nil` if all blocks are below the absolute gate.
  var integrated: Double? { gatingBlocks.integrated }

  /// The loudness range in LU, from the 10th to the 95th percentile of the blocks of 3 s; `nil` if no block is above
  /// the gates.
  var range: Double? { shortTermBlocks.range }
}
