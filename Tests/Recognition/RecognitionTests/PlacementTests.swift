import Analysis
import AnalysisTesting
import Landmarks
import Testing

@testable import Recognition

/// Places of a query in a track, and the search for them.
@Suite(.bounded) struct PlacementTests {
  private typealias Placement = MatchedFilter.Placement

  private static let query = Catalogs.query(Music.piece(seed: 3, seconds: 8, from: 9))
  private static let points = Catalogs.references[2].signature.landmarks.map(PackedLandmark.init)
  /// The query's center is at 13 s.
  private static let center = Float(13 * LandmarkSpectrum.columnsPerSecond)

  private static func withFilter<R>(_ body: (MatchedFilter, MatchedFilter.Points) -> R) throws -> R {
    try #require(MatchedFilter.with(query.filter) { filter in points.withUnsafeBufferPointer { body(filter, $0) } })
  }

  private static func hit(center: Float, slope: Float = 1, shift: Int = 0, z: Float = 0) -> Matcher.Hit {
    Matcher.Hit(segment: 0, track: 2, placement: Placement(center: center, slope: slope, shift: shift), z: z)
  }

  /// A column of the query is at the same place of the track, whether the query is whole or a part of it.
  @Test(arguments: [0..<100, 20..<60, 80..<97, 3..<4]) func aPartIsAtItsPlace(part: Range<Int>) {
    let whole = Placement(center: 700, slope: 1.05, shift: 2)
    let moved = whole.moved(fromColumnCount: 100, to: part)
    for column in [0, 30, 99] as [Float] {
      let expected = whole.center + whole.slope * (column - 50)
      let found = moved.center + moved.slope * (column - Float(part.lowerBound) - Float(part.count) / 2)
      #expect(abs(found - expected) < 0.01)
    }
    let back = moved.moved(from: part, toColumnCount: 100)
    #expect(abs(back.center - 700) < 0.01 && back.slope == 1.05 && back.shift == 2)
    #expect(moved.slope == 1.05 && moved.shift == 2)
  }

  @Test func aPlacementIsNeutralOrNot() {
    for (slope, shift, isNeutral) in [
      (Float(1), 0, true), (1.0039, 0, true), (1.0041, 0, false), (0.9961, 0, true), (0.9959, 0, false), (1, 1, false),
      (1, -1, false), (1.05, 3, false),
    ] {
      #expect(Placement(center: 9, slope: slope, shift: shift).isNeutral == isNeutral, "\(slope) \(shift)")
    }
    let neutral = Placement(center: 9, slope: 1.1, shift: 5).neutral
    #expect(neutral.center == 9 && neutral.slope == 1 && neutral.shift == 0)
  }

  /// Speed and pitch change together, or one of them alone.
  @Test func aPlacementIsConsistentOrNot() {
    // A slope of 1.1 shifts by 4.95 bands, one of 2 by 36.
    for (slope, shift, isConsistent) in [
      (Float(1.1), 5, true), (1.1, 4, true), (1.1, 3, false), (1.1, 6, false), (1.1, -5, false), (2, 37, true),
      (2, 38, false), (2, 35, true), (1.1, 1, true), (1.1, -1, true), (1.1, 2, false), (1.0095, 20, true),
      (1.0115, 20, false), (0.9905, -20, true), (0.9885, -20, false), (1, 30, true),
    ] {
      #expect(Placement(center: 9, slope: slope, shift: shift).isConsistent == isConsistent, "\(slope) \(shift)")
    }
  }

  @Test func aFilterWithoutColumnsIsNone() {
    #expect(MatchedFilter.with(FilterRows([], [], columnCount: 0)) { _ in true } == nil)
    #expect(MatchedFilter.with(Self.query.filter) { _ in true } == true)
  }

