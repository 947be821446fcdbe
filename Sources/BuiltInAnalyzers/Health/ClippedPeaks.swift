/// Peaks of one sign of a channel that were cut flat: runs of equal samples at the channel's largest value, with corners.
///
/// A wave that is flat by nature (square, stepped triangle) jumps to its level or moves in steps; a slow one is flat for a few
/// samples at its top and has no corners.
struct ClippedPeaks {
  /// Peaks from which on a signal counts as clipped.
  static let least = 4
  private static let limit = 2000
  /// Of 16 bits.
  private static let step: Float = 1 / 32768

  private(set) var peak: Float = 0
  private var level: Float = 0
  private(set) var runs: [Range<Int64>] = []
  private(set) var count = 0
  private(set) var sampleCount = 0
  /// Flat tops that a jump leads to.
  private var squareCount = 0

  /// - Parameters:
  ///   - value: Of the run, made positive.
  ///   - before: The samples just before and one earlier, with the same sign made positive.
  ///   - after: The samples just behind and one later, likewise.
  mutating func add(_ run: Range<Int64>, value: Float, before: (Float, Float), after: (Float, Float)) {
    if value < level * 0.999 { return }
    if value > level * 1.001 {
      (level, count, sampleCount, squareCount) = (value, 0, 0, 0)
      runs.removeAll(keepingCapacity: true)
    }
    let (rise, fall) = (value - before.0, value - after.0)
    if rise > 0.45 * value || fall > 0.45 * value || run.count > 400 {
      squareCount += 1
      return
    }
    guard rise > 0, fall > 0, before.0 > before.1, after.0 > after.1 else { return }
    guard max(rise, fall) >= 6 * Self.step, min(rise, fall) >= 2 * Self.step else { return }
    count += 1
    sampleCount += run.count
    if runs.count < Self.limit { runs.append(run) }
  }

  mutating func note(peak value: Float) { peak = max(peak, value) }

  /// The signal never goes beyond its flat tops, and most of them have corners.
  var isClipped: Bool { count >= Self.least && peak <= level * 1.002 && count > squareCount && level > 0.02 }
}
