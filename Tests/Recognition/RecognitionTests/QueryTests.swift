import AnalysisTesting
import CKernels
import Glibc
import Landmarks
import Testing

@testable import Recognition

/// The parts of a query, compared with their definitions.
@Suite(.bounded) struct QueryTests {
  private static let bandCount = LandmarkSpectrum.bandCount

  /// Peaks in the order of their columns and bands, often equally strong, at halves of columns and bands.
  private static func peaks(_ count: Int, columnCount: Int, seed: UInt64) -> [LandmarkPeaks.Peak] {
    var random = Music.Random(state: seed)
    var places: Set<Int> = []
    while places.count < count { places.insert(Int.random(in: 0..<columnCount * bandCount, using: &random)) }
    return places.sorted().map { place in
      LandmarkPeaks.Peak(
        column: place / bandCount, band: place % bandCount, strength: Float(Int.random(in: 0...12, using: &random)) / 2,
        columnOffset: Float(Int.random(in: -1...1, using: &random)) / 2,
        bandOffset: Float(Int.random(in: -1...1, using: &random)) / 2)
    }
  }

  // MARK: Ranks

  private static func strongestFirst(_ found: [LandmarkPeaks.Peak]) -> [Int] {
    found.indices.sorted { (-found[$0].strength, $0) < (-found[$1].strength, $1) }
  }

  @Test(arguments: [0, 1, 300]) func ranksCountStrongerPeaksOfTheSameSecondAndThird(count: Int) {
    let found = Self.peaks(count, columnCount: 100, seed: 5)
    let ranked = RankedPeaks(found)
    let order = Self.strongestFirst(found)
    #expect(ranked.order == order)
    var counts: [[Int]: Int] = [:]
    var ranks = [Int](repeating: 0, count: count)
    for index in order {
      let group = [found[index].column * 4 / 125, found[index].band / 46]
      ranks[index] = counts[group, default: 0]
      counts[group, default: 0] += 1
    }
    #expect(ranked.peaks.map(\.rank) == ranks)
    #expect(ranked.peaks.map(\.column) == found.map { Float($0.column) + $0.columnOffset })
    #expect(ranked.peaks.map(\.band) == found.map { Float($0.band) + $0.bandOffset })
    #expect(ranked.peaks.map(\.strength) == found.map(\.strength))
    let few = ranked.ofRanks { $0 < 3 }
    let kept = found.indices.filter { ranks[$0] < 3 }
    #expect(few.peaks.map(\.column) == kept.map { ranked.peaks[$0].column })
    #expect(few.order.map { kept[$0] } == order.filter { ranks[$0] < 3 })
  }

  @Test func partsOfPeaksAreRankedAnew() {
    let ranked = RankedPeaks(Self.peaks(300, columnCount: 100, seed: 6))
    let part = ranked.part(20..<70)
    let inside = ranked.found.filter { (20..<70).contains($0.column) }
    #expect(part.found.map(\.column) == inside.map { $0.column - 20 })
    #expect(part.order == Self.strongestFirst(inside))
    let rest = ranked.without { column, band in column < 50 || band == 7 }
    #expect(rest.found.map(\.column) == ranked.found.filter { $0.column >= 50 && $0.band != 7 }.map(\.column))
  }

  // MARK: Pairs

  /// The peaks that may be targets of an anchor, strongest first.
  private static func targets(_ peaks: [RankedPeaks.Peak], _ order: [Int], of anchor: Int) -> [Int] {
    order.filter { next in
      let gap = peaks[next].column - peaks[anchor].column
      return next > anchor && gap >= 1.5 && gap <= 60 && abs(peaks[next].band - peaks[anchor].band) <= 24
    }
  }

  @Test func targetsAreNearAndTheStrongestComeFirst() {
    let ranked = RankedPeaks(Self.peaks(400, columnCount: 140, seed: 7))
    var near = AnchorTargets(ranked.peaks, order: ranked.order)
    for anchor in ranked.peaks.indices {
      near.begin(anchor)
      var found: [Int] = []
      while let next = near.next() { found.append(next) }
      #expect(found == Self.targets(ranked.peaks, ranked.order, of: anchor))
      #expect(near.next() == nil)
    }
  }

