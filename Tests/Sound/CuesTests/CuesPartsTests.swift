import Analysis
import AnalysisTesting
import Foundation
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct SilenceEndsTests {
  private func ends(_ channels: [[Float]], at start: Int64 = 0) -> [Int64?] {
    var ends = SilenceEnds()
    let planar = channels.flatMap { $0 }
    ends.append(planar.span, channelCount: channels.count, at: start)
    return [ends.first, ends.last]
  }

  @Test func samplesFromMinusSixtyDecibelsAreAudible() {
    let threshold = SilenceEnds.threshold
    #expect(threshold == 0.001)
    #expect(ends([[0, threshold, 0, -threshold, 0]]) == [1, 3])
    #expect(ends([[0, threshold.nextDown, 0, -threshold.nextDown]]) == [nil, nil])
    #expect(ends([[.nan, 0, .infinity, .nan]]) == [2, 2])
  }

  @Test func theEarliestAndLatestOfAllChannelsCount() {
    #expect(ends([[0, 0, 1, 0, 0], [0, 1, 0, 0, 0]], at: 10) == [11, 12])
    #expect(ends([[0, 1, 0, 0, 0], [0, 0, 0, 1, 0]], at: 10) == [11, 13])
    #expect(ends([[1], [0]]) == [0, 0] && ends([[0], [1]]) == [0, 0])
  }

  @Test func partsGoOn() {
    var ends = SilenceEnds()
    for (start, value) in [0, 0, 0.5, 0, 0.2, 0].enumerated() as EnumeratedSequence<[Float]> {
      let sample = [value]
      ends.append(sample.span, channelCount: 1, at: Int64(start))
    }
    #expect(ends.first == 2 && ends.last == 4)
  }
}

@Suite(.bounded) struct LevelCurveTests {
  private func curve(_ channels: [[Float]], rate: Int = 400, cut: Int = 1_000) -> LevelCurve {
    var curve = LevelCurve(sampleRate: rate, channelCount: channels.count)
    for start in stride(from: 0, to: channels[0].count, by: cut) {
      let part = start..<min(start + cut, channels[0].count)
      let planar = channels.flatMap { $0[part] }
      curve.append(planar.span)
    }
    curve.finish()
    return curve
  }

  /// The bass is the energy of the mean of eight samples.
  @Test(arguments: [1, 3, 8, 11, 1_000]) func slotsHaveEnergyAndBass(cut: Int) {
    let steady: [Float] = [1, 1, 1, 1, 1, 1, 1, 1, 2, -2, 2, -2, 2, -2, 2, -2, 3, 3, 3]
    let curve = curve([steady], cut: cut)
    #expect(curve.slotLength == 8)
    #expect(curve.slots.map(\.energy) == [8, 32, 27])
    #expect(curve.slots.map(\.bass) == [8, 0, 27])
    let both = self.curve([steady, [Float](repeating: 1, count: 19)], cut: cut)
    #expect(both.slots.map(\.energy) == [16, 40, 30] && both.slots.map(\.bass) == [16, 8, 30])
  }

  /// A part of a slot is an eighth of it, rounded up to eight samples.
  @Test(arguments: [3_200, 3_250, 6_400]) func parts(rate: Int) {
    let length = rate / 50
    let slow = (0..<length).map { $0 / 8 % 2 == 0 ? Float(1) : -1 }
    let partLength = (length / 8 + 7) / 8 * 8
    let found = curve([slow], rate: rate).slots[0].bass
    let expected = stride(from: 0, to: length, by: partLength).reduce(Float(0)) { sum, start in
      let part = slow[start..<min(start + partLength, length)]
      let total = part.reduce(0, +)
      return sum + total * total / Float(part.count)
    }
    #expect(abs(found - expected) < 1e-3 && (rate == 6_400 ? found < 1 : found >= 64))
  }

  @Test func samplesThatAreNoNumbersAreSilent() {
    let curve = curve([[1, .nan] + [Float](repeating: 1, count: 14), [Float](repeating: 1, count: 15) + [.infinity]])
    #expect(curve.slots.map(\.energy) == [0, 0] && curve.slots.map(\.bass) == [0, 0])
  }

