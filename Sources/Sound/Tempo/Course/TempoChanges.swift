internal import Mathematics

/// The positions at which one constant tempo gives way to another, for example between the tracks of a mix or in a
/// medley.
///
/// The autocorrelation of short windows is read at all tempi of an octave. Dynamic programming (Viterbi 1967) then
/// finds the path of tempi through the windows that collects the most autocorrelation; jumps have a cost. When music
/// slows down or swings, the path glides instead, which costs less.
struct TempoChanges {
  /// Columns at which each tempo after the first begins, in ascending order.
  private(set) var columns: [Int] = []

  private static let windowSeconds = 12.0
  private static let hopSeconds = 3.0
  /// Lower end of the octave in which tempi are compared. Octaves are ignored, because an apparent change to double the
  /// tempo is usually a misreading.
  private static let lowest = 75.0
  private static let tempoCount = 138
  /// Cost of a jump, as a multiple of the energy of a window.
  private static let jumpCost: Float = 2
  private static let glideCost: Float = 0.05
  /// Minimum number of windows that have the same tempo.
  private static let minWindows = 5
  /// Minimum strength of a tempo in its own windows, as a share of their energy.
  private static let minShare: Float = 0.6
  /// Maximum strength of the neighboring tempo in the same windows, as a fraction of the tempo's own strength.
  private static let maxNeighborShare: Float = 0.5

  /// - Parameter envelope: Onset strengths with mean 0.
  init(_ envelope: [Float]) {
    let rate = OnsetEnvelopes.columnsPerSecond
    let (length, hop) = (Int(Self.windowSeconds * rate), Int(Self.hopSeconds * rate))
    guard envelope.count >= length + 2 * Self.minWindows * hop else { return }
    let windows = stride(from: 0, through: envelope.count - length, by: hop).map { start in
      Self.strengths(of: envelope[start..<start + length], rate: rate)
    }
    var runs = Self.runs(of: Self.course(through: windows))
    runs = Self.real(runs, in: windows)
    columns = runs.dropFirst().map { run in
      // A window that spans a change belongs to the tempo that fills more of it.
      run.windows.lowerBound * hop + (length - hop) / 2
    }
  }

  private struct Run {
    var windows: Range<Int>
    var tempi: [Int]
  }

  /// Returns, for each tempo, the weighted sum of the autocorrelation at half a beat and at one, two, three and four
  /// beats.
  private static func strengths(of window: ArraySlice<Float>, rate: Double) -> [Float] {
    let correlation = Tempogram.autocorrelation(of: window, longest: Int(4 * 60 / lowest * rate) + 3)
    return (0..<tempoCount).map { index in
      let lag = 60 / (lowest * exp2(Double(index) / Double(tempoCount))) * rate
      var sum: Float = 0
      for (beats, weight) in [(0.5, 0.25), (1.0, 0.75), (2.0, 1.0), (3.0, 0.5), (4.0, 0.75)] {
        sum += Float(weight) * interpolate(correlation, lag * beats)
      }
      return max(sum, 0)
    }
  }

  private static func course(through windows: [[Float]]) -> [Int] {
    var scores = windows[0]
    var origins: [[Int]] = []
    for window in windows.dropFirst() {
      let best = scores.indices.max { scores[$0] < scores[$1] } ?? 0
      var next = scores
      var origin = [Int](repeating: best, count: tempoCount)
      for index in 0..<tempoCount {
        next[index] = scores[best] - jumpCost
        for step in -2...2 {
          let near = (index + step + tempoCount) % tempoCount
          let score = scores[near] - glideCost * Float(abs(step))
          if score > next[index] { (next[index], origin[index]) = (score, near) }
        }
        next[index] += window[index]
      }
      scores = next
      origins.append(origin)
    }
    var course = [scores.indices.max { scores[$0] < scores[$1] } ?? 0]
    for origin in origins.reversed() { course.append(origin[course[course.count - 1]]) }
    return course.reversed()
  }

  /// Splits the path at its jumps.
  private static func runs(of course: [Int]) -> [Run] {
    var runs: [Run] = []
    for (window, tempo) in course.enumerated() {
      let step = runs.last.map { run in
        let distance = abs(run.tempi[run.tempi.count - 1] - tempo)
        return min(distance, tempoCount - distance)
      }
      if let step, step <= 2 {
        runs[runs.count - 1].windows = runs[runs.count - 1].windows.lowerBound..<(window + 1)
        runs[runs.count - 1].tempi.append(tempo)
      } else {
        runs.append(Run(windows: window..<(window + 1), tempi: [tempo]))
      }
    }
    return runs
  }

  /// Keeps runs that are long, clear and different from their neighbors. Other runs are merged with the previous one.
  private static func real(_ runs: [Run], in windows: [[Float]]) -> [Run] {
    func strength(_ run: Run, at tempo: Int) -> Float {
      // Only windows entirely inside the run are used. Neighboring bins count as well, because tempi fall between bins.
      let inner = run.windows.dropFirst(2).dropLast(2)
      let sum = inner.reduce(Float(0)) { sum, window in
        sum + (-1...1).map { windows[window][(tempo + $0 + tempoCount) % tempoCount] }.max()!
      }
      return sum / Float(max(inner.count, 1))
    }
    var result: [Run] = []
    for run in runs {
      guard let last = result.last else {
        result.append(run)
        continue
      }
      let (before, after) = (last.tempi.sorted()[last.tempi.count / 2], run.tempi.sorted()[run.tempi.count / 2])
      let isReal =
        last.windows.count >= minWindows && run.windows.count >= minWindows
        && strength(last, at: before) >= minShare && strength(run, at: after) >= minShare
        && strength(last, at: after) <= maxNeighborShare * strength(last, at: before)
        && strength(run, at: before) <= maxNeighborShare * strength(run, at: after)
      if isReal {
        result.append(run)
      } else if last.windows.count >= run.windows.count {
        result[result.count - 1].windows = last.windows.lowerBound..<run.windows.upperBound
        result[result.count - 1].tempi += [Int](repeating: before, count: run.windows.count)
      } else {
        result[result.count - 1] = Run(
          windows: last.windows.lowerBound..<run.windows.upperBound,
          tempi: [Int](repeating: after, count: last.windows.count) + run.tempi)
      }
    }
    return result
  }
}
