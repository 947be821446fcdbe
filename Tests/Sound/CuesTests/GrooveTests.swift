import AnalysisTesting
import Foundation
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct GrooveTests {
  /// 40 bars of constant level, with less bass at the start.
  /// - Parameters:
  ///   - bass: Level of the bass, in dB relative to all.
  ///   - intro: Number of bars in which the bass is 12 dB lower.
  private func groove(bass: Double, intro: Int) -> Groove? {
    let slots = (0..<1_600).map { slot in
      LevelCurve.Slot(energy: 1, bass: Float(pow(10, (bass - (slot < 40 * intro ? 12 : 0)) / 10)))
    }
    let beats = (0...160).map { 0.5 * Double($0) }
    return Groove(
      0...160, downbeats: Array(stride(from: 0, through: 160, by: 4)),
      levels: BeatLevels(beats, slots: slots, slotSeconds: 0.05))
  }

  /// Bass counts if it is not more than 18 dB below the whole.
  @Test func bassCountsIfThereIsAny() throws {
    let audible = try #require(groove(bass: -17.7, intro: 8))
    #expect(audible.start == 32 && audible.end == 160)
    let inaudible = try #require(groove(bass: -18.3, intro: 8))
    #expect(inaudible.start == 0 && inaudible.end == 160)
  }

  /// At most 45% of a track come before the groove.
  @Test func introsHaveAMaximumLength() throws {
    #expect(try #require(groove(bass: -6, intro: 17)).start == 68)
    #expect(try #require(groove(bass: -6, intro: 18)).start == 72)
    #expect(try #require(groove(bass: -6, intro: 19)).start == 72)
  }
}
