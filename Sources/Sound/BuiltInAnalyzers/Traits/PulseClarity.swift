internal import DSP

/// The regularity of onsets: the peak of the novelty's autocorrelation, which is averaged over segments. If the tempo
/// changes between segments, their peaks do not add up.
struct PulseClarity {
  /// Lags of a pulse in columns: from a quarter of a second to 2.2 s, which is a bar of slow dance music.
  private static let lags = 25..<222
  /// Onsets weaker than this share of the level hardly count.
  private static let faint = 0.002
  /// Number of columns on each side that are averaged to get the mean novelty.
  private static let usualReach = 50
  /// A Hann window of seven columns, which tolerates onsets that are up to 20 ms early or late.
  private static let smoothing: [Float] = [0.146447, 0.5, 0.853553, 1, 0.853553, 0.5, 0.146447].map { $0 / 4 }

  private let segmentLength: Int
  private let fft: RealFFT
  /// The autocorrelation by lag, weighted by the levels of the segments.
  private var sums = [Double](repeating: 0, count: lags.upperBound)
  private var weight = 0.0

  /// - Parameter segmentLength: Length of a segment in columns.
  init(segmentLength: Int) {
    self.segmentLength = segmentLength
    // Zeros are appended up to the longest lag, so the end of the segment does not wrap around to its start.
    var length = 2
    while length < segmentLength + Self.lags.upperBound { length *= 2 }
    fft = RealFFT(length: length)
  }

  /// - Parameter level: Mean level of the segment, in the same unit as the novelty.
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
        // Corrects for the lower number of column pairs at this lag.
        let share = Double(correlation[lag]) / energy * Double(segmentLength) / Double(segmentLength - lag)
        sums[lag] += level * share
      }
    }
    weight += level
  }

  /// The pulse clarity, 0 to 1; `nil` if all segments are silent.
  var value: Double? {
    guard weight > 0 else { return nil }
    return min(1, Self.lags.reduce(0) { max($0, sums[$1]) } / weight)
  }

  /// Returns the part of the smoothed novelty above its mean over the surrounding second, with the overall mean
  /// subtracted.
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
