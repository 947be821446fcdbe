/// An inverted file of keys: finds for a sound those that have keys in common with it at one distance.
///
/// Eight bytes for each key: 28 bits of it, 20 of the number of its sound, 16 of its position; and a table of where keys with
/// equal upper bits begin. A key that very many sounds have says nothing and is passed over, so a question costs no more
/// where some keys are common.
package struct SketchIndex: Sendable {
  /// In the order of sounds, then, after `sort`, ascending.
  private var entries: [UInt64] = []
  /// Where in `entries` each bucket begins, after `sort`; one more at the end.
  private var buckets: [UInt32]
  /// The upper bits of a key that choose its bucket.
  private let bucketBits: Int
  /// How many keys the sounds have, by number.
  private var keyCounts: [UInt32] = []

  private static let keyBits = 28
  private static let keyMask: UInt32 = 1 << keyBits - 1
  private static let numberBits = 20
  private static let positionBits = 16
  private static let positionMask: UInt64 = 1 << positionBits - 1
  /// Numbers of sounds are below this.
  package static let capacity = 1 << numberBits

  /// A sound that has keys in common with another one.
  package struct Candidate: Hashable, Sendable {
    package var number: Int
    /// Keys in common at one distance.
    package var votes: Int
  }

  /// How far keys may be from each other that count as the same.
  private let reach: UInt64

  /// - Parameters:
  ///   - reach: How far keys may be from each other that count as the same.
  ///   - expected: How many keys there may be in all.
  package init(reach: Int = 0, expected: Int = 0) {
    self.reach = UInt64(reach)
    entries.reserveCapacity(expected)
    // About eight keys in each.
    bucketBits = min(max(1, Int.bitWidth - (expected / 8).leadingZeroBitCount), 22)
    buckets = [UInt32](repeating: 0, count: 1 << bucketBits + 1)
  }

  /// Adds the keys of a sound.
  package mutating func add(_ keys: [SketchKey], of number: Int) {
    precondition(number < Self.capacity)
    if number >= keyCounts.count {
      keyCounts.append(contentsOf: repeatElement(0, count: number + 1 - keyCounts.count))
    }
    keyCounts[number] += UInt32(keys.count)
    for key in keys where key.position < 1 << Self.positionBits {
      let prefix = UInt64(key.key & Self.keyMask) << (64 - Self.keyBits)
      entries.append(prefix | UInt64(number) << Self.positionBits | UInt64(key.position))
    }
  }

  /// Comes after the last `add`, and before the first question. Sorts in place: a copy would take as much memory again.
  package mutating func sort() {
    entries.withUnsafeMutableBufferPointer { Self.sort($0, below: UInt64.bitWidth) }
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

  private static let digitBits = 8
  /// Fewer entries are sorted by insertion.
  private static let fewEntries = 48

  /// Exchanges entries into the order of their next digit, then sorts those of each digit (McIlroy, Bostic and McIlroy,
  /// "Engineering Radix Sort", Computing Systems 1993).
  /// - Parameter bits: Bits from here on up are equal.
  private static func sort(_ entries: UnsafeMutableBufferPointer<UInt64>, below bits: Int) {
    guard entries.count >= fewEntries, bits > 0 else { return insert(entries) }
    let shift = bits - digitBits
    let mask = 1 << digitBits - 1
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * (mask + 2)) { places in
      places.initialize(repeating: 0)
      let starts = UnsafeMutableBufferPointer(rebasing: places[..<(mask + 2)])
      let next = UnsafeMutableBufferPointer(rebasing: places[(mask + 2)...])
      for entry in entries { starts[Int(entry >> shift) & mask + 1] += 1 }
      for digit in 0...mask { starts[digit + 1] += starts[digit] }
      for digit in 0...mask { next[digit] = starts[digit] }
      for digit in 0...mask {
        while next[digit] < starts[digit + 1] {
          let target = Int(entries[next[digit]] >> shift) & mask
          if target != digit { entries.swapAt(next[digit], next[target]) }
          next[target] += 1
        }
      }
      for digit in 0...mask where starts[digit + 1] - starts[digit] > 1 {
        sort(UnsafeMutableBufferPointer(rebasing: entries[starts[digit]..<starts[digit + 1]]), below: shift)
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
  /// How many keys a sound has that was added.
  package func keyCount(of number: Int) -> Int { Int(keyCounts[number]) }

  private func bucket(of entry: UInt64) -> Int { Int(entry >> (64 - bucketBits)) }
  private static func number(of entry: UInt64) -> Int { Int(entry >> positionBits) & (capacity - 1) }
  private static func key(of entry: UInt64) -> UInt64 { entry >> (64 - keyBits) }

  /// Room for the votes for places, kept between questions.
  package struct Ballot {
    fileprivate var counts = [UInt8](repeating: 0, count: 1 << cellBits)
    /// The number of a sound, and the distance in bins.
    fileprivate var hits: [UInt64] = []

    package init() {}
  }

  /// Half the distances in a bin of 2 s. A hit votes for two bins, which overlap by half.
  private static let halfBin = 2
  /// A key that is there more often says nothing. Among 100,000 tracks that is one key of eleven, which would make as much
  /// work as half of the others.
  private static let mostCommon = 128
  private static let cellBits = 17

  /// The sounds that have at least so many keys in common with one at one distance, most first.
  /// - Parameter isWanted: Whether a sound is to be compared.
  package func candidates(
    of keys: [SketchKey], least: Int, limit: Int, _ ballot: inout Ballot, isWanted: (Int) -> Bool
  ) -> [Candidate] {
    ballot.hits.removeAll(keepingCapacity: true)
    entries.withUnsafeBufferPointer { entries in
      for key in keys where key.position < 1 << Self.positionBits {
        collect(key, from: entries, into: &ballot, isWanted: isWanted)
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
    return Array(best.prefix(limit))
  }

  /// Votes for all places that have a key.
  private func collect(
    _ wanted: SketchKey, from entries: UnsafeBufferPointer<UInt64>, into ballot: inout Ballot, isWanted: (Int) -> Bool
  ) {
    let key = UInt64(wanted.key & Self.keyMask)
    let lowest = key > reach ? key - reach : 0
    var start = Int(buckets[Int(lowest >> UInt64(Self.keyBits - bucketBits))])
    while start < entries.count, Self.key(of: entries[start]) < lowest { start += 1 }
    var end = start
    while end < entries.count, Self.key(of: entries[end]) <= key + reach {
      end += 1
      if end - start > Self.mostCommon { return }
    }
    for entry in entries[start..<end] {
      let other = Self.number(of: entry)
      guard isWanted(other) else { continue }
      let distance = Int(entry & Self.positionMask) - Int(wanted.position) + 1 << Self.positionBits
      let bin = distance / Self.halfBin
      ballot.hits.append(UInt64(other) << 32 | UInt64(bin))
      ballot.hits.append(UInt64(other) << 32 | UInt64(bin + 1))
    }
  }

  private static func cell(_ hit: UInt64) -> Int {
    Int(truncatingIfNeeded: (hit &* 0x9E37_79B9_7F4A_7C15) >> UInt64(UInt64.bitWidth - cellBits))
  }
}