  /// The best of sixteen neighboring displacements; the first of equal ones.
  @Test(arguments: 0..<16) func theBestDisplacementIsTaken(lane: Int) throws {
    var scores = SIMD16<Float>(repeating: 1)
    scores[lane] = 7
    if lane < 15 { scores[15] = 7 }
    let placement = Placement(center: 500, slope: 1.5, shift: 3)
    let found = try Self.withFilter { filter, _ in filter.best(of: scores, placement) }
    #expect(found.z == 7)
    #expect(found.placement.center == 500 - Float(lane - 8) * 1.5)
    #expect(found.placement.slope == 1.5 && found.placement.shift == 3)
  }

  @Test func scoresNeedFifteenLandmarks() {
    let sums = MatchedFilter.Sums(repeating: 160)
    #expect(MatchedFilter.scores(sums, count: 14, squares: 25) == .zero)
    #expect(MatchedFilter.scores(sums, count: 15, squares: 25) == SIMD16(repeating: 2))
  }

  /// Shifted by three to twelve bands, a track fits by chance only; the best such fit is known.
  @Test func shiftedFitsAreThoseOfThreeToTwelveBands() throws {
    // Begins at a shift, so that the right place is among those that are tried, or just not.
    for (shift, isRight) in [
      (0, false), (2, false), (-2, false), (3, true), (-3, true), (12, true), (-12, true), (13, false),
    ] {
      try Self.withFilter { filter, points in
        let placement = Placement(center: Self.center, slope: 1, shift: shift)
        var expected: Float = 0
        for distance in 3...12 {
          for sign in [-1, 1] {
            var shifted = placement
            shifted.shift += sign * distance
            expected = max(expected, filter.scores(points, shifted).max())
          }
        }
        let right = filter.best(points, Placement(center: Self.center, slope: 1, shift: 0)).z
        let found = filter.bestShifted(points, placement)
        #expect(found == expected)
        #expect(right > 10)
        #expect((found == right) == isRight, "\(shift): \(found) \(right)")
      }
    }
  }

  /// The values under the landmarks of a track, at their columns.
  @Test func valuesAreThoseUnderTheLandmarks() throws {
    let placement = Placement(center: Self.center + 40, slope: 1.02, shift: 3)
    try Self.withFilter { filter, points in
      let found = filter.values(points, placement)
      var expected: [[Float]] = []
      for point in points {
        let exact = (Float(point.column) - placement.center) / placement.slope + Float(filter.columnCount) / 2
        let (column, band) = (Int((exact + 0.5).rounded(.down)), Int(point.band) + 3)
        guard column >= 0, column < filter.columnCount, band >= 0, band < filter.bandCount else { continue }
        expected.append([Float(column), Float(Self.query.filter.values[band * filter.stride + 144 + column])])
      }
      #expect(found.map { [Float($0.column), $0.value] } == expected)
      #expect(expected.count > 50)
    }
  }

  /// A landmark beyond the reach is under no displacement of the query.
  @Test func allLandmarksThatCountAreWithinReach() throws {
    for slope: Float in [0.874, 1, 1.126] {
      try Self.withFilter { filter, points in
        let placement = Placement(center: Self.center, slope: slope, shift: 0)
        let reach = filter.reach(of: placement)
        let half = Float(filter.columnCount) / 2 * slope
        #expect(reach.lowerBound < placement.center - half - 8 * slope)
        #expect(reach.upperBound > placement.center + half + 8 * slope)
        #expect(reach.upperBound - reach.lowerBound < 2.5 * half)
        let near = points.filter { reach.contains(Float($0.column)) }
        #expect(near.count < points.count)
        #expect(near.withUnsafeBufferPointer { filter.scores($0, placement) } == filter.scores(points, placement))
      }
    }
  }

  // MARK: Search

  /// One step of the search goes one hundredth and one band in each direction.
  @Test func aNudgeTriesTheNeighbors() throws {
    for (slope, shift) in [(Float(1.01), 0), (0.99, 0), (1, 1), (1, -1), (1.01, 1), (0.99, -1), (1.01, -1), (0.99, 1)] {
      try Self.withFilter { filter, points in
        var hit = Self.hit(center: Self.center, slope: slope, shift: shift)
        hit.z = filter.best(points, hit.placement).z
        let right = filter.best(points, Placement(center: Self.center, slope: 1, shift: 0))
        #expect(right.z > hit.z)
        filter.nudge(&hit, points)
        #expect(hit.z >= right.z - 0.01, "\(slope) \(shift)")
      }
    }
  }

