/// The edges between units where bars begin, if units are beats: the downbeats that the analyzer `tempo` gives, or, where it gives
/// none, every fourth beat, counted so that the harmony changes most there.
struct BarStarts {
  private static let fewestDownbeats = 4

  /// Of each edge, whether a bar begins there.
  let isBarStart: [Bool]
  /// In units.
  let barLength: Int

  /// `nil` if units are no beats.
  init?(of units: BeatUnits, downbeats: [Double], harmony: Resemblance) {
    guard units.areBeats else { return nil }
    if downbeats.count >= Self.fewestDownbeats {
      let distance = (downbeats[downbeats.count - 1] - downbeats[0]) / Double(downbeats.count - 1)
      barLength = abs(distance / units.length - 3) < 0.5 ? 3 : 4
      isBarStart = Self.edges(of: units, at: downbeats)
    } else {
      barLength = 4
      let first = Self.phase(of: harmony.changes, period: 4)
      isBarStart = units.edges.indices.map { $0 % 4 == first }
    }
  }

  private static func edges(of units: BeatUnits, at downbeats: [Double]) -> [Bool] {
    let tolerance = 0.2 * units.length
    var next = 0
    return units.edges.map { edge in
      while next < downbeats.count, downbeats[next] < edge - tolerance { next += 1 }
      return next < downbeats.count && downbeats[next] < edge + tolerance
    }
  }

  /// The number of the edge from which every `period`-th one has the largest changes in the mean.
  private static func phase(of changes: [Float], period: Int) -> Int {
    var sums = [Float](repeating: 0, count: period)
    var counts = sums
    // The change of the first unit to the second is at edge 1.
    for (index, change) in changes.enumerated() {
      sums[(index + 1) % period] += change
      counts[(index + 1) % period] += 1
    }
    let means = zip(sums, counts).map { $0 / max($1, 1) }
    return means.indices.max { means[$0] < means[$1] } ?? 0
  }
}
