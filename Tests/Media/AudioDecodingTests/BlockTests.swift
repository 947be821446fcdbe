import AnalysisTesting
import Testing

@testable import AudioDecoding

@Suite(.bounded) struct BlockTests {
  private func block(_ planes: [[Float]]) -> AudioBlock {
    var block = AudioBlock(channelCount: planes.count)
    block.frameCount = planes[0].count
    for channel in planes.indices {
      block.samples.replaceSubrange(block.range(ofChannel: channel), with: planes[channel])
    }
    return block
  }

  @Test(arguments: 1...8)
  func deinterleaving(channels: Int) {
    for frames in [0, 1, 7, 8, 9, 1_003] {
      let interleaved = (0..<frames * channels).map { Float($0) }
      var planes = [Float](repeating: -1, count: channels * 1_100)
      interleaved.withUnsafeBufferPointer { source in
        planes.withUnsafeMutableBufferPointer {
          guard let from = source.baseAddress, let to = $0.baseAddress else { return }
          deinterleave(from, channelCount: channels, frameCount: frames, into: to, stride: 1_100)
        }
      }
      for channel in 0..<channels {
        let plane = planes[channel * 1_100..<(channel + 1) * 1_100]
        #expect(plane.prefix(frames).elementsEqual((0..<frames).map { Float($0 * channels + channel) }))
        #expect(plane.dropFirst(frames).allSatisfy { $0 == -1 })
      }
    }
  }

  @Test func downmixing() {
    var mono: [Float] = [9]
    #expect(block([[1, 2, 3]]).downmix(into: &mono) == 3)
    #expect(mono == [1, 2, 3])
    #expect(block([[1, 2], [3, -2]]).downmix(into: &mono) == 2)
    #expect(mono == [2, 0, 3])
    #expect(block([[1, 2], [3, 4], [5, 9]]).downmix(into: &mono) == 2)
    #expect(mono == [3, 5, 3])
    #expect(block([[], []]).downmix(into: &mono) == 0)
  }

  @Test func harmlessSamples() {
    for length in [1, 7, 8, 9, 100] {
      for position in [0, length / 2, length - 1] {
        for (bad, mended): (Float, Float) in [
          (.nan, 0), (.infinity, 0), (-.infinity, 0), (1e30, 16), (-17, -16), (16, 16),
        ] {
          var plane = [Float](repeating: -0.25, count: length)
          plane[position] = bad
          var block = block([plane, plane])
          let check = block.sanitize(limit: 16)
          plane[position] = mended
          #expect(Array(block.samples[block.range(ofChannel: 1)]) == plane)
          #expect(check.nonFiniteCount == (bad.isFinite ? 0 : 2))
          #expect(check.absurdCount == (bad.isFinite && bad.magnitude > 16 ? 2 : 0))
        }
      }
    }
  }
}
