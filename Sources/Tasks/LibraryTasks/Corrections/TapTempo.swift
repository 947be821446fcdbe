/// The tempo of taps.
///
/// Each tap gets the number of the beat it belongs to, so a beat that was left out does no harm, and the tempo is the median
/// of the slopes between all pairs of taps: up to 29% of the taps may be anywhere (Sen, Journal of the American Statistical
/// Association 63, 1968).
package struct TapTempo: Sendable {
  /// Taps before a tempo is shown.
  package static let leastCount = 4
  /// After a longer pause, in seconds, taps begin again.
  private static let longestPause = 3.0
  /// Older taps are forgotten.
  private static let greatestCount = 64
  /// A tapped tempo this close to another one is taken to be that, as a part of it: people tap to within 2 or 3%.
  package static let tolerance = 0.04

  /// In seconds.
  private var times: [Double] = []

  package init() {}

  package var count: Int { times.count }

  /// - Parameter time: In seconds, from any start.
  package mutating func tap(at time: Double) {
    if let last = times.last, time - last > Self.longestPause || time <= last { times.removeAll() }
    times.append(time)
    if times.count > Self.greatestCount { times.removeFirst() }
  }

  package mutating func clear() { times.removeAll() }

  /// Beats per minute; `nil` if there are too few taps.
  package var bpm: Double? {
    guard times.count >= Self.leastCount else { return nil }
    let intervals = zip(times, times.dropFirst()).map { $1 - $0 }
    guard let interval = Self.median(intervals), interval > 0 else { return nil }
    var number = 0.0
    var taps = [(number: 0.0, time: times[0])]
    for (time, step) in zip(times.dropFirst(), intervals) {
      let steps = (step / interval).rounded()
      // A key that bounced.
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

  /// The tempo, or the nearest of some others if it is close to one.
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
