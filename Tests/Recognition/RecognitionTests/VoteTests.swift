import Analysis
import AnalysisTesting
import Landmarks
import Testing

@testable import Recognition

@Suite(.bounded) struct VoteTests {
  private static func segment() throws -> Segment {
    var builder = SegmentBuilder()
    for reference in Catalogs.references {
      try builder.add(reference.signature, identifier: ContentID(hashing: Array(reference.identifier.utf8)), items: [])
    }
    return try builder.build()
  }

  private static func pairs(limit: Float) -> QueryPairs {
    let query = Catalogs.query(Music.piece(seed: 3, seconds: 6, from: 9))
    return QueryPairs(query.peaks, columnCount: query.columnCount, limit: limit)
  }

  /// Lists divided by context contain the postings of the undivided ones, each under its context.
  @Test(arguments: [0, 2]) func postingsAreThoseOfThePairs(contextBits: Int) throws {
    var builder = SegmentBuilder()
    builder.contextBits = contextBits
    for reference in Catalogs.references {
      try builder.add(reference.signature, identifier: ContentID(hashing: Array(reference.identifier.utf8)), items: [])
    }
    let segment = try builder.build()
    #expect(segment.contextBits == contextBits)
    var expected: [[Int]: [Int]] = [:]
    for (index, reference) in Catalogs.references.enumerated() {
      let first = Int(segment.track(index).firstColumn)
      LandmarkPair.forEach(in: reference.signature.landmarks) { key, context, column in
        expected[[key, context >> (LandmarkPair.contextBits - contextBits)], default: []].append(first + column)
      }
    }
    var count = 0
    for (place, columns) in expected {
      var found: [Int] = []
      let list = segment.list(segment.listNumber(ofKey: place[0], context: place[1]))
      segment.forEachPosting(in: list) { found.append($0) }
      #expect(found == columns)
      count += columns.count
    }
    #expect(count == segment.postingCount)
    try segment.verify()
  }

  @Test(arguments: [0, 2]) func aClipIsFoundHoweverListsAreDivided(contextBits: Int) throws {
    var builder = SegmentBuilder()
    builder.contextBits = contextBits
    for reference in Catalogs.references {
      try builder.add(reference.signature, identifier: ContentID(hashing: Array(reference.identifier.utf8)), items: [])
    }
    var matcher = Matcher(segments: [try builder.build()])
    let finding = matcher.match(Catalogs.query(Music.piece(seed: 3, seconds: 6, from: 9)))
    #expect(finding?.hit.track == 2)
    #expect(finding?.isAccepted == true)
  }

  @Test func contextsAreCoarseBeforeFine() {
    var contexts: Set<Int> = []
    for interval in 0..<16 {
      for gap in 0..<16 {
        let context = LandmarkPair.context(intervalClass: interval, gapClass: gap)
        contexts.insert(context)
        #expect(context >> 2 == LandmarkPair.context(intervalClass: interval / 2, gapClass: gap / 2))
      }
    }
    #expect(contexts == Set(0..<1 << LandmarkPair.contextBits))
  }

  @Test func manyBinsAreCountedLikeFew() throws {
    let segment = try Self.segment()
    let query = Self.pairs(limit: 4)
    var probes = ProbeList()
    probes.collect(query, .neutral, limit: 4, in: segment)
    var found: [[[Int]]] = []
    // The second number of bins exceeds a single table.
    for binCount in [segment.columnCount, 1 << 23] {
      var votes = VoteTable()
      votes.reset(binCount: binCount, byteCount: probes.probes.reduce(0) { $0 + Int($1.length) })
      for probe in probes.probes {
        votes.add(
          probe.start..<probe.start + Int(probe.length), of: segment, offset: Int(probe.offset), binWidthLog2: 1)
      }
      found.append(votes.strongest(5).map { [$0.bin, $0.votes] })
    }
    #expect(found[0].first == found[1].first)
    let place = try #require(found[0].first)
    let center = 2 * (place[0] + 1) - Int(segment.track(2).firstColumn)
    #expect(abs(Double(center) / LandmarkSpectrum.columnsPerSecond - 12) < 0.2)
  }

