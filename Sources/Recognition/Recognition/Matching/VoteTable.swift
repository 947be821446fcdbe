/// Counts votes for places in a catalog, and finds the places with the most votes.
///
/// A place is a bin of columns. Up to a few million bins are counted in one table. A larger table would not fit into
/// the processor's caches; in that case, votes are collected, sorted into stretches of bins, and counted stretch by
/// stretch.
struct VoteTable: ~Copyable {
  struct Location {
    var bin: Int
    var votes: Int
  }

  private var counts: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var binCount = 0
  private var isDirect = true
  /// Votes that have not been counted yet; used only if there are too many bins for one table.
  private var votes: UnsafeMutablePointer<UInt32>
  /// The same votes, sorted by stretch.
  private var sorted: UnsafeMutablePointer<UInt32>
  private var voteCapacity = 0
  private var voteCount = 0
  /// End of each stretch's votes in `sorted`.
  private var ends: [Int] = []

  /// Number of bins that are processed together.
  private static let lanes = 64
  private static let directLimit = 1 << 22
  /// Binary logarithm of the number of bins per stretch.
  private static let stretchLog2 = 17
  /// Number of empty bins before the first one, so that the neighbors of any bin can be read.
  private static let margin = 2
  /// Minimum number of votes for a place.
  private static let minVotes: UInt8 = 2

  init() {
    capacity = 0
    counts = .allocate(capacity: Self.lanes + Self.margin)
    votes = .allocate(capacity: 1)
    sorted = .allocate(capacity: 1)
  }

  deinit {
    counts.deallocate()
    votes.deallocate()
    sorted.deallocate()
  }

  /// Clears the table and sets its size.
  /// - Parameter byteCount: Total size in bytes of the lists that will be added. A list has at most one vote per byte.
  mutating func reset(binCount: Int, byteCount: Int) {
    isDirect = binCount <= Self.directLimit
    let size = isDirect ? binCount : 1 << Self.stretchLog2
    if size > capacity {
      counts.deallocate()
      capacity = size
      counts = .allocate(capacity: size + Self.lanes + Self.margin)
    }
    self.binCount = binCount
    counts.update(repeating: 0, count: size + Self.lanes + Self.margin)
    voteCount = 0
    if !isDirect, byteCount > voteCapacity {
      votes.deallocate()
      sorted.deallocate()
      voteCapacity = byteCount
      votes = .allocate(capacity: byteCount)
      sorted = .allocate(capacity: byteCount)
    }
  }

  /// Adds a vote for each posting of a list, moved by an offset.
  @inline(__always)
  mutating func add(_ list: Range<Int>, of segment: Segment, offset: Int, binWidthLog2: Int) {
    let binCount = UInt(bitPattern: binCount)
    if isDirect {
      let counts = counts
      segment.forEachPosting(in: list) { column in
        let bin = (column &+ offset) &>> binWidthLog2
        if UInt(bitPattern: bin) < binCount { Self.increment(counts + bin) }
      }
    } else {
      precondition(list.count <= voteCapacity - voteCount)
      let target = votes + voteCount
      var added = 0
      segment.forEachPosting(in: list) { column in
        let bin = (column &+ offset) &>> binWidthLog2
        target[added] = UInt32(truncatingIfNeeded: bin)
        added &+= UInt(bitPattern: bin) < binCount ? 1 : 0
      }
      voteCount += added
    }
  }

  /// Increments a count, and returns it. Counts saturate at 63, so that the sum of two counts and 128 minus a threshold
  /// fits into a byte.
  @inline(__always) @discardableResult
  private static func increment(_ count: UnsafeMutablePointer<UInt8>) -> UInt8 {
    let sum = min(count.pointee &+ 1, 63)
    count.pointee = sum
    return sum
  }

  /// Returns the places with the most votes in two neighboring bins, most votes first. Of adjacent places, only the
  /// best is returned.
  mutating func strongest(_ limit: Int) -> [Location] {
    var places: [Location] = []
    if isDirect {
      findInTable(limit, into: &places)
    } else {
      sortIntoStretches()
      findInStretches(limit, into: &places)
    }
    Self.keepStrongest(limit, of: &places)
    return places
  }

