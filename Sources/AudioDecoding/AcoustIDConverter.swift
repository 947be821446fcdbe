public import Analysis
internal import CLibAV

/// The conversion in front of AcoustID fingerprints: any rate and channels to 11,025 Hz, mono, 16 bits.
///
/// libswresample does it with the parameters of Chromaprint's program `fpcalc` (filter of 16 taps, 2⁸ phases, linear
/// interpolation, cutoff 0.8), from the sample representation that FFmpeg decodes to, so that libchromaprint gets the
/// very samples that `fpcalc` gives it.
public struct AcoustIDConverter: ~Copyable {
  /// Samples per second.
  public static let outputRate = 11_025

  /// `nil` if libswresample cannot mix these channels: no output then.
  private let converter: OpaquePointer?

  /// - Parameters:
  ///   - format: That of the source.
  ///   - encoding: That of the source.
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

  /// Takes the next block and writes whole numbers from −32,768 to 32,767 to the start of `output`, which is lengthened
  /// when it is too short and never shortened.
  ///
  /// - Returns: How many samples were written.
  public mutating func push(_ block: borrowing AudioBlock, into output: inout [Float]) -> Int {
    block.samples.withUnsafeBufferPointer {
      convert($0.baseAddress, frameCount: block.frameCount, into: &output)
    }
  }

  /// Ends the stream and writes what the filter still holds.
  public mutating func finish(into output: inout [Float]) -> Int {
    convert(nil, frameCount: 0, into: &output)
  }

  private func convert(_ samples: UnsafePointer<Float>?, frameCount: Int, into output: inout [Float]) -> Int {
    guard let converter else { return 0 }
    output.ensureCount(Int(lav_converter_room(converter, CInt(frameCount))))
    let count = output.withUnsafeMutableBufferPointer {
      lav_converter_push(
        converter, samples, CInt(AudioBlock.capacity), CInt(frameCount), $0.baseAddress, CInt($0.count))
    }
    return max(0, Int(count))
  }
}
