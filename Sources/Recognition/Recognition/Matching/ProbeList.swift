internal import CKernels
internal import Landmarks
internal import Mathematics

/// The posting lists of one segment that are read for the pairs of a query.
struct ProbeList {
  struct Probe {
    /// Start of the list within the postings. Until the list has been found, this is its number.
    var start: Int
    var length: Int32
    /// Number of columns from the anchor to the center of the query.
    var offset: Int32
    /// See `QueryPairs.Rarity`.
    var rarity: Float

    var list: Range<Int> { start..<start + Int(length) }
  }

  /// A prefix of a `LandmarkPair` context that a pair may have.
  private struct Context {
    var value: Int
    var rarity: Float
  }

  private(set) var probes: [Probe] = []
  /// Cost of finding and reading all lists, in bytes.
  private(set) var byteCount = 0
  /// A buffer for the cells that the pairs may fall into.
  private var cells: [cpaircells_cell] = []
  /// The contexts of the targets, one target after the other.
  private var contexts: [Context] = []
  /// Start of each target's contexts in `contexts`.
  private var contextStarts: [Int] = []
  /// The contexts chosen for one pair.
  private var chosen: [Context] = []

  /// Looks up the lists of all cells that the pairs may fall into. The lists themselves are read later, so that the
  /// lookups do not wait for each other.
  /// - Parameter limit: Rarity at which cells are dropped; at most the limit of the pairs.
  mutating func collect(_ query: QueryPairs, _ transform: Matcher.Transform, limit: Float, in segment: Segment) {
    probes.removeAll(keepingCapacity: true)
    findContexts(query, transform, bits: segment.contextBits)
    let contextLimit =
      limit + Self.contextAllowance * Float(segment.contextBits) / Float(LandmarkPair.contextBits)
    let count = findCells(query, transform, limit: limit)
    probes.reserveCapacity(count)
    var last: Int32 = -1
    var offset: Int32 = 0
    for cell in cells[..<count] {
      if cell.pair != last {
        let pair = query.pairs[Int(cell.pair)]
        offset = Int32((transform.slope * (query.center - pair.column)).rounded())
        if !contextStarts.isEmpty { chooseContexts(of: pair, limit: contextLimit) }
        last = cell.pair
      }
      for context in chosen where cell.rarity + context.rarity < contextLimit {
        probes.append(
          Probe(
            start: segment.listNumber(ofKey: Int(cell.key), context: context.value), length: 0, offset: offset,
            rarity: cell.rarity + context.rarity))
      }
    }
    segment.fetchStarts(ofLists: probes.lazy.map(\.start))
    find(in: segment)
  }

  /// Finds the cells that are close enough to the pairs.
  /// - Returns: The number of cells in `cells`. Later elements are left over from other queries.
  private mutating func findCells(_ query: QueryPairs, _ transform: Matcher.Transform, limit: Float) -> Int {
    let room = Int(CPAIRCELLS_PER_PAIR) * query.pairs.count
    if cells.count < room { cells = Array(repeating: cpaircells_cell(), count: room) }
    return cells.withUnsafeMutableBufferPointer { cells in
      query.withRows { pairs in
        withUnsafePointer(to: LandmarkPair.cells) { index in
          var pairs = pairs
          var search = cpaircells_search(
            shift: transform.shift, slope: transform.slope, reach: Self.reach,
            per_cell: QueryPairs.Rarity.fitted.perCell, limit: limit)
          return unsafe cpaircells_find(index, &pairs, &search, cells.baseAddress)
        }
      }
    }
  }

  /// Replaces the numbers of lists with their ranges, and drops empty lists. This loop is separate, so that the cache
  /// misses overlap.
  private mutating func find(in segment: Segment) {
    var kept = 0
    byteCount = 0
    probes.withUnsafeMutableBufferPointer { probes in
      for var probe in probes {
        let list = segment.list(probe.start)
        (probe.start, probe.length) = (list.lowerBound, Int32(truncatingIfNeeded: list.count))
        probes[kept] = probe
        // An empty list is not skipped by a branch, because that would be mispredicted too often. Instead, the next
        // list overwrites it.
        let isThere = !list.isEmpty && list.count <= Int32.max
        kept &+= isThere ? 1 : 0
        byteCount &+= isThere ? list.count &+ Self.overhead : 0
      }
    }
    probes.removeLast(probes.count - kept)
  }

