/// The role of a channel, which determines its weight (ITU-R BS.1770-5, tables 3 and 4).
enum ChannelRole: Hashable, Sendable {
  /// A channel with neither of the other roles; its weight is 1.
  case front
  /// A side or surround speaker, or a back speaker if there are no side speakers; its weight is 1.41.
  case surround
  /// Low-frequency effects; the weight is 0.
  case lowFrequency

  /// - Parameters:
  ///   - mask: Speaker positions as in WAVEFORMATEXTENSIBLE, in channel order. The default layout is used unless there
  ///     is one position for each channel.
  /// - Returns: A role for each channel. Channels without a position are `front`.
  static func roles(channelCount: Int, mask: UInt64) -> [ChannelRole] {
    let known = mask.nonzeroBitCount == channelCount ? mask : usualMask(channelCount: channelCount)
    let positions = (0..<64).filter { known >> $0 & 1 == 1 }
    let hasSides = known & (1 << Position.sideLeft | 1 << Position.sideRight) != 0
    return (0..<channelCount).map { channel in
      guard positions.indices.contains(channel) else { return .front }
      switch positions[channel] {
      case Position.lowFrequency, Position.lowFrequency2: return .lowFrequency
      case Position.sideLeft, Position.sideRight, Position.surroundLeft, Position.surroundRight: return .surround
      // The back speakers are the surround speakers of 5.1, at 110°. If there are side speakers as well, the back
      // speakers are behind the listener, at 135° or more.
      case Position.backLeft, Position.backRight: return hasSides ? .front : .surround
      default: return .front
      }
    }
  }

  /// Bits of the mask. FFmpeg defines more of them than the 18 in WAVE.
  private enum Position {
    static let lowFrequency = 3, backLeft = 4, backRight = 5, sideLeft = 9, sideRight = 10
    static let surroundLeft = 33, surroundRight = 34, lowFrequency2 = 35
  }

  /// Returns the default layout, which WAVE, FLAC (RFC 9639, section 9.1.3) and FFmpeg share; 0 for more than eight
  /// channels.
  private static func usualMask(channelCount: Int) -> UInt64 {
    let masks: [UInt64] = [0x4, 0x3, 0x7, 0x33, 0x37, 0x3f, 0x70f, 0x63f]
    return masks.indices.contains(channelCount - 1) ? masks[channelCount - 1] : 0
  }
}