  /// Finds places in the table. Earlier places win ties, so once there are enough places, later ones must have more
  /// votes.
  private func findInTable(_ limit: Int, into places: inout [Location]) {
    let highBits: UInt64 = 0x8080_8080_8080_8080
    let counts = UnsafeRawPointer(counts)
    @inline(__always) func count(_ bin: Int) -> UInt8 { counts.load(fromByteOffset: bin, as: UInt8.self) }
    @inline(__always) func sums(_ bin: Int) -> SIMD2<UInt64> {
      counts.loadUnaligned(fromByteOffset: bin, as: SIMD2<UInt64>.self)
        &+ counts.loadUnaligned(fromByteOffset: bin &+ 1, as: SIMD2<UInt64>.self)
    }
    var threshold = Self.minVotes
    // The number of places with each vote count, and the number of places at or above the threshold.
    var placeCounts = [Int](repeating: 0, count: 128)
    var found = 0
    var bin = 0
    while bin < binCount {
      // The high bit of each byte is set if the byte has reached the threshold; no sum is greater than 127.
      let missing = SIMD2(repeating: UInt64(128 - threshold) &* 0x0101_0101_0101_0101)
      let reached =
        ((sums(bin) &+ missing) | (sums(bin &+ 16) &+ missing))
        | ((sums(bin &+ 32) &+ missing) | (sums(bin &+ 48) &+ missing))
      if (reached[0] | reached[1]) & highBits != 0 {
        for first in stride(from: bin, to: bin + Self.lanes, by: 8) {
          let sums =
            counts.loadUnaligned(fromByteOffset: first, as: UInt64.self)
            &+ counts.loadUnaligned(fromByteOffset: first + 1, as: UInt64.self)
          var left = (sums &+ missing[0]) & highBits
          while left != 0 {
            let place = first + left.trailingZeroBitCount / 8
            left &= left &- 1
            let sum = count(place) &+ count(place + 1)
            let before = place > 0 ? count(place - 1) &+ count(place) : 0
            guard sum >= threshold, sum > before, sum >= count(place + 1) &+ count(place + 2) else { continue }
            places.append(Location(bin: place, votes: Int(sum)))
            placeCounts[Int(sum)] += 1
            found += 1
            while found >= limit {
              found -= placeCounts[Int(threshold)]
              threshold += 1
            }
          }
        }
      }
      bin &+= Self.lanes
    }
  }

  /// Fills `sorted` with the votes, stretch by stretch, as bins within the stretch. This is a counting sort.
  private mutating func sortIntoStretches() {
    ends = [Int](repeating: 0, count: binCount >> Self.stretchLog2 + 2)
    let mask = UInt32(1) << UInt32(Self.stretchLog2) - 1
    ends.withUnsafeMutableBufferPointer { ends in
      for index in 0..<voteCount { ends[Int(votes[index] >> UInt32(Self.stretchLog2)) &+ 1] &+= 1 }
      for stretch in 1..<ends.count { ends[stretch] &+= ends[stretch &- 1] }
      for index in 0..<voteCount {
        let stretch = Int(votes[index] >> UInt32(Self.stretchLog2))
        sorted[ends[stretch]] = votes[index] & mask
        ends[stretch] &+= 1
      }
    }
  }

  /// Counts and checks votes in one pass: after each vote, the sum of its bin and the fuller neighbor is compared with
  /// the threshold.
  private func findInStretches(_ limit: Int, into places: inout [Location]) {
    var threshold = Self.minVotes
    let counts = counts + Self.margin
    var start = 0
    for stretch in ends.indices {
      let end = ends[stretch]
      let first = stretch << Self.stretchLog2
      for index in start..<max(start, end) {
        let bin = Int(sorted[index])
        let count = Self.increment(counts + bin)
        let before = counts[bin &- 1]
        let after = counts[bin &+ 1]
        let sum = count &+ max(before, after)
        if sum >= threshold {
          places.append(Location(bin: first + bin - (before > after ? 1 : 0), votes: Int(sum)))
          Self.raise(&threshold, limit, &places)
        }
      }
      for index in start..<max(start, end) { counts[Int(sorted[index])] = 0 }
      start = max(start, end)
    }
  }

  /// Drops the weaker places and raises the threshold if there are far more places than needed.
  private static func raise(_ threshold: inout UInt8, _ limit: Int, _ places: inout [Location]) {
    guard places.count > 16 * limit else { return }
    keepStrongest(2 * limit, of: &places)
    if places.count == 2 * limit { threshold = UInt8(min(max(places.last?.votes ?? 0, Int(threshold)), 126)) }
  }

  /// Keeps the places with the most votes. Of adjacent places, only the best is kept.
  private static func keepStrongest(_ limit: Int, of places: inout [Location]) {
    places.sort { ($0.bin, $1.votes) < ($1.bin, $0.votes) }
    var kept = 0
    for place in places {
      if kept > 0, place.bin - places[kept - 1].bin <= 1 {
        if place.votes > places[kept - 1].votes { places[kept - 1] = place }
      } else {
        places[kept] = place
        kept += 1
      }
    }
    places.removeLast(places.count - kept)
    places.sort { ($1.votes, $0.bin) < ($0.votes, $1.bin) }
    if places.count > limit { places.removeLast(places.count - limit) }
  }
}
