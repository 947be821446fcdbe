/// Gives the same label to sections that pass through similar units in the same order.
struct SectionLabels {
  /// Minimum share of recurring units for merging two groups, averaged over all pairs of a section from one group and a
  /// section from the other.
  private static let minShare: Float = 0.35
  /// Minimum overlap of two sections, as a share of the shorter one.
  private static let minOverlap = 0.6
  /// Neighbors with the same label stay separate if the second repeats the beginning of the first in more than this
  /// share of the shorter one's units, and if the two minimums below are met.
  private static let restart: Float = 0.3
  /// Minimum length of the shorter neighbor, in seconds.
  private static let minRestartSeconds = 10.0
  /// Minimum ratio of the shorter neighbor's length to that of the longer one.
  private static let minLengthRatio = 0.5

  let sections: [(units: Range<Int>, label: String)]

  init(bounds: [Int], recurrence: Recurrence, units: BeatUnits) {
    let parts = zip(bounds, bounds.dropFirst()).map { $0..<$1 }
    let groups = Self.groups(of: parts, in: recurrence)
    var merged: [(units: Range<Int>, group: Int)] = []
    for (part, group) in zip(parts, groups) {
      if let last = merged.last, last.group == group,
        !Self.restarts(part, after: last.units, in: recurrence, units: units)
      {
        merged[merged.count - 1].units = last.units.lowerBound..<part.upperBound
      } else {
        merged.append((part, group))
      }
    }
    sections = merged.map { ($0.units, Self.label($0.group)) }
  }

  /// Returns A, B, …, Z, AA, AB, …
  static func label(_ index: Int) -> String {
    let letter = String(UnicodeScalar(UInt8(65 + index % 26)))
    return index < 26 ? letter : label(index / 26 - 1) + letter
  }

  private static func restarts(_ part: Range<Int>, after first: Range<Int>, in recurrence: Recurrence, units: BeatUnits)
    -> Bool
  {
    let length = min(part.count, first.count)
    guard Double(length) >= minLengthRatio * Double(max(part.count, first.count)),
      Double(length) * units.length >= minRestartSeconds
    else { return false }
    return recurrence.share(from: first.lowerBound, and: part.lowerBound, length: length) > restart
  }

  /// Groups parts by average linkage: the two most similar groups are merged until no groups are similar enough. Groups
  /// are numbered in the order of their first parts.
  private static func groups(of parts: [Range<Int>], in recurrence: Recurrence) -> [Int] {
    let count = parts.count
    var likeness = [Float](repeating: 0, count: count * count)
    for one in 0..<count {
      for other in 0..<one {
        let share = likenessOf(parts[one], parts[other], in: recurrence)
        likeness[one * count + other] = share
        likeness[other * count + one] = share
      }
    }
    var group = Array(0..<count)
    var sizes = [Float](repeating: 1, count: count)
    while true {
      var best: (share: Float, keep: Int, join: Int) = (minShare, 0, 0)
      for join in 0..<count where sizes[join] > 0 {
        for keep in 0..<join where sizes[keep] > 0 && likeness[join * count + keep] > best.share {
          best = (likeness[join * count + keep], keep, join)
        }
      }
      let (_, keep, join) = best
      if keep == join { break }
      for other in 0..<count where other != keep && other != join {
        let sum = sizes[keep] * likeness[keep * count + other] + sizes[join] * likeness[join * count + other]
        likeness[keep * count + other] = sum / (sizes[keep] + sizes[join])
        likeness[other * count + keep] = likeness[keep * count + other]
      }
      sizes[keep] += sizes[join]
      sizes[join] = 0
      for part in group.indices where group[part] == join { group[part] = keep }
    }
    var numbers: [Int: Int] = [:]
    return group.map { number in
      if let known = numbers[number] { return known }
      numbers[number] = numbers.count
      return numbers.count - 1
    }
  }

  /// Returns the largest share of recurring units over all offsets at which at least `minOverlap` of the shorter part
  /// overlaps the longer one.
  private static func likenessOf(_ one: Range<Int>, _ other: Range<Int>, in recurrence: Recurrence) -> Float {
    let (short, long) = one.count <= other.count ? (one, other) : (other, one)
    let least = minOverlap * Double(short.count)
    let slack = Int(Double(short.count) - least)
    var best: Float = 0
    for offset in -slack...(long.count - short.count + slack) {
      let first = max(0, -offset)
      let last = min(short.count, long.count - offset)
      guard Double(last - first) >= least else { continue }
      best = max(
        best,
        recurrence.share(
          from: short.lowerBound + first, and: long.lowerBound + offset + first, length: last - first))
    }
    return best
  }
}
