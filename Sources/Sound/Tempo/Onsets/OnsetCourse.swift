internal import Analysis
internal import DSP

/// The onset strength over time, in at most 512 values, regardless of the duration of the track.
struct OnsetCourse {
  private static let valueLimit = 512

  private var sums: [Double] = []
  private var counts: [Double] = []
  private var columnsPerValue = 25
  private var columns: Int64 = 0

  mutating func append(_ values: ArraySlice<OnsetEnvelopes.Lanes>) {
    for value in values {
      let index = Int(columns / Int64(columnsPerValue))
      if index == sums.count {
        sums.append(0)
        counts.append(0)
      }
      sums[index] += Double(value[5])
      counts[index] += 1
      columns += 1
      if sums.count > Self.valueLimit { halve() }
    }
  }

  private mutating func halve() {
    columnsPerValue *= 2
    let pairs = stride(from: 0, to: sums.count, by: 2)
    let count = sums.count
    (sums, counts) = (
      pairs.map { sums[$0] + ($0 + 1 < count ? sums[$0 + 1] : 0) },
      pairs.map { counts[$0] + ($0 + 1 < count ? counts[$0 + 1] : 0) }
    )
  }

  var summary: TempoFinding.OnsetSummary {
    TempoFinding.OnsetSummary(
      stepSeconds: (Double(columnsPerValue) / OnsetEnvelopes.columnsPerSecond).rounded(toPlaces: 6),
      values: zip(sums, counts).map { ($0 / max($1, 1)).rounded(toPlaces: 3) })
  }
}
