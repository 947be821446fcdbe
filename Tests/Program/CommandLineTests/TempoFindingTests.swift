import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// The tempi that version 4 of the analyzer `tempo` finds in the music of the repository. A change here is a change of
/// the version.
@Suite(.bounded) struct TempoFindingTests {
  private static let fixtures = Repository.url("Fixtures")

  @Test(arguments: [
    ("signals/clicks-120.flac", 120.0), ("signals/clicks-93.5.flac", 93.5), ("signals/clicks-174.flac", 174.0),
    ("music/coherence.opus", 140.0), ("music/hell.ogg", 190.84), ("music/hunting.flac", 138.0),
    ("music/media-threat.wav", 100.0), ("music/rocker-ronni.mp3", 175.0), ("music/through-space.m4a", 115.0),
  ])
  func music(path: String, expected: Double) throws {
    let place = try Workplace()
    let source = Self.fixtures.appendingPathComponent(path)
    try place.put([UInt8](Data(contentsOf: source)), as: source.lastPathComponent)
    let outcome = try place.run("--include", "beats", pipeline: "tempo")
    let tempo = outcome.file(source.lastPathComponent)["tempo"]
    guard case .number(let bpm) = tempo["bpm"] else {
      Issue.record("no tempo but \(tempo)")
      return
    }
    #expect(abs(bpm - expected) < 0.06, "\(bpm)")
    #expect(tempo["map"].elements.count == 1)
    let beats = tempo["beats_s"].elements.count
    let seconds = Double(beats) * 60 / bpm
    #expect(seconds > 15 && seconds < 40, "\(beats) beats")
  }
}