  @Test func longTracksHaveLongerSlots() {
    #expect(curve([[Float](repeating: 1, count: 20)], rate: 49).slots.count == 20)
    let hour = curve([[Float](repeating: 1, count: 180_000)], rate: 50)
    #expect(hour.slotLength == 1 && hour.slots.count == 180_000)
    let longer = curve([[Float](repeating: 1, count: 180_001)], rate: 50)
    #expect(longer.slotLength == 2 && longer.slots.count == 90_001)
    #expect(longer.slots[0].energy == 2 && longer.slots[0].bass == 2)
  }
}

@Suite(.bounded) struct BeatLevelsTests {
  @Test func levelsAreMeansOfDecibels() {
    // 40 slots of 0 dB, 40 of alternating levels, 20 of silence.
    let slots = (0..<100).map { slot -> LevelCurve.Slot in
      switch slot {
      case ..<40: LevelCurve.Slot(energy: 100, bass: 10)
      case ..<80: LevelCurve.Slot(energy: slot % 2 == 0 ? 1 : 0.01, bass: 1)
      default: LevelCurve.Slot(energy: 0, bass: 0)
      }
    }
    let levels = BeatLevels([0, 0.35, 0.8, 1.6, 2, 3], slots: slots, slotSeconds: 0.02)
    func expect(_ beats: Range<Int>, _ energy: Double, _ bass: Double) {
      let mean = levels.mean(beats)
      #expect(abs(mean[0] - energy) < 0.05 && abs(mean[1] - bass) < 0.05, "\(beats): \(mean)")
    }
    expect(0..<1, 20, 10)
    expect(0..<2, 20, 10)
    expect(2..<3, -10, 0)
    // A millionth of the loudest is added.
    expect(3..<4, -40, -50)
    expect(0..<4, (40 * 20 - 40 * 10 - 20 * 40) / 100, (40 * 10 - 20 * 50) / 100)
    // No slot is left.
    expect(4..<5, 0, 0)
    expect(2..<2, 0, 0)
  }
}

@Suite(.bounded) struct CuePointsTests {
  /// Cues of a track with a level and a bass per beat.
  private struct Track {
    var beats: [Double]
    var downbeats: [Int] = []
    /// In dB.
    var levels: [Double] = []
    var basses: [Double] = []
    var sections: [SectionsFinding.Section] = []
    var sound: ClosedRange<Double>

    init(beats: [Double], sound: ClosedRange<Double>? = nil) {
      self.beats = beats
      self.sound = sound ?? (beats.first ?? 0)...max(beats.first ?? 0, beats.last ?? 0)
    }

    var points: CuePoints? {
      let tempo = TempoFinding(
        bpm: 120, confidence: 1, candidates: [], isStable: true, map: [], beats: beats,
        metre: downbeats.isEmpty ? nil : "4/4", downbeats: downbeats.isEmpty ? nil : downbeats.map { beats[$0] })
      var sums: [SIMD2<Double>] = [.zero]
      for index in beats.indices.dropLast() {
        let (level, bass) = (index < levels.count ? levels[index] : 0, index < basses.count ? basses[index] : 0)
        sums.append(sums[index] + SIMD2(pow(10, level / 10), pow(10, bass / 10)) * (beats[index + 1] - beats[index]))
      }
      return CuePoints(tempo, sections: sections, sound: sound) { time in
        guard let after = beats.firstIndex(where: { $0 > time }) else { return sums[sums.count - 1] }
        guard after > 0 else { return .zero }
        let share = (time - beats[after - 1]) / (beats[after] - beats[after - 1])
        return sums[after - 1] + (sums[after] - sums[after - 1]) * share
      }
    }
  }

  private func seconds(_ count: Int, from start: Double = 0, step: Double = 1) -> [Double] {
    (0..<count).map { start + Double($0) * step }
  }

  @Test func sixteenBeatsAreAudible() {
    #expect(Track(beats: seconds(16)).points != nil && Track(beats: seconds(15)).points == nil)
    #expect(Track(beats: seconds(16), sound: 0.049...15).points != nil)
    #expect(Track(beats: seconds(16), sound: 0.051...15).points == nil)
    #expect(Track(beats: seconds(16), sound: 0...14.9).points == nil)
    #expect(Track(beats: seconds(17), sound: 0.06...15.9).points == nil)
    #expect(Track(beats: seconds(18), sound: 0.06...16.5).points?.time(0) == 1)
    #expect(Track(beats: seconds(20), sound: 50...60).points == nil)
    var unordered = Track(beats: seconds(20))
    unordered.beats[10] = 9
    #expect(unordered.points == nil)
  }

  // MARK: - First beat

