/// Finds out of many fingerprints those that are worth a comparison with another one.
///
/// An inverted list of items. A hash chooses the listed items of each fingerprint, one of eight: two fingerprints of
/// one recording choose the same ones wherever either begins (Broder, "On the Resemblance and Containment of
/// Documents", SEQUENCES 1997). Eight bytes for each listed item: some 900 bytes for a fingerprint of two minutes.
public struct FingerprintIndex: Sendable {
  /// Ascending; the item in the upper half, the number of its fingerprint in the lower one.
  private var entries: [UInt64] = []
  /// The same of fingerprints that were added later.
  private var recent: [UInt64] = []

  /// One item in this many is listed.
  private static let step: UInt32 = 8
  /// Fingerprints that have an item in common beyond which it is silence, or some other steady sound.
  private static let mostCommon = 2_000
  /// By this factor the entries that were added later may be fewer before all are sorted again.
  private static let growth = 8

  public init() {}

  /// Bytes.
  public var size: Int { (entries.capacity + recent.capacity) * MemoryLayout<UInt64>.stride }

  /// Adds fingerprints under their numbers.
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

  /// The numbers of those that have the most items in common with a fingerprint, most first.
  /// - Parameter limit: How many at most.
  public func candidates(for fingerprint: Fingerprint, limit: Int) -> [UInt32] {
    var votes: [UInt32: Int] = [:]
    for item in Self.listed(fingerprint) {
      for list in [entries, recent] {
        let range = Self.range(of: item, in: list)
        guard range.count <= Self.mostCommon else { continue }
        for entry in list[range] { votes[UInt32(truncatingIfNeeded: entry), default: 0] += 1 }
      }
    }
    let order = votes.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
    return order.prefix(limit).map(\.key)
  }

  private static func listed(_ fingerprint: Fingerprint) -> Set<UInt32> {
    // The upper bits of a product depend on all bits of the factor (Knuth, "The Art of Computer Programming" 3, 6.4).
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
    return start..<first(UInt64(item) << 32 + 1 << 32)
  }
}