  /// The search climbs from shifts and slopes nearby to the right place.
  @Test func optimizingFindsTheRightPlaceNearby() throws {
    for (slope, shift) in [(Float(1), 5), (1, -5), (1.004, 1), (0.99, 0), (1.015, 1), (0.985, -1), (1, 4)] {
      try Self.withFilter { filter, points in
        var hit = Self.hit(center: Self.center, slope: slope, shift: shift)
        hit.z = filter.best(points, hit.placement).z
        filter.optimize(&hit, points)
        #expect(hit.placement.shift == 0 && abs(hit.placement.slope - 1) < 0.004, "\(slope) \(shift): \(hit)")
        #expect(abs(hit.placement.center - Self.center) < 2)
        #expect(hit.z > 10)
      }
    }
  }

  /// A neutral placement is preferred if it fits nearly as well: its z² is less by no more than six.
  @Test func nearlyAsGoodNeutralPlacementsAreTaken() throws {
    var decisions: Set<Bool> = []
    for step in -30...30 {
      for shift in -1...1 {
        try Self.withFilter { filter, points in
          let placement = Placement(center: Self.center + 300, slope: 1 + Float(step) / 1000, shift: shift)
          let (z, moved) = filter.best(points, placement)
          let (neutralZ, neutral) = filter.best(points, placement.neutral)
          let isNeutral = neutralZ > 0 && neutralZ * neutralZ > z * z - 6
          let expected = isNeutral ? neutral : z > 0 ? moved : placement
          let found = filter.settled(placement, points)
          #expect(found.center == expected.center && found.slope == expected.slope && found.shift == expected.shift)
          decisions.insert(isNeutral)
        }
      }
    }
    #expect(decisions.contains(true))
    // A placement where there is nothing stays as it is.
    try Self.withFilter { filter, points in
      let placement = Placement(center: -90_000, slope: 1.02, shift: 1)
      let found = filter.settled(placement, points)
      #expect(found.center == -90_000 && found.slope == 1.02 && found.shift == 1)
    }
  }

  /// A hit at a wrong place of the right track is moved to the right one, and stays if there is no better.
  @Test func aHitIsRelocatedWithinItsTrack() throws {
    let columnCount = Catalogs.references[2].signature.columnCount
    for center: Float in [150, 800] {
      try Self.withFilter { filter, points in
        var hit = Self.hit(center: center, z: 6)
        #expect(filter.relocate(&hit, points, columnCount: columnCount))
        #expect(abs(hit.placement.center - Self.center) < 2 && hit.z > 10)
        hit = Self.hit(center: center, z: 1000)
        #expect(!filter.relocate(&hit, points, columnCount: columnCount))
        #expect(hit.placement.center == center && hit.z == 1000)
      }
    }
    // At the very start and end of a track.
    for center: Float in [0, Float(columnCount)] {
      try Self.withFilter { filter, points in
        let moved = Self.points.map { point in
          var point = point
          point.column += Int32(center - Self.center)
          return point
        }
        moved.withUnsafeBufferPointer { points in
          var hit = Self.hit(center: 500, z: 6)
          #expect(filter.relocate(&hit, points, columnCount: columnCount))
          #expect(abs(hit.placement.center - center) < 2, "\(hit)")
        }
      }
    }
  }
}

/// Counts of votes that are chosen freely.
@Suite(.bounded) struct ChosenVotesTests {
  /// A list with one posting, which can vote for any bin.
  private static let single: (segment: Segment, list: Range<Int>, column: Int)? = {
    var builder = SegmentBuilder()
    let landmarks = [Landmark(column: 3, band: 60, strength: 5), Landmark(column: 9, band: 62, strength: 5)]
    try? builder.add(Signature(landmarks: landmarks, columnCount: 20), identifier: .init(high: 0, low: 0), items: [])
    guard let segment = try? builder.build() else { return nil }
    let list = segment.list(LandmarkPair.key(band: 60, interval: 2, gap: 6))
    return list.isEmpty ? nil : (segment, list, 3)
  }()

