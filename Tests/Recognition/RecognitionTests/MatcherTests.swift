import Analysis
import AnalysisTesting
import Landmarks
import Testing

@testable import Recognition

/// Steps of a match, on tracks made for them.
@Suite(.bounded) struct MatcherTests {
  private static let columnCount = 1_000
  /// The column of all tracks at which queries have their center.
  private static let center = 500

  /// About one landmark in each column, in bands that can be shifted.
  private static let landmarks: [Landmark] = {
    var random = Music.Random(state: 21)
    return (0..<columnCount).map {
      Landmark(
        column: $0, band: Int.random(in: 20..<118, using: &random), strength: Int.random(in: 1..<16, using: &random))
    }
  }()

  private static func moved(
    by columns: Int = 0, bands: Int = 0, slope: Double = 1, where isKept: (Int) -> Bool = { _ in true }
  ) -> [Landmark] {
    landmarks.filter { isKept($0.column) }.map {
      Landmark(
        column: Int((Double($0.column) * slope).rounded()) + columns, band: $0.band + bands, strength: $0.strength)
    }
  }

  private static func hit(
    _ track: Int, center: Float = Float(MatcherTests.center), slope: Float = 1, shift: Int = 0, z: Float = 20
  ) -> Matcher.Hit {
    Matcher.Hit(
      segment: 0, track: track, placement: MatchedFilter.Placement(center: center, slope: slope, shift: shift), z: z)
  }

  /// Eight seconds around the center.
  private static let query = RecognitionQuery(
    Signature(landmarks: landmarks, columnCount: columnCount).slice(from: 12, to: 20))

  private static func isSame(_ other: [Landmark], _ placement: Matcher.Hit) throws -> Bool {
    var matcher = Matcher(segments: [try Catalogs.segment([landmarks, other])])
    return matcher.isSameRecording(placement, as: hit(0), query)
  }

