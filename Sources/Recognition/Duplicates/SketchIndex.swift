/// An inverted file of keys. Given a recording, it finds others that share keys with it at one distance between the
/// positions.
///
/// Each entry takes eight bytes: 28 bits for the key, 20 for the number of the recording, 16 for the position. A table
/// holds the starts of the entries with equal upper key bits. A key that very many recordings have finds only those
/// with the lowest numbers, so that common keys do not slow down queries, and hundreds of copies of a recording still
/// find each other.
package struct SketchIndex: Sendable {
  /// Entries in the order of insertion; ascending after `sort`.
  private var entries: [UInt64] = []
  /// Start of each bucket in `entries` after `sort`, followed by the end of the last bucket.
  private var buckets: [UInt32]
  /// Number of upper key bits that select the bucket.
  private let bucketBits: Int
  private var keyCounts: [UInt32] = []

  private static let keyBits = 28
  private static let keyMask: UInt32 = 1 << keyBits - 1
  private static let numberBits = 20
  private static let positionBits = 16
  private static let positionMask: UInt64 = 1 << positionBits - 1
  /// Upper bound for the numbers of recordings, exclusive.
  package static let capacity = 1 << numberBits

  /// A recording that has keys in common with another one.
  package struct Candidate: Hashable, Sendable {
    package var number: Int
    /// Number of common keys whose positions differ by the same amount.
    package var votes: Int
  }

  /// Maximum difference between keys that count as equal.
  private let reach: UInt64

  /// - Parameters:
  ///   - reach: Maximum difference between keys that count as equal.
  ///   - expected: Expected number of keys in total.
  package init(reach: Int = 0, expected: Int = 0) {
    self.reach = UInt64(reach)
    entries.reserveCapacity(expected)
    // About eight keys per bucket.
    bucketBits = min(max(1, Int.bitWidth - (expected / 8).leadingZeroBitCount), 22)
    buckets = [UInt32](repeating: 0, count: 1 << bucketBits + 1)
  }

  /// Adds the keys of a recording, unless its number is `capacity` or higher. Keys beyond the first nine hours are left
  /// out.
  package mutating func add(_ keys: [SketchKey], of number: Int) {
    guard number < Self.capacity else { return }
    if number >= keyCounts.count {
      keyCounts.append(contentsOf: repeatElement(0, count: number + 1 - keyCounts.count))
    }
    keyCounts[number] += UInt32(keys.count)
    for key in keys where key.position < 1 << Self.positionBits {
      let prefix = UInt64(key.key & Self.keyMask) << (64 - Self.keyBits)
      entries.append(prefix | UInt64(number) << Self.positionBits | UInt64(key.position))
    }
  }

  /// Drops excess repetitions of keys, and sorts the entries in place, because a copy would double the memory. Must be
  /// called after the last `add` and before the first query.
  package mutating func sort() {
    entries.withUnsafeMutableBufferPointer { Self.sort($0, below: UInt64.bitWidth) }
    dropRepeats()
    var bucket = 0
    for (place, entry) in entries.enumerated() {
      let next = self.bucket(of: entry)
      while bucket <= next {
        buckets[bucket] = UInt32(place)
        bucket += 1
      }
    }
    while bucket < buckets.count {
      buckets[bucket] = UInt32(entries.count)
      bucket += 1
    }
  }

  /// Decides which occurrences of a key in a recording count. A periodic sound may have a key hundreds of times, which
  /// says no more about the sound than a few occurrences do.
  private struct Repeats {
    private static let maxCount = 8
    /// Minimum distance between two occurrences: 8 s.
    private static let minDistance: UInt64 = 16

    private var owner: UInt64?
    private var count = 0
    private var last: UInt64 = 0

    /// - Parameters:
    ///   - position: Ascending for each owner.
    ///   - owner: The key, and the recording if there are several.
    mutating func counts(_ position: UInt64, of owner: UInt64) -> Bool {
      if owner != self.owner {
        (self.owner, count) = (owner, 0)
      } else if count == Self.maxCount || position - last < Self.minDistance {
        return false
      }
      count += 1
      last = position
      return true
    }
  }

  private mutating func dropRepeats() {
    var repeats = Repeats()
    var kept = 0
    for entry in entries {
      if repeats.counts(entry & Self.positionMask, of: entry >> Self.positionBits) {
        entries[kept] = entry
        kept += 1
      } else {
        keyCounts[Self.number(of: entry)] -= 1
      }
    }
    entries.removeLast(entries.count - kept)
  }

  private static let digitBits = 8
  /// Minimum number of entries for a radix sort; fewer are sorted by insertion.
  private static let fewEntries = 48

  /// Sorts entries in place by their highest unsorted digit, then the entries with each value of this digit (McIlroy,
  /// Bostic and McIlroy, "Engineering Radix Sort", Computing Systems 1993).
  /// - Parameter bits: Number of low bits to sort by; the bits above are equal.
  private static func sort(_ entries: UnsafeMutableBufferPointer<UInt64>, below bits: Int) {
    guard entries.count >= fewEntries, bits > 0 else { return insert(entries) }
    let shift = bits - digitBits
    let mask = 1 << digitBits - 1
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * (mask + 2)) { places in
      places.initialize(repeating: 0)
      let starts = UnsafeMutableBufferPointer(rebasing: places[..<(mask + 2)])
      let next = UnsafeMutableBufferPointer(rebasing: places[(mask + 2)...])
      func digit(_ entry: UInt64) -> Int { Int(truncatingIfNeeded: entry >> UInt64(shift)) & mask }
      for entry in entries { starts[digit(entry) + 1] += 1 }
      for value in 0...mask { starts[value + 1] += starts[value] }
      for value in 0...mask { next[value] = starts[value] }
      for value in 0...mask {
        while next[value] < starts[value + 1] {
          let target = digit(entries[next[value]])
          if target != value { entries.swapAt(next[value], next[target]) }
          next[target] += 1
        }
      }
      for value in 0...mask where starts[value + 1] - starts[value] > 1 {
        sort(UnsafeMutableBufferPointer(rebasing: entries[starts[value]..<starts[value + 1]]), below: shift)
      }
    }
  }

  private static func insert(_ entries: UnsafeMutableBufferPointer<UInt64>) {
    for place in entries.indices.dropFirst() {
      let entry = entries[place]
      var before = place
      while before > 0, entries[before - 1] > entry {
        entries[before] = entries[before - 1]
        before -= 1
      }
      entries[before] = entry
    }
  }

  package var keyCount: Int { entries.count }
  package func keyCount(of number: Int) -> Int { Int(keyCounts[number]) }

  private func bucket(of entry: UInt64) -> Int { Int(entry >> (64 - bucketBits)) }
  private static func number(of entry: UInt64) -> Int { Int(entry >> positionBits) & (capacity - 1) }
  private static func key(of entry: UInt64) -> UInt64 { entry >> (64 - keyBits) }

  /// Buffers for votes, reused between queries.
  package struct Ballot {
    fileprivate var counts = [UInt8](repeating: 0, count: 1 << cellBits)
    /// One element per vote: the number of the recording in the upper 32 bits, the bin of the distance in the lower
    /// ones.
    fileprivate var hits: [UInt64] = []

    package init() {}
  }

  /// Half the width of a bin; a bin is 2 s wide. A hit votes for two bins, which overlap by half.
  private static let halfBin = 2
  /// Maximum number of occurrences of a key for all of them to count. Among 100,000 tracks, one key in eleven occurs
  /// more often; these keys would take half as much work as all others.
  private static let maxOccurrences = 128
  /// Number of occurrences of a more common key that count: those in the recordings with the lowest numbers.
  private static let commonCount = 32
  private static let cellBits = 17

  /// Returns the recordings that have at least `least` of the keys at one distance, those with the most keys first.
  /// - Parameter isWanted: Selects the recordings to compare.
  package func candidates(
    of keys: [SketchKey], least: Int, _ ballot: inout Ballot, isWanted: (Int) -> Bool
  ) -> [Candidate] {
    ballot.hits.removeAll(keepingCapacity: true)
    let wanted = keys.lazy.filter { $0.position < 1 << Self.positionBits }
      .map { UInt64($0.key & Self.keyMask) << Self.positionBits | UInt64($0.position) }.sorted()
    var repeats = Repeats()
    entries.withUnsafeBufferPointer { entries in
      for key in wanted where repeats.counts(key & Self.positionMask, of: key >> Self.positionBits) {
        collect(
          key >> Self.positionBits, at: Int(key & Self.positionMask), from: entries, into: &ballot, isWanted: isWanted)
      }
    }
    guard ballot.hits.count >= least else { return [] }
    for hit in ballot.hits {
      let cell = Self.cell(hit)
      if ballot.counts[cell] < .max { ballot.counts[cell] += 1 }
    }
    var likely = ballot.hits.filter { Int(ballot.counts[Self.cell($0)]) >= least }
    for hit in ballot.hits { ballot.counts[Self.cell(hit)] = 0 }
    likely.sort()
    var best: [Candidate] = []
    var start = 0
    while start < likely.count {
      var end = start
      while end < likely.count, likely[end] == likely[start] { end += 1 }
      if end - start >= least {
        let other = Int(likely[start] >> 32)
        if best.last?.number != other { best.append(Candidate(number: other, votes: 0)) }
        best[best.count - 1].votes = max(best[best.count - 1].votes, end - start)
      }
      start = end
    }
    best.sort { $0.votes != $1.votes ? $0.votes > $1.votes : $0.number < $1.number }
    return best
  }

  /// Votes for the recordings that have a key, each at the distance between the positions.
  private func collect(
    _ key: UInt64, at position: Int, from entries: UnsafeBufferPointer<UInt64>, into ballot: inout Ballot,
    isWanted: (Int) -> Bool
  ) {
    func vote(_ places: Range<Int>) {
      for entry in entries[places] {
        let other = Self.number(of: entry)
        guard isWanted(other) else { continue }
        let distance = Int(entry & Self.positionMask) - position + 1 << Self.positionBits
        let bin = distance / Self.halfBin
        ballot.hits.append(UInt64(other) << 32 | UInt64(bin))
        ballot.hits.append(UInt64(other) << 32 | UInt64(bin + 1))
      }
    }
    let near = (key > reach ? key - reach : 0)...key + reach
    let all = start(of: near.lowerBound, in: entries)..<start(of: near.upperBound + 1, in: entries)
    if all.count <= Self.maxOccurrences { return vote(all) }
    for one in near {
      let start = start(of: one, in: entries)
      vote(start..<min(start + Self.commonCount, self.start(of: one + 1, in: entries)))
    }
  }

  /// Returns the index of the first entry whose key is not lower than `key`.
  private func start(of key: UInt64, in entries: UnsafeBufferPointer<UInt64>) -> Int {
    let bucket = Int(key >> UInt64(Self.keyBits - bucketBits))
    guard bucket < buckets.count - 1 else { return entries.count }
    var (low, high) = (Int(buckets[bucket]), Int(buckets[bucket + 1]))
    while low < high {
      let middle = (low + high) / 2
      if Self.key(of: entries[middle]) < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func cell(_ hit: UInt64) -> Int {
    Int(truncatingIfNeeded: (hit &* 0x9E37_79B9_7F4A_7C15) >> UInt64(UInt64.bitWidth - cellBits))
  }
}
