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
  }

  let pairs: [Pair]
  /// The column that places are told for.
  let centre: Float
  /// What is rarer is not looked up.
  let limit: Float

  /// - Parameter limit: Greatest rarity.
  init(_ query: Query, limit: Float) {
    self.limit = limit
    centre = Float(query.columnCount) / 2
    let peaks = query.peaks.filter { Rarity.perAnchorRank * Float($0.rank) < limit }
    var pairs: [Pair] = []
    var targets: [Int] = []
    let longest = Float(LandmarkPair.gaps.upperBound)
    let widest = Float(LandmarkPair.intervals.upperBound)
    for index in peaks.indices {
      let anchor = peaks[index]
      let left = limit - Rarity.perAnchorRank * Float(anchor.rank)
      let fanOut = Int((left / Rarity.perStrongerTarget).rounded(.up))
      targets.removeAll(keepingCapacity: true)
      var next = index + 1
      while next < peaks.count {
        let gap = peaks[next].column - anchor.column
        if gap > longest + 1 { break }
        if gap >= 1.5, gap <= longest, abs(peaks[next].band - anchor.band) <= widest {
          // Strongest first; the list is short.
          if targets.count < fanOut || peaks[next].strength > peaks[targets[targets.count - 1]].strength {
            if targets.count == fanOut { targets.removeLast() }
            var place = targets.count
            while place > 0, peaks[targets[place - 1]].strength < peaks[next].strength { place -= 1 }
            targets.insert(next, at: place)
          }
        }
        next += 1
      }
      for (order, target) in targets.enumerated() {
        let rarity =
          Rarity.perAnchorRank * Float(anchor.rank) + Rarity.perTargetRank * Float(peaks[target].rank)
          + Rarity.perStrongerTarget * Float(order)
        guard rarity < limit else { continue }
        pairs.append(
          Pair(
            column: anchor.column, band: anchor.band, interval: peaks[target].band - anchor.band,
            gap: peaks[target].column - anchor.column, rarity: rarity))
      }
    }
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

  private(set) var probes: [Probe] = []
  private var bytesOfPrice = [Int](repeating: 0, count: 256)

  /// Looks up the lists of all cells that the pairs may fall into. Nothing is read from the lists yet: so the look-ups
  /// do not wait for each other.
  mutating func collect(_ query: QueryPairs, _ transform: Matcher.Transform, in segment: Segment) {
    probes.removeAll(keepingCapacity: true)
    for price in bytesOfPrice.indices { bytesOfPrice[price] = 0 }
    for pair in query.pairs {
      let offset = Int32((transform.slope * (query.centre - pair.column)).rounded())
      let exactGap = pair.gap * transform.slope
      let exactBand = pair.band - transform.shift
      let gaps = Self.cells(exactGap, within: LandmarkPair.gaps)
      let intervals = Self.cells(pair.interval, within: LandmarkPair.intervals)
      for band in Self.cells(exactBand, within: 0...LandmarkSpectrum.bandCount - 1) {
        for interval in intervals {
          let distance = abs(exactBand - Float(band)) + abs(pair.interval - Float(interval))
          for gap in gaps {
            let rarity =
              pair.rarity + QueryPairs.Rarity.perCell * (distance + abs(exactGap - Float(gap)))
            guard rarity < query.limit else { continue }
            let list = segment.list(ofKey: LandmarkPair.key(band: band, interval: interval, gap: gap))
            guard !list.isEmpty, let length = Int32(exactly: list.count) else { continue }
            let price = Self.price(length: length, rarity: rarity)
            bytesOfPrice[Int(price)] += list.count
            probes.append(Probe(start: list.lowerBound, length: length, offset: offset, price: price))
          }
        }
      }
    }
  }

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
  private static func price(length: Int32, rarity: Float) -> UInt8 {
    // The bits of a floating-point number, read as an integer, are its logarithm by and large.
    let octaves = Float(Float(length).bitPattern &- 1_065_353_216) / 8_388_608 + rarity * Float(M_LOG2E)
    return UInt8(min(octaves * pricesPerOctave, 255))
  }

  /// The cells that a value may fall into: the ones below and above it, or only the nearer one if that is near.
  @inline(__always)
  static func cells(_ value: Float, within limits: ClosedRange<Int>) -> Range<Int> {
    let low = Int((value - (1 - nearness)).rounded(.up))
    let high = Int((value + (1 - nearness)).rounded(.down))
    let first = max(low, limits.lowerBound)
    return first..<max(first, min(high, limits.upperBound) + 1)
  }
  /// Within this distance of a cell's middle the other cell is not looked at. Measured: fewer false votes and half the
  /// work.
  private static let nearness: Float = 0.3
}
