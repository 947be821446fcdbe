import Analysis
import AnalysisTesting
import Glibc
import SystemPackage
import Testing

@testable import BuiltInAnalyzers

/// Steps from the spectrum to the sections of made songs. A change of a recorded finding needs a higher version of the
/// analyzer.
@Suite(.bounded) struct RecordedSectionsTests {
  /// Columns of a song whose parts have chords, a timbre and a level of their own.
  /// - Parameters:
  ///   - form: A letter for each part.
  ///   - seconds: Length of a part.
  private static func columns(_ form: String, seconds: Double, noise: Float, seed: UInt64) -> [[Float]] {
    var random = SplitMix64(seed: seed)
    let binWidth = Float(SoundProfile.layout.sampleRate) / Float(SoundProfile.layout.windowLength)
    let parts = Array(form.utf8)
    let count = Int(seconds * Double(parts.count) / SoundProfile.columnSeconds)
    return (0..<count).map { column in
      let time = Double(column) * SoundProfile.columnSeconds
      let part = Int(parts[min(Int(time / seconds), parts.count - 1)]) - 65
      let bar = Int(time / 2) % 4
      var values = [Float](repeating: 1e-5, count: SoundProfile.layout.binCount)
      for (voice, height) in [0, 3 + part % 2, 7, 12].enumerated() {
        let semitones = (bar * (part + 2) * 5 + 3 * part) % 12 + height
        for harmonic in 1...4 {
          let pitch = 220 * exp2f(Float(semitones) / 12) * Float(harmonic)
          values[Int((pitch / binWidth).rounded())] +=
            (1 + 0.3 * random.nextSample()) / Float(harmonic + voice % 2 + part % 3)
        }
      }
      for bin in 400 + 150 * part..<500 + 150 * part { values[bin] += 0.02 }
      let level = 1 / Float(1 + part)
      for bin in values.indices { values[bin] = level * (values[bin] + noise * abs(random.nextSample())) }
      return values
    }
  }

  private static let songs: [(name: String, columns: [[Float]], seconds: Double)] = [
    ("ABAB", 16, 0.001), ("AABA", 12, 0.003), ("ABACAB", 16, 0.01), ("ABCD", 20, 0.002), ("ABABA", 9, 0.03),
    ("AAAA", 10, 0.05), ("ABCAB", 14.3, 0.1), ("AB", 35, 0.002),
  ].enumerated().map { number, song in
    (song.0, columns(song.0, seconds: song.1, noise: song.2, seed: UInt64(number)), song.1 * Double(song.0.count))
  }

  private func tempo(_ seconds: Double, period: Double, bar: Int?) -> TempoFinding {
    let beats = Array(stride(from: 0.2, to: seconds, by: period))
    let downbeats = bar.map { bar in stride(from: 1, to: beats.count, by: bar).map { beats[$0] } }
    return TempoFinding(
      bpm: 60 / period, confidence: 1, candidates: [], isStable: true, map: [], beats: beats,
      metre: bar.map { "\($0)/4" }, downbeats: downbeats)
  }

