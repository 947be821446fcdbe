import AnalysisTesting
import CKernels
import Foundation
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct RhythmTests {
  /// Places whose intervals have these lengths, in samples at 10 kHz.
  private func isFollowed(_ intervals: [Int]) -> Bool {
    var places: [Int64] = [7]
    for interval in intervals { places.append(places[places.count - 1] + Int64(interval)) }
    return Rhythm.isFollowed(by: places, sampleRate: 10_000)
  }

  /// Some intervals of each of the given lengths, and some that have each a length of its own.
  private func intervals(_ counts: [Int], others: Int) -> [Int] {
    let equal = counts.enumerated().flatMap { [Int](repeating: 1_000 + 200 * $0, count: $1) }
    return equal + (0..<others).map { 3_000 + 400 * $0 }
  }

  @Test func mostIntervalsHaveOneLength() {
    #expect(isFollowed(intervals([8], others: 3)))
    #expect(!isFollowed(intervals([7], others: 4)))
    // Three lengths are allowed, and two of the others are among them: 13 of 20 are 65%.
    #expect(isFollowed(intervals([11], others: 9)))
    #expect(!isFollowed(intervals([10], others: 10)))
  }

  @Test func longerRhythmsMayHaveMoreLengths() {
    #expect(isFollowed(intervals([4, 4], others: 4)))
    #expect(!isFollowed(intervals([4, 4], others: 3)))
    #expect(isFollowed(intervals([4, 4, 4], others: 6)))
    #expect(!isFollowed(intervals([4, 4, 4], others: 5)))
    #expect(!isFollowed(intervals([5, 5, 5, 5], others: 4)))
  }

  /// Four percent and two milliseconds longer.
  @Test func lengthsMayDeviateALittle() {
    #expect(isFollowed([10_000, 10_419]))
    #expect(!isFollowed([10_000, 10_421]))
    #expect(isFollowed([100, 123]) && !isFollowed([100, 125]))
  }

  @Test func oneIntervalIsARhythmAndNoneIsNot() {
    #expect(isFollowed([500]))
    #expect(!isFollowed([]))
    #expect(!Rhythm.isFollowed(by: [], sampleRate: 10_000))
  }
}

@Suite(.bounded) struct ChannelSumsTests {
  private static let frames = 64 * 100

  /// Blocks of a channel with these means, all with the same level in dB.
  private func add(_ means: [Double], decibels: Double, channel: Int = 0, to sums: inout ChannelSums) {
    for mean in means {
      var cell = SampleCells.Cell()
      (cell.sum, cell.squares) = (Float(64 * mean), Float(64 * pow(10, decibels / 10)))
      let cells = [SampleCells.Cell](repeating: cell, count: 100)
      sums.add(cells.span, channel: channel)
    }
  }

  private func faults(means: [Double], decibels: Double = -20) -> [Fault] {
    var sums = ChannelSums(channelCount: 1)
    add(means, decibels: decibels, to: &sums)
    return sums.faults(frameCount: Int64(Self.frames * means.count))
  }

  private func faults(of decibels: [Double], mean: Float = 1, side: Float = 0.1) -> [Fault] {
    var sums = ChannelSums(channelCount: decibels.count)
    for (channel, level) in decibels.enumerated() { add([0], decibels: level, channel: channel, to: &sums) }
    sums.compare(mean: mean * Float(Self.frames), side: side * Float(Self.frames))
    return sums.faults(frameCount: Int64(Self.frames))
  }

  // MARK: - Offset

  @Test(arguments: [(0.0051, 0.8), (0.0099, 0.8), (0.0101, 0.95), (-0.0051, 0.8), (-0.0101, 0.95)])
  func offsets(mean: Double, confidence: Double) throws {
    let found = faults(means: [mean])
    try #require(found.count == 1)
    #expect(found[0].kind == .offset && found[0].channel == 0 && found[0].confidence == confidence)
    #expect(abs(found[0].strength - 20 * log10(abs(mean))) < 0.01)
    #expect(found[0].start == 0 && found[0].end == Self.frames)
  }

