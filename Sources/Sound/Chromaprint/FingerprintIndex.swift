/// An index that finds, among many fingerprints, the candidates for a comparison.
///
/// It is an inverted list of items. A hash selects one in eight items of each fingerprint. For two fingerprints of the
/// same recording, it selects the same items, whatever their offset (Broder, "On the Resemblance and Containment of
/// Documents", SEQUENCES 1997). Each listed item takes eight bytes, so two minutes of audio take about 900 bytes.
public struct FingerprintIndex: Sendable {
  /// Entries in ascending order. The upper half of an entry is the item, the lower half the number of its fingerprint.
  private var entries: [UInt64] = []
  /// Entries added later, in ascending order.
  private var recent: [UInt64] = []

  /// One in this many items is listed.
  private static let step: UInt32 = 8
  /// Maximum number of fingerprints that share an item. More common items are ignored, because they are silence or a
  /// steady sound.
  private static let maxOccurrences = 2_000
  /// Minimum ratio of the size of `entries` to that of `recent`. At a smaller ratio, the two are merged and sorted.
  private static let growth = 8

  public init() {}

  /// Memory size in bytes.
  public var size: Int { (entries.capacity + recent.capacity) * MemoryLayout<UInt64>.stride }

  /// Adds fingerprints with their numbers.
  public mutating func add(_ fingerprints: some Sequence<(number: UInt32, fingerprint: Fingerprint)>) {
    for (number, fingerprint) in fingerprints {
      for item in Self.listed(fingerprint) { recent.append(UInt64(item) << 32 | UInt64(number)) }
    }
    if recent.count * Self.growth > entries.count {
      entries += recent
      recent = []
      entries.sort()
    } else {
      recent.sort()
    }
  }

  /// Returns the numbers of the fingerprints that have the most items in common with a fingerprint, best first.
  /// - Parameter limit: Maximum number of candidates.
  public func candidates(for fingerprint: Fingerprint, limit: Int) -> [UInt32] {
    var votes: [UInt32: Int] = [:]
    for item in Self.listed(fingerprint) {
      for list in [entries, recent] {
        let range = Self.range(of: item, in: list)
        guard range.count <= Self.maxOccurrences else { continue }
        for entry in list[range] { votes[UInt32(truncatingIfNeeded: entry), default: 0] += 1 }
      }
    }
    let order = votes.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
    return order.prefix(limit).map(\.key)
  }

  private static func listed(_ fingerprint: Fingerprint) -> Set<UInt32> {
    // Bits 16 to 18 of the product, which select the item, depend on all lower bits of the item (multiplicative
    // hashing: Knuth, "The Art of Computer Programming" 3, 6.4).
    Set(fingerprint.items.filter { ($0 &* 2_654_435_769) >> 16 % step == 0 })
  }

  private static func range(of item: UInt32, in list: [UInt64]) -> Range<Int> {
    func first(_ bound: UInt64) -> Int {
      var low = 0
      var high = list.count
      while low < high {
        let middle = (low + high) / 2
        if list[middle] < bound { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let start = first(UInt64(item) << 32)
    // Nothing follows the largest item.
    return start..<(item < .max ? first(UInt64(item + 1) << 32) : list.count)
  }
}
