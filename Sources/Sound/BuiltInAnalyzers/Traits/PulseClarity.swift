internal import DSP

/// How regularly something begins: the peak of the autocorrelation of novelty, averaged over segments. If the pulse
/// wanders from segment to segment, their peaks do not add up.
struct PulseClarity {
  /// Periods that count as a pulse, in columns: a quarter of a second to 2.2 s, the bar of slow dance music.
  private static let lags = 25..<222
  /// Onsets weaker than this share of the level are no onsets.
  private static let faint = 0.002
  /// Columns around each, to both sides, whose mean novelty is usual.
  private static let usualReach = 50
  /// A Hann window of seven columns: an onset that is early or late by 20 ms still counts.
  private static let smoothing: [Float] = [0.146447, 0.5, 0.853553, 1, 0.853553, 0.5, 0.146447].map { $0 / 4 }

  private let segmentLength: Int
  private let fft: RealFFT
  /// By lag, weighted with the levels of the segments.
  private var sums = [Double](repeating: 0, count: lags.upperBound)
  private var weight = 0.0

  /// - Parameter segmentLength: Columns.
  init(segmentLength: Int) {
    self.segmentLength = segmentLength
    // Room for the longest lag behind the segment, so its end does not run into its start.
    var length = 2
    while length < segmentLength + Self.lags.upperBound { length *= 2 }
    fft = RealFFT(length: length)
  }

  /// - Parameter level: The mean of the segment, in the unit of novelty.
  mutating func add(_ novelty: [Float], level: Double) {
    precondition(novelty.count == segmentLength)
    let onsets = Self.onsets(in: novelty)
    let powers = fft.transform(onsets.span) { bins in
      (0..<bins.count).map { $0.isMultiple(of: 2) ? bins[$0] * bins[$0] + bins[$0 + 1] * bins[$0 + 1] : 0 }
    }
    let faint = Double(fft.length) * Double(segmentLength) * (Self.faint * level) * (Self.faint * level)
    fft.invert(powers.span) { correlation in
      let energy = Double(correlation[0]) + faint
      guard energy > 0 else { return }
      for lag in Self.lags {
        // Fewer pairs of columns are this far apart.
        let share = Double(correlation[lag]) / energy * Double(segmentLength) / Double(segmentLength - lag)
        sums[lag] += level * share
      }
    }
    weight += level
  }

  /// 0 to 1; `nil` without a segment that is not silent.
  var value: Double? {
    guard weight > 0 else { return nil }
    return min(1, Self.lags.reduce(0) { max($0, sums[$1]) } / weight)
  }

  /// Novelty above what is usual within half a second, less its mean.
  private static func onsets(in novelty: [Float]) -> [Float] {
    let count = novelty.count
    var smooth = [Float](repeating: 0, count: count)
    let reach = smoothing.count / 2
    for column in 0..<count {
      for place in max(0, column - reach)...min(count - 1, column + reach) {
        smooth[column] += smoothing[place - column + reach] * novelty[place]
      }
    }
    var sum = smooth.prefix(usualReach).reduce(0 as Float, +)
    var onsets = smooth
    for column in 0..<count {
      if column + usualReach < count { sum += smooth[column + usualReach] }
      if column > usualReach { sum -= smooth[column - usualReach - 1] }
      let neighbors = min(column + usualReach, count - 1) - max(column - usualReach, 0) + 1
      onsets[column] = max(0, smooth[column] - sum / Float(neighbors))
    }
    let mean = onsets.reduce(0, +) / Float(count)
    for column in 0..<count { onsets[column] -= mean }
    return onsets
  }
}