  @Test func smallOffsetsAreNone() {
    for mean in [0.0049, -0.0049] { #expect(faults(means: [mean]).isEmpty) }
  }

  /// All but a tenth of the blocks at either end count.
  @Test func offsetsAreSteady() {
    // Always more than the minimum, however they sway.
    let tenth = [Double](repeating: 0.02, count: 8)
    #expect(faults(means: [0.0051, 0.0051] + tenth).count == 1)
    #expect(faults(means: [0.0049, 0.0049] + tenth).isEmpty)
    #expect(faults(means: [0, 0.02] + tenth).count == 1)
    #expect(faults(means: [0, 0] + tenth).isEmpty)
    #expect(faults(means: [-0.03, -0.03] + [Double](repeating: 0.04, count: 8)).isEmpty)
    // Sometimes less, but near the mean.
    func swaying(_ low: Double, _ high: Double) -> [Double] {
      [low, low, high, high] + [Double](repeating: (0.06 - 2 * low - 2 * high) / 6, count: 6)
    }
    #expect(faults(means: swaying(0.0037, 0.0095)).count == 1)
    #expect(faults(means: swaying(0.0035, 0.0095)).isEmpty)
    #expect(faults(means: swaying(0.0037, 0.0097)).isEmpty)
  }

  /// Blocks that are too short have no mean of their own.
  @Test(arguments: [(64, 0), (65, 1)]) func blocksHaveAMinimumLength(cells: Int, count: Int) {
    var cell = SampleCells.Cell()
    (cell.sum, cell.squares) = (1.28, 1)
    var sums = ChannelSums(channelCount: 1)
    sums.add([SampleCells.Cell](repeating: cell, count: cells).span, channel: 0)
    #expect(sums.faults(frameCount: Int64(64 * cells)).count == count)
  }

  // MARK: - Silence

  @Test func silenceIsBelowAnyMusic() throws {
    let found = faults(means: [0], decibels: -85.1)
    try #require(found.count == 1)
    #expect(found[0].kind == .silent && found[0].confidence == 0.9 && found[0].channel == nil)
    #expect(abs(found[0].strength + 85.1) < 0.01)
    #expect(faults(means: [0], decibels: -84.9).isEmpty)
    let digital = faults(means: [0], decibels: -.infinity)
    #expect(digital.map(\.confidence) == [0.99] && abs(digital[0].strength + 200) < 0.01)
    #expect(!faults(of: [-90, -84.9]).contains { $0.kind == .silent })
    #expect(faults(of: [-90, -86]).map(\.kind) == [.silent])
    var none = ChannelSums(channelCount: 1)
    #expect(none.faults(frameCount: 0).isEmpty)
    add([0.1], decibels: -20, to: &none)
    #expect(none.faults(frameCount: 0).isEmpty && none.faults(frameCount: 1).count == 1)
  }

  // MARK: - Two channels

  @Test(
    arguments: [
      (-10.0, -79.5, nil), (-10, -80.5, 0.9), (-10, -99.5, 0.9), (-10, -100.5, 0.99), (-29.5, -80.5, 0.9),
      (-31, -80.5, nil), (-59.5, -110, 0.99), (-60.5, -112, nil),
    ] as [(Double, Double, Double?)])
  func deadChannels(level: Double, other: Double, confidence: Double?) {
    for (levels, dead) in [([level, other], 1), ([other, level], 0)] {
      let found = faults(of: levels)
      if let confidence {
        #expect(found.map(\.kind) == [.deadChannel] && found[0].confidence == confidence && found[0].channel == dead)
        #expect(abs(found[0].strength - other) < 0.01)
      } else {
        #expect(found.isEmpty)
      }
    }
  }

  /// Powers of the mean of both channels and of half their difference.
  @Test(
    arguments: [
      (0.1, 0, Fault.Kind.identical, 0.99, -10), (0.1, 0.99e-7, .identical, 0.9, 60.04), (0.1, 1.01e-7, nil, 0, 0),
      (0.99e-3, 0.1, .inverted, 0.9, 20.04), (1.01e-3, 0.1, nil, 0, 0), (1.01e-5, 0.1, .inverted, 0.9, 39.96),
      (0.99e-5, 0.1, .inverted, 0.99, 40.04), (0.1, 0.1, nil, 0, 0),
    ] as [(Float, Float, Fault.Kind?, Double, Double)])
  func equalAndInvertedChannels(mean: Float, side: Float, kind: Fault.Kind?, confidence: Double, strength: Double) {
    let found = faults(of: [-10, -10], mean: mean, side: side)
    #expect(found.map(\.kind) == [kind].compactMap(\.self))
    if let fault = found.first {
      #expect(fault.confidence == confidence && fault.channel == nil && abs(fault.strength - strength) < 0.01)
    }
  }

  @Test func onlyTwoChannelsAreCompared() {
    #expect(faults(of: [-10], side: 0).isEmpty)
    #expect(faults(of: [-10, -10, -150], side: 0).isEmpty)
    #expect(faults(of: [-59.5, -59.5], side: 0).count == 1)
    #expect(faults(of: [-60.5, -60.5], side: 0).isEmpty)
  }

  @Test func theLevelIsThatOfAllChannels() {
    var sums = ChannelSums(channelCount: 2)
    #expect(sums.rms == 0)
    add([0, 0], decibels: -20, to: &sums)
    add([0, 0], decibels: -200, channel: 1, to: &sums)
    #expect(abs(sums.rms - 0.005.squareRoot()) < 1e-6)
  }
}

@Suite(.bounded) struct ClippedPeaksTests {
  private static let step: Float = 1 / 32_768

