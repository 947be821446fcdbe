import Analysis
import AnalysisTesting
import Glibc
import Testing

@testable import Tempo

@Suite(.bounded) struct TempoAnalyzerTests {
  @Test(arguments: [100.0, 117, 127, 150])
  func drums(bpm: Double) throws {
    let finding = try analyze(rockBeat(bpm, seconds: 12))
    #expect(finding.bpm == bpm)
    #expect(agreement(finding.beats, pulse(bpm, seconds: 12)) > 0.9)
    #expect(finding.beats == finding.beats.sorted())
  }

  @Test func survivesNoise() throws {
    let music = rockBeat(110, seconds: 12)
    let mixed = zip(music, noise(seconds: 12, level: 0.05)).map { $0 + $1 }
    let finding = try analyze(mixed)
    #expect(finding.bpm == 110)
  }

  @Test func survivesJitter() throws {
    var random = Randomness(3)
    func moved(_ times: [Double]) -> [Double] { times.map { $0 + 0.01 * Double(random.next()) } }
    let finding = try analyze(
      signal(
        seconds: 12,
        [
          (.kick, moved(pulse(104, seconds: 12, every: 2))),
          (.snare, moved(pulse(104, seconds: 12, every: 2, offset: 1))),
          (.hat, moved(pulse(104, seconds: 12, every: 0.5))),
        ]))
    #expect(abs((finding.bpm ?? 0) - 104) < 0.3)
  }

  @Test func survivesDropOut() throws {
    var music = rockBeat(125, seconds: 18)
    for index in Int(7 * sampleRate)..<Int(10 * sampleRate) { music[index] = 0 }
    let finding = try analyze(music)
    #expect(finding.bpm == 125)
    #expect(agreement(finding.beats, pulse(125, seconds: 18)) > 0.9)
  }

  @Test func noTempoHasAReason() throws {
    #expect(try analyze([]).reason == "silence")
    #expect(try analyze([Float](repeating: 0, count: 200_000)).reason == "silence")
    #expect(try analyze(Array(rockBeat(120, seconds: 2))).reason == "too_short")
    #expect(try analyze(noise(seconds: 15, level: 0.1)).reason == "no_pulse")
    let drone = (0..<Int(15 * sampleRate)).map { 0.3 * sin(2 * Float.pi * 110 * Float($0) / Float(sampleRate)) }
    #expect(try analyze(drone).reason == "no_pulse")
  }

  @Test func nothingIsFoundBesideAReason() throws {
    let finding = try analyze([Float](repeating: 0, count: 200_000))
    #expect(finding.bpm == nil)
    #expect(finding.confidence == 0)
    #expect(finding.beats.isEmpty && finding.map.isEmpty && finding.candidates.isEmpty)
  }

  @Test func doesNotDependOnBlocks() throws {
    let music = rockBeat(133, seconds: 10)
    let whole = try analyze(music, block: music.count)
    for block in [511, 16_384] { #expect(try analyze(music, block: block) == whole) }
  }

  @Test func doesNotDependOnLevel() throws {
    let music = rockBeat(95, seconds: 12)
    let loud = try analyze(music)
    let quiet = try analyze(music.map { $0 / 64 })
    #expect(quiet.bpm == loud.bpm)
    #expect(abs(quiet.confidence - loud.confidence) < 0.01)
    #expect(quiet.beats.count == loud.beats.count)
  }

  @Test func valuesAreFinite() throws {
    let finding = try analyze(rockBeat(120, seconds: 10))
    #expect(finding.confidence >= 0 && finding.confidence <= 1)
    #expect(finding.octaveConfidence >= 0 && finding.octaveConfidence <= 1)
    #expect(finding.candidates.reduce(0) { $0 + $1.weight } <= 1.001)
    #expect(finding.onsets.values.allSatisfy { $0 >= 0 && $0 <= 1 })
    #expect(finding.beats.allSatisfy { $0 >= 0 && $0 < 10 })
    #expect((finding.downbeats ?? []).allSatisfy(finding.beats.contains))
  }
}

@Suite(.bounded) struct TempoConfigurationTests {
  @Test func rangeIsChecked() {
    var configuration = TempoAnalyzer.Configuration()
    configuration.minimumBPM = 0
    #expect(throws: ConfigurationError.self) { try TempoAnalyzer(configuration) }
    configuration.minimumBPM = 100
    configuration.maximumBPM = 150
    #expect(throws: ConfigurationError.self) { try TempoAnalyzer(configuration) }
    configuration.minimumBPM = .nan
    #expect(throws: ConfigurationError.self) { try TempoAnalyzer(configuration) }
  }