  /// Beats before the first one that was found, from the start of the sound on, or a little before it.
  @Test(
    arguments: [
      (0.5, 2.0, 2.0), (0.5, 2.19, 2), (0.5, 2.21, 2.5), (0.3, 9.1, 9.1), (0.3, 9.21, 9.1), (0.3, 9.23, 9.4),
      (1, 3.19, 3),
      (1, 3.21, 4), (0.5, 0, 0), (0.45, 0.05, 0.1),
    ])
  func firstBeats(step: Double, soundStart: Double, first: Double) throws {
    let points = try #require(Track(beats: seconds(40, from: 10, step: step), sound: soundStart...60).points)
    #expect(abs(points.firstBeat(fadeInEnd: 10.01) - first) < 1e-6)
    #expect(points.firstBeat(fadeInEnd: 10) == 10)
  }

  @Test func onlySteadyBeatsAreContinued() throws {
    func first(_ change: (inout [Double]) -> Void) throws -> Double {
      var beats = seconds(40, from: 10)
      change(&beats)
      return try #require(Track(beats: beats, sound: 2...60).points).firstBeat(fadeInEnd: 20)
    }
    #expect(try first { $0[4] += 0.039 } == 2)
    #expect(try first { $0[4] += 0.041 } == 10 && first { $0[4] -= 0.041 } == 10)
    // The first eight intervals count.
    #expect(try first { $0[8] += 0.06 } == 10)
    #expect(try first { $0[9] += 0.06 } == 2)
  }

  // MARK: - Transitions

  /// Beats of a second, so times are numbers of beats.
  @Test(
    arguments: [
      (40, 150, [8, 40, 150, 198]), (16, 184, [0, 16, 184, 200]), (15, 185, [3, 15, 185, 197]),
      (4, 196, [0, 4, 196, 200]), (3, 197, [3, 19, 181, 197]), (0, 200, [0, 16, 184, 200]),
      (33, 170, [1, 33, 170, 186]),
      (130, 150, [2, 130, 150, 198]), (150, 160, [22, 150, 160, 192]), (40, 40, [8, 40, 40, 200 - 32]),
      (3, 18, [Int]()), (3, 19, [3, 19, 19, 147]),
    ])
  func transitions(introEnd: Int, outroStart: Int, expected: [Int]) throws {
    let points = try #require(Track(beats: seconds(201)).points)
    let found = points.transitions(introEnd: introEnd, outroStart: outroStart)
    let times = found.map { [$0.in.lowerBound, $0.in.upperBound, $0.out.lowerBound, $0.out.upperBound] } ?? []
    #expect(times == expected.map { Double($0) })
  }

  // MARK: - Groove

  @Test func grooveLiesBetweenFades() throws {
    let points = try #require(Track(beats: seconds(41)).points)
    let slots = [LevelCurve.Slot](repeating: LevelCurve.Slot(energy: 1, bass: 1), count: 2_050)
    func groove(_ fadeInEnd: Double, _ fadeOutStart: Double) -> [Int]? {
      points.groove(slots, slotSeconds: 0.02, fadeInEnd: fadeInEnd, fadeOutStart: fadeOutStart).map {
        [$0.start, $0.end]
      }
    }
    #expect(groove(0, 40) == [0, 40])
    #expect(groove(4.04, 40) == [4, 40] && groove(4.06, 40) == [5, 40])
    #expect(groove(0, 35.99) == [0, 36] && groove(0, 35.97) == [0, 35])
    #expect(groove(8, 24) == [8, 24] && groove(8, 23.5) == nil)
  }

  // MARK: - Highlight

  @Test func highlightsLastHalfAMinute() throws {
    let highlight = try #require(Track(beats: seconds(201)).points).highlight
    #expect(highlight.upperBound - highlight.lowerBound == 30 && (50...110).contains(highlight.lowerBound))
    let short = try #require(Track(beats: seconds(21)).points).highlight
    #expect(short == 0...20)
  }