  /// A flat top of some samples between two samples on either side.
  private struct Top {
    var value: Float = 0.5
    var count = 3
    var before: (Float, Float) = (0.4, 0.45)
    var after: (Float, Float) = (0.45, 0.4)

    static let square = Top(before: (0, 0), after: (0, 0))
  }

  private func look(_ tops: [Top], sign: Float = 1, into peaks: inout ClippedPeaks) {
    for top in tops {
      let samples =
        [0, 0, top.before.0, top.before.1] + [Float](repeating: top.value, count: top.count)
        + [top.after.0, top.after.1, 0, 0]
      let window = samples.map { sign * $0 }
      peaks.look(window.span, 2..<window.count - 2, largest: top.value, sign: sign, offset: 1_000)
    }
  }

  private func peaks(_ tops: [Top], sign: Float = 1) -> ClippedPeaks {
    var peaks = ClippedPeaks()
    look(tops, sign: sign, into: &peaks)
    return peaks
  }

  private func count(_ change: (inout Top) -> Void) -> Int {
    var top = Top()
    change(&top)
    return peaks([top]).count
  }

  @Test func topsAreFlat() {
    #expect(count { $0.count = 3 } == 1 && count { $0.count = 2 } == 0)
    #expect(count { $0.count = 400 } == 1 && count { $0.count = 401 } == 0)
  }

  /// The larger corner has at least six steps of 16 bits, and the smaller at least two.
  @Test(arguments: [(6, 2, 1), (5, 2, 0), (6, 1, 0), (5, 5, 0), (6, 6, 1)]) func corners(
    large: Int, small: Int, count: Int
  ) {
    for (rise, fall) in [(large, small), (small, large)] {
      let found = self.count {
        $0.before = (0, $0.value - Float(rise) * Self.step)
        $0.after = ($0.value - Float(fall) * Self.step, 0)
      }
      #expect(found == count)
    }
  }

  /// A wave in steps is level before and after its top.
  @Test func theSignalRisesToTheTopOrFallsFromIt() {
    #expect(count { $0.before.0 = $0.before.1 } == 1)
    #expect(count { $0.after.1 = $0.after.0 } == 1)
    #expect(
      count {
        $0.before.0 = $0.before.1
        $0.after.1 = $0.after.0
      } == 0)
  }

  /// Square waves jump by more than 45% of their level.
  @Test func jumps() {
    for (height, found) in [(Float(0.276), 1), (0.274, 0)] {
      #expect(count { $0.before = (0, height) } == found)
      #expect(count { $0.after = (height, 0) } == found)
    }
    // Tops of two samples are never square.
    let short = [Top](repeating: Top(count: 2, before: (0, 0), after: (0, 0)), count: 4)
    #expect(peaks(short + [Top](repeating: Top(), count: 4)).isClipped)
  }

  @Test func aClippedSignalHasSeveralTopsAndFewSquares() {
    let tops = [Top](repeating: Top(), count: 4)
    #expect(peaks(tops).isClipped && !peaks(Array(tops.dropFirst())).isClipped)
    let squares = [Top](repeating: .square, count: 4)
    #expect(!peaks(tops + squares).isClipped && peaks(tops + squares + [Top()]).isClipped)
    let long = [Top](repeating: Top(count: 401), count: 4)
    #expect(!peaks(tops + long).isClipped)
  }

