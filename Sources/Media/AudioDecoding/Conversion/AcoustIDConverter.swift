public import Analysis
internal import CLibAV
internal import DSP

/// Converts audio for AcoustID fingerprints: any rate and channels to 11,025 Hz, mono, 16 bits.
///
/// Uses libswresample with the parameters of Chromaprint's program `fpcalc` (filter of 16 taps, 2⁸ phases, linear
/// interpolation, cutoff 0.8), starting from the sample representation that FFmpeg decodes to, so libchromaprint gets
/// exactly the samples it gets from `fpcalc`.
public struct AcoustIDConverter: ~Copyable {
  /// Samples per second.
  public static let outputRate = 11_025

  /// `nil` if libswresample cannot mix these channels; `push` then writes nothing.
  private let converter: OpaquePointer?

  /// - Parameters:
  ///   - format: Format of the audio, with its sample rate and channel count.
  ///   - encoding: Sample encoding of the decoder.
  public init(format: AudioFormat, encoding: SampleEncoding) {
    let type: LAVSampleType =
      switch encoding.sampleType {
      case .uint8: LAVSampleTypeUInt8
      case .int16: LAVSampleTypeInt16
      case .int32: LAVSampleTypeInt32
      case .float: LAVSampleTypeFloat
      case .double: LAVSampleTypeDouble
      }
    converter = lav_converter_create(CInt(format.sampleRate), CInt(format.channelCount), encoding.channelMask, type)
  }

  deinit { lav_converter_free(converter) }

  /// Converts the next block and writes integers from −32,768 to 32,767 to the start of `output`, which grows when it
  /// is too short and never shrinks. The samples left in the filter at the end are lost, as in `fpcalc`.
  ///
  /// - Returns: Number of samples written.
  public mutating func push(_ block: borrowing AudioBlock, into output: inout [Float]) -> Int {
    guard let converter else { return 0 }
    let frameCount = CInt(block.frameCount)
    output.ensureCount(Int(lav_converter_room(converter, frameCount)))
    let count = output.withUnsafeMutableBufferPointer { output in
      block.samples.withUnsafeBufferPointer { samples in
        lav_converter_push(
          converter, samples.baseAddress, CInt(AudioBlock.capacity), frameCount, output.baseAddress, CInt(output.count))
      }
    }
    return max(0, Int(count))
  }
}