  @Test(arguments: [Float(0.3), 1.7, 4]) func pairsAreThoseThatAreLikely(limit: Float) {
    let ranked = RankedPeaks(Self.peaks(250, columnCount: 140, seed: 8))
    let weights = QueryPairs.Rarity.fitted
    let (peaks, order) = ranked.ofRanks { weights.perAnchorRank * Float($0) < limit }
    var targets: [[Float]] = []
    var pairs: [[Float]] = []
    for anchor in peaks.indices {
      let rarity = weights.perAnchorRank * Float(peaks[anchor].rank)
      var stronger: Float = 0
      let first = targets.count
      for target in Self.targets(peaks, order, of: anchor) {
        let targetRarity = weights.perTargetRank * Float(peaks[target].rank) + stronger
        stronger += weights.perStrongerTarget
        guard targetRarity < limit - rarity else { continue }
        targets.append([
          peaks[target].band - peaks[anchor].band, peaks[target].column - peaks[anchor].column, targetRarity,
        ])
      }
      for index in first..<targets.count {
        let cell = weights.perCell * QueryPairs.Rarity.minDistance(targets[index][0])
        guard rarity + targets[index][2] + cell < limit else { continue }
        pairs.append([
          peaks[anchor].column, peaks[anchor].band, targets[index][0], targets[index][1], rarity + targets[index][2],
          Float(first), Float(targets.count), Float(index),
        ])
      }
    }
    let found = QueryPairs(ranked, columnCount: 141, limit: limit)
    #expect(found.center == 70.5)
    #expect(found.targets.map { [$0.interval, $0.gap, $0.rarity] } == targets)
    #expect(
      found.pairs.map {
        [
          $0.column, $0.band, $0.interval, $0.gap, $0.rarity, Float($0.firstTarget), Float($0.endTarget),
          Float($0.target),
        ]
      } == pairs)
    #expect(pairs.count > 2 && pairs.count < targets.count)
    // Rows for the kernel, padded with pairs that are too rare.
    found.withRows { rows in
      let count = (pairs.count + 7) / 8 * 8
      #expect(rows.count == count)
      func row(_ start: UnsafePointer<Float>?) -> [Float] { Array(UnsafeBufferPointer(start: start, count: count)) }
      let padding = [Float](repeating: .infinity, count: count - pairs.count)
      #expect(row(rows.axes.0) == pairs.map { $0[1] } + padding)
      #expect(row(rows.axes.1) == pairs.map { $0[2] } + padding)
      #expect(row(rows.axes.2) == pairs.map { $0[3] } + padding)
      #expect(row(rows.rarities) == pairs.map { $0[4] } + padding)
    }
  }

  @Test func theDistanceToACellIsThatToTheNearestWholeNumber() {
    for quarter in -98...98 {
      let value = Float(quarter) / 4
      let distance = abs(value - value.rounded()) - 0.001
      #expect(abs(QueryPairs.Rarity.minDistance(value) - distance) < 0.0002, "\(value)")
    }
  }

  @Test func pairsAreKeptForEachLimit() {
    let query = RecognitionQuery(Catalogs.references[0].signature.slice(from: 3, to: 8))
    var pairs = PairsByLimit(query)
    let few = pairs[1.7].pairs.count
    #expect(few > 0 && pairs[4].pairs.count > few)
    #expect(pairs[1.7].limit == 1.7 && pairs[1.7].pairs.count == few)
  }

  // MARK: Cells

  @Test func numbersAreRoundedDown() {
    for (value, whole) in [(Float(2), 2), (2.5, 2), (-2, -2), (-2.5, -3), (-0.1, -1), (0, 0)] {
      #expect(value.floor == whole)
    }
  }

  /// Cells at most 0.7 away.
  @Test func cellsAreNear() {
    for tenth in -35...35 {
      let value = Float(tenth) / 10 + 0.01
      let near = (-2...2).filter { abs(Float($0) - value) < 0.7 }
      #expect(Array(ProbeList.cells(value, within: -2...2)) == near, "\(value)")
    }
  }

  // MARK: Rows of the filter

  @Test func rowsAreLevelsAboveTheMeanOfTheirBand() {
    var random = Music.Random(state: 3)
    let columnCount = 21
    var picture = (0..<columnCount * Self.bandCount).map { _ in Float.random(in: 0...4, using: &random) }
    picture[5 * Self.bandCount + 2] = 300
    picture[6 * Self.bandCount + 3] = -300
    var isSteady = picture.map { _ in Int.random(in: 0..<9, using: &random) == 0 }
    (isSteady[5 * Self.bandCount + 2], isSteady[6 * Self.bandCount + 3]) = (false, false)
    let rows = FilterRows(picture, isSteady, columnCount: columnCount)
    let count = Double(columnCount)
    let means = (0..<Self.bandCount).map { band in
      stride(from: band, to: picture.count, by: Self.bandCount).reduce(0) { $0 + Double(picture[$1]) } / count
    }
    let variance =
      picture.indices.reduce(0.0) { sum, index in
        sum + pow(Double(picture[index]) - means[index % Self.bandCount], 2)
      } / Double(picture.count)
    #expect(rows.columnCount == columnCount && rows.stride == columnCount + 288)
    #expect(rows.values.count == rows.stride * Self.bandCount)
    var limits: Set<Int> = []
    for band in 0..<Self.bandCount {
      for place in 0..<rows.stride {
        let found = Int(rows.values[band * rows.stride + place])
        let column = place - 144
        guard (0..<columnCount).contains(column), !isSteady[column * Self.bandCount + band] else {
          #expect(found == 0)
          continue
        }
        let value = (Double(picture[column * Self.bandCount + band]) - means[band]) * 16 / variance.squareRoot()
        let expected = min(max(value, -255), 255)
        // Rounded toward zero; the sums may differ a little.
        #expect(abs(expected) - abs(Double(found)) > -0.02 && abs(expected) - abs(Double(found)) < 1.02)
        #expect(found == 0 || (found > 0) == (expected > 0))
        if abs(expected) == 255 { limits.insert(found.signum()) }
      }
    }
    #expect(limits == [1, -1])
  }

  /// Tiny differences, such as rounding errors in silence, are not amplified without limit.
  @Test func gainHasALimit() {
    var picture = [Float](repeating: 0, count: 20 * Self.bandCount)
    picture[0] = 5e-4
    let rows = FilterRows(picture, picture.map { _ in false }, columnCount: 20)
    // 19/20 of the value, at a gain of 16 for 0.001.
    #expect(rows.values[144] == 7)
    #expect(FilterRows([], [], columnCount: 0).values.allSatisfy { $0 == 0 })
  }

  @Test func rowsOfARemoteQueryAreTheSame() throws {
    var random = Music.Random(state: 9)
    let picture = (0..<11 * Self.bandCount).map { _ in Float.random(in: 0...4, using: &random) }
    let rows = FilterRows(picture, picture.map { _ in false }, columnCount: 11)
    let values = (0..<Self.bandCount).flatMap { rows.values[$0 * rows.stride + 144..<$0 * rows.stride + 155] }
    let copy = try #require(FilterRows(values, columnCount: 11))
    #expect(copy.values == rows.values && copy.stride == rows.stride && copy.columnCount == 11)
    #expect(FilterRows(values, columnCount: 10) == nil)
    #expect(FilterRows(values, columnCount: 12) == nil)
    for (value, isValid) in [(Int16(255), true), (256, false), (-255, true), (-256, false)] {
      var values = values
      values[700] = value
      #expect((FilterRows(values, columnCount: 11) != nil) == isValid)
    }
  }

  // MARK: Steady sound and silence

  @Test(arguments: [0, 32, 33, 47, 90]) func soundIsSteadyWithinThreeDecibelsForASecond(columnCount: Int) {
    var random = Music.Random(state: UInt64(columnCount))
    var levels = (0..<Self.bandCount).map { _ in Int32.random(in: -9000...0, using: &random) }
    levels = (0..<max(columnCount, 1)).flatMap { _ in levels }
    levels.removeLast(levels.count - columnCount * Self.bandCount)
    // Now and then, a level differs by 3 dB or a little more.
    for index in levels.indices where Int.random(in: 0..<70, using: &random) == 0 {
      levels[index] += [767, 768, 769, -768, -769].randomElement(using: &random) ?? 0
    }
    let expected = levels.indices.map { index -> Bool in
      let (column, band) = (index / Self.bandCount, index % Self.bandCount)
      guard columnCount > 32 else { return false }
      let first = min(max(column - 16, 0), columnCount - 32)
      let window = (first..<first + 32).map { levels[$0 * Self.bandCount + band] }
      return window.max()! - window.min()! <= 768
    }
    #expect(SteadySound.places(in: levels) == expected)
    if columnCount > 32 { #expect(expected.contains(true) && expected.contains(false)) }
  }

  /// - Parameter parts: Numbers of columns, alternately silent and with sound in one band.
  private static func query(silentAndNot parts: [Int]) -> RecognitionQuery {
    var levels: [Int32] = []
    for (index, count) in parts.enumerated() {
      for _ in 0..<count {
        // 70 dB below full scale, with a window that adds 6 dB.
        var column = [Int32](repeating: -64 * 256 - 1, count: bandCount)
        if index % 2 == 1 { column[77] += 1 }
        levels += column
      }
    }
    return RecognitionQuery(levels: levels)
  }

  @Test func silenceIsHalfASecondWithoutSound() {
    let query = Self.query(silentAndNot: [16, 10, 15, 10, 20, 1, 17])
    #expect(query.silences == [0..<16, 51..<71, 72..<89])
    #expect(query.sound == 16..<72)
    #expect(Self.query(silentAndNot: [15, 10, 20, 10]).silences == [25..<45])
    #expect(Self.query(silentAndNot: [15, 10, 20, 10]).sound == 0..<55)
    #expect(Self.query(silentAndNot: [0, 40]).sound == 0..<40)
    #expect(Self.query(silentAndNot: [40]).sound == 40..<40)
  }

  // MARK: Queries

  /// The picture of a signature: a peak spreads over two columns and one band to each side.
  private static func picture(_ signature: Signature) -> [Float] {
    var picture = [Float](repeating: 0, count: signature.columnCount * bandCount)
    for landmark in signature.landmarks {
      for column in landmark.column - 2...landmark.column + 2 {
        for band in landmark.band - 1...landmark.band + 1
        where (0..<signature.columnCount).contains(column) && (0..<bandCount).contains(band) {
          let distance = abs(column - landmark.column) + 2 * abs(band - landmark.band)
          let place = column * bandCount + band
          picture[place] = max(picture[place], Float(landmark.strength + 4) / Float(1 + distance))
        }
      }
    }
    return picture
  }

  private static let signature: Signature = {
    let corners = [
      Landmark(column: 0, band: 0, strength: 15), Landmark(column: 99, band: bandCount - 1, strength: 0),
    ]
    let inner = Catalogs.references[4].signature.slice(from: 5, to: 8).landmarks.map {
      Landmark(column: $0.column + 3, band: $0.band, strength: $0.strength)
    }
    return Signature(landmarks: [corners[0]] + inner.filter { $0.column < 99 } + [corners[1]], columnCount: 100)
  }()

  @Test func theQueryOfASignatureIsItsPicture() {
    let query = RecognitionQuery(Self.signature)
    let picture = Self.picture(Self.signature)
    let nowhere = picture.map { _ in false }
    #expect(query.filter.values == FilterRows(picture, nowhere, columnCount: 100).values)
    #expect(query.peaks.found.map(\.strength) == Self.signature.landmarks.map { Float($0.strength) + 0.5 })
    #expect(query.peaks.peaks.map(\.column) == Self.signature.landmarks.map { Float($0.column) })
    #expect(query.peaks.peaks.map(\.band) == Self.signature.landmarks.map { Float($0.band) })
    #expect(query.clarity == 0.8 && query.silences.isEmpty && query.columnCount == 100)
    #expect(query.duration == 3.2)
    // A part of it.
    let part = query.part(20..<90)
    let places = 20 * Self.bandCount..<90 * Self.bandCount
    #expect(
      part.filter.values == FilterRows(Array(picture[places]), Array(nowhere[places]), columnCount: 70).values)
    #expect(part.columnCount == 70 && part.clarity == 0.8)
    #expect(part.peaks.found.map(\.column) == query.peaks.part(20..<90).found.map(\.column))
  }

  /// A track that is taken out leaves neither peaks nor information, over the same distance as a peak spreads.
  @Test func takingATrackOutOfAQueryLeavesGaps() {
    let query = RecognitionQuery(Self.signature)
    var picture = Self.picture(Self.signature)
    let taken: [(column: Int, band: Int)] = [(0, 0), (50, 60), (99, 137), (-1, 20), (101, 21), (-9, 3)]
    var isTaken = picture.map { _ in false }
    for place in taken {
      for column in place.column - 2...place.column + 2 where (0..<100).contains(column) {
        for band in place.band - 1...place.band + 1 where (0..<Self.bandCount).contains(band) {
          isTaken[column * Self.bandCount + band] = true
          picture[column * Self.bandCount + band] = 0
        }
      }
    }
    let rest = query.without(taken)
    #expect(rest.filter.values == FilterRows(picture, isTaken, columnCount: 100).values)
    let kept = query.peaks.found.filter { !isTaken[$0.column * Self.bandCount + $0.band] }
    #expect(kept.count < query.peaks.found.count)
    #expect(rest.peaks.found.map(\.column) == kept.map(\.column))
    #expect(rest.peaks.found.map(\.band) == kept.map(\.band))
    #expect(rest.clarity == 0.8)
  }

  /// Clarity is the mean probability that the three strongest peaks of each second and third are landmarks.
  @Test func clarityIsThatOfTheStrongestPeaks() {
    let query = Catalogs.query(Music.noisy(Music.piece(seed: 3, seconds: 4), decibels: 0, seed: 2))
    let strongest = query.peaks.peaks.filter { $0.rank < 3 }
    let sum = strongest.reduce(0.0) { $0 + 1 / (1 + exp(5.5 - Double($1.strength))) }
    #expect(strongest.count > 5)
    #expect(abs(Double(query.clarity) - sum / Double(strongest.count)) < 1e-4)
  }
}

