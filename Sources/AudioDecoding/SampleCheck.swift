/// The result of `AudioBlock.makeHarmless`.
package struct SampleCheck {
  package var nonFiniteCount: Int64 = 0
  package var absurdCount: Int64 = 0
}

extension AudioBlock {
  /// Makes samples that are not finite 0 and limits the others to ± `limit`.
  /// - Precondition: `limit` is at least 2.
  @discardableResult
  package mutating func makeHarmless(limit: Float) -> SampleCheck {
    precondition(limit >= 2)
    var check = SampleCheck()
    for channel in 0..<channelCount {
      let range = range(ofChannel: channel)
      samples.withUnsafeMutableBufferPointer { buffer in
        let plane = UnsafeMutableBufferPointer(rebasing: buffer[range])
        if !Self.isBelowTwo(plane) { Self.mend(plane, limit: limit, check: &check) }
      }
    }
    return check
  }

  /// Whether all samples are between -2 and 2: what nearly all audio is, and quickly seen.
  private static func isBelowTwo(_ plane: UnsafeMutableBufferPointer<Float>) -> Bool {
    // From 2 on, and in infinity and NaN, the highest bit of the exponent is set.
    var bits = SIMD8<UInt32>(repeating: 0)
    let bytes = UnsafeRawBufferPointer(plane)
    let whole = plane.count / 8 * 8
    for index in stride(from: 0, to: whole, by: 8) {
      bits |= bytes.loadUnaligned(fromByteOffset: 4 * index, as: SIMD8<UInt32>.self)
    }
    var found: UInt32 = 0
    for lane in 0..<8 { found |= bits[lane] }
    for index in whole..<plane.count { found |= plane[index].bitPattern }
    return found & 0x4000_0000 == 0
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
