/// A resampling library.
public enum ResamplerKind: String, Codable, Hashable, Sendable, CaseIterable {
  /// libsoxr, recipe HQ: about ten times as fast as libsamplerate.
  case soxr
  /// libsamplerate, SINC_FASTEST.
  case samplerate

  /// - Parameters:
  ///   - inputRate: Samples per second of the input.
  ///   - outputRate: Samples per second of the output.
  public func makeResampler(from inputRate: Int, to outputRate: Int) -> any Resampler {
    if inputRate == outputRate { return PassThrough(rate: inputRate) }
    return switch self {
    case .soxr: SoxrResampler(inputRate: inputRate, outputRate: outputRate)
    case .samplerate: SamplerateResampler(inputRate: inputRate, outputRate: outputRate)
    }
  }
}

/// Changes the sample rate of a mono stream. Filter delay is compensated, so time 0 stays time 0. `n` frames become
/// exactly `round(n * outputRate / inputRate)` frames, and the result does not depend on how the input is divided. Use
/// each object for one stream on one thread.
public protocol Resampler: AnyObject {
  /// The input rate in Hz.
  var inputRate: Int { get }
  /// The output rate in Hz.
  var outputRate: Int { get }

  /// Resamples the next frames.
  ///
  /// - Parameter output: A buffer to reuse. It grows as needed and never shrinks.
  /// - Returns: The number of frames written to the start of `output`, which may be 0.
  func push(_ input: Span<Float>, into output: inout [Float]) -> Int

  /// Ends the stream, writes the remaining frames to the start of `output`, and returns their number. Nothing may be
  /// pushed afterwards.
  func finish(into output: inout [Float]) -> Int
}

/// Copies the input unchanged, for equal rates.
private final class PassThrough: Resampler {
  let inputRate: Int
  var outputRate: Int { inputRate }

  init(rate: Int) { inputRate = rate }

  func push(_ input: Span<Float>, into output: inout [Float]) -> Int {
    output.ensureCount(input.count)
    input.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: input) }
    }
    return input.count
  }

  func finish(into output: inout [Float]) -> Int { 0 }
}