  @Test func formsOfSongs() throws {
    var results = RecordedResults("Sound/sections.txt")
    for (name, columns, seconds) in Self.songs {
      let tempi: [(String, TempoFinding?)] = [
        ("no beats", nil), ("beats", tempo(seconds, period: 0.5, bar: nil)),
        ("fours", tempo(seconds, period: 0.5, bar: 4)),
        ("threes", tempo(seconds, period: 2 / 3.0, bar: 3)), ("slow", tempo(seconds, period: 1.1, bar: 4)),
      ]
      for (kind, tempo) in tempi {
        var session = try SectionsAnalyzer(.init()).makeSession(for: AudioFile(path: "song"))
        for (index, column) in columns.enumerated() { try session.consume(column.span, at: Int64(index)) }
        let found = try session.finish(after: EarlierFindings(tempo.map { [$0] } ?? []))
        let map = found.map.map { "\($0.label) \($0.startSeconds) \($0.endSeconds) \($0.levelDecibels)" }
        results.add("\(name), \(kind)", found.reason ?? map.joined(separator: "; "))
      }
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  private func sixteen(_ vector: SIMD16<Float>) -> [Float] { (0..<16).map { vector[$0] } }

  @Test func profilesAndResemblance() throws {
    var results = RecordedResults("Sound/sections-profile.txt")
    for (name, columns, seconds) in Self.songs.prefix(5) {
      var profile = SoundProfile()
      for column in columns { profile.append(column.span) }
      profile.finish()
      for frame in stride(from: 3, to: profile.chroma.count, by: 83) {
        results.add("\(name), chroma \(frame)", numbers: sixteen(profile.chroma[frame]))
        results.add("\(name), timbre \(frame)", numbers: sixteen(profile.timbre[frame]))
      }
      results.add(
        "\(name), powers",
        numbers: [0, 7.3, 20].map { profile.power(from: $0, to: $0 + 3.3) } + [
          profile.power(from: 5, to: 5.1), profile.seconds,
        ])
      for (kind, beats) in [("none", [Double]()), ("beats", tempo(seconds, period: 0.6, bar: nil).beats)] {
        let units = BeatUnits(beats: beats, seconds: profile.seconds)
        let resemblance = Resemblance(profile, units: units)
        results.add("\(name), \(kind), units", "\(units.count) \(units.length) \(units.areBeats) \(units.units(8))")
        let changes = resemblance.changes
        results.add("\(name), \(kind), changes", numbers: stride(from: 0, to: changes.count, by: 9).map { changes[$0] })
        for (part, recurrence) in [
          ("harmony", resemblance.recurrences.harmony), ("timbre", resemblance.recurrences.timbre),
          ("both", resemblance.recurrences.both),
        ] {
          let (values, evidence) = recurrence.novelty(over: units.units(8))
          results.add("\(name), \(kind), \(part)", recurrence.density)
          results.add(
            "\(name), \(kind), \(part), novelty", numbers: stride(from: 0, to: values.count, by: 7).map { values[$0] })
          results.add(
            "\(name), \(kind), \(part), evidence",
            numbers: stride(from: 0, to: values.count, by: 7).map { evidence[$0] })
        }
        let bounds = SectionBounds(resemblance, units: units, downbeats: []).bounds
        results.add("\(name), \(kind), bounds", bounds)
        let bars = BarStarts(of: units, downbeats: [], harmony: resemblance)
        results.add(
          "\(name), \(kind), bars",
          bars.map { "\($0.barLength) \($0.isBarStart?.firstIndex(of: true) ?? -1)" } ?? "none")
      }
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Random matrices with parts that recur more or less.
  @Test func labelsOfParts() throws {
    var results = RecordedResults("Sound/sections-labels.txt")
    var random = SplitMix64(seed: 77)
    for number in 0..<40 {
      let count = 60 + number
      let share = Float(number % 8) / 10
      let period = [20, 24, 15, 30][number % 4]
      var similarities = [Float](repeating: 1, count: count * count)
      for row in 0..<count {
        for column in 0..<row {
          let recurs = (row - column) % period == 0 && random.nextSample() < 2 * share - 1 + 0.4
          let value = recurs ? 0.9 + 0.05 * random.nextSample() : 0.4 * random.nextSample()
          similarities[row * count + column] = value
          similarities[column * count + row] = value
        }
      }
      let recurrence = Recurrence(similarities, count: count)
      let units = BeatUnits(beats: [], seconds: 0.5 * Double(count))
      let bounds = [0, period / 2 + number % 5, period + number % 3, 2 * period, count - number % 4 - 5, count]
      let labels = SectionLabels(bounds: Array(Set(bounds)).sorted(), recurrence: recurrence, units: units)
      results.add("matrix \(number), density", recurrence.density)
      results.add("matrix \(number)", labels.sections.map { "\($0.label) \($0.units)" }.joined(separator: " "))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }
}

@Suite(.bounded) struct BeatUnitLimitsTests {
  private func units(_ beats: [Double], seconds: Double = 20) -> BeatUnits { BeatUnits(beats: beats, seconds: seconds) }
  private func beats(_ count: Int, from start: Double = 0, step: Double = 1) -> [Double] {
    (0..<count).map { start + step * Double($0) }
  }

  @Test func eightBeatsAreEnough() {
    #expect(units(beats(8)).areBeats && !units(beats(7)).areBeats)
    // Beats outside of the audio do not count.
    #expect(!units(beats(8, from: 13)).areBeats && units(beats(8, from: 12)).areBeats)
    #expect(!units([-0.1] + beats(7)).areBeats && units([0] + beats(7, from: 1)).areBeats)
  }

  @Test func beatsAreApart() {
    #expect(units(beats(30, step: 0.101)).areBeats && !units(beats(30, step: 0.099)).areBeats)
  }

  /// Edges nearer than 0.3 units to the start or the end are left out.
  @Test func endsHaveNoShortUnits() {
    func near(_ found: [Double], _ expected: [Double]) -> Bool {
      found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) < 1e-9 }
    }
    #expect(near(units(beats(10, from: 0.31), seconds: 10.32).edges, [0] + beats(11, from: 0.31).dropLast(1) + [10.32]))
    #expect(near(units(beats(10, from: 0.29), seconds: 10).edges, [0] + beats(9, from: 1.29) + [10]))
    #expect(near(units(beats(10, from: 0.5), seconds: 9.79).edges, [0] + beats(9, from: 0.5) + [9.79]))
    #expect(near(units(beats(10, from: 0.5), seconds: 9.81).edges, [0] + beats(10, from: 0.5) + [9.81]))
  }

  @Test func gapsAreDividedEvenly() {
    let gap = units(beats(10) + beats(10, from: 11.4))
    #expect(gap.edges.count == 21 && abs(gap.edges[10] - 10.2) < 1e-9)
    let small = units(beats(10) + beats(10, from: 10.4))
    #expect(small.edges.count == 21 && small.edges[10] == 10.4)
  }

  @Test func unitsPerTime() {
    let half = units([])
    #expect(half.length == 0.5 && half.units(8) == 16 && half.units(8.4) == 16 && half.units(1) == 4)
    #expect(half.units(1, atLeast: 1) == 2 && BeatUnits(beats: [], seconds: 0).units(9) == 4)
  }

  @Test func longTracksHaveGroups() {
    #expect(units([], seconds: 511.9).count == 1_024 && units([], seconds: 511.9).length == 0.5)
    #expect(units([], seconds: 513).length == 1)
    let many = units(beats(1_000, step: 0.5), seconds: 500)
    #expect(!units(beats(1_300, step: 0.5), seconds: 650).areBeats && many.areBeats && many.length == 0.5)
  }
}

@Suite(.bounded) struct BarStartLimitsTests {
  private static let units = BeatUnits(beats: (0..<40).map { 0.5 * Double($0) }, seconds: 20)

  private func harmony() -> Resemblance {
    var profile = SoundProfile()
    let column = [Float](repeating: 1, count: SoundProfile.layout.binCount)
    for _ in 0..<79 { profile.append(column.span) }
    profile.finish()
    return Resemblance(profile, units: Self.units)
  }

  @Test func fourDownbeatsAreBelieved() throws {
    let harmony = harmony()
    let three = try #require(BarStarts(of: Self.units, downbeats: [0, 2, 4], harmony: harmony))
    #expect(three.isBarStart == nil && three.barLength == 4)
    let four = try #require(BarStarts(of: Self.units, downbeats: [0, 2, 4, 6], harmony: harmony))
    #expect(four.isBarStart?.indices.filter { four.isBarStart?[$0] == true } == [0, 4, 8, 12])
  }

  @Test(arguments: [(1.26, 3), (1.74, 3), (1.24, 4), (1.76, 4), (2, 4), (3, 4)]) func lengths(
    distance: Double, length: Int
  ) throws {
    let downbeats = (0..<5).map { distance * Double($0) }
    #expect(try #require(BarStarts(of: Self.units, downbeats: downbeats, harmony: harmony())).barLength == length)
  }

  /// A fifth of a beat.
  @Test func downbeatsAreNearBeats() throws {
    for (shift, count) in [(0.099, 5), (-0.099, 5), (0.101, 1), (-0.101, 1)] {
      let downbeats = [0] + (1..<5).map { 2 * Double($0) + shift }
      let starts = try #require(BarStarts(of: Self.units, downbeats: downbeats, harmony: harmony())?.isBarStart)
      #expect(starts.count { $0 } == count, "\(shift)")
    }
  }
}

@Suite(.bounded) struct SectionsLimitsTests {
  private func reason(_ count: Int, power: Float = 1) throws -> String? {
    var session = try SectionsAnalyzer(.init()).makeSession(for: AudioFile(path: "columns"))
    let column = [Float](repeating: power, count: SoundProfile.layout.binCount)
    for index in 0..<count { try session.consume(column.span, at: Int64(index)) }
    return try session.finish().reason
  }

  /// Thirty seconds of columns of 0.256 s.
  @Test func shortAudioHasNoSections() throws {
    #expect(try reason(117) == "too_short" && reason(118) == "no_structure")
  }

  @Test func silenceIsBelowAFloor() throws {
    #expect(try reason(118, power: 0) == "silence" && reason(118, power: 1e-12) == "silence")
    #expect(try reason(118, power: 1e-3) == "no_structure")
  }

  @Test func levelsAreRelative() {
    #expect(abs(SoundProfile.decibels(2, of: 4) + 3.01) < 0.01 && SoundProfile.decibels(1e-30, of: 1) == -100)
    #expect(SoundProfile.decibels(0, of: 1) == -100 && SoundProfile.decibels(1, of: 0) == -100)
  }
}
