import Analysis
import AnalysisTesting
import Glibc
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct BeatUnitsTests {
  @Test func beatsGoOnToBothEnds() {
    let units = BeatUnits(beats: (0..<20).map { 3.2 + Double($0) }, seconds: 30)
    #expect(units.edges.first == 0 && units.edges.last == 30)
    #expect(units.edges.contains { abs($0 - 2.2) < 1e-9 } && units.edges.contains { abs($0 - 25.2) < 1e-9 })
    #expect(units.length > 0.9 && units.length < 1.1)
    #expect(zip(units.edges, units.edges.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func gapsAreFilled() {
    let beats = (0..<20).map { Double($0) } + (28..<40).map { Double($0) }
    #expect(BeatUnits(beats: beats, seconds: 40).edges == (0...40).map { Double($0) })
  }

  @Test(arguments: [
    [], [1, 2], [5, 4, 3, 2, 1, 0, 6, 7, 8], [.nan, .infinity, -1, 1e300], [Double](repeating: 2, count: 30),
  ])
  func uselessBeats(beats: [Double]) {
    #expect(BeatUnits(beats: beats, seconds: 20).edges == (0...40).map { Double($0) / 2 })
  }

  @Test(arguments: [600.0, 3600, 86_400, 1e6])
  func longTracksHaveLongerUnits(seconds: Double) {
    let beats = (0..<Int(min(seconds, 10_000) * 2)).map { Double($0) / 2 }
    for units in [BeatUnits(beats: beats, seconds: seconds), BeatUnits(beats: [], seconds: seconds)] {
      #expect(units.count <= BeatUnits.limit + 2 && units.count >= BeatUnits.limit / 2)
      #expect(zip(units.edges, units.edges.dropFirst()).allSatisfy { $0 < $1 })
    }
  }
}

/// Song of 40 bars of four beats whose harmony changes with each bar, and whose timbre changes after 16 bars.
@Suite(.bounded) struct BarStartsTests {
  private static let units = BeatUnits(beats: (0..<162).map { 0.5 * Double($0) }, seconds: 81)

  /// Two columns of a quarter second per beat; the second bar begins after `pickup` beats.
  private static func resemblance(pickup: Int) -> Resemblance {
    var profile = SoundProfile()
    let columns = Int(81 / SoundProfile.columnSeconds)
    let binWidth = Float(SoundProfile.layout.sampleRate) / Float(SoundProfile.layout.windowLength)
    for column in 0..<columns {
      let beat = Int(Double(column) * SoundProfile.columnSeconds / 0.5)
      let bar = (beat + 4 - pickup) / 4
      var values = [Float](repeating: 1e-4, count: SoundProfile.layout.binCount)
      for (voice, height) in [0, 4, 7].enumerated() {
        let semitones = (bar * 5) % 12 + height + 12 * (voice % 2)
        let pitch = 440 * exp2f(Float(semitones) / 12)
        values[Int((pitch / binWidth).rounded())] = bar < 16 ? 1 : 0.3
      }
      if bar >= 16 { for bin in 300..<400 { values[bin] = 0.2 } }
      profile.append(values.span)
    }
    profile.finish()
    return Resemblance(profile, units: units)
  }

  @Test(arguments: 0..<4) func barsBeginWhereTheHarmonyChanges(pickup: Int) throws {
    let resemblance = Self.resemblance(pickup: pickup)
    let bars = try #require(BarStarts(of: Self.units, downbeats: [], harmony: resemblance))
    #expect(bars.barLength == 4)
    let starts = try #require(bars.isBarStart)
    let wanted = starts.indices.map { $0 % 4 == pickup }
    #expect(starts == wanted)
  }

  @Test func downbeatsAreBelieved() throws {
    let downbeats = (0..<50).map { 0.5 * Double(1 + 3 * $0) }
    let bars = try #require(BarStarts(of: Self.units, downbeats: downbeats, harmony: Self.resemblance(pickup: 0)))
    #expect(bars.barLength == 3)
    let wanted = (0..<150).map { $0 % 3 == 1 }
    #expect(bars.isBarStart.map { Array($0.prefix(150)) } == wanted)
  }

  @Test func withoutBeatsThereAreNoBars() {
    let units = BeatUnits(beats: [], seconds: 81)
    #expect(BarStarts(of: units, downbeats: [0, 2, 4, 6], harmony: Self.resemblance(pickup: 0)) == nil)
  }
}

@Suite(.bounded) struct RecurrenceTests {
  /// Two blocks of 20 units that are similar within and dissimilar between.
  private static let blocks: [Float] = (0..<1600).map { ($0 / 40 < 20) == ($0 % 40 < 20) ? 0.9 : -0.9 }

  /// Parts of 30 units, A B A C: each unit of A resembles only its repetition.
  private static let parts: [Float] = {
    let count = 120
    var random = SplitMix64(seed: 4)
    var similarities = [Float](repeating: 1, count: count * count)
    for row in 0..<count {
      for column in 0..<row {
        let value = row - column == 60 && column < 30 ? 0.95 : 0.3 * random.nextSample()
        similarities[row * count + column] = value
        similarities[column * count + row] = value
      }
    }
    return similarities
  }()

  @Test func noveltyIsHighestWherePartsBeginAndEnd() {
    let (values, evidence) = Recurrence(Self.parts, count: 120).novelty(over: 16)
    let peaks = values.indices.filter { edge in
      values[edge] == values[max(0, edge - 8)...min(120, edge + 8)].max() && evidence[edge] > 1.4
    }
    #expect(peaks.allSatisfy { abs($0 - Int((Double($0) / 30).rounded()) * 30) <= 2 })
    #expect(Set(peaks.map { Int((Double($0) / 30).rounded()) }) == [1, 2, 3])
    #expect(values.allSatisfy(\.isFinite) && evidence.allSatisfy(\.isFinite))
  }

  @Test func sharesAlongADiagonal() {
    let recurrence = Recurrence(Self.blocks, count: 40)
    #expect(recurrence.share(from: 0, and: 5, length: 15) == 1)
    #expect(recurrence.share(from: 0, and: 20, length: 20) == 0)
    #expect(recurrence.share(from: 10, and: 15, length: 10) == 0.5)
  }

  @Test func nothingToCompare() {
    let recurrence = Recurrence([Float](repeating: 0, count: 100), count: 10)
    #expect(recurrence.density == 1)
    #expect(recurrence.novelty(over: 4).values.allSatisfy { $0 == 0 })
    #expect(recurrence.novelty(over: 4).evidence.allSatisfy { $0 == 0 })
  }
}

@Suite(.bounded) struct SoundProfileTests {
  @Test func memoryIsBounded() {
    var profile = SoundProfile()
    let column = [Float](repeating: 1, count: SoundProfile.layout.binCount)
    let count = 20_000
    for _ in 0..<count { profile.append(column.span) }
    profile.finish()
    #expect(profile.chroma.count == count / 2 && profile.timbre.count == count / 2)
    #expect(abs(profile.seconds - 19_999 * 0.256) < 1e-6)
    let means = profile.means(of: profile.chroma, between: [0, 1000, profile.seconds])
    #expect(means.count == 2 && abs(means[0][0] - means[1][0]) < 1e-3)
  }

  @Test func namesOfLabels() {
    #expect([0, 1, 25, 26, 27, 51, 52].map(SectionLabels.label) == ["A", "B", "Z", "AA", "AB", "AZ", "BA"])
  }
}
