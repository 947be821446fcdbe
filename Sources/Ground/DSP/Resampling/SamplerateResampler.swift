internal import CSamplerate

/// Sample-rate conversion by libsamplerate (de Castro Lopo; band-limited interpolation after Smith and Gossett, ICASSP
/// 1984), with the converter SINC_FASTEST: a signal-to-noise ratio of 97 dB, and a passband up to 0.8 of the lower
/// Nyquist frequency. The next better converter takes more than twice as long.
public final class SamplerateResampler: Resampler {
  private let state: OpaquePointer
  private var length: ResampledLength

  public var inputRate: Int { length.inputRate }
  public var outputRate: Int { length.outputRate }

  /// - Precondition: Both rates (samples per second) are positive, and neither is more than 256 times the other.
  public init(inputRate: Int, outputRate: Int) {
    length = ResampledLength(inputRate: inputRate, outputRate: outputRate)
    precondition(
      src_is_valid_ratio(Double(outputRate) / Double(inputRate)) != 0,
      "libsamplerate cannot go from \(inputRate) to \(outputRate) Hz")
    var error: CInt = 0
    guard let state = src_new(CInt(SRC_SINC_FASTEST), 1, &error) else {
      fatalError("out of memory for a resampler from \(inputRate) to \(outputRate) Hz")
    }
    self.state = state
  }

  deinit { src_delete(state) }

  public func push(_ input: Span<Float>, into output: inout [Float]) -> Int {
    guard !input.isEmpty else { return 0 }
    return input.withUnsafeBufferPointer { process($0, isLast: false, into: &output) }
  }

  public func finish(into output: inout [Float]) -> Int {
    let due = length.due
    var none: Float = 0
    let given = withUnsafePointer(to: &none) {
      process(UnsafeBufferPointer(start: $0, count: 0), isLast: true, into: &output)
    }
    output.ensureCount(due)
    for index in min(given, due)..<due { output[index] = 0 }
    return due
  }

  private func process(_ frames: UnsafeBufferPointer<Float>, isLast: Bool, into output: inout [Float]) -> Int {
    var taken = 0
    var written = 0
    while true {
      output.ensureCount(written + length.room(for: frames.count - taken))
      var data = SRC_DATA()
      data.data_in = frames.baseAddress! + taken
      data.input_frames = frames.count - taken
      data.src_ratio = Double(outputRate) / Double(inputRate)
      data.end_of_input = isLast ? 1 : 0
      output.withUnsafeMutableBufferPointer { room in
        data.data_out = room.baseAddress! + written
        data.output_frames = room.count - written
        _ = src_process(state, &data)
      }
      taken += data.input_frames_used
      length.consume(data.input_frames_used)
      written += data.output_frames_gen
      length.produce(data.output_frames_gen)
      if data.input_frames_used == 0 && data.output_frames_gen == 0 { break }
    }
    precondition(taken == frames.count, "libsamplerate stopped taking input")
    return written
  }
}
