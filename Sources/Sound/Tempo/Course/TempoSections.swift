/// A run of beats with a constant tempo: a straight line fitted to their times.
struct TempoSection {
  /// Time of the first beat. The sums use times relative to it, for precision.
  private(set) var start: Double
  private(set) var beatCount: Double = 0
  private var indexSum = 0.0
  private var timeSum = 0.0
  private var indexSquares = 0.0
  private var products = 0.0
  private var timeSquares = 0.0

  init(_ beats: ArraySlice<Double>) {
    start = beats.first ?? 0
    for beat in beats { append(beat) }
  }

  private mutating func append(_ beat: Double) {
    let (index, time) = (beatCount, beat - start)
    beatCount += 1
    indexSum += index
    timeSum += time
    indexSquares += index * index
    products += index * time
    timeSquares += time * time
  }

  /// Time per beat, in seconds.
  var period: Double {
    let spread = beatCount * indexSquares - indexSum * indexSum
    return spread > 0 ? (beatCount * products - indexSum * timeSum) / spread : 0
  }

  /// The sum of the squared residuals of the beats.
  var error: Double {
    guard beatCount > 2 else { return 0 }
    let timeSpread = timeSquares - timeSum * timeSum / beatCount
    let indexSpread = indexSquares - indexSum * indexSum / beatCount
    let shared = products - indexSum * timeSum / beatCount
    return max(0, timeSpread - shared * shared / indexSpread)
  }

  /// Returns this run joined with the next one, whose first beat follows this run's last beat.
  func joined(with next: TempoSection) -> TempoSection {
    var sum = self
    let (shift, delay) = (beatCount, next.start - start)
    sum.beatCount += next.beatCount
    sum.indexSum += next.indexSum + shift * next.beatCount
    sum.timeSum += next.timeSum + delay * next.beatCount
    sum.indexSquares += next.indexSquares + 2 * shift * next.indexSum + shift * shift * next.beatCount
    sum.products += next.products + shift * next.timeSum + delay * next.indexSum + shift * delay * next.beatCount
    sum.timeSquares += next.timeSquares + 2 * delay * next.timeSum + delay * delay * next.beatCount
    return sum
  }
}

/// Divides beats into few sections of constant tempo that explain them well.
enum TempoSections {
  /// Standard deviation of detected beats from a constant tempo, in seconds.
  private static let deviation = 0.012
  /// Cost of an additional section, in squared deviations.
  private static let sectionCost = 30.0
  private static let minBeats = 8

  /// Returns the optimal division, found by dynamic programming over the ends of sections (Jackson et al., IEEE SPL
  /// 2005).
  ///
  /// - Parameter beats: Beat times in seconds, ascending. Pass a few hundred at a time, because the running time is
  ///   quadratic.
  static func sections(of beats: [Double]) -> [TempoSection] {
    guard beats.count >= 2 else { return [] }
    let count = beats.count
    var costs = [Double](repeating: .infinity, count: count + 1)
    var starts = [Int](repeating: 0, count: count + 1)
    costs[0] = 0
    for start in 0..<count where costs[start] < .infinity {
      var section = TempoSection([])
      for end in (start + 1)...count {
        section =
          section.beatCount == 0
          ? TempoSection(beats[start..<end]) : section.joined(with: TempoSection(beats[(end - 1)..<end]))
        guard end - start >= min(minBeats, count) else { continue }
        let cost = costs[start] + sectionCost + section.error / (deviation * deviation)
        // The error only grows as the section gets longer, so stop once it is far too large.
        if section.error / (deviation * deviation) > 60 * sectionCost { break }
        if cost < costs[end] { (costs[end], starts[end]) = (cost, start) }
      }
    }
    guard costs[count] < .infinity else { return [TempoSection(beats[...])] }
    var found: [TempoSection] = []
    var end = count
    while end > 0 {
      found.append(TempoSection(beats[starts[end]..<end]))
      end = starts[end]
    }
    return merged(found.reversed())
  }

  /// Merges neighbors that a single line explains almost as well.
  static func merged(_ sections: [TempoSection]) -> [TempoSection] {
    var result: [TempoSection] = []
    for section in sections {
      guard let last = result.last else {
        result.append(section)
        continue
      }
      let both = last.joined(with: section)
      let excess = (both.error - last.error - section.error) / (deviation * deviation)
      if excess < sectionCost, section.start > last.start {
        result[result.count - 1] = both
      } else {
        result.append(section)
      }
    }
    return result
  }
}
