/// The library that changes the sample rate.
public enum ResamplerKind: String, Codable, Hashable, Sendable, CaseIterable {
  /// libsoxr, recipe HQ: about ten times as fast as libsamplerate.
  case soxr
  /// libsamplerate, SINC_FASTEST.
  case samplerate

  /// - Parameters:
  ///   - inputRate: Samples per second of what is pushed.
  ///   - outputRate: Samples per second of what comes out.
  public func makeResampler(from inputRate: Int, to outputRate: Int) -> any Resampler {
    if inputRate == outputRate { return PassThrough(rate: inputRate) }
    return switch self {
    case .soxr: SoxrResampler(inputRate: inputRate, outputRate: outputRate)
    case .samplerate: SamplerateResampler(inputRate: inputRate, outputRate: outputRate)
    }
  }
}

/// Changes the sample rate of a mono stream. Time 0 stays time 0 (the filter's delay is taken out), `n` frames become
/// exactly `round(n * outputRate / inputRate)`, and the result does not depend on how the input is cut. One stream, one
/// thread, one object.
public protocol Resampler: AnyObject {
  /// Samples per second.
  var inputRate: Int { get }
  /// Samples per second.
  var outputRate: Int { get }

  /// Takes the next frames.
  ///
  /// - Parameter output: A buffer to reuse; it is lengthened when it is too short and never shortened.
  /// - Returns: How many frames were written to the start of `output`; may be 0.
  func push(_ input: Span<Float>, into output: inout [Float]) -> Int

  /// Ends the stream and gives the frames that are still due. Nothing may be pushed afterwards.
  func finish(into output: inout [Float]) -> Int
}

/// Equal rates: nothing to do.
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
