/// Maps beat numbers to times. Times are interpolated linearly between beats. Before the first beat and after the last
/// one, the mean tempo of the nearest intervals, at most four, continues.
package struct BeatTimeline {
  private let beats: [Double]

  /// Returns `nil` if there are fewer than two beats, or if their times do not ascend.
  package init?(_ beats: [Double]) {
    guard beats.count > 1, zip(beats, beats.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    self.beats = beats
  }

  /// The range of beat numbers.
  package var range: ClosedRange<Double> { 0...Double(beats.count - 1) }

  package func time(at position: Double) -> Double {
    let last = beats.count - 1
    if position <= 0 { return beats[0] + position * firstPeriod }
    if position >= Double(last) { return beats[last] + (position - Double(last)) * lastPeriod }
    let index = Int(position)
    return beats[index] + (position - Double(index)) * (beats[index + 1] - beats[index])
  }

  package func position(at time: Double) -> Double {
    let last = beats.count - 1
    if time <= beats[0] { return (time - beats[0]) / firstPeriod }
    if time >= beats[last] { return Double(last) + (time - beats[last]) / lastPeriod }
    var (low, high) = (0, last)
    while high - low > 1 {
      let middle = (low + high) / 2
      if beats[middle] <= time { low = middle } else { high = middle }
    }
    return Double(low) + (time - beats[low]) / (beats[high] - beats[low])
  }

  private var firstPeriod: Double {
    let span = min(4, beats.count - 1)
    return (beats[span] - beats[0]) / Double(span)
  }

  private var lastPeriod: Double {
    let span = min(4, beats.count - 1)
    return (beats[beats.count - 1] - beats[beats.count - 1 - span]) / Double(span)
  }
}
