/// A RIFF/WAVE file in memory.
public struct WAVFile: Sendable {
  public enum Encoding: Sendable, CaseIterable {
    case pcm16, pcm24, float32

    var bitsPerSample: Int {
      switch self {
      case .pcm16: 16
      case .pcm24: 24
      case .float32: 32
      }
    }
  }

  public private(set) var bytes: [UInt8] = []

  /// - Parameter claimedFrameCount: A false number of frames for the header; `nil` for the actual number.
  public init(_ signal: Signal, encoding: Encoding = .pcm16, claimedFrameCount: Int? = nil) {
    let frameLength = signal.channelCount * encoding.bitsPerSample / 8
    let claimedLength = (claimedFrameCount ?? signal.frameCount) * frameLength
    append("RIFF")
    append(UInt32(truncatingIfNeeded: 36 + claimedLength))
    append("WAVEfmt ")
    append(UInt32(16))
    append(UInt16(encoding == .float32 ? 3 : 1))
    append(UInt16(signal.channelCount))
    append(UInt32(signal.sampleRate))
    append(UInt32(signal.sampleRate * frameLength))
    append(UInt16(frameLength))
    append(UInt16(encoding.bitsPerSample))
    append("data")
    append(UInt32(truncatingIfNeeded: claimedLength))
    bytes.reserveCapacity(bytes.count + signal.frameCount * frameLength)
    for frame in 0..<signal.frameCount {
      for channel in signal.channels { append(channel[frame], as: encoding) }
    }
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ sample: Float, as encoding: Encoding) {
    switch encoding {
    case .float32: append(sample.bitPattern)
    case .pcm16: append(Int16(clamping: Int((sample * 32_768).rounded())))
    case .pcm24:
      let value = max(-8_388_608, min(8_388_607, Int32((Double(sample) * 8_388_608).rounded())))
      for shift in [0, 8, 16] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
  }
}