/// The pairs of a reference, compared with their definition.
@Suite(.bounded) struct LandmarkPairTests {
  /// The seven, seven and six strongest landmarks of each second in the three thirds of the bands; the earlier of equal
  /// ones.
  private static func anchors(_ landmarks: [Landmark]) -> [Landmark] {
    var groups: [[Int]: [Int]] = [:]
    for (index, landmark) in landmarks.enumerated() {
      groups[[landmark.column * 4 / 125, landmark.band / 46], default: []].append(index)
    }
    let kept = groups.flatMap { group, members in
      members.sorted { (-landmarks[$0].strength, $0) < (-landmarks[$1].strength, $1) }.prefix([7, 7, 6][group[1]])
    }
    return kept.sorted().map { landmarks[$0] }
  }

  private static func pairs(_ landmarks: [Landmark], bands: Range<Int>) -> [[Int]] {
    let anchors = anchors(landmarks)
    func interval(_ target: Landmark, _ anchor: Landmark) -> Int { target.band - anchor.band }
    func gap(_ target: Landmark, _ anchor: Landmark) -> Int { target.column - anchor.column }
    return anchors.indices.filter { bands.contains(anchors[$0].band) }.flatMap { index -> [[Int]] in
      let anchor = anchors[index]
      let near = anchors.indices.filter {
        $0 > index && (2...60).contains(gap(anchors[$0], anchor)) && (-24...24).contains(interval(anchors[$0], anchor))
      }
      let best = near.sorted { (-anchors[$0].strength, $0) < (-anchors[$1].strength, $1) }.prefix(2).map { anchors[$0] }
      return best.indices.map { place in
        let (target, other) = (best[place], best[best.count - 1 - place])
        let key = (anchor.band * 49 + interval(target, anchor) + 24) * 59 + gap(target, anchor) - 2
        let intervalClass = (interval(other, anchor) + 24) * 16 / 49
        let gapClass = (gap(other, anchor) - 2) * 16 / 59
        return [key, LandmarkPair.context(intervalClass: intervalClass, gapClass: gapClass), anchor.column]
      }
    }
  }

