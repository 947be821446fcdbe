import AnalysisTesting
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct FrameGridTests {
  /// The subbands from 4 kHz on, or from the ninth on if that is lower, up to 20 kHz or the end of the spectrum.
  @Test(
    arguments: [
      (44_100, 22_050.0, 5, 29), (48_000, 24_000, 5, 26), (96_000, 48_000, 2, 13), (32_000, 16_000, 8, 30),
      (31_900, 15_950, 8, 30), (32_100, 16_050, 7, 30), (22_050, 11_025, 8, 30), (44_100, 16_000, 5, 23),
      (44_100, 5_000, 5, 7), (44_100, 3_000, 5, 6),
    ])
  func subbandsThatCount(sampleRate: Int, end: Double, first: Int, last: Int) {
    let grid = MPEGGrid(sampleRate: sampleRate, end: end)
    #expect(grid.firstBand == first && grid.lastBand == last)
  }

  /// A single offset stands out by as much as the limit allows, and no offset weighs more than 4 deviations against.
  @Test(arguments: FrameGrid.Codec.allCases) func contrastsAreLimited(codec: FrameGrid.Codec) {
    var differences = (0..<101).map { Float($0 % 3) - 1 }
    differences[50] = 1_000
    differences[70] = -1_000
    differences[80] = 5
    let contrast = FrameGrid.Contrast(differences: [differences], count: 1, limit: codec.limit)
    #expect(contrast.deviations[50] == (codec == .vorbis ? 20 : 8))
    #expect(contrast.deviations[70] == -4)
    // The median deviation from the median is 1.
    #expect(abs(contrast.deviations[80] - 5 / 1.4836) < 0.01)
    #expect(abs(contrast.decibels[80] - 5 * 3.0103) < 0.01)
    // The mean over groups, in which deviations of chance cancel out.
    let both = FrameGrid.Contrast(differences: [differences, differences], count: 1, limit: 100)
    #expect(abs(both.deviations[50] - 40 / 2.0.squareRoot().float) < 0.01)
  }
}

extension Double {
  fileprivate var float: Float { Float(self) }
}