  private static func strongest(_ limit: Int, of counts: [Int: Int], binCount: Int) throws -> [[Int]] {
    let single = try #require(single)
    var votes = VoteTable()
    // Used before, for other votes.
    for (counts, binCount) in [([0: 9, 2: 5, 90: 7], binCount / 2), (counts, binCount)] {
      votes.reset(binCount: binCount, byteCount: counts.values.reduce(0, +) * single.list.count)
      for (bin, count) in counts.sorted(by: { $0.key < $1.key }) {
        for _ in 0..<count {
          votes.add(single.list, of: single.segment, offset: 2 * bin - single.column, binWidthLog2: 1)
        }
      }
    }
    return votes.strongest(limit).map { [$0.bin, $0.votes] }
  }

  /// Local maxima of the sums of two neighbors, strongest first; each bin counts up to 63.
  private static func expected(_ limit: Int, of counts: [Int: Int], binCount: Int) -> [[Int]] {
    func count(_ bin: Int) -> Int { (0..<binCount).contains(bin) ? min(counts[bin, default: 0], 63) : 0 }
    let places = (0..<binCount).compactMap { bin -> [Int]? in
      let (before, sum, after) =
        (count(bin - 1) + count(bin), count(bin) + count(bin + 1), count(bin + 1) + count(bin + 2))
      // Before the first bin, there is none.
      return sum >= 2 && sum > (bin > 0 ? before : 0) && sum >= after ? [bin, sum] : nil
    }
    return Array(places.sorted { ($1[1], $0[0]) < ($0[1], $1[0]) }.prefix(limit))
  }

  @Test(arguments: [1, 3, 20, 1000], [UInt64(1), 2, 3])
  func strongestPlacesOfASingleTable(limit: Int, seed: UInt64) throws {
    var random = Music.Random(state: seed)
    let binCount = 700 + Int(seed)
    var counts: [Int: Int] = [0: 4, binCount - 1: 5, binCount: 60, binCount + 1: 60, -1: 60, 63: 9, 64: 9, 127: 70]
    for _ in 0..<120 {
      counts[Int.random(in: 1..<binCount - 3, using: &random)] = Int.random(in: 1...80, using: &random)
    }
    #expect(
      try Self.strongest(limit, of: counts, binCount: binCount) == Self.expected(limit, of: counts, binCount: binCount))
  }

  /// More bins than a single table has, with groups of votes far from each other and equally placed in their stretches.
  @Test(arguments: [1, 3, 12, 1000]) func strongestPlacesOfManyBins(limit: Int) throws {
    let binCount = 1 << 22 + 5
    let stretch = 1 << 17
    // Votes outside are not counted, and a single vote is not enough.
    var counts: [Int: Int] = [binCount: 50, binCount + 3: 60, -1: 60, 9 * stretch: 1]
    var expected: [[Int]] = []
    func add(_ bin: Int, _ first: Int, _ second: Int) {
      (counts[bin], counts[bin + 1]) = (first, second)
      expected.append([bin, min(first, 63) + min(second, 63)])
    }
    // Sums of 9 to 44 votes: in one bin, most in the first of two, most in the second.
    for number in 0..<36 {
      let sum = 9 + number
      add(
        (number % 6 * 5 + 1) * stretch + 100 * (number / 6) + 50, [sum, sum - 3, 3][number % 3],
        [0, 3, sum - 3][number % 3])
    }
    add(0, 3, 1)
    add(2 * stretch + 9, 70, 50)
    counts[binCount - 1] = 7
    expected.append([binCount - 1, 7])
    // Bins of different stretches are not added. They are neighbors, so only the stronger one is kept.
    (counts[8 * stretch - 1], counts[8 * stretch]) = (47, 48)
    expected.append([8 * stretch, 48])
    expected.sort { $0[1] > $1[1] }
    #expect(try Self.strongest(limit, of: counts, binCount: binCount) == Array(expected.prefix(limit)))
  }
}