  @Test(arguments: [0..<138, 30..<90], [UInt64(1), 2])
  func pairsHaveTheTwoStrongestTargets(bands: Range<Int>, seed: UInt64) {
    var random = Music.Random(state: seed)
    // Dense, so that quotas matter, and in few bands, so that many intervals are at their limits.
    var places: Set<Int> = []
    while places.count < 900 {
      places.insert(Int.random(in: 0..<200, using: &random) * 138 + Int.random(in: 0..<46, using: &random) * 3)
    }
    let landmarks = places.sorted().map {
      Landmark(column: $0 / 138, band: $0 % 138, strength: Int.random(in: 0..<16, using: &random))
    }
    var found: [[Int]] = []
    LandmarkPair.forEach(in: landmarks, bands: bands) { found.append([$0, $1, $2]) }
    let expected = Self.pairs(landmarks, bands: bands)
    #expect(found == expected)
    #expect(expected.count > 40)
  }

  /// A target two columns later, and one 60 columns later, 24 bands away; and none beyond.
  @Test func targetsHaveLimits() {
    for (gap, interval, isPair) in [
      (2, 0, true), (1, 0, false), (60, 0, true), (61, 0, false), (9, 24, true), (9, 25, false), (9, -24, true),
      (9, -25, false),
    ] {
      let landmarks = [
        Landmark(column: 5, band: 60, strength: 0), Landmark(column: 5 + gap, band: 60 + interval, strength: 0),
      ]
      var columns: [Int] = []
      LandmarkPair.forEach(in: landmarks) { _, _, column in columns.append(column) }
      #expect(columns == (isPair ? [5] : []), "\(gap) \(interval)")
    }
  }
}
