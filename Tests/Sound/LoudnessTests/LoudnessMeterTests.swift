import AnalysisTesting
import DSP
import Foundation
import Testing

@testable import BuiltInAnalyzers

/// Blocks of steps of 10 ms.
@Suite(.bounded) struct LoudnessMeterTests {
  private func meter(_ powers: [Double]) -> LoudnessMeter {
    var meter = LoudnessMeter()
    for power in powers { meter.push(power) }
    return meter
  }

  private func steps(_ loudness: Double, _ count: Int) -> [Double] {
    [Double](repeating: LoudnessHistogram.power(ofLoudness: loudness), count: count)
  }

  private func isNear(_ found: Double?, _ expected: Double) -> Bool { found.map { abs($0 - expected) < 0.02 } ?? false }

  @Test func fortyStepsAreABlock() {
    let short = meter(steps(-20, 39))
    #expect(!short.hasBlock && short.integrated == nil && short.maxMomentary == nil)
    let block = meter(steps(-20, 40))
    #expect(block.hasBlock && block.stepCount == 40 && isNear(block.integrated, -20) && isNear(block.maxMomentary, -20))
    // Blocks begin every ten steps.
    #expect(meter(steps(-20, 49)).gatingBlocks == block.gatingBlocks)
    #expect(meter(steps(-20, 50)).gatingBlocks != block.gatingBlocks)
  }

  @Test func threeSecondsAreShortTerm() {
    #expect(meter(steps(-20, 299)).maxShortTerm == nil && isNear(meter(steps(-20, 300)).maxShortTerm, -20))
    #expect(meter(steps(-20, 299)).range == nil && isNear(meter(steps(-20, 300)).range, 0))
  }

  /// The loudest block counts: at any step for 400 ms, at every tenth for 3 s.
  @Test func theLoudestBlockCounts() {
    for late in [0, 3, 10, 37] {
      let found = meter(steps(-40, 303 + late) + steps(-20, 40) + steps(-40, 400))
      #expect(isNear(found.maxMomentary, -20))
      let few = (40 * LoudnessHistogram.power(ofLoudness: -20) + 260 * LoudnessHistogram.power(ofLoudness: -40)) / 300
      #expect(isNear(found.maxShortTerm, LoudnessHistogram.loudness(ofPower: few)))
    }
    let found = meter(steps(-40, 305) + steps(-20, 300) + steps(-40, 300))
    let most = (295 * LoudnessHistogram.power(ofLoudness: -20) + 5 * LoudnessHistogram.power(ofLoudness: -40)) / 300
    #expect(isNear(found.maxShortTerm, LoudnessHistogram.loudness(ofPower: most)))
  }

  /// The range uses one block in half a second.
  @Test func theRangeIsThatOfBlocksOfThreeSeconds() {
    let found = meter(steps(-20, 2_300) + steps(-30, 2_300))
    #expect(found.range.map { abs($0 - 10) < 0.1 } ?? false)
    // Blocks at steps 300, 350 and 400 alone: the loudest tenth at steps in between does not count.
    let between = meter(steps(-40, 300) + steps(-20, 40))
    #expect(isNear(between.range, 0))
    let later = meter(steps(-40, 300) + steps(-20, 50))
    #expect((later.range ?? 0) > 5)
  }

  @Test func belowTheGateThereIsNoLoudness() {
    let found = meter(steps(-70.1, 400))
    #expect(found.maxMomentary == nil && found.maxShortTerm == nil && found.integrated == nil)
    let above = meter(steps(-69.9, 400))
    #expect(isNear(above.maxMomentary, -69.9) && isNear(above.maxShortTerm, -69.9))
  }
}

@Suite(.bounded) struct ChannelRoleTests {
  private func roles(_ mask: UInt64, _ count: Int) -> String {
    ChannelRole.roles(channelCount: count, mask: mask).map { role in
      switch role {
      case .front: "f"
      case .surround: "s"
      case .lowFrequency: "e"
      }
    }.joined()
  }

  /// Each position beside front left and front right.
  @Test(
    arguments: [
      (2, "fff"), (3, "ffe"), (4, "ffs"), (5, "ffs"), (6, "fff"), (7, "fff"), (8, "fff"), (9, "ffs"), (10, "ffs"),
      (11, "fff"), (12, "fff"), (17, "fff"), (32, "fff"), (33, "ffs"), (34, "ffs"), (35, "ffe"), (36, "fff"),
      (63, "fff"),
    ])
  func positions(bit: UInt64, expected: String) {
    #expect(roles(0x3 | 1 << bit, 3) == expected)
  }

  /// Back speakers are behind the listener if there are side speakers.
  @Test func backSpeakersBesideSideSpeakers() {
    #expect(roles(0x3 | 1 << 4 | 1 << 9, 4) == "fffs" && roles(0x3 | 1 << 5 | 1 << 10, 4) == "fffs")
    #expect(roles(0x3 | 1 << 4 | 1 << 33, 4) == "ffss")
  }

  @Test(
    arguments: [
      (0, ""), (1, "f"), (2, "ff"), (3, "fff"), (4, "ffss"), (5, "fffss"), (6, "fffess"), (7, "fffefss"),
      (8, "fffeffss"), (9, "fffffffff"),
    ])
  func usualLayouts(count: Int, expected: String) {
    #expect(roles(0, count) == expected)
    // A mask of another number of channels says nothing.
    if count != 1 { #expect(roles(0x8, count) == expected) }
  }
}