  /// A peak of at least 99.95% of the largest belongs to it; one that is more than 0.1% larger replaces all.
  @Test func theLevelIsThatOfTheLargest() {
    let tops = [Top](repeating: Top(), count: 4)
    let near = peaks(tops + [Top(value: 0.5004)])
    #expect(near.count == 5 && near.level == 0.5004 && near.runs.count == 5)
    let larger = peaks(tops + [.square] + [Top(value: 0.5006)])
    #expect(larger.count == 1 && larger.level == 0.5006 && larger.runs.count == 1)
    #expect(peaks([.square, .square, Top(value: 0.5006)]).isClipped(at: 0.5006))
    #expect(peaks(tops + [Top(value: 0.4998)]).count == 5)
    #expect(peaks(tops + [Top(value: 0.4997)]).count == 4)
    #expect(near.isReached(by: 0.5003) && !near.isReached(by: 0.5001))
    #expect(ClippedPeaks().isReached(by: 0.0201) && !ClippedPeaks().isReached(by: 0.0199))
  }

  @Test func otherPeaksWereClippedAtThatLevel() {
    let one = peaks([Top()])
    #expect(!one.isClipped)
    #expect(one.isClipped(at: 0.50024) && one.isClipped(at: 0.49976))
    #expect(!one.isClipped(at: 0.50026) && !one.isClipped(at: 0.49974))
    #expect(peaks([Top(), .square]).isClipped(at: 0.5) && !peaks([Top(), .square, .square]).isClipped(at: 0.5))
    #expect(!ClippedPeaks().isClipped(at: 0))
  }

  @Test func placesAreThoseInTheFile() {
    for sign: Float in [1, -1] {
      let found = peaks([Top(), Top(count: 1), .square], sign: sign)
      #expect(found.runs == [1_004..<1_007, 1_004..<1_005])
      #expect(found.count == 1)
    }
  }

  /// A run that began before the part was counted there.
  @Test func runsAreCountedOnce() {
    let window: [Float] = [0, 0, 0.4, 0.45, 0.5, 0.5, 0.5, 0.5, 0.45, 0.4, 0, 0]
    var peaks = ClippedPeaks()
    peaks.look(window.span, 2..<5, largest: 0.5, sign: 1, offset: 0)
    #expect(peaks.runs == [4..<8])
    peaks.look(window.span, 5..<10, largest: 0.5, sign: 1, offset: 0)
    #expect(peaks.runs == [4..<8])
  }

  @Test func keptRunsAreLimited() {
    let found = peaks([Top](repeating: Top(), count: 2_001))
    #expect(found.runs.count == 2_000 && found.count == 2_001)
  }
}

@Suite(.bounded) struct HissTests {
  /// Blocks of one cell per channel.
  /// - Parameters:
  ///   - decibels: Level of a block.
  ///   - ratio: Power of its first differences relative to its own.
  private func fault(_ blocks: [(decibels: Double, ratio: Float)], sampleRate: Int = 1_280) -> Fault? {
    var hiss = Hiss(sampleRate: sampleRate)
    let cells = blocks.map { block in
      var cell = SampleCells.Cell()
      cell.squares = Float(64 * pow(10, block.decibels / 10))
      cell.steps = block.ratio * cell.squares
      return cell
    }
    hiss.push(cells.span, cells.span)
    return hiss.fault(frameCount: 77)
  }

  private func blocks(_ count: Int, _ decibels: Double, _ ratio: Float = 2) -> [(Double, Float)] {
    [(Double, Float)](repeating: (decibels, ratio), count: count)
  }

  @Test func thereAreEnoughBlocks() throws {
    let found = try #require(fault(blocks(60, -39.5)))
    #expect(found.kind == .hiss && found.strength == -40 && found.confidence == 0.8)
    #expect(found.start == 0 && found.end == 77 && found.channel == nil)
    #expect(fault(blocks(59, -39.5)) == nil)
    // Silence does not count.
    #expect(fault(blocks(59, -39.5) + blocks(10, -.infinity)) == nil)
  }