  /// Chooses the contexts to look up for a pair, without duplicates. They are the contexts of its anchor's weaker
  /// targets, because each pair of targets would otherwise be looked up twice. If the pair's target is the only one,
  /// its own context is used.
  private mutating func chooseContexts(of pair: QueryPairs.Pair, limit: Float) {
    chosen.removeAll(keepingCapacity: true)
    let first = Int(pair.endTarget - pair.firstTarget > 1 ? pair.target + 1 : pair.target)
    var seen = SIMD4<UInt64>.zero
    for index in contextStarts[first]..<contextStarts[Int(pair.endTarget)] {
      let context = contexts[index]
      guard pair.rarity + context.rarity < limit else { continue }
      let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: context.value)
      guard seen[context.value >> 6] & bit == 0 else { continue }
      seen[context.value >> 6] |= bit
      chosen.append(context)
    }
  }

  /// Finds the contexts that each target of a query contributes to the other targets of its anchor.
  private mutating func findContexts(_ query: QueryPairs, _ transform: Matcher.Transform, bits: Int) {
    contexts.removeAll(keepingCapacity: true)
    contextStarts.removeAll(keepingCapacity: true)
    chosen = [Context(value: 0, rarity: 0)]
    guard bits > 0 else { return }
    let chance = exp2(Float(-bits))
    for target in query.targets {
      contextStarts.append(contexts.count)
      let rarity = -log(Self.contextShare * (1 - chance) * exp(-target.rarity) + chance)
      let first = contexts.count
      for interval in Self.classes(target.interval, within: LandmarkPair.intervals, LandmarkPair.intervalClass) {
        for gap in Self.classes(target.gap * transform.slope, within: LandmarkPair.gaps, LandmarkPair.gapClass) {
          let context = LandmarkPair.context(intervalClass: interval, gapClass: gap)
          let value = context >> (LandmarkPair.contextBits - bits)
          if contexts[first...].contains(where: { $0.value == value }) { continue }
          contexts.append(Context(value: value, rarity: rarity))
        }
      }
    }
    contextStarts.append(contexts.count)
  }

  /// Returns the range of classes that a value may fall into.
  @inline(__always)
  private static func classes(
    _ value: Float, within limits: ClosedRange<Int>, _ classOf: (Int) -> Int
  ) -> ClosedRange<Int> {
    func whole(_ value: Float) -> Int { min(max((value + 0.5).floor, limits.lowerBound), limits.upperBound) }
    return classOf(whole(value - 0.5))...classOf(whole(value + 0.5))
  }

  /// Probability that another target of an anchor is also the other target in the reference, assuming that the pair is
  /// right and that the reference contains this target.
  private static let contextShare: Float = 0.5
  /// Rarity that contexts may have in addition to the limit of the pairs, if all bits are used.
  private static let contextAllowance: Float = 1
  /// Cost of finding a list, as an equivalent number of bytes to read.
  static let overhead = 16

  /// Keeps as many lists as can be read within a budget, cheapest first. Lists of the most common pairs and of the
  /// weakest peaks are dropped, because they are the least informative for their cost.
  /// - Returns: `true` if lists were dropped.
  mutating func trim(to budget: Int) -> Bool {
    guard byteCount > budget else { return false }
    let prices = probes.map(Self.price)
    var bytesOfPrice = [Int](repeating: 0, count: 256)
    for (probe, price) in zip(probes, prices) { bytesOfPrice[Int(price)] += Int(probe.length) + Self.overhead }
    byteCount = 0
    var limit = 0
    while byteCount + bytesOfPrice[limit] <= budget {
      byteCount += bytesOfPrice[limit]
      limit += 1
    }
    var kept = 0
    for (index, price) in prices.enumerated() where price < limit {
      probes[kept] = probes[index]
      kept += 1
    }
    probes.removeLast(probes.count - kept)
    return true
  }

  /// Returns the cost of one correct posting: the logarithm of a list's length, plus its rarity, in quarters of an
  /// octave.
  private static func price(_ probe: Probe) -> UInt8 {
    // The bits of a floating-point number, read as an integer, are approximately its logarithm.
    let length = Float(Int(probe.length) + overhead)
    let octaves = Float(length.bitPattern &- 1_065_353_216) / 8_388_608 + probe.rarity * Float(log2OfE)
    return UInt8(min(octaves * 4, 255))
  }

  /// Returns the cells that a value may fall into: those below and above it, or only the nearer one if it is close.
  static func cells(_ value: Float, within limits: ClosedRange<Int>) -> Range<Int> {
    let low = -(reach - value).floor
    let high = (value + reach).floor
    let first = max(low, limits.lowerBound)
    return first..<max(first, min(high, limits.upperBound) + 1)
  }

  /// If a value is within this distance of a cell's center, the other cell is not looked up. In measurements, this
  /// reduced false votes and halved the work.
  private static let nearness: Float = 0.3
  private static let reach = 1 - nearness
}
