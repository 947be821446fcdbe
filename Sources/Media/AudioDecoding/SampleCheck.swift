internal import DSP

/// The result of `AudioBlock.sanitize`.
package struct SampleCheck {
  package var nonFiniteCount: Int64 = 0
  package var absurdCount: Int64 = 0
}

extension AudioBlock {
  /// Replaces non-finite samples with 0 and clamps the others to ± `limit`.
  ///
  /// - Precondition: `limit` is at least 2.
  @discardableResult
  package mutating func sanitize(limit: Float) -> SampleCheck {
    precondition(limit >= 2)
    var check = SampleCheck()
    for channel in 0..<channelCount {
      let range = range(ofChannel: channel)
      samples.withUnsafeMutableBufferPointer { buffer in
        let plane = UnsafeMutableBufferPointer(rebasing: buffer[range])
        if !areBelowTwo(plane.span) { Self.mend(plane, limit: limit, check: &check) }
      }
    }
    return check
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