  @Test func hissIsNeitherFaintNorLoud() {
    #expect(fault(blocks(60, -58.5))?.strength == -59 && fault(blocks(60, -59.5)) == nil)
    #expect(fault(blocks(60, -25.5))?.strength == -26 && fault(blocks(60, -24.5)) == nil)
  }

  @Test func hissIsWhite() {
    #expect(fault(blocks(60, -39.5, 0.71)) != nil && fault(blocks(60, -39.5, 0.69)) == nil)
  }

  /// The quietest twentieth.
  @Test func hissIsWhatIsLeftInPauses() {
    #expect(fault(blocks(5, -49.5) + blocks(95, -9.5))?.strength == -50)
    #expect(fault(blocks(4, -49.5) + blocks(96, -9.5)) == nil)
    #expect(fault(blocks(3, -49.5) + blocks(2, -44.5, 0.1) + blocks(95, -9.5, 0.1))?.strength == -45)
    #expect(fault(blocks(1, -49.5) + blocks(4, -44.5, 0.1) + blocks(95, -9.5)) == nil)
    #expect(fault(blocks(100, -130)) == nil)
  }

  /// Blocks of 50 ms span parts of the file, and both channels count.
  @Test func blocksGoOn() throws {
    var hiss = Hiss(sampleRate: 44_100)
    var cell = SampleCells.Cell()
    (cell.squares, cell.steps) = (64e-4, 128e-4)
    var (left, silent) = ([SampleCells.Cell](), [SampleCells.Cell]())
    for _ in 0..<7 {
      left.append(cell)
      silent.append(SampleCells.Cell())
    }
    // 34 cells each.
    var parts = 0
    while hiss.fault(frameCount: 1) == nil, parts < 1_000 {
      hiss.push(left.span, silent.span)
      parts += 1
    }
    #expect(parts == (60 * 34 + 6) / 7)
    // Half of 1e-4.
    #expect(hiss.fault(frameCount: 1)?.strength == -44)
  }
}

@Suite(.bounded) struct FileEdgesTests {
  /// Levels of a file of 1.6 kHz: an edge of 8 samples, 8 more, and the 16 samples behind them.
  private func faults(
    edge: Float, middle: Float = 0.1, inside: Float = 0.1, level: Double = 0.1, frames: Int64 = 1_601,
    atEnd: Bool = false
  ) -> [Fault] {
    let samples =
      [Float](repeating: edge, count: 8) + [Float](repeating: middle, count: 8) + [Float](repeating: -inside, count: 16)
    let soft = [Float](repeating: 0, count: 8) + [Float](repeating: 0.1, count: 24)
    var edges = FileEdges(sampleRate: 1_600)
    let all = atEnd ? soft + samples.reversed() : samples + soft.reversed()
    // The louder channel counts.
    for start in stride(from: 0, to: all.count, by: 5) {
      let part = Array(all[start..<min(start + 5, all.count)])
      let quiet = part.map { $0 / 2 }
      if start % 2 == 0 { edges.push(part.span, quiet.span) } else { edges.push(quiet.span, part.span) }
    }
    return edges.faults(frameCount: frames, level: level)
  }

  @Test(arguments: [false, true]) func cuts(atEnd: Bool) throws {
    let found = faults(edge: 0.1, atEnd: atEnd)
    try #require(found.count == 1)
    #expect(found[0].kind == (atEnd ? .cutEnd : .cutStart) && abs(found[0].strength) < 1e-3)
    #expect(found[0].start == (atEnd ? 1_569 : 0) && found[0].end == (atEnd ? 1_601 : 32))
    #expect(found[0].confidence == 0.8 && found[0].channel == nil)
    #expect(abs(try #require(faults(edge: 0.2, atEnd: atEnd).first).strength - 6.02) < 0.01)
  }

  @Test(arguments: [false, true]) func edgesAreAsLoudAsTheFileAndTheirInside(atEnd: Bool) {
    #expect(faults(edge: 0.041, inside: 0.01, atEnd: atEnd).count == 1)
    #expect(faults(edge: 0.039, inside: 0.01, atEnd: atEnd).isEmpty)
    #expect(faults(edge: 0.041, level: 0.01, atEnd: atEnd).count == 1)
    #expect(faults(edge: 0.039, level: 0.01, atEnd: atEnd).isEmpty)
    // Neither the samples between count.
    #expect(faults(edge: 0.041, middle: 0.4, atEnd: atEnd).count == 1)
    #expect(faults(edge: 0.039, middle: 0.4, atEnd: atEnd).isEmpty)
  }

