import Analysis
import AnalysisTesting
import CKernels
import Landmarks
import Testing

@testable import Recognition

@Suite(.bounded) struct MatchedFilterTests {
  private static let query = Catalogs.query(Music.piece(seed: 3, seconds: 6, from: 9))
  private static let landmarks = Catalogs.references[2].signature.landmarks

  private static func points(_ count: Int) -> [MatchedFilter.Point] { landmarks.suffix(count).map(PackedLandmark.init) }

  /// z of each displacement, landmark by landmark.
  private static func scores(
    _ filter: MatchedFilter, _ points: [MatchedFilter.Point], _ placement: MatchedFilter.Placement
  ) -> [Float] {
    let inverse = 1 / placement.slope
    let origin = Float(filter.columnCount) / 2 - placement.center * inverse + 0.5
    var sums = [Int](repeating: 0, count: MatchedFilter.lanes)
    var (count, squares) = (0, 0)
    for point in points {
      let column = Int((Float(point.column) * inverse + origin).rounded(.down))
      let band = Int(point.band) + placement.shift
      let weight = max(1, (Int(point.strength) + 1) / 2)
      guard (0..<filter.bandCount).contains(band), (-8..<filter.columnCount + 8).contains(column) else { continue }
      for lane in sums.indices { sums[lane] += weight * Int(filter.value(column: column + lane - 8, band: band)) }
      guard (0..<filter.columnCount).contains(column) else { continue }
      count += 1
      squares += weight * weight
    }
    guard count >= MatchedFilter.minimumCount else { return sums.map { _ in 0 } }
    return sums.map { Float($0) * (1 / (FilterRows.steps * Float(squares).squareRoot())) }
  }

  @Test(arguments: [0, 3, 14, 160, 961]) func scoresAreSumsOverTheLandmarks(count: Int) {
    let points = Self.points(count)
    _ = MatchedFilter.with(Self.query.filter) { filter in
      for slope: Float in [1, 1.03, 0.874] {
        for shift in [0, 5, -140] {
          for center: Float in [94, 375, 700.5, 1200] {
            let placement = MatchedFilter.Placement(center: center, slope: slope, shift: shift)
            let found = points.withUnsafeBufferPointer { filter.scores($0, placement) }
            #expect((0..<MatchedFilter.lanes).map { found[$0] } == Self.scores(filter, points, placement))
          }
        }
      }
    }
  }

  @Test func aSweepScoresOnePlaceAfterAnother() {
    let points = Self.points(Self.landmarks.count)
    _ = MatchedFilter.with(Self.query.filter) { filter in
      var placement = MatchedFilter.Placement(center: 0, slope: 1, shift: -2)
      points.withUnsafeBufferPointer { points in
        var sweep = Sweep(filter, points, placement)
        for _ in 0..<70 {
          #expect(sweep.next() == filter.scores(points, placement))
          placement.center += Float(MatchedFilter.lanes)
        }
      }
    }
  }

  /// Partial sums are kept in 16 bits.
  @Test func aPartDoesNotOverflow() {
    let heaviest = Int(cmatchedfilter_weight(Int16(Landmark.strengthCount - 1)))
    #expect(Int(CMATCHEDFILTER_PART) * heaviest * Int(FilterRows.maximumValue) <= Int16.max)
  }

  @Test(arguments: [0..<1000, 0..<1, 255..<257, 300..<700, 990..<5000, 5000..<6000])
  func landmarksAreThoseBetweenTheColumns(columns: Range<Int>) throws {
    var builder = SegmentBuilder()
    for reference in Catalogs.references {
      try builder.add(reference.signature, identifier: ContentID(hashing: Array(reference.identifier.utf8)), items: [])
    }
    let segment = try builder.build()
    var found: [PackedLandmark] = []
    segment.appendLandmarks(ofTrack: segment.track(2), in: columns, to: &found)
    #expect(found == Self.landmarks.filter { columns.contains($0.column) }.map(PackedLandmark.init))
  }
}
