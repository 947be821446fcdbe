/// Counts votes for places in a catalog and finds the places with the most.
struct VoteTable: ~Copyable {
  struct Place {
    var bin: Int
    var votes: Int
  }

  private var counts: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var binCount = 0

  /// Bins that are looked at together.
  private static let lanes = 32

  init() {
    capacity = 0
    counts = .allocate(capacity: 2 * Self.lanes)
  }

  deinit { counts.deallocate() }

  /// Empties the table and gives it a size.
  mutating func reset(binCount: Int) {
    if binCount > capacity {
      counts.deallocate()
      capacity = binCount
      counts = .allocate(capacity: binCount + 2 * Self.lanes)
    }
    self.binCount = binCount
    counts.update(repeating: 0, count: binCount + 2 * Self.lanes)
  }

  /// Adds a vote. Counts stop at 127.
  @inline(__always)
  func add(_ bin: Int) {
    guard UInt(bitPattern: bin) < UInt(bitPattern: binCount) else { return }
    let count = counts[bin]
    counts[bin] = count &+ (count < 127 ? 1 : 0)
  }

  /// The places with the most votes in two neighbouring bins, most first; of neighbours only the best.
  func strongest(_ limit: Int) -> [Place] {
    var places: [Place] = []
    var threshold: UInt8 = 2
    var bin = 0
    while bin < binCount {
      let raw = UnsafeRawPointer(counts + bin)
      let sums =
        raw.loadUnaligned(as: SIMD32<UInt8>.self) &+ raw.loadUnaligned(fromByteOffset: 1, as: SIMD32<UInt8>.self)
      let reached = sums .>= SIMD32<UInt8>(repeating: threshold)
      if any(reached) {
        for lane in 0..<Self.lanes where reached[lane] {
          let place = bin + lane
          let votes = sums[lane]
          let before = place > 0 ? counts[place - 1] &+ counts[place] : 0
          let after = counts[place + 1] &+ counts[place + 2]
          if votes > before, votes >= after { places.append(Place(bin: place, votes: Int(votes))) }
        }
        if places.count > 8 * limit {
          Self.keepStrongest(2 * limit, of: &places)
          threshold = UInt8(min(places.last?.votes ?? 0, 254))
        }
      }
      bin += Self.lanes
    }
    Self.keepStrongest(limit, of: &places)
    return places
  }

  private static func keepStrongest(_ limit: Int, of places: inout [Place]) {
    places.sort { ($1.votes, $0.bin) < ($0.votes, $1.bin) }
    if places.count > limit { places.removeLast(places.count - limit) }
  }
}