  @Test func filesAreLongAndLoudEnough() {
    #expect(faults(edge: 0.1, frames: 1_600).isEmpty)
    #expect(faults(edge: 0.1, level: 0.0031).count == 1)
    #expect(faults(edge: 0.1, level: 0.0029).isEmpty)
    var short = FileEdges(sampleRate: 1_600)
    let samples = [Float](repeating: 0.1, count: 31)
    short.push(samples.span, samples.span)
    #expect(short.faults(frameCount: 1_601, level: 0.1).isEmpty)
  }

  /// A fiftieth of a second, but at least 32 samples.
  @Test(arguments: [(8_000, 160), (1_650, 33), (1_600, 32), (800, 32)]) func lengths(sampleRate: Int, length: Int64) {
    var edges = FileEdges(sampleRate: sampleRate)
    let samples = [Float](repeating: 0.1, count: 400)
    edges.push(samples.span, samples.span)
    #expect(edges.faults(frameCount: 50 * length, level: 0.1).isEmpty)
    #expect(edges.faults(frameCount: 50 * length + 1, level: 0.1).first?.end == length)
  }
}

@Suite(.bounded) struct RepeatedBlocksTests {
  private static let margin = 2 * RepeatedBlocks.reach

  /// Scans a signal that is silent at both ends.
  private func scan(_ samples: [Float], _ others: [Float]? = nil) -> RepeatedBlocks {
    let silence = [Float](repeating: 0, count: Self.margin)
    var blocks = RepeatedBlocks()
    let (window, second) = (silence + samples + silence, silence + (others ?? samples) + silence)
    blocks.scan(window.span, second.span, margin: Self.margin, start: 100_000)
    return blocks
  }

  private func noise(_ count: Int, amplitude: Float = 0.5, seed: UInt64 = 1) -> [Float] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in amplitude * random.nextSample() }
  }

  /// Repeats a block once, and the samples after it again as far as `more` says.
  private func repeated(_ samples: [Float], at start: Int, length: Int, more: Int = 0) -> [Float] {
    let block = samples[start..<start + length]
    return Array(samples[..<(start + length)] + block + block.prefix(more) + samples[(start + length)...])
  }

  @Test func blocksHaveAPlace() {
    let found = scan(repeated(noise(4_000), at: 1_000, length: 588))
    #expect(found.count == 1 && found.blocks.map(\.range) == [101_588..<102_176])
    #expect(scan(noise(4_000)).count == 0)
  }

  /// Only a part of the blocks has a sample that is looked for, so there are many.
  @Test(arguments: [(95, false), (96, true), (97, true)]) func shortBlocks(length: Int, isFound: Bool) {
    let samples = (0..<20).flatMap { repeated(noise(400, seed: UInt64($0)), at: 200, length: length) }
    #expect((scan(samples).count > 0) == isFound)
  }

  @Test(arguments: [(8_192, 1), (8_193, 0)]) func longBlocks(length: Int, count: Int) {
    #expect(scan(repeated(noise(9_000), at: 500, length: length)).count == count)
  }

  /// Sounds that go on as they were are no repeated blocks.
  @Test(arguments: [(0, 1), (6, 1), (7, 0), (588, 0)]) func blocksAreRepeatedOnce(more: Int, count: Int) {
    #expect(scan(repeated(noise(4_000), at: 1_000, length: 588, more: more)).count == count)
  }

  /// The second channel is the same but for the last four samples.
  @Test func bothChannelsRepeat() {
    let samples = repeated(noise(4_000), at: 1_000, length: 588)
    let others = repeated(noise(4_000, seed: 2), at: 1_000, length: 588)
    #expect(scan(samples, others).count == 1)
    for (offset, count) in [(0, 0), (300, 0), (583, 0), (584, 1), (587, 1)] {
      var changed = others
      changed[1_588 + offset] += 0.01
      #expect(scan(samples, changed).count == count, "\(offset)")
    }
  }

  @Test func blocksAreAudible() {
    #expect(scan(repeated(noise(4_000, amplitude: 0.0055), at: 1_000, length: 588)).count == 1)
    #expect(scan(repeated(noise(4_000, amplitude: 0.0049), at: 1_000, length: 588)).count == 0)
    // A slope and the jump back to its start have the same height.
    for (slope, count) in [(0.9e-4, 0), (1.1e-4, 1)] as [(Float, Int)] {
      let samples = (0..<4_000).map { 0.1 + slope * Float($0) }
      #expect(scan(repeated(samples, at: 1_000, length: 588)).count == count)
    }
  }

  @Test func keptBlocksAreLimited() {
    let samples = (0..<600).flatMap { repeated(noise(150, seed: UInt64($0)), at: 30, length: 110) }
    let found = scan(samples)
    #expect(found.count > 500 && found.blocks.count == 500)
  }
}