  @Test(arguments: [(40.0, 80.0), (60, 120), (120, 240), (80, 165)])
  func tempoLiesInTheRange(range: (Double, Double)) throws {
    var configuration = TempoAnalyzer.Configuration()
    (configuration.minimumBPM, configuration.maximumBPM) = range
    let finding = try analyze(rockBeat(117, seconds: 12), configuration)
    let bpm = try #require(finding.bpm)
    #expect(bpm >= range.0 && bpm <= range.1)
  }
}

@Suite(.bounded) struct TempoSettingTests {
  /// The tempo is halved or doubled into the range, with as many beats as it implies.
  @Test(arguments: [(60.0, 120.0, 75.0), (40.0, 90.0, 75.0), (140.0, 280.0, 150.0)])
  func tempoIsFoldedIntoTheRange(low: Double, high: Double, expected: Double) throws {
    var configuration = TempoAnalyzer.Configuration()
    (configuration.minimumBPM, configuration.maximumBPM) = (low, high)
    let finding = try analyze(rockBeat(150, seconds: 20), configuration)
    #expect(finding.bpm == expected)
    #expect(abs(Double(finding.beats.count) - expected / 3) < 3)
    #expect(finding.map.map(\.bpm) == [expected])
    #expect(finding.candidates.allSatisfy { $0.bpm >= low && $0.bpm <= high })
  }

  /// A tempo is rounded only if the measurement cannot distinguish it from a whole number.
  @Test(arguments: [(128.0, true, 128.0), (128.4, true, 128.4), (103.5, true, 103.5)])
  func roundsWithinTheErrorOfMeasurement(bpm: Double, rounds: Bool, expected: Double) throws {
    var configuration = TempoAnalyzer.Configuration()
    configuration.roundsToInteger = rounds
    let found = try #require(try analyze(rockBeat(bpm, seconds: 30), configuration).bpm)
    #expect(abs(found - expected) < 0.05)
    #expect((found == found.rounded()) == (expected == expected.rounded()))
  }

  @Test func unroundedIsNearTheRounded() throws {
    var configuration = TempoAnalyzer.Configuration()
    configuration.roundsToInteger = false
    let found = try #require(try analyze(rockBeat(128, seconds: 30), configuration).bpm)
    #expect(abs(found - 128) < 0.05)
  }
}

@Suite(.bounded) struct TempoSectionsTests {
  @Test func oneTempoIsOneSection() {
    let beats: [Double] = (0..<300).map { beat in
      let wobble = 0.008 * sin(Double(beat) * 2.1)
      return 1 + Double(beat) * 0.5 + wobble
    }
    let sections = TempoSections.sections(of: beats)
    #expect(sections.count == 1)
    #expect(abs(60 / sections[0].period - 120) < 0.02)
  }

  @Test func aChangeIsFound() {
    var beats = (0..<60).map { Double($0) * 0.5 }
    for _ in 0..<60 { beats.append(beats[beats.count - 1] + 60 / 132.0) }
    let sections = TempoSections.sections(of: beats)
    #expect(sections.count == 2)
    #expect(abs(sections[1].start - 30) < 1)
    #expect(abs(60 / sections[1].period - 132) < 0.1)
  }

  @Test func joinedIsTheSameAsWhole() {
    let beats: [Double] = (0..<50).map { beat in
      let wobble = 0.01 * cos(Double(beat))
      return 1000 + Double(beat) * 0.47 + wobble
    }
    let whole = TempoSection(beats[...])
    let joined = TempoSection(beats[..<20]).joined(with: TempoSection(beats[20...]))
    #expect(abs(whole.period - joined.period) < 1e-9)
    #expect(abs(whole.error - joined.error) < 1e-9)
  }
}

@Suite(.bounded) struct MovingTempoTests {
  /// Beats of a tempo that is a function of time, with a backbeat and hi-hats between.
  private func played(seconds: Double, _ bpm: (Double) -> Double) -> (signal: [Float], beats: [Double]) {
    var beats: [Double] = []
    var time = 0.1
    while time < seconds {
      beats.append(time)
      time += 60 / bpm(time)
    }
    let halves = zip(beats, beats.dropFirst()).map { ($0 + $1) / 2 }
    let kicks = stride(from: 0, to: beats.count, by: 2).map { beats[$0] }
    let snares = stride(from: 1, to: beats.count, by: 2).map { beats[$0] }
    return (signal(seconds: seconds, [(.kick, kicks), (.snare, snares), (.hat, halves)]), beats)
  }

  @Test func aChangeOfTempoIsInTheMap() throws {
    let (music, beats) = played(seconds: 40) { $0 < 20 ? 120 : 140 }
    let finding = try analyze(music)
    #expect(!finding.isStable)
    #expect(finding.map.count == 2)
    let (first, last) = (try #require(finding.map.first), try #require(finding.map.last))
    #expect(abs(first.bpm - 120) < 0.5 && abs(last.bpm - 140) < 0.5)
    #expect(abs(last.startSeconds - 20) < 1.5)
    #expect(agreement(finding.beats, beats) > 0.85)
  }

  @Test func aRampIsFollowed() throws {
    let (music, beats) = played(seconds: 40) { 100 + 0.5 * $0 }
    let finding = try analyze(music)
    #expect(!finding.isStable)
    // Drums alone do not reveal whether kick or hi-hat has the beat; the path must follow one of them.
    let halves = zip(beats, beats.dropFirst()).map { ($0 + $1) / 2 }
    #expect([beats, halves].contains { agreement(finding.beats, $0, within: 0.05) > 0.85 })
    let tempi = finding.map.map(\.bpm)
    #expect(tempi == tempi.sorted())
  }
}
