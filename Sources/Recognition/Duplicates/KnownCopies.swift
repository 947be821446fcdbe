/// The duplicates known for each recording, by number.
///
/// If a recording has very many copies, comparing all of them with each other would take work in proportion to the
/// square of their number. Each copy needs only its lowest copies: those with the lowest numbers. The lowest copies do
/// not depend on which of the others were there first, so neither do the groups (`RecordingGroups`).
package struct KnownCopies {
  /// Number of lower copies that a recording needs.
  static let lowestCount = 8
  /// Number of copies above which a recording has very many: up to then, all are compared with each other.
  package static let manyCount = 32

  /// Copies with lower numbers, in ascending order.
  private var lower: [Int: [Int]] = [:]
  /// Number of copies of each recording.
  private var counts: [Int: Int] = [:]

  mutating func insert(_ one: Int, _ other: Int) {
    let (first, second) = (min(one, other), max(one, other))
    var place = 0
    if let known = lower[second] {
      place = known.firstIndex { $0 >= first } ?? known.count
      if place < known.count, known[place] == first { return }
    }
    lower[second, default: []].insert(first, at: place)
    counts[first, default: 0] += 1
    counts[second, default: 0] += 1
  }

  /// Returns whether a recording is one of very many copies, and enough of them are known below a number.
  func isSettled(_ number: Int, before limit: Int) -> Bool {
    guard let lowest = lower[number]?.prefix(Self.lowestCount), lowest.count == Self.lowestCount,
      lowest.last.map({ $0 < limit }) ?? false
    else { return false }
    return lowest.contains { counts[$0, default: 0] > Self.manyCount }
  }

  /// Returns whether a recording is a copy of most of the lowest copies of another one.
  func makesCopies(_ first: Int, _ second: Int) -> Bool {
    guard let lowest = lower[second]?.prefix(Self.lowestCount), let known = lower[first] else { return false }
    return lowest.count { known.contains($0) } * 2 > Self.lowestCount
  }
}
