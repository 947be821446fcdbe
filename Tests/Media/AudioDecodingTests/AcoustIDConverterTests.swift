import Analysis
import AnalysisTesting
import AudioDecoding
import Testing

@Suite(.bounded) struct AcoustIDConverterTests {
  private func convert(
    _ planes: [[Float]], rate: Int, type: SampleEncoding.SampleType = .int16, mask: UInt64 = 0, blocks: [Int] = [16_384]
  ) -> [Float] {
    let format = AudioFormat(
      container: "wav", codec: "pcm_s16", sampleRate: rate, channelCount: planes.count, isLossless: true)
    var converter = AcoustIDConverter(format: format, encoding: SampleEncoding(sampleType: type, channelMask: mask))
    var block = AudioBlock(channelCount: planes.count)
    var output: [Float] = []
    var buffer: [Float] = []
    var position = 0
    var turn = 0
    while position < planes[0].count {
      block.frameCount = min(blocks[turn % blocks.count], planes[0].count - position)
      for channel in planes.indices {
        block.samples.replaceSubrange(
          block.range(ofChannel: channel), with: planes[channel][position..<position + block.frameCount])
      }
      let written = converter.push(block, into: &buffer)
      output += buffer[..<written]
      position += block.frameCount
      turn += 1
    }
    return output
  }

  /// Samples that need no conversion are unchanged, and convert back to the exact original integers.
  @Test func identity() {
    for (type, bits) in [(SampleEncoding.SampleType.int16, 16), (.uint8, 8)] {
      let signal = makeSignal(frames: 30_000, channels: 1, rate: 11_025, bits: bits)
      let isSame = convert(signal, rate: 11_025, type: type) == signal[0].map { $0 * 32_768 }
      #expect(isSame)
    }
  }

  @Test(arguments: [8_000, 22_050, 44_100, 48_000, 96_000, 192_000])
  func wholeNumbersOfTheRightLength(rate: Int) {
    for type in [SampleEncoding.SampleType.uint8, .int16, .int32, .float, .double] {
      let output = convert(makeSignal(frames: rate / 2, rate: rate), rate: rate, type: type)
      #expect(abs(output.count - 11_025 / 2) <= 16)
      let areWhole = output.allSatisfy { $0 == $0.rounded() && (-32_768...32_767).contains($0) }
      #expect(areWhole)
      #expect(output.contains { abs($0) > 1_000 })
    }
  }

  @Test func blocksDoNotMatter() {
    let signal = makeSignal(frames: 60_000)
    let whole = convert(signal, rate: 44_100)
    for blocks in [[1, 50, 16_384], [4_096], [777]] {
      let isSame = convert(signal, rate: 44_100, blocks: blocks) == whole
      #expect(isSame)
    }
  }

  /// Stereo is mixed to the mean; antiphase becomes silence.
  @Test func mix() {
    let signal = makeSignal(frames: 30_000, channels: 1, rate: 11_025)[0]
    let isSame = convert([signal, signal], rate: 11_025) == signal.map { $0 * 32_768 }
    #expect(isSame)
    let silence = convert([signal, signal.map { -$0 }], rate: 11_025)
    #expect(silence.allSatisfy { $0 == 0 })
    // Six channels give output with any mask; an impossible mask counts as none.
    for mask: UInt64 in [0, 0x3f, 0x60f, 0x3, .max] {
      let output = convert([[Float]](repeating: signal, count: 6), rate: 11_025, mask: mask)
      #expect(output.count == signal.count)
      #expect(output.contains { abs($0) > 1_000 })
    }
  }
}
