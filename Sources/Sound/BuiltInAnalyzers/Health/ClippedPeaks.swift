/// Peaks of one sign of a channel that were cut flat: runs of equal samples at the channel's largest value, with corners.
///
/// A wave that is flat by nature (square, stepped triangle) jumps to its level or moves in steps; a slow one is flat for a few
/// samples at its top and has no corners.
struct ClippedPeaks {
  /// Flat tops with corners from which on a signal counts as clipped.
  static let least = 4
  private static let limit = 2000
  /// Of 16 bits.
  private static let step: Float = 1 / 32768

  /// The largest value so far.
  private(set) var level: Float = 0 {
    didSet { floor = max(Self.leastLevel, level * 0.9995) }
  }
  /// Samples below are no peaks.
  private var floor = Self.leastLevel
  private static let leastLevel: Float = 0.02
  /// All runs at the level, those of one or two samples, too: where many are cut flat, these were cut as well.
  private(set) var runs: [Range<Int64>] = []
  /// Flat tops with corners.
  private(set) var count = 0
  /// Flat tops that a jump leads to.
  private var squareCount = 0

  /// Whether a sample is as large as the largest before, or larger.
  func isReached(by largest: Float) -> Bool { largest > floor }

  /// - Parameters:
  ///   - range: The samples to look at, in the window.
  ///   - largest: The largest of them.
  ///   - sign: -1 for negative peaks.
  ///   - offset: The first sample of the window.
  mutating func look(_ window: Span<Float>, _ range: Range<Int>, largest: Float, sign: Float, offset: Int64) {
    guard isReached(by: largest) else { return }
    if largest > level * 1.001 {
      (count, squareCount) = (0, 0)
      runs.removeAll(keepingCapacity: true)
    }
    level = max(level, largest)
    var index = range.lowerBound
    while index < range.upperBound {
      let value = window[index]
      guard sign * value >= floor else {
        index += 1
        continue
      }
      var end = index + 1
      while end < window.count - 2, window[end] == value { end += 1 }
      // One that began before this range is known.
      if window[index - 1] != value {
        func height(_ index: Int) -> Float { sign * window[index] }
        add(
          offset + Int64(index)..<offset + Int64(end), value: sign * value, before: (height(index - 1), height(index - 2)),
          after: (height(end), height(end + 1)))
      }
      index = end
    }
  }

  /// - Parameters:
  ///   - before: The samples just before and one earlier.
  ///   - after: The samples just behind and one later.
  private mutating func add(_ run: Range<Int64>, value: Float, before: (Float, Float), after: (Float, Float)) {
    let (rise, fall) = (value - before.0, value - after.0)
    if run.count >= 3, rise > 0.45 * value || fall > 0.45 * value || run.count > 400 {
      squareCount += 1
      return
    }
    if runs.count < Self.limit { runs.append(run) }
    guard run.count >= 3, rise > 0, fall > 0, before.0 > before.1 || after.0 > after.1 else { return }
    if max(rise, fall) >= 6 * Self.step, min(rise, fall) >= 2 * Self.step { count += 1 }
  }

  /// Most flat tops have corners.
  var isClipped: Bool { count >= Self.least && count > squareCount }

  /// Whether these peaks end at the level at which others were cut: the limit was the same for all, even if few reached it.
  func isClipped(at other: Float) -> Bool { abs(level - other) <= 0.0005 * other && count >= squareCount && !runs.isEmpty }
}
