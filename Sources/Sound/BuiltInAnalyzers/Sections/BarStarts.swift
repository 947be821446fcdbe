/// The edges between units where bars begin, if units are beats: the downbeats that the analyzer `tempo` gives, or, where it gives
/// none, every fourth beat, counted so that the harmony changes most there, if it clearly does.
struct BarStarts {
  private static let fewestDownbeats = 4
  /// How much more the harmony changes at the likeliest beats of bars than at the next ones, in standard deviations of all changes;
  /// where it is less, it was wrong in half of the songs.
  private static let leastLead: Float = 0.7

  /// Beats, where nothing says otherwise.
  private static let usualLength = 4

  /// Of each edge, whether a bar begins there; `nil` if that is not clear.
  let isBarStart: [Bool]?
  /// In units.
  let barLength: Int

  /// `nil` if units are no beats.
  init?(of units: BeatUnits, downbeats: [Double], harmony: Resemblance) {
    guard units.areBeats else { return nil }
    if downbeats.count >= Self.fewestDownbeats {
      let distance = (downbeats[downbeats.count - 1] - downbeats[0]) / Double(downbeats.count - 1)
      barLength = abs(distance / units.length - 3) < 0.5 ? 3 : Self.usualLength
      isBarStart = Self.edges(of: units, at: downbeats)
    } else {
      let period = Self.usualLength
      barLength = period
      isBarStart = Self.phase(of: harmony.changes, period: period).map { first in
        units.edges.indices.map { $0 % period == first }
      }
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
  private static func phase(of changes: [Float], period: Int) -> Int? {
    var sums = [Float](repeating: 0, count: period)
    var counts = sums
    var squares: Float = 0
    // The change of the first unit to the second is at edge 1.
    for (index, change) in changes.enumerated() {
      sums[(index + 1) % period] += change
      counts[(index + 1) % period] += 1
      squares += change * change
    }
    let count = Float(max(changes.count, 1))
    let mean = sums.reduce(0, +) / count
    let deviation = max(squares / count - mean * mean, 0).squareRoot()
    let means = zip(sums, counts).map { $0 / max($1, 1) }
    let ranked = means.indices.sorted { means[$0] > means[$1] }
    return means[ranked[0]] - means[ranked[1]] > leastLead * deviation ? ranked[0] : nil
  }
}
