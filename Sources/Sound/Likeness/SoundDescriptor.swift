/// The sound of a track, in 128 numbers of a byte each. The angle between two descriptors, seen from the mean of many,
/// tells how alike two tracks are.
public struct SoundDescriptor: Hashable, Sendable {
  /// Version of the meaning of the numbers.
  public static let version = 1
  public static let count = 128
  /// Steps of one unit, the root mean square of the numbers of much music.
  private static let steps: Float = 16

  /// As the store keeps it: `count` signed bytes.
  public let bytes: [UInt8]

  /// - Parameter bytes: A descriptor of this version.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  init(_ numbers: [Float]) {
    bytes = numbers.map { UInt8(bitPattern: Int8(min(max($0 * Self.steps, -127), 127).rounded())) }
  }
}
