/// The result of `AudioBlock.makeHarmless`.
package struct SampleCheck {
  package var nonFiniteCount: Int64 = 0
  package var absurdCount: Int64 = 0
}

extension AudioBlock {
  /// Makes samples that are not finite 0 and limits the others to ± `limit`.
  @discardableResult
  package mutating func makeHarmless(limit: Float) -> SampleCheck {
    var check = SampleCheck()
    for channel in 0..<channelCount {
      let range = range(ofChannel: channel)
      samples.withUnsafeMutableBufferPointer { buffer in
        let plane = UnsafeMutableBufferPointer(rebasing: buffer[range])
        // Nor is NaN above it.
        if !(Self.peak(of: plane) <= limit) { Self.mend(plane, limit: limit, check: &check) }
      }
    }
    return check
  }

  /// The largest absolute value; NaN or infinity if there is any such sample.
  private static func peak(of plane: UnsafeMutableBufferPointer<Float>) -> Float {
    // Bit patterns without the sign order absolute values as integers do, with infinity and NaN above all numbers.
    var peaks = SIMD8<Int32>(repeating: 0)
    let magnitude = SIMD8<Int32>(repeating: 0x7fff_ffff)
    let bytes = UnsafeRawBufferPointer(plane)
    let whole = plane.count / 8 * 8
    for index in stride(from: 0, to: whole, by: 8) {
      let bits = bytes.loadUnaligned(fromByteOffset: 4 * index, as: SIMD8<Int32>.self) & magnitude
      // `pointwiseMax` is not inlined.
      peaks.replace(with: bits, where: bits .> peaks)
    }
    var peak = UInt32(bitPattern: peaks.max())
    for index in whole..<plane.count { peak = max(peak, plane[index].magnitude.bitPattern) }
    return Float(bitPattern: peak)
  }

  private static func mend(_ plane: UnsafeMutableBufferPointer<Float>, limit: Float, check: inout SampleCheck) {
    for index in plane.indices {
      let sample = plane[index]
      if !sample.isFinite {
        plane[index] = 0
        check.nonFiniteCount += 1
      } else if sample.magnitude > limit {
        plane[index] = sample < 0 ? -limit : limit
        check.absurdCount += 1
      }
    }
  }
}
