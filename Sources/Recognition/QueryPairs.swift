internal import Fingerprinting
internal import Glibc

/// The pairs of a query's peaks, to be looked up in a catalog.
struct QueryPairs {
  /// Two peaks of a query, at places between columns and bands.
  struct Pair {
    var column: Float
    var band: Float
    var interval: Float
    var gap: Float
    /// See `Rarity`.
    var rarity: Float
    /// Its anchor's targets, in `targets`, and which of them this pair's is.
    var targets: Range<Int>
    var target: Int
  }

  /// A peak as seen from an anchor.
  struct Target {
    var interval: Float
    var gap: Float
    /// Of its being among the anchor's targets in the reference.
    var rarity: Float
  }

  /// How rarely a cell near a pair of the query holds a pair of the reference, as the negative natural logarithm of the
  /// share that do: the weaker the two peaks in their second and third of the bands, the more stronger targets there
  /// are and the farther the cell, the fewer. A Poisson regression on two million cells of clips in noise of 0 and
  /// -5 dB: in clean clips rank says more, but those are found anyway.
  enum Rarity {
    static let perAnchorRank: Float = 0.1
    static let perTargetRank: Float = 0.066
    static let perStrongerTarget: Float = 0.093
    /// For each cell's width that band, interval and gap are off, together.
    static let perCell: Float = 1.42

    /// A little less than the distance of a value, which may be negative, from the nearest cell.
    @inline(__always)
    static func leastDistance(_ value: Float) -> Float {
      let shifted = value + 128
      return abs(shifted - Float(Int32(shifted + 0.5))) - 0.001
    }
  }

  let pairs: [Pair]
  /// Each anchor's targets, the strongest first.
  let targets: [Target]
  /// The column that places are told for.
  let centre: Float
  /// What is rarer is not looked up.
  let limit: Float

  /// - Parameter limit: Greatest rarity.
  init(_ query: Query, limit: Float, sharp: Bool = false) {
    self.limit = limit
    centre = Float(query.columnCount) / 2
    let peaks = (sharp ? query.sharpPeaks() : query.peaks).filter { Rarity.perAnchorRank * Float($0.rank) < limit }
    // Targets come out strongest first if they are bits of a set in that order. The bits of a positive floating-point
    // number, read as an integer, are in its order.
    let order = peaks.indices.map { UInt64(~peaks[$0].strength.bitPattern) << 32 | UInt64($0) }.sorted()
      .map { Int($0 & 0xFFFF_FFFF) }
    var places = [Int](repeating: 0, count: peaks.count)
    for (place, index) in order.enumerated() { places[index] = place }
    var near = [UInt64](repeating: 0, count: peaks.count / 64 + 1)
    let columns = peaks.map(\.column)
    let bands = peaks.map(\.band)
    var pairs: [Pair] = []
    var targets: [Target] = []
    let longest = Float(LandmarkPair.gaps.upperBound)
    let widest = Float(LandmarkPair.intervals.upperBound)
    for index in peaks.indices {
      let anchor = peaks[index]
      let left = limit - Rarity.perAnchorRank * Float(anchor.rank)
      // Peaks are in order of whole columns: by the fraction of one they may be out of it.
      var next = index + 1
      while next < columns.count {
        let gap = columns[next] - anchor.column
        if gap > longest + 1 { break }
        if abs(bands[next] - anchor.band) <= widest, gap >= 1.5, gap <= longest {
          near[places[next] >> 6] |= 1 &<< UInt64(truncatingIfNeeded: places[next])
        }
        next += 1
      }
      let first = targets.count
      var stronger: Float = 0
      for word in near.indices where near[word] != 0 {
        var bits = near[word]
        near[word] = 0
        while bits != 0, stronger < left {
          let target = peaks[order[word * 64 + bits.trailingZeroBitCount]]
          bits &= bits - 1
          let rarity = Rarity.perTargetRank * Float(target.rank) + stronger
          stronger += Rarity.perStrongerTarget
          guard rarity < left else { continue }
          targets.append(
            Target(interval: target.band - anchor.band, gap: target.column - anchor.column, rarity: rarity))
        }
      }
      for index in first..<targets.count {
        let target = targets[index]
        let rarity = Rarity.perAnchorRank * Float(anchor.rank) + target.rarity
        guard rarity + Rarity.perCell * Rarity.leastDistance(target.interval) < limit else { continue }
        pairs.append(
          Pair(
            column: anchor.column, band: anchor.band, interval: target.interval, gap: target.gap, rarity: rarity,
            targets: first..<targets.count, target: index))
      }
    }
    self.targets = targets
    self.pairs = pairs
  }
}

/// The lists of postings that are read for a query's pairs, of one segment.
struct ProbeList {
  struct Probe {
    var start: Int
    var length: Int32
    /// Columns from the anchor to the centre of the query.
    var offset: Int32
    /// Logarithm of the list's length times rarity, in quarters of an octave: what a right posting in it costs.
    var price: UInt8
  }

  /// The first bits of a context of `LandmarkPair` that a pair may have.
  private struct Context {
    var value: Int
    var rarity: Float
  }

  private(set) var probes: [Probe] = []
  /// Contexts that the targets give, one target after another, and where those of each begin.
  private var contexts: [Context] = []
  private var contextStarts: [Int] = []
  /// Contexts of one pair.
  private var chosen: [Context] = []
  private var bytesOfPrice = [Int](repeating: 0, count: 256)

