import AudioAnalysis
import Fingerprinting
import Testing

@testable import Recognition

@Suite struct VoteTests {
  private static func segment() throws -> Segment {
    var builder = SegmentBuilder()
    for reference in Catalogs.references {
      try builder.add(reference.signature, identifier: ContentID(hashing: Array(reference.identifier.utf8)), items: [])
    }
    return try builder.build()
  }

  @Test func postingsAreThoseOfThePairs() throws {
    let segment = try Self.segment()
    var expected: [Int: [Int]] = [:]
    for (index, reference) in Catalogs.references.enumerated() {
      let first = Int(segment.track(index).firstColumn)
      LandmarkPair.forEach(in: reference.signature.landmarks) { key, column in
        expected[key, default: []].append(first + column)
      }
    }
    var count = 0
    for key in 0..<LandmarkPair.keyCount {
      let list = segment.list(ofKey: key)
      guard !list.isEmpty || expected[key] != nil else { continue }
      var columns: [Int] = []
      segment.forEachPosting(in: list) { columns.append($0) }
      #expect(columns == expected[key])
      count += columns.count
    }
    #expect(count == segment.postingCount)
  }

  @Test func manyBinsAreCountedLikeFew() throws {
    let segment = try Self.segment()
    let query = QueryPairs(Catalogs.query(Music.piece(seed: 3, seconds: 6, from: 9)), limit: 4)
    var probes = ProbeList()
    probes.collect(query, .neutral, in: segment)
    var found: [[[Int]]] = []
    // The second number of bins is beyond what is counted in one table.
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
    let centre = 2 * (place[0] + 1) - Int(segment.track(2).firstColumn)
    #expect(abs(Double(centre) / LandmarkSpectrum.columnsPerSecond - 12) < 0.2)
  }

  @Test func aBudgetLeavesOutTheDearestLists() throws {
    let segment = try Self.segment()
    let query = QueryPairs(Catalogs.query(Music.piece(seed: 3, seconds: 6, from: 9)), limit: 4)
    var probes = ProbeList()
    probes.collect(query, .neutral, in: segment)
    let total = probes.probes.reduce(0) { $0 + Int($1.length) }
    var last = 0
    for budget in [0, total / 8, total / 2, total] {
      let (price, byteCount) = probes.affordable(within: budget)
      let bytes = probes.probes.filter { Int($0.price) <= price }.reduce(0) { $0 + Int($1.length) }
      #expect(bytes == byteCount)
      #expect(byteCount <= budget)
      #expect(byteCount >= last)
      last = byteCount
    }
    #expect(last == total)
  }
}
