/// The edges between units at which bars begin, if the units are beats. They are the downbeats that `tempo` found. If
/// there are fewer than four downbeats, a bar begins at every fourth beat, at the phase where the harmony changes most,
/// if that phase is clear.
struct BarStarts {
  private static let minDownbeats = 4
  /// Minimum lead of the harmonic change at the likeliest downbeat phase over that at the next likeliest, in standard
  /// deviations of all changes. With a smaller lead, the phase was wrong in half of the songs.
  private static let minLead: Float = 0.7

  /// The default bar length in beats.
  private static let usualLength = 4

  /// `true` for each edge at which a bar begins; `nil` if that is unclear.
  let isBarStart: [Bool]?
  /// The bar length in units.
  let barLength: Int

  /// Returns `nil` if units are not beats.
  init?(of units: BeatUnits, downbeats: [Double], harmony: Resemblance) {
    guard units.areBeats else { return nil }
    if downbeats.count >= Self.minDownbeats {
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

  /// Returns the phase: the first of the edges, `period` apart, at which the mean change is largest; `nil` if unclear.
  private static func phase(of changes: [Float], period: Int) -> Int? {
    var sums = [Float](repeating: 0, count: period)
    var counts = sums
    var squares: Float = 0
    // The change from the first unit to the second is at edge 1.
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
    return means[ranked[0]] - means[ranked[1]] > minLead * deviation ? ranked[0] : nil
  }
}