  /// Landmarks of copies match within a column and a band.
  @Test func copiesHaveTheSameLandmarks() throws {
    for (columns, bands, isSame) in [
      (0, 0, true), (40, 0, true), (40, 1, true), (40, -1, true), (41, 1, true), (39, -1, true), (42, 0, false),
      (38, 0, false), (40, 2, false), (40, -2, false),
    ] {
      let other = Self.moved(by: columns, bands: bands)
      let expected = columns == 0 || isSame
      #expect(
        try Self.isSame(other, Self.hit(1, center: Float(Self.center + (columns == 0 ? 0 : 40)))) == expected,
        "\(columns) \(bands)")
    }
  }

  /// Half of the landmarks are enough: those of ten seconds before and after the center.
  @Test func halfOfTheLandmarksAreEnough() throws {
    #expect(try Self.isSame(Self.moved { $0 % 20 < 12 }, Self.hit(1)))
    #expect(try !Self.isSame(Self.moved { $0 % 20 < 8 }, Self.hit(1)))
    #expect(try Self.isSame(Self.moved { abs($0 - Self.center) < 200 || $0 == 999 }, Self.hit(1)))
    #expect(try !Self.isSame(Self.moved { abs($0 - Self.center) < 120 || $0 == 999 }, Self.hit(1)))
    // The recordings may differ beyond them.
    #expect(try Self.isSame(Self.moved { abs($0 - Self.center) < 320 || $0 == 999 }, Self.hit(1)))
    #expect(try !Self.isSame(Self.moved { abs($0 - Self.center) > 300 }, Self.hit(1)))
    // Landmarks outside the other track do not count.
    let later = Self.moved(by: -Self.center) { $0 >= Self.center }
    #expect(try Self.isSame(later, Self.hit(1, center: 0)))
    // Fifteen landmarks at least.
    for (count, isSame) in [(40, true), (12, false)] {
      let end = Self.moved(by: count - 812) { $0 > 812 - count && $0 <= 812 }
      #expect(try Self.isSame(end, Self.hit(1, center: Float(Self.center + count - 812))) == isSame, "\(count)")
    }
  }

  @Test func copiesMayHaveAnotherSpeed() throws {
    let fast = Self.moved(bands: -3, slope: 1.05)
    let center = Float(Double(Self.center) * 1.05)
    #expect(try Self.isSame(fast, Self.hit(1, center: center, slope: 1.05, shift: 3)))
    #expect(try !Self.isSame(fast, Self.hit(1, center: center, slope: 1.05, shift: 0)))
    #expect(try !Self.isSame(fast, Self.hit(1, center: center, slope: 1, shift: 3)))
    // Differences this small are errors of the placements.
    for (slope, shift, isSame) in [
      (Float(1.019), 0, true), (0.981, 0, true), (1.019, 1, true), (1, -1, true), (1.025, 0, false), (0.975, 0, false),
      (1, 2, false), (1, -2, false),
    ] {
      #expect(
        try Self.isSame(Self.landmarks, Self.hit(1, slope: slope, shift: shift)) == isSame, "\(slope) \(shift)")
    }
  }

  private static func judge(_ matcher: inout Matcher, _ hits: [Matcher.Hit]) throws -> Finding {
    let finding = MatchedFilter.with(query.filter) { filter in matcher.judge(hits, query, filter) }
    return try #require(finding ?? nil)
  }

  /// Copies that fit at least half as well are further items; the best of the others is a rival.
  @Test func hitsAreTwinsOrRivals() throws {
    var random = Music.Random(state: 5)
    let other = Self.landmarks.map {
      Landmark(column: $0.column, band: Int.random(in: 0..<138, using: &random), strength: $0.strength)
    }
    var matcher = Matcher(segments: [
      try Catalogs.segment([Self.landmarks, Self.landmarks, other, Self.landmarks, other])
    ])
    let best = Self.hit(0, z: 20)
    let finding = try Self.judge(
      &matcher,
      [
        best, Self.hit(1, z: 15), Self.hit(0, center: 700, z: 14), Self.hit(1, z: 13), Self.hit(2, z: 8),
        Self.hit(3, z: 10), Self.hit(4, z: 9),
      ])
    #expect(finding.hit.track == 0 && finding.twins.map(\.track) == [1, 3] && finding.runnerUp == 9)
    #expect(finding.duration == Self.query.duration && finding.clarity == Self.query.clarity)
    let few = try Self.judge(&matcher, [best, Self.hit(3, z: 9.9), Self.hit(2, z: 8)])
    #expect(few.twins.isEmpty && few.runnerUp == 9.9)
    // Another track that fits well is no twin.
    let unlike = try Self.judge(&matcher, [best, Self.hit(4, z: 12)])
    #expect(unlike.twins.isEmpty && unlike.runnerUp == 12)
    let alone = try Self.judge(&matcher, [best])
    #expect(alone.twins.isEmpty && alone.runnerUp == 0)
    // The right place explains the query, and another one does not.
    #expect(finding.overlap.explained > 0.9 && finding.overlap.present > 0.9)
    let wrong = try Self.judge(&matcher, [Self.hit(0, center: 200)])
    #expect(wrong.overlap.explained < 0.4 && wrong.overlap.present < 0.4)
  }

  /// The share of the strongest peaks that are near landmarks, and of the landmarks that stand out.
  @Test func overlapsAreShares() throws {
    let query = Catalogs.query(Music.piece(seed: 3, seconds: 5, from: 9))
    let points = Catalogs.references[2].signature.landmarks.map(PackedLandmark.init)
    for center: Float in [310, 359, 362, 700, -50, 1_010] {
      let placement = MatchedFilter.Placement(center: center, slope: 1.01, shift: 1)
      _ = MatchedFilter.with(query.filter) { filter in
        let overlap = Overlap(query, filter, points, placement)
        let places = points.map { filter.place(of: $0, placement) }.filter {
          (0..<query.columnCount).contains($0.column) && (0..<138).contains($0.band)
        }
        let strongest = query.peaks.peaks.filter { $0.rank < 3 }
        let near = strongest.count { peak in
          let column = min(max(Int(peak.column.rounded()), 0), query.columnCount - 1)
          let band = min(max(Int(peak.band.rounded()), 0), 137)
          return places.contains { abs($0.column - column) <= 1 && abs($0.band - band) <= 1 }
        }
        let standing = places.count { filter.value(column: $0.column, band: $0.band) > 8 }
        #expect(overlap.explained == Float(near) / Float(max(1, strongest.count)))
        #expect(overlap.present == Float(standing) / Float(max(1, places.count)))
      }
    }
  }
}