  /// Tracks whose levels, basses and sections are random, with and without downbeats.
  @Test func highlightsAndGroovesOfRandomTracks() throws {
    var results = RecordedResults("Sound/cue-points.txt")
    var random = SplitMix64(seed: 6)
    for number in 0..<80 {
      var track = Track(beats: seconds(100 + number, from: 0.3, step: 0.5))
      if number % 3 != 0 { track.downbeats = Array(stride(from: number % 4, to: track.beats.count, by: 4)) }
      // Levels change every 8 beats, by amounts that differ from track to track.
      let depth = Double(2 + number % 12)
      var (level, bass) = (0.0, 0.0)
      for beat in track.beats.indices {
        if beat % 8 == 0 {
          (level, bass) = (
            -Double.random(in: 0...depth, using: &random), -Double.random(in: 0...2 * depth, using: &random)
          )
        }
        track.levels.append(level + Double.random(in: -1...1, using: &random))
        track.basses.append(bass - 5 + Double.random(in: -1...1, using: &random))
      }
      if number % 2 == 0 {
        track.sections = (0..<6).map { section in
          SectionsFinding.Section(
            startSeconds: 10 * Double(section), endSeconds: 10 * Double(section + 1),
            label: ["A", "B", "A", "C", "B", "A"][section], levelDecibels: Double.random(in: -6...0, using: &random))
        }
      }
      let points = try #require(track.points)
      let slots = track.levels.indices.flatMap { beat in
        let powers = [track.levels[beat], track.basses[beat]].map { Float(pow(10, $0 / 10)) }
        return [LevelCurve.Slot](repeating: LevelCurve.Slot(energy: powers[0], bass: powers[1]), count: 25)
      }
      let groove = points.groove(slots, slotSeconds: 0.02, fadeInEnd: 0, fadeOutStart: 1_000)
      results.add("track \(number)", "\(points.highlight.lowerBound), \(groove?.start ?? -1) to \(groove?.end ?? -1)")
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }
}

@Suite(.bounded) struct RecordedFadesTests {
  /// Energies of slots of 20 ms: noise of music, notes that decay, and a gain.
  private func energies(
    _ random: inout SplitMix64, seconds: Double = 70, notes: Double = 0.5, decay: Double = 1, spread: Double = 2,
    _ gain: (Double) -> Double
  ) -> [Float] {
    (0..<Int(seconds * 50)).map { slot in
      let time = Double(slot) / 50
      let age = time.truncatingRemainder(dividingBy: notes)
      let level = Double.random(in: -spread...spread, using: &random) - decay * 6 * age / notes
      return Float(pow(10, level / 10) * pow(max(gain(time), 0), 2))
    }
  }

  @Test func lengthsOfFades() throws {
    var results = RecordedResults("Sound/fades.txt")
    var random = SplitMix64(seed: 14)
    func add(_ name: String, _ energies: [Float], offset: Double = 0) {
      results.add(name, Fade(energies, slotSeconds: 0.02, offset: offset).map { "\($0.length)" } ?? "none")
    }
    let shapes: [(String, (Double) -> Double)] = [
      ("linear", { $0 }), ("square", { $0 * $0 }), ("sine", { sin(.pi / 2 * $0) }),
      ("cosine", { (1 - cos(.pi * $0)) / 2 }), ("exponential", { pow(10, 2.5 * ($0 - 1)) }),
    ]
    for (name, shape) in shapes {
      for length in [0.5, 1, 2, 4.5, 8, 16, 26, 40] {
        add("\(name) of \(length) s", energies(&random) { $0 < length ? shape($0 / length) : 1 }, offset: 0.01)
      }
      // Nothing moves within the fade.
      add("\(name) of a tone", (0..<2_000).map { Float(pow(shape(min(1, Double($0) / 300)), 2)) })
    }
    for (name, shape) in [shapes[0], shapes[4]] {
      // Fades that change the level by less and less.
      for floor in [0.1, 0.15, 0.2, 0.3] {
        add("\(name) from \(floor)", energies(&random) { $0 < 6 ? max(floor, shape($0 / 6)) : 1 })
      }
      for spread in [6.0, 10] {
        add("\(name) in music of \(spread) dB", energies(&random, spread: spread) { $0 < 6 ? shape($0 / 6) : 1 })
      }
      for decay in [0.0, 5] {
        add("\(name) with decay of \(decay)", energies(&random, decay: decay) { $0 < 6 ? shape($0 / 6) : 1 })
      }
      for seconds in [2.0, 12, 25] {
        add("\(name) in \(seconds) s", energies(&random, seconds: seconds) { $0 < 5 ? shape($0 / 5) : 1 })
      }
    }
    add("silence", [Float](repeating: 0, count: 2_000))
    add("nothing", [])
    add("steady music", energies(&random) { _ in 1 })
    add("a step", energies(&random) { $0 < 5 ? 0.05 : 1 })
    let problem = try results.complaint()
    #expect(problem == nil)
  }
}
