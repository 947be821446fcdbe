/// Damage to a binary file from a transfer in text mode.
package enum TextModeDamage: Hashable, Sendable {
  /// A carriage return was inserted before each line feed.
  case addedCarriageReturns
  /// Carriage returns became line feeds.
  case replacedCarriageReturns
  /// All bytes lost their highest bit.
  case strippedHighBits

  /// Number of bytes examined, in the middle of the audio.
  private static let sampleSize = 1 << 18
  /// Minimum number of line feeds for the conclusion that carriage returns were added.
  private static let minimumLineFeedCount = 32
  /// Minimum number of distinct byte values for a conclusion: a signal with only a few levels has fewer.
  private static let minimumValueCount = 64
  private static let minimumByteCount = 4_096
  /// Minimum count of each of the other byte values for the conclusion that carriage returns were replaced. Frames that
  /// repeat may lack some value, but hardly only the carriage return.
  private static let minOtherCount = 8
  /// Minimum count of line feeds for the same conclusion, relative to the mean count of all byte values.
  private static let minLineFeedRatio = 1.4

  /// `nil` if no damage can be shown, as in short files.
  ///
  /// - Parameters:
  ///   - audio: The range of the encoded audio. Text before it has no high bits anyway.
  ///   - unit: For PCM, the size of a sample in bytes and the index of the byte with the sign bit, which proves nothing
  ///     because a signal may have the same sign throughout. `nil` otherwise.
  package init?(
    in source: ByteSource, audio: Range<Int>, unit: (byteCount: Int, signIndex: Int)? = nil
  ) throws(FileReadError) {
    var start = audio.lowerBound
    if audio.count > Self.sampleSize {
      start += (audio.count - Self.sampleSize) / 2
      if let unit { start -= (start - audio.lowerBound) % unit.byteCount }
    }
    let bytes = try source.bytes(at: start, count: min(Self.sampleSize, audio.count))
    guard bytes.count >= Self.minimumByteCount else { return nil }
    // Most audio rules out all kinds of damage within a few hundred bytes.
    var hasBareLineFeed = false
    var hasHighBit = false
    var counts = [Int](repeating: 0, count: 256)
    var isUsedBesideSigns = [Bool](repeating: false, count: 256)
    var previous: UInt8 = 0x0D
    var index = 0
    for byte in bytes {
      if byte == 0x0A, previous != 0x0D { hasBareLineFeed = true }
      previous = byte
      counts[Int(byte)] += 1
      if unit.map({ index % $0.byteCount != $0.signIndex }) ?? true {
        isUsedBesideSigns[Int(byte)] = true
        if byte >= 0x80 { hasHighBit = true }
      }
      if hasBareLineFeed, hasHighBit, unit != nil || counts[0x0D] > 0 { return nil }
      index += 1
    }
    let lineFeedCount = counts[0x0A]
    if !hasBareLineFeed, lineFeedCount >= Self.minimumLineFeedCount,
      counts.count(where: { $0 > 0 }) >= Self.minimumValueCount
    {
      self = .addedCarriageReturns
    } else if unit == nil, counts[0x0D] == 0,
      counts.indices.allSatisfy({ $0 == 0x0D || counts[$0] >= Self.minOtherCount }),
      Double(lineFeedCount) > Self.minLineFeedRatio * Double(bytes.count) / 256
    {
      self = .replacedCarriageReturns
    } else if !hasHighBit, isUsedBesideSigns.count(where: { $0 }) >= Self.minimumValueCount {
      self = .strippedHighBits
    } else {
      return nil
    }
  }
}
