/// Estimates a tempo from taps.
///
/// Each tap is assigned the number of its beat, so skipped beats do no harm. The tempo is the median of the slopes
/// between all pairs of taps, which tolerates up to 29% outliers (Sen, Journal of the American Statistical Association
/// 63, 1968).
package struct TapTempo: Sendable {
  /// Minimum number of taps before a tempo is shown.
  package static let minTaps = 4
  /// Maximum pause between taps, in seconds. After a longer one, counting restarts.
  private static let maxPause = 3.0
  /// Maximum number of taps; older ones are discarded.
  private static let maxTaps = 64
  /// Maximum relative difference for a tapped tempo to snap to a candidate. People tap with an error of 2 or 3%.
  package static let tolerance = 0.04

  /// Times of the taps in seconds.
  private var times: [Double] = []

  package init() {}

  package var count: Int { times.count }

  /// - Parameter time: The time in seconds, from any starting point.
  package mutating func tap(at time: Double) {
    if let last = times.last, time - last > Self.maxPause || time <= last { times.removeAll() }
    times.append(time)
    if times.count > Self.maxTaps { times.removeFirst() }
  }

  package mutating func clear() { times.removeAll() }

  /// The tempo in beats per minute; `nil` if there are too few taps.
  package var bpm: Double? {
    guard times.count >= Self.minTaps else { return nil }
    let intervals = zip(times, times.dropFirst()).map { $1 - $0 }
    guard let interval = Self.median(intervals), interval > 0 else { return nil }
    var number = 0.0
    var taps = [(number: 0.0, time: times[0])]
    for (time, step) in zip(times.dropFirst(), intervals) {
      let steps = (step / interval).rounded()
      // Ignores a repeated tap from a bouncing key.
      guard steps > 0 else { continue }
      number += steps
      taps.append((number, time))
    }
    var slopes: [Double] = []
    for (index, tap) in taps.enumerated() {
      for later in taps[(index + 1)...] { slopes.append((later.time - tap.time) / (later.number - tap.number)) }
    }
    return Self.median(slopes).map { 60 / $0 }
  }

  /// Returns the nearest candidate within `tolerance`, or the tapped tempo, rounded to 0.1 BPM, if there is none; `nil`
  /// if there are too few taps.
  package func bpm(near candidates: [Double]) -> Double? {
    guard let bpm else { return nil }
    let nearest = candidates.min { abs($0 / bpm - 1) < abs($1 / bpm - 1) }
    guard let nearest, abs(nearest / bpm - 1) <= Self.tolerance else { return (bpm * 10).rounded() / 10 }
    return nearest
  }

  private static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
