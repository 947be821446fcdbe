/// Damage to a binary file from a transfer in text mode.
package enum TextTransfer: Hashable, Sendable {
  /// A carriage return was inserted before each line feed.
  case addedCarriageReturns
  /// All bytes lost their highest bit.
  case strippedHighBits

  /// Number of bytes examined, in the middle of the audio.
  private static let sampleSize = 1 << 18
  /// Minimum number of line feeds for a conclusion.
  private static let minimumLineFeedCount = 32
  /// Minimum number of distinct byte values for a conclusion: a signal with only a few levels has fewer.
  private static let minimumValueCount = 64
  private static let minimumByteCount = 4_096

  /// `nil` if no damage can be shown, as in short files.
  ///
  /// - Parameters:
  ///   - audio: The range of the encoded audio. Text before it has no high bits anyway.
  ///   - unit: For PCM, the size of a sample in bytes and the index of the byte with the sign, which proves nothing
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
    // Most audio rules out both kinds of damage within a few hundred bytes.
    var hasBareLineFeed = false
    var hasHighBit = false
    var lineFeedCount = 0
    var isUsed = [Bool](repeating: false, count: 256)
    var isUsedBesideSigns = isUsed
    var previous: UInt8 = 0x0D
    var index = 0
    for byte in bytes {
      if byte == 0x0A {
        lineFeedCount += 1
        if previous != 0x0D { hasBareLineFeed = true }
      }
      previous = byte
      isUsed[Int(byte)] = true
      if unit.map({ index % $0.byteCount != $0.signIndex }) ?? true {
        isUsedBesideSigns[Int(byte)] = true
        if byte >= 0x80 { hasHighBit = true }
      }
      if hasBareLineFeed, hasHighBit { return nil }
      index += 1
    }
    func isRich(_ values: [Bool]) -> Bool { values.count { $0 } >= Self.minimumValueCount }
    if !hasBareLineFeed, lineFeedCount >= Self.minimumLineFeedCount, isRich(isUsed) {
      self = .addedCarriageReturns
    } else if !hasHighBit, isRich(isUsedBesideSigns) {
      self = .strippedHighBits
    } else {
      return nil
    }
  }
}
