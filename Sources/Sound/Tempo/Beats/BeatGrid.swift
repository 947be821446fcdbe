/// The beat times, in columns, ascending. A grid of constant tempo extends beyond the first and the last column.
struct BeatGrid {
  var beats: [Double]

  /// Creates a grid of constant tempo.
  ///
  /// - Parameters:
  ///   - period: Number of columns per beat.
  ///   - phase: Any column with a beat.
  init(period: Double, phase: Double, columnCount: Int) {
    let first = Int((-phase / period).rounded(.down))
    let last = Int(((Double(columnCount) - phase) / period).rounded(.up))
    beats = (first...max(first + 1, last)).map { phase + Double($0) * period }
  }

  init(beats: [Double]) {
    self.beats = beats
  }

  /// Returns the beats shifted later by `phase`, 0 to 1 beats, starting with the beat before the first beat of the
  /// grid.
  func beats(after phase: Double) -> [Double] {
    guard beats.count > 1 else { return [] }
    let last = beats.count - 1
    var shifted = [beats[0] - (1 - phase) * (beats[1] - beats[0])]
    shifted.reserveCapacity(beats.count + 1)
    for index in 0..<last { shifted.append(beats[index] + phase * (beats[index + 1] - beats[index])) }
    shifted.append(beats[last] + phase * (beats[last] - beats[last - 1]))
    return shifted
  }

  /// The median number of columns per beat; 0 if there are fewer than two beats. It is measured over four beats,
  /// because the beats of a varying tempo are at whole columns.
  var medianPeriod: Double {
    let span = min(4, beats.count - 1)
    guard span > 0 else { return 0 }
    let periods = zip(beats, beats.dropFirst(span)).map { ($1 - $0) / Double(span) }.sorted()
    return periods[periods.count / 2]
  }
}

/// An envelope folded over bars of four beats: the mean of each lane at each position in the bar.
struct BarProfile {
  static let positionsPerBeat = 24
  static let positions = 4 * positionsPerBeat

  private(set) var means: [OnsetEnvelopes.Lanes]

  init(_ values: [OnsetEnvelopes.Lanes], over grid: BeatGrid) {
    var sums = [OnsetEnvelopes.Lanes](repeating: .zero, count: Self.positions)
    var counts = [Float](repeating: 0, count: Self.positions)
    let perBeat = Double(Self.positionsPerBeat)
    for index in 0..<max(0, grid.beats.count - 1) {
      let (start, end) = (grid.beats[index], grid.beats[index + 1])
      let first = max(0, Int(start.rounded(.up)))
      let last = min(values.count, Int(end.rounded(.up)))
      guard first < last else { continue }
      let step = perBeat / (end - start)
      var position = (Double(first) - start) * step + 0.5 + Double(index % 4) * perBeat
      for column in first..<last {
        let slot = Int(position) % Self.positions
        sums[slot] += values[column]
        counts[slot] += 1
        position += step
      }
    }
    // At fast tempi, a position may have no column. Its means are then interpolated from the neighboring positions.
    for slot in sums.indices where counts[slot] > 0 { sums[slot] /= counts[slot] }
    for slot in sums.indices where counts[slot] == 0 {
      var (below, above) = (1, 1)
      while below < Self.positions, counts[(slot + Self.positions - below) % Self.positions] == 0 { below += 1 }
      while above < Self.positions, counts[(slot + above) % Self.positions] == 0 { above += 1 }
      guard below < Self.positions else { break }
      let share = Float(below) / Float(below + above)
      let low = sums[(slot + Self.positions - below) % Self.positions]
      sums[slot] = low + share * (sums[(slot + above) % Self.positions] - low)
    }
    means = sums
  }

  /// `true` if onsets at both thirds of the beats are much stronger than onsets at halves and quarters, as in 6/8, 9/8
  /// and 12/8. In swing, there is no onset at the first third.
  var hasThirds: Bool {
    let perBeat = Self.positionsPerBeat
    let sums = (0..<perBeat).map { position in
      stride(from: position, to: Self.positions, by: perBeat).reduce(Float(0)) { $0 + means[$1].sum() }
    }
    // This is the level between onsets.
    let quiet = sums.sorted().prefix(perBeat / 3).reduce(0, +) / Float(perBeat / 3)
    func most(_ positions: [Int]) -> Float { positions.map { sums[$0 % perBeat] }.max()! - quiet }
    let thirds = min(most([7, 8, 9]), most([15, 16, 17]))
    return thirds > Self.minThirds * most([23, 0, 1]) && thirds > Self.leadOverHalves * most([11, 12, 13])
      && thirds > Self.leadOverQuarters * most([5, 6, 18, 19])
  }

  /// Thresholds of `hasThirds`, set by hand (`Benchmarks/tempo/thirds.py`). In 528 synthetic songs and 96 songs of a
  /// development set, the thirds of most beats that divide into thirds are 1.7 to 80 times as strong as the halves. In
  /// slow beats that divide into halves, they are less than 0.8 times as strong.
  private static let minThirds: Float = 0.12
  private static let leadOverHalves: Float = 1.5
  private static let leadOverQuarters: Float = 3
}