  /// Looks up the lists of all cells that the pairs may fall into. Nothing is read from the lists yet: so the look-ups
  /// do not wait for each other.
  mutating func collect(_ query: QueryPairs, _ transform: Matcher.Transform, in segment: Segment) {
    probes.removeAll(keepingCapacity: true)
    for price in bytesOfPrice.indices { bytesOfPrice[price] = 0 }
    findContexts(query, transform, bits: segment.contextBits)
    let limit =
      query.limit + Self.contextAllowance * Float(segment.contextBits) / Float(LandmarkPair.contextBits)
    for pair in query.pairs {
      let exactGap = pair.gap * transform.slope
      let exactBand = pair.band - transform.shift
      let least =
        QueryPairs.Rarity.leastDistance(pair.interval) + QueryPairs.Rarity.leastDistance(exactGap)
        + QueryPairs.Rarity.leastDistance(exactBand)
      guard pair.rarity + QueryPairs.Rarity.perCell * least < query.limit else { continue }
      let offset = Int32((transform.slope * (query.centre - pair.column)).rounded())
      let gaps = Self.cells(exactGap, within: LandmarkPair.gaps)
      let intervals = Self.cells(pair.interval, within: LandmarkPair.intervals)
      chooseContexts(of: pair, limit: limit)
      for band in Self.cells(exactBand, within: 0...LandmarkSpectrum.bandCount - 1) {
        for interval in intervals {
          let distance = abs(exactBand - Float(band)) + abs(pair.interval - Float(interval))
          guard pair.rarity + QueryPairs.Rarity.perCell * distance < query.limit else { continue }
          for gap in gaps {
            let rarity =
              pair.rarity + QueryPairs.Rarity.perCell * (distance + abs(exactGap - Float(gap)))
            guard rarity < query.limit else { continue }
            let key = LandmarkPair.key(band: band, interval: interval, gap: gap)
            for context in chosen where rarity + context.rarity < limit {
              append(
                segment.list(ofKey: key, context: context.value), offset: offset, rarity: rarity + context.rarity)
            }
          }
        }
      }
    }
  }

  @inline(__always)
  private mutating func append(_ list: Range<Int>, offset: Int32, rarity: Float) {
    guard !list.isEmpty, let length = Int32(exactly: list.count) else { return }
    let price = Self.price(length: list.count + Self.overhead, rarity: rarity)
    bytesOfPrice[Int(price)] += list.count + Self.overhead
    probes.append(Probe(start: list.lowerBound, length: length, offset: offset, price: price))
  }

  /// Chooses the contexts that a pair is looked up with, each once: those of the weaker targets of its anchor, since with
  /// the stronger ones the two change places; its own, if it is the only one. All of them are one list if lists are not
  /// divided.
  private mutating func chooseContexts(of pair: QueryPairs.Pair, limit: Float) {
    guard !contextStarts.isEmpty else { return }
    chosen.removeAll(keepingCapacity: true)
    let first = pair.targets.count > 1 ? pair.target + 1 : pair.target
    var seen = SIMD4<UInt64>.zero
    for index in contextStarts[first]..<contextStarts[pair.targets.upperBound] {
      let context = contexts[index]
      guard pair.rarity + context.rarity < limit else { continue }
      let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: context.value)
      guard seen[context.value >> 6] & bit == 0 else { continue }
      seen[context.value >> 6] |= bit
      chosen.append(context)
    }
  }

  /// Finds the contexts that each target of a query gives to the others of its anchor.
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

  /// The classes that a value may fall into.
  @inline(__always)
  private static func classes(
    _ value: Float, within limits: ClosedRange<Int>, _ classOf: (Int) -> Int
  ) -> ClosedRange<Int> {
    func whole(_ value: Float) -> Int { min(max(floor(value + 0.5), limits.lowerBound), limits.upperBound) }
    return classOf(whole(value - 0.5))...classOf(whole(value + 0.5))
  }

  /// How often the strongest other target of an anchor in the query is its other target in the reference, if the pair
  /// itself is right.
  private static let contextShare: Float = 0.5
  /// Rarity that contexts may add to the limit of the pairs, all bits taken.
  private static let contextAllowance: Float = 0.8
  /// What it costs to find a list, in bytes that could be read instead.
  static let overhead = 16

  /// The dearest price at which all lists that cost no more can be read within a number of bytes: the ones left out are
  /// those of the commonest pairs and of the weakest peaks, which say the least for the work they make.
  func affordable(within budget: Int) -> (price: Int, byteCount: Int) {
    var sum = 0
    for price in bytesOfPrice.indices {
      if sum + bytesOfPrice[price] > budget { return (price - 1, sum) }
      sum += bytesOfPrice[price]
    }
    return (bytesOfPrice.count - 1, sum)
  }

  /// Steps of a price in one octave.
  static let pricesPerOctave: Float = 4

  @inline(__always)
  private static func price(length: Int, rarity: Float) -> UInt8 {
    // The bits of a floating-point number, read as an integer, are its logarithm by and large.
    let octaves = Float(Float(length).bitPattern &- 1_065_353_216) / 8_388_608 + rarity * Float(M_LOG2E)
    return UInt8(min(octaves * pricesPerOctave, 255))
  }

  /// The cells that a value may fall into: the ones below and above it, or only the nearer one if that is near.
  @inline(__always)
  static func cells(_ value: Float, within limits: ClosedRange<Int>) -> Range<Int> {
    let low = -floor(1 - nearness - value)
    let high = floor(value + (1 - nearness))
    let first = max(low, limits.lowerBound)
    return first..<max(first, min(high, limits.upperBound) + 1)
  }
  @inline(__always)
  private static func floor(_ value: Float) -> Int {
    let whole = Int(value)
    return Float(whole) > value ? whole - 1 : whole
  }
  /// Within this distance of a cell's middle the other cell is not looked at. Measured: fewer false votes and half the
  /// work.
  private static let nearness: Float = 0.3
}
