/// A descriptor of a track's sound: 128 signed bytes. The similarity of two tracks is the cosine of the angle between
/// their descriptors after the mean of many descriptors is subtracted.
public struct SoundDescriptor: Hashable, Sendable {
  /// Version of the descriptor's definition.
  public static let version = 1
  public static let count = 128
  /// Number of quantization steps per unit. A unit is the RMS of the numbers over a large body of music.
  private static let steps: Float = 16

  /// The descriptor in its stored form: `count` signed bytes.
  public let bytes: [UInt8]

  /// - Parameter bytes: The bytes of a descriptor of this version. If their number is wrong, the result is `nil`.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  init(_ numbers: [Float]) {
    bytes = numbers.map { UInt8(bitPattern: Int8(min(max($0 * Self.steps, -127), 127).rounded())) }
  }
}