@Suite(.bounded) struct SeverityTests {
  private func severity(
    _ kind: Fault.Kind, count: Int = 1, confidence: Double = 1, length: Int64 = 0, seconds: Double = 60
  ) -> Double {
    let fault = Fault(kind: kind, start: 0, end: length, channel: nil, strength: 0, confidence: confidence)
    let found = Severity.of(
      [Fault](repeating: fault, count: count), seconds: seconds, rate: 1_000)
    #expect(found.worst == kind.rawValue)
    return found.severity
  }

  @Test(
    arguments: [
      (.deadChannel, 0.9, 0.9), (.silent, 0.9, 0.9), (.dropout, 0.6, 0.775), (.repeated, 0.6, 0.775),
      (.silence, 0.6, 0.75), (.inverted, 0.7, 0.7), (.click, 0.35, 0.575), (.clipping, 0.1, 0.4), (.hum, 0.5, 0.5),
      (.offset, 0.3, 0.3), (.hiss, 0.25, 0.25), (.cutStart, 0.15, 0.15), (.cutEnd, 0.15, 0.15),
      (.identical, 0.05, 0.05),
    ] as [(Fault.Kind, Double, Double)])
  func oneFaultAndElevenInAMinute(kind: Fault.Kind, one: Double, eleven: Double) {
    #expect(severity(kind) == one)
    #expect(abs(severity(kind, confidence: 0.5) - one / 2) < 0.0006)
    // Ten more per minute are halfway to many.
    #expect(abs(severity(kind, count: 11) - eleven) < 0.0006)
  }

  @Test func moreThanOneASecondHideEachOther() {
    // 0.6 + 0.35 · 60 / 70
    #expect(severity(.dropout, count: 61) == 0.9 && severity(.dropout, count: 62) == 0.9)
    #expect(severity(.dropout, count: 60) < 0.9)
    // Files of less than 10 s count as 10 s: six per minute.
    #expect(severity(.dropout, count: 2, seconds: 5) == severity(.dropout, count: 2, seconds: 10))
    #expect(abs(severity(.dropout, count: 2, seconds: 10) - 0.731) < 0.001)
    #expect(severity(.dropout, count: 2, seconds: 12) < severity(.dropout, count: 2, seconds: 10))
  }

  /// A second of clipping is as bad as ten more peaks.
  @Test func clippedPassagesCountByTheirLength() {
    #expect(severity(.clipping, length: 1_000) == 0.4 && severity(.clipping, length: 100) == 0.155)
    #expect(severity(.dropout, length: 1_000) == 0.6)
  }

  @Test func theWorstKindCounts() {
    func fault(_ kind: Fault.Kind, _ confidence: Double) -> Fault {
      Fault(kind: kind, start: 0, end: 0, channel: nil, strength: 0, confidence: confidence)
    }
    let both = Severity.of([fault(.hum, 0.8), fault(.click, 0.5), fault(.click, 0.95)], seconds: 60, rate: 1_000)
    // 0.95 · (0.35 + 0.45 / 11) = 0.371
    #expect(both.worst == "hum" && both.severity == 0.4)
    let clicks = Severity.of([fault(.hiss, 0.8), fault(.click, 0.5), fault(.click, 0.95)], seconds: 60, rate: 1_000)
    #expect(clicks.worst == "click" && clicks.severity == 0.371)
    let none = Severity.of([], seconds: 60, rate: 1_000)
    #expect(none.worst == nil && none.severity == 0)
  }
}
