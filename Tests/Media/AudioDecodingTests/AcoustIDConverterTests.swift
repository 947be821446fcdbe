import Analysis
import AnalysisTesting
import AudioDecoding
import CSndfile
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

  /// Samples are brought back to what decoders give, within its range.
  @Test(
    arguments: [
      (.uint8, [0, 16_384, -16_384, 32_512, -32_768, 32_512, -32_768, 256, 0]),
      (.int16, [0, 16_384, -16_384, 32_767, -32_768, 32_767, -32_768, 153, 76]),
      (.int32, [0, 16_384, -16_384, 32_767, -32_768, 32_767, -32_768, 153, 76]),
      (.float, [0, 16_384, -16_384, 32_767, -32_768, 32_767, -32_768, 154, 77]),
      (.double, [0, 16_384, -16_384, 32_767, -32_768, 32_767, -32_768, 154, 77]),
    ] as [(SampleEncoding.SampleType, [Float])])
  func samplesHaveTheRangeOfTheirType(type: SampleEncoding.SampleType, expected: [Float]) {
    // The last two are 0.6 and 0.3 steps of 8 bits.
    let samples: [Float] = [0, 0.5, -0.5, 1, -1, 2, -2, 0.6 / 128, 0.3 / 128]
    #expect(convert([samples], rate: 11_025, type: type) == expected)
  }

  /// A mask says which channels are mixed: the one for low frequencies is not.
  @Test func masksNameChannels() {
    let signal = makeSignal(frames: 2_000, channels: 1, rate: 11_025)[0]
    let silence = [Float](repeating: 0, count: 2_000)
    func isSilent(_ count: Int, _ channel: Int, _ mask: UInt64) -> Bool {
      let planes = (0..<count).map { $0 == channel ? signal : silence }
      return convert(planes, rate: 11_025, mask: mask).allSatisfy { $0 == 0 }
    }
    // Four channels are 3.1 with this mask, and surround without.
    #expect(isSilent(4, 3, 0xF) && !isSilent(4, 2, 0xF) && !isSilent(4, 3, 0))
    // A mask of other channels than there are counts as none.
    #expect(!isSilent(4, 3, 0x3F) && isSilent(6, 3, 0) && isSilent(6, 3, 0x3F) && !isSilent(6, 5, 0x3F))
  }

  /// The filter is that of FFmpeg with the options of `fpcalc`.
  @Test(arguments: [44_100, 48_000, 22_050]) func theFilterHasTheOptionsOfFpcalc(rate: Int) throws {
    let scratch = try Scratch()
    let signal = makeSignal(frames: 30_000, channels: 1, rate: rate)
    let wav = try scratch.writeSound(signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: rate)
    let filter = "aresample=11025:filter_size=16:phase_shift=8:linear_interp=1:cutoff=0.8"
    let raw = try scratch.bytes(scratch.ffmpeg(wav, ["-af", filter, "-f", "s16le"], "x.raw"))
    let expected = stride(from: 0, to: raw.count - 1, by: 2).map { index in
      Float(Int16(truncatingIfNeeded: Int(raw[index]) | Int(raw[index + 1]) << 8))
    }
    let found = convert(signal, rate: rate)
    #expect(found.count > 6_000 && found.count <= expected.count)
    let differing = zip(found, expected).count { $0 != $1 }
    #expect(differing < found.count / 100, "\(differing) of \(found.count)")
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
