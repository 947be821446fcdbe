import AnalysisTesting
import DSP
import Testing

@Suite(.bounded) struct LoudnessHistogramTests {
  @Test func bytesGiveTheSameHistogram() throws {
    var histogram = LoudnessHistogram()
    #expect(histogram.bytes.isEmpty)
    #expect(try #require(LoudnessHistogram(bytes: [])) == histogram)
    var random = SplitMix64(seed: 1)
    for _ in 0..<5_000 { histogram.add(Double.random(in: -90...60, using: &random)) }
    for _ in 0..<5_000 { histogram.add(-14) }
    #expect(try #require(LoudnessHistogram(bytes: histogram.bytes)) == histogram)
  }

  @Test func damagedBytesAreRefused() {
    // A missing count; a bin out of range; an unterminated number.
    for bytes: [UInt8] in [[1], [0xFF, 0x7F, 1], [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]] {
      #expect(LoudnessHistogram(bytes: bytes) == nil)
    }
  }

  @Test func tracksTogetherAreGatedTogether() throws {
    var loud = LoudnessHistogram()
    var quiet = LoudnessHistogram()
    for _ in 0..<100 {
      loud.add(-10)
      quiet.add(-40)
    }
    #expect(abs(try #require(loud.integrated) + 10) < 0.02)
    #expect(abs(try #require(quiet.integrated) + 40) < 0.02)
    // The quiet track, 30 LU below the rest, does not count.
    loud.add(quiet)
    #expect(abs(try #require(loud.integrated) + 10) < 0.02)
  }

  @Test func whatIsBelowTheGateOrNoNumberDoesNotCount() {
    var histogram = LoudnessHistogram()
    for loudness in [-70, -100, -Double.infinity, .nan] { histogram.add(loudness) }
    #expect(histogram.integrated == nil && histogram.range == nil)
    histogram.add(.infinity)
    #expect(histogram.integrated != nil)
  }
}