  /// Compares with the cells of all pairs, computed one by one.
  @Test(arguments: [1, 1.03, 0.874]) func listsAreThoseOfAllCellsThatAreNear(speed: Float) throws {
    let segment = try Self.segment()
    #expect(segment.contextBits == 0)
    let query = Self.pairs(limit: 4)
    let transform = Matcher.Transform.speed(speed)
    let perCell = QueryPairs.Rarity.fitted.perCell
    let limit: Float = 3.5
    var expected: [[Double]] = []
    for pair in query.pairs {
      let (exactBand, exactGap) = (pair.band - transform.shift, pair.gap * transform.slope)
      for band in ProbeList.cells(exactBand, within: 0...LandmarkSpectrum.bandCount - 1) {
        for interval in ProbeList.cells(pair.interval, within: LandmarkPair.intervals) {
          for gap in ProbeList.cells(exactGap, within: LandmarkPair.gaps) {
            let distance =
              abs(exactBand - Float(band)) + abs(pair.interval - Float(interval)) + abs(exactGap - Float(gap))
            let rarity = pair.rarity + perCell * distance
            let list = segment.list(LandmarkPair.key(band: band, interval: interval, gap: gap))
            guard rarity < limit, !list.isEmpty else { continue }
            let offset = (transform.slope * (query.center - pair.column)).rounded()
            expected.append([Double(list.lowerBound), Double(list.count), Double(offset), Double(rarity)])
          }
        }
      }
    }
    var probes = ProbeList()
    probes.collect(query, transform, limit: limit, in: segment)
    #expect(expected.count > 20)
    #expect(
      probes.probes.map { [Double($0.start), Double($0.length), Double($0.offset), Double($0.rarity)] } == expected)
  }

  @Test(arguments: [1, 5, 40, 5000]) func thePlacesWithTheMostVotesAreThoseOfAllCounts(limit: Int) throws {
    let segment = try Self.segment()
    var probes = ProbeList()
    probes.collect(Self.pairs(limit: 4), .neutral, limit: 4, in: segment)
    let binCount = segment.columnCount / 2 + 1
    var votes = VoteTable()
    votes.reset(binCount: binCount, byteCount: probes.byteCount)
    var counts = [Int](repeating: 0, count: binCount + 3)
    for probe in probes.probes {
      votes.add(probe.list, of: segment, offset: Int(probe.offset), binWidthLog2: 1)
      segment.forEachPosting(in: probe.list) { column in
        let bin = (column + Int(probe.offset)) >> 1
        if (0..<binCount).contains(bin) { counts[bin + 1] = min(counts[bin + 1] + 1, 63) }
      }
    }
    // Local maxima of the sums of two neighbors; the first of equal ones counts.
    let places = (0..<binCount).compactMap { bin -> [Int]? in
      let (before, sum, after) =
        (counts[bin] + counts[bin + 1], counts[bin + 1] + counts[bin + 2], counts[bin + 2] + counts[bin + 3])
      return sum >= 2 && sum > before && sum >= after ? [bin, sum] : nil
    }
    let expected = places.sorted { ($1[1], $0[0]) < ($0[1], $1[0]) }.prefix(limit)
    #expect(expected.count == min(limit, places.count))
    #expect(votes.strongest(limit).map { [$0.bin, $0.votes] } == Array(expected))
  }

  @Test func aBudgetLeavesOutTheDearestLists() throws {
    let segment = try Self.segment()
    let query = Self.pairs(limit: 4)
    var probes = ProbeList()
    probes.collect(query, .neutral, limit: 4, in: segment)
    let total = probes.byteCount
    #expect(total == probes.probes.reduce(0) { $0 + Int($1.length) + ProbeList.overhead })
    var last = 0
    for budget in [0, total / 8, total / 2, total] {
      var trimmed = probes
      #expect(trimmed.trim(to: budget) == (budget < total))
      #expect(trimmed.byteCount == trimmed.probes.reduce(0) { $0 + Int($1.length) + ProbeList.overhead })
      #expect(trimmed.byteCount <= budget)
      #expect(trimmed.byteCount >= last)
      last = trimmed.byteCount
    }
    #expect(last == total)
  }
}
