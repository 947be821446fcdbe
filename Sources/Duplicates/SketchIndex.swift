/// An inverted file of keys: finds for a sound those that have keys in common with it at one distance.
///
/// Twelve bytes for each key: 28 bits of it, 20 of the number of its sound, 16 of its position; and its place in the order
/// of keys: the keys of a sound need not be made again.
package struct SketchIndex: Sendable {
  /// In the order of sounds, then, after `sort`, ascending.
  private var entries: [UInt64] = []
  /// The places in `entries` of the keys of each sound, one sound after the other.
  private var places: [UInt32] = []
  /// Where in `places` each sound begins; one more at the end.
  private var starts: [Int] = [0]

  private static let keyBits = 28
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
  }

  /// Adds the keys of the next sound; the first one has number 0.
  package mutating func add(_ keys: [SketchKey]) {
    let number = starts.count - 1
    precondition(number < Self.capacity)
    for key in keys where key.position < 1 << Self.positionBits {
      let prefix = (UInt64(key.key) & (1 << Self.keyBits - 1)) << (64 - Self.keyBits)
      entries.append(prefix | UInt64(number) << Self.positionBits | UInt64(key.position))
    }
    starts.append(entries.count)
  }

  /// Comes after the last `add`, and before the first question.
  package mutating func sort() {
    entries.sort()
    places = [UInt32](repeating: 0, count: entries.count)
    var next = starts
    for (place, entry) in entries.enumerated() {
      let number = Self.number(of: entry)
      places[next[number]] = UInt32(place)
      next[number] += 1
    }
  }

  package var keyCount: Int { entries.count }
  /// How many keys a sound has.
  package func keyCount(of number: Int) -> Int { starts[number + 1] - starts[number] }

  private static func number(of entry: UInt64) -> Int { Int(entry >> positionBits) & (capacity - 1) }
  private static func key(of entry: UInt64) -> UInt64 { entry >> (64 - keyBits) }

  /// Room for the votes for places, kept between questions.
  package struct Ballot {
    fileprivate var counts = [UInt8](repeating: 0, count: 1 << 15)
    /// The number of a sound, and the distance in bins.
    fileprivate var hits: [UInt64] = []

    package init() {}
  }

  /// Half the distances in a bin of 2 s. A hit votes for two bins, which overlap by half.
  private static let halfBin = 2
  /// A key that more sounds have says nothing.
  private static let mostCommon = 300

  /// The sounds that have at least so many keys in common with one at one distance, most first.
  /// - Parameter isWanted: Whether a sound is to be compared.
  package func candidates(
    of number: Int, least: Int, limit: Int, _ ballot: inout Ballot, isWanted: (Int) -> Bool
  ) -> [Candidate] {
    ballot.hits.removeAll(keepingCapacity: true)
    entries.withUnsafeBufferPointer { entries in
      for place in places[starts[number]..<starts[number + 1]] {
        collect(Int(place), from: entries, number: number, into: &ballot, isWanted: isWanted)
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
    var best: [Int: Int] = [:]
    var start = 0
    while start < likely.count {
      var end = start
      while end < likely.count, likely[end] == likely[start] { end += 1 }
      if end - start >= least {
        let other = Int(likely[start] >> 32)
        best[other] = max(best[other] ?? 0, end - start)
      }
      start = end
    }
    let order = best.map { Candidate(number: $0.key, votes: $0.value) }
      .sorted { $0.votes != $1.votes ? $0.votes > $1.votes : $0.number < $1.number }
    return Array(order.prefix(limit))
  }

  /// Votes for all places that have the key at a place of `entries`.
  private func collect(
    _ place: Int, from entries: UnsafeBufferPointer<UInt64>, number: Int, into ballot: inout Ballot,
    isWanted: (Int) -> Bool
  ) {
    let key = Self.key(of: entries[place])
    var start = place
    while start > 0, Self.key(of: entries[start - 1]) + reach >= key {
      start -= 1
      if place - start > Self.mostCommon { return }
    }
    var end = place + 1
    while end < entries.count, Self.key(of: entries[end]) <= key + reach {
      end += 1
      if end - start > Self.mostCommon { return }
    }
    let position = Int(entries[place] & Self.positionMask)
    for entry in entries[start..<end] {
      let other = Self.number(of: entry)
      guard other != number, isWanted(other) else { continue }
      let distance = Int(entry & Self.positionMask) - position + 1 << Self.positionBits
      let bin = distance / Self.halfBin
      ballot.hits.append(UInt64(other) << 32 | UInt64(bin))
      ballot.hits.append(UInt64(other) << 32 | UInt64(bin + 1))
    }
  }

  private static func cell(_ hit: UInt64) -> Int {
    Int(truncatingIfNeeded: (hit &* 0x9E37_79B9_7F4A_7C15) >> 49)
  }
}
