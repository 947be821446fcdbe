internal import CSoxr

/// Sample-rate conversion by libsoxr (Sykes, the SoX resampler library) with the recipe HQ: 20 bits of precision, a
/// passband up to 0.913 of the lower Nyquist frequency, and linear phase.
public final class SoxrResampler: Resampler {
  private let state: soxr_t
  private var length: ResampledLength

  public var inputRate: Int { length.inputRate }
  public var outputRate: Int { length.outputRate }

  /// - Precondition: Both rates (samples per second) are positive.
  public init(inputRate: Int, outputRate: Int) {
    length = ResampledLength(inputRate: inputRate, outputRate: outputRate)
    var quality = soxr_quality_spec(UInt(SOXR_20_BITQ), 0)
    guard let state = soxr_create(Double(inputRate), Double(outputRate), 1, nil, nil, &quality, nil) else {
      fatalError("out of memory for a resampler from \(inputRate) to \(outputRate) Hz")
    }
    self.state = state
  }

  deinit { soxr_delete(state) }

  public func push(_ input: Span<Float>, into output: inout [Float]) -> Int {
    guard !input.isEmpty else { return 0 }
    var written = 0
    input.withUnsafeBufferPointer { frames in
      var taken = 0
      while taken < frames.count {
        output.ensureCount(written + length.room(for: frames.count - taken))
        var inputDone = 0
        var outputDone = 0
        output.withUnsafeMutableBufferPointer { room in
          _ = soxr_process(
            state, frames.baseAddress! + taken, frames.count - taken, &inputDone, room.baseAddress! + written,
            room.count - written, &outputDone)
        }
        taken += inputDone
        length.consume(inputDone)
        written += outputDone
        length.produce(outputDone)
        precondition(inputDone > 0 || outputDone > 0, "libsoxr stopped taking input")
      }
    }
    return written
  }

  public func finish(into output: inout [Float]) -> Int {
    let due = length.due
    output.ensureCount(due)
    var written = 0
    output.withUnsafeMutableBufferPointer { room in
      while written < due {
        var done = 0
        _ = soxr_process(state, nil, 0, nil, room.baseAddress! + written, due - written, &done)
        if done == 0 { break }
        written += done
      }
      room[written..<due].update(repeating: 0)
    }
    length.produce(due)
    return due
  }
}
