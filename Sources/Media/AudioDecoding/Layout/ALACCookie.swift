internal import MediaContainers

/// An ALAC encoder's description of a stream ("magic cookie", Apple: ALACMagicCookieDescription.txt).
enum ALACCookie {
  /// Maximum size of a frame in bytes: more than that of 16,384 samples in 8 channels with 32 bits.
  private static let frameByteLimit: UInt32 = 1 << 22
  /// Maximum bit rate in bits per second: more than that of 32-bit audio in 8 channels.
  private static let bitRateLimit: UInt32 = 400_000_000

  /// `true` if the maximum frame size or the mean bit rate is implausible. Decoders need neither.
  ///
  /// - Parameter bytes: The cookie, bare or inside QuickTime boxes.
  static func isAbsurd(_ bytes: [UInt8]) -> Bool {
    let start = bytes.has("frma", at: 4) ? 24 : bytes.has("alac", at: 4) ? 12 : 0
    guard let frameBytes = bytes.bigEndian(UInt32.self, at: start + 12),
      let bitRate = bytes.bigEndian(UInt32.self, at: start + 16)
    else { return false }
    return frameBytes > frameByteLimit || bitRate > bitRateLimit
  }

  static let remark = "The ALAC header claims sizes or bit rates that no stream has; they were ignored."
}
