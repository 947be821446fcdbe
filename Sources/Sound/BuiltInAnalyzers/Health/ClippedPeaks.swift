/// The clipped peaks of one sign in a channel: runs of equal samples at the channel's largest value, with corners.
///
/// A wave that is flat by nature (square, stepped triangle) jumps to its level or moves in steps; a slow wave is flat
/// for a few samples at its top and has no corners.
struct ClippedPeaks {
  /// Minimum number of flat tops with corners for a clipped signal.
  static let minCount = 4
  private static let limit = 2000
  /// One 16-bit step.
  private static let step: Float = 1 / 32768

  /// Largest value so far.
  private(set) var level: Float = 0 {
    didSet { floor = max(Self.minLevel, level * 0.9995) }
  }
  /// Minimum value of a peak.
  private var floor = Self.minLevel
  private static let minLevel: Float = 0.02
  /// The first 2,000 runs at the level, except those in `squareCount`. Runs of one or two samples are included: if many
  /// peaks are clipped, so are the short ones.
  private(set) var runs: [Range<Int64>] = []
  /// Number of flat tops with corners.
  private(set) var count = 0
  /// Number of flat tops that are reached or left by a jump, or are longer than 400 samples.
  private var squareCount = 0

  /// Returns `true` if a sample is above `minLevel`, and exceeds the largest value so far or is within 0.05% of it.
  func isReached(by largest: Float) -> Bool { largest > floor }

  /// - Parameters:
  ///   - range: The samples to examine, as a range of the window.
  ///   - largest: The largest sample in `range`.
  ///   - sign: 1 for positive peaks, -1 for negative peaks.
  ///   - offset: Index of the first sample of the window in the file.
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
      // A run that began before this range has already been added.
      if window[index - 1] != value {
        func height(_ index: Int) -> Float { sign * window[index] }
        add(
          offset + Int64(index)..<offset + Int64(end), value: sign * value,
          before: (height(index - 1), height(index - 2)),
          after: (height(end), height(end + 1)))
      }
      index = end
    }
  }

  /// - Parameters:
  ///   - before: The preceding sample and the one before it.
  ///   - after: The following sample and the one after it.
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

  /// `true` if there are enough flat tops and most have corners.
  var isClipped: Bool { count >= Self.minCount && count > squareCount }

  /// Returns `true` if these peaks end at the level at which other peaks were clipped. The limit was the same for all
  /// peaks, even if few of these reached it.
  func isClipped(at other: Float) -> Bool {
    abs(level - other) <= 0.0005 * other && count >= squareCount && !runs.isEmpty
  }
}
