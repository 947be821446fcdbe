/// The units of time that are compared with each other. They are beats, or half seconds if the beats are unknown; in a
/// long track, they are groups of these.
struct BeatUnits {
  /// Maximum number of units: enough for every beat of a 10-minute track at 100 BPM.
  static let limit = 1024
  private static let minBeats = 8
  private static let defaultPeriod = 0.5

  /// The boundaries of the units in seconds, ascending, from the start of the audio to its end.
  let edges: [Double]
  /// Median length of a unit, in seconds.
  let length: Double
  /// `true` if each unit is a beat. Beats are interpolated where the music pauses.
  let areBeats: Bool

  var count: Int { edges.count - 1 }

  /// - Parameters:
  ///   - beats: Beat times in seconds; ignored if they are unordered, 0.1 s or less apart, or fewer than eight.
  ///   - seconds: Duration of the audio in seconds.
  init(beats: [Double], seconds: Double) {
    let usable = beats.filter { $0.isFinite && $0 >= 0 && $0 < seconds }
    let gaps = zip(usable, usable.dropFirst()).map { $1 - $0 }
    var points: [Double]
    var period = Self.defaultPeriod
    let hasBeats = usable.count >= Self.minBeats && gaps.allSatisfy { $0 > 0.1 }
    if hasBeats {
      period = Self.median(gaps)
      points = Self.even(from: 0, to: usable[0], by: period, fromEnd: true)
      for (beat, gap) in zip(usable, gaps) {
        let parts = max(1, Int((gap / period).rounded()))
        points += (0..<parts).map { beat + gap * Double($0) / Double(parts) }
      }
      points += Self.even(from: usable[usable.count - 1], to: seconds, by: period, fromEnd: false)
    } else {
      points = Self.even(from: 0, to: seconds, by: period, fromEnd: false)
    }
    var group = 1
    while points.count / group > Self.limit { group *= 2 }
    var edges = [0.0]
    for point in points.enumerated().lazy.filter({ $0.offset % group == 0 }).map(\.element) {
      if point - edges[edges.count - 1] > 0.3 * period { edges.append(point) }
    }
    if edges.count > 1, seconds - edges[edges.count - 1] <= 0.3 * period { edges.removeLast() }
    edges.append(seconds)
    self.edges = edges
    areBeats = hasBeats && group == 1
    length = Self.median(zip(edges, edges.dropFirst()).map { $1 - $0 })
  }

  /// Returns evenly spaced points, aligned with the start or, if `fromEnd` is `true`, with the end, which is then
  /// excluded.
  private static func even(from start: Double, to end: Double, by step: Double, fromEnd: Bool) -> [Double] {
    guard end > start else { return [] }
    let count = Int((end - start) / step)
    return fromEnd
      ? (1...max(count, 1)).reversed().map { max(end - Double($0) * step, start) }
      : (0...count).map { start + Double($0) * step }
  }

  private static func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }

  /// Converts seconds to a number of units, which is at least `least`.
  func units(_ seconds: Double, atLeast least: Int = 4) -> Int {
    length > 0 ? max(least, Int(seconds / length)) : least
  }
}
