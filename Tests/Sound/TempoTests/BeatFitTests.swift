import Analysis
import AnalysisTesting
import SystemPackage
import Testing

@testable import Tempo

@Suite(.bounded) struct BeatFitTests {
  private func fit(_ bpm: Double, _ signal: [Float]) throws -> TempoFinding {
    var configuration = BeatFitAnalyzer.Configuration()
    configuration.bpm = bpm
    return try analyze(signal, by: BeatFitAnalyzer(configuration).makeSession(for: AudioFile(path: "signal")))
  }

  private func steps(_ beats: [Double]) -> [Double] { zip(beats, beats.dropFirst()).map { $1 - $0 } }

  @Test func beatsOfTheMusicAreFound() throws {
    // People round 117.3 to 117.
    let music = rockBeat(117.3, seconds: 12)
    #expect(agreement(try fit(117, music).beats, pulse(117.3, seconds: 12)) > 0.9)
    let half = try fit(58.7, music).beats
    let bars = [0.0, 1].map { pulse(117.3, seconds: 12, every: 2, offset: $0) }
    #expect(bars.contains { agreement(half, $0) > 0.9 })
  }

  @Test(arguments: [92.0, 78, 163]) func anyTempoHasEvenBeats(bpm: Double) throws {
    let found = try fit(bpm, rockBeat(120, seconds: 12))
    #expect(found.isStable && found.beats.count >= Int(10.5 * bpm / 60))
    #expect(steps(found.beats).allSatisfy { abs($0 - 60 / bpm) < 0.002 })
    // At least one beat coincides with a beat or half-beat of the music.
    #expect(found.beats.contains { beat in pulse(120, seconds: 12, every: 0.5).contains { abs($0 - beat) < 0.03 } })
  }

  @Test func silenceHasNone() throws {
    #expect(try fit(100, [Float](repeating: 0, count: 22_050 * 8)).beats.isEmpty)
  }

  @Test func temposOutOfRangeAreRefused() throws {
    for bpm in [0, 39, 251, .infinity, .nan] {
      var configuration = BeatFitAnalyzer.Configuration()
      configuration.bpm = bpm
      #expect(throws: ConfigurationError.self) { try BeatFitAnalyzer(configuration) }
    }
  }
}
