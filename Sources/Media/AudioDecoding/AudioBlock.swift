/// A block of decoded audio that passes through the pipeline: planar samples of at most `capacity` frames. The same
/// block is reused for each read.
public struct AudioBlock: Sendable {
  /// Maximum number of frames in a block.
  public static let capacity = 16_384

  /// Planar samples, full scale ±1: channel `c` is at `c * capacity ..< c * capacity + frameCount`.
  public var samples: [Float]
  public var channelCount: Int
  public var frameCount = 0

  public init(channelCount: Int) {
    self.channelCount = channelCount
    samples = [Float](repeating: 0, count: channelCount * Self.capacity)
  }

  /// The range of a channel's frames in `samples`.
  public func range(ofChannel channel: Int) -> Range<Int> {
    channel * Self.capacity..<channel * Self.capacity + frameCount
  }
}
