/// Counts votes for places in a catalog and finds the places with the most.
///
/// A place is a bin of columns. Up to a few million bins are counted in a table. Beyond that a table would not fit into
/// the processor's caches: votes are collected, sorted into stretches of bins, and each stretch is counted by itself.
struct VoteTable: ~Copyable {
  struct Place {
    var bin: Int
    var votes: Int
  }

  private var counts: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var binCount = 0
  /// Votes that are not yet counted, when there are too many bins for one table.
  private var votes: [UInt32] = []
  private var sorted: [UInt32] = []
  private var isDirect = true

  private static let lanes = 32
  private static let directLimit = 1 << 22
  /// Bins of a stretch, as a power of two.
  private static let stretchLog2 = 17

  init() {
    capacity = 0
    counts = .allocate(capacity: 2 * Self.lanes)
  }

  deinit { counts.deallocate() }

  /// Empties the table and gives it a size.
  mutating func reset(binCount: Int) {
    isDirect = binCount <= Self.directLimit
    let size = isDirect ? binCount : 1 << Self.stretchLog2
    if size > capacity {
      counts.deallocate()
      capacity = size
      counts = .allocate(capacity: size + 2 * Self.lanes)
    }
    self.binCount = binCount
    votes.removeAll(keepingCapacity: true)
    counts.update(repeating: 0, count: size + 2 * Self.lanes)
  }

  /// Adds votes for all places that a list of postings names, moved by an offset.
  @inline(__always)
  mutating func add(_ list: Range<Int>, of segment: Segment, offset: Int, binWidthLog2: Int) {
    let binCount = UInt(bitPattern: binCount)
    if isDirect {
      let counts = counts
      segment.forEachPosting(in: list) { column in
        let bin = (column &+ offset) >> binWidthLog2
        if UInt(bitPattern: bin) < binCount { Self.increment(counts + bin) }
      }
    } else {
      segment.forEachPosting(in: list) { column in
        let bin = (column &+ offset) >> binWidthLog2
        if UInt(bitPattern: bin) < binCount { votes.append(UInt32(truncatingIfNeeded: bin)) }
      }
    }
  }

  /// Counts stop at 127, so that two of them can be added.
  @inline(__always)
  private static func increment(_ count: UnsafeMutablePointer<UInt8>) {
    let value = count.pointee
    count.pointee = value &+ (value < 127 ? 1 : 0)
  }

  /// The places with the most votes in two neighbouring bins, most first; of neighbours only the best.
  mutating func strongest(_ limit: Int) -> [Place] {
    var places: [Place] = []
    var threshold: UInt8 = 2
    if isDirect {
      findInTable(limit, &threshold, into: &places)
    } else {
      findInStretches(limit, &threshold, into: &places)
    }
    Self.keepStrongest(limit, of: &places)
    return places
  }

  private func findInTable(_ limit: Int, _ threshold: inout UInt8, into places: inout [Place]) {
    var bin = 0
    while bin < binCount {
      let raw = UnsafeRawPointer(counts + bin)
      let sums =
        raw.loadUnaligned(as: SIMD32<UInt8>.self) &+ raw.loadUnaligned(fromByteOffset: 1, as: SIMD32<UInt8>.self)
      if sums.max() >= threshold {
        for lane in 0..<Self.lanes where sums[lane] >= threshold {
          let place = bin + lane
          let before = place > 0 ? counts[place - 1] &+ counts[place] : 0
          let after = counts[place + 1] &+ counts[place + 2]
          if sums[lane] > before, sums[lane] >= after { places.append(Place(bin: place, votes: Int(sums[lane]))) }
        }
        Self.raise(&threshold, limit, &places)
      }
      bin += Self.lanes
    }
  }

  private mutating func findInStretches(_ limit: Int, _ threshold: inout UInt8, into places: inout [Place]) {
    let stretchCount = binCount >> Self.stretchLog2 + 1
    var starts = [Int](repeating: 0, count: stretchCount + 1)
    for vote in votes { starts[Int(vote >> UInt32(Self.stretchLog2)) + 1] += 1 }
    for stretch in 0..<stretchCount { starts[stretch + 1] += starts[stretch] }
    if sorted.count < votes.count { sorted = [UInt32](repeating: 0, count: votes.count) }
    var next = starts
    for vote in votes {
      let stretch = Int(vote >> UInt32(Self.stretchLog2))
      sorted[next[stretch]] = vote
      next[stretch] += 1
    }
    let mask = UInt32(1) << UInt32(Self.stretchLog2) - 1
    for stretch in 0..<stretchCount {
      let range = starts[stretch]..<starts[stretch + 1]
      // The table begins two places later here, so that the bins before the first can be read.
      for index in range { Self.increment(counts + 2 + Int(sorted[index] & mask)) }
      for index in range {
        for back in 0...1 {
          let place = 2 + Int(sorted[index] & mask) - back
          let sum = counts[place] &+ counts[place + 1]
          guard sum >= threshold else { continue }
          let before = counts[place - 1] &+ counts[place]
          let after = counts[place + 1] &+ counts[place + 2]
          guard sum > before, sum >= after else { continue }
          let bin = Int(sorted[index]) - back
          if places.last?.bin != bin { places.append(Place(bin: bin, votes: Int(sum))) }
          Self.raise(&threshold, limit, &places)
        }
      }
      for index in range { counts[2 + Int(sorted[index] & mask)] = 0 }
    }
    places.sort { $0.bin < $1.bin }
    var last = -1
    places.removeAll { place in
      defer { last = place.bin }
      return place.bin == last
    }
  }

  /// Once there are far more places than wanted, drops the weaker ones and asks more of those to come.
  private static func raise(_ threshold: inout UInt8, _ limit: Int, _ places: inout [Place]) {
    guard places.count > 8 * limit else { return }
    keepStrongest(2 * limit, of: &places)
    threshold = UInt8(min(places.last?.votes ?? 0, 254))
  }

  private static func keepStrongest(_ limit: Int, of places: inout [Place]) {
    places.sort { ($1.votes, $0.bin) < ($0.votes, $1.bin) }
    if places.count > limit { places.removeLast(places.count - limit) }
  }
}