/// Postings and tracks of a segment at the limits of their encoding.
@Suite(.bounded) struct SegmentLimitTests {
  /// The same pair in tracks of any length: postings are one to five bytes apart.
  @Test func postingsMayBeFarApart() throws {
    let pair = [Landmark(column: 3, band: 60, strength: 5), Landmark(column: 9, band: 62, strength: 5)]
    let columnCounts = [20, 100, 20_000, 3_000_000, 20, 300_000_000, 90, 16_384 - 256, 128, 2_097_152 - 256, 20]
    var builder = SegmentBuilder()
    var firsts: [Int] = []
    for columnCount in columnCounts {
      firsts.append(builder.nextColumn)
      let signature = Signature(landmarks: pair, columnCount: columnCount)
      try builder.add(signature, identifier: ContentID(high: 7, low: UInt64(columnCount)), items: [1, 2, 3])
    }
    let segment = try builder.build()
    let list = segment.list(LandmarkPair.key(band: 60, interval: 2, gap: 6))
    var found: [Int] = []
    segment.forEachPosting(in: list) { found.append($0) }
    #expect(found == firsts.map { $0 + 3 })
    #expect(segment.postingCount == columnCounts.count && segment.landmarkCount == 2 * columnCounts.count)
    #expect(segment.columnCount == builder.nextColumn && segment.trackCount == columnCounts.count)
    try segment.verify()
    // A part of the list ends with a whole posting.
    var part: [Int] = []
    segment.forEachPosting(in: list.lowerBound..<list.lowerBound + 1) { part.append($0) }
    #expect(part == [3])
    // Half of the gap between two tracks belongs to each.
    for (track, first) in firsts.enumerated() {
      #expect(segment.track(atColumn: first - 128) == track && segment.track(atColumn: first) == track)
      #expect(segment.track(atColumn: first - 129) == (track > 0 ? track - 1 : nil))
      #expect(segment.identifier(ofTrack: track) == ContentID(high: 7, low: UInt64(columnCounts[track])))
      #expect(segment.items(ofTrack: track) == [1, 2, 3])
      #expect(try segment.signature(ofTrack: track).columnCount == columnCounts[track])
      var landmarks: [PackedLandmark] = []
      segment.appendLandmarks(ofTrack: segment.track(track), in: 0..<columnCounts[track], to: &landmarks)
      #expect(landmarks == pair.map(PackedLandmark.init))
    }
    #expect(segment.track(atColumn: .max / 2) == columnCounts.count - 1)
    // Other lists are empty.
    for key in [0, 1, LandmarkPair.keyCount - 1] { #expect(segment.list(key).isEmpty) }
  }

  /// Landmarks on both sides of the borders of blocks, and a long time without any.
  @Test func blocksBeginAtTheirColumns() throws {
    let columns = [0, 255, 256, 257, 511, 512, 5_000, 70_000, 70_001]
    let landmarks = columns.map { Landmark(column: $0, band: $0 % 138, strength: 3) }
    var builder = SegmentBuilder()
    let identifier = ContentID(high: 0, low: 0)
    try builder.add(Signature(landmarks: landmarks, columnCount: 80_000), identifier: identifier, items: [])
    try builder.add(Signature(landmarks: landmarks, columnCount: 70_002), identifier: identifier, items: [])
    let segment = try builder.build()
    for track in 0..<2 {
      for limits in [
        0..<1, 0..<256, 255..<257, 256..<512, 257..<5_001, 512..<70_000, 60_000..<90_000, 70_001..<70_002,
      ] {
        var found: [PackedLandmark] = []
        segment.appendLandmarks(ofTrack: segment.track(track), in: limits, to: &found)
        #expect(found.map { Int($0.column) } == columns.filter { limits.contains($0) }, "\(limits)")
      }
    }
  }
}
