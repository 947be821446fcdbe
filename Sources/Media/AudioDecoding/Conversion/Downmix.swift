internal import DSP

extension AudioBlock {
  /// Writes the mean of all channels to the start of `mono`, which grows when it is too short and never shrinks.
  ///
  /// - Returns: `frameCount`.
  public func downmix(into mono: inout [Float]) -> Int {
    mono.ensureCount(frameCount)
    let scale = 1 / Float(channelCount)
    samples.withUnsafeBufferPointer { planes in
      mono.withUnsafeMutableBufferPointer { mono in
        guard let sum = mono.baseAddress, let first = planes.baseAddress else { return }
        switch channelCount {
        case 1:
          sum.update(from: first, count: frameCount)
        case 2:
          let second = first + Self.capacity
          for frame in 0..<frameCount { sum[frame] = (first[frame] + second[frame]) * 0.5 }
        default:
          sum.update(from: first, count: frameCount)
          for channel in 1..<channelCount {
            let plane = first + channel * Self.capacity
            for frame in 0..<frameCount { sum[frame] += plane[frame] }
          }
          for frame in 0..<frameCount { sum[frame] *= scale }
        }
      }
    }
    return frameCount
  }
}
