internal import Analysis
internal import GRDB

/// Reads and writes the table `format`.
enum StoredFormat {
  /// Columns of the table, with alias `m`, in the order `read` expects.
  static let columns = columnList.joined(separator: ", ")
  static let columnList = [
    "m.container", "m.codec", "m.sample_rate_hz", "m.channels", "m.bit_depth", "m.bit_rate_bps", "m.lossless",
    "m.claimed_frames", "m.frames", "m.claim_is_estimated",
  ]

  /// Returns `nil` if the file has no format.
  static func read(_ row: Query, from column: Int32) -> AudioFormat? {
    if row.isNull(column) { return nil }
    let claim = row.optionalInteger(column + 7)
    let isEstimated = row.flag(column + 9)
    return AudioFormat(
      container: row.text(column), codec: row.text(column + 1), sampleRate: Int(row.integer(column + 2)),
      channelCount: Int(row.integer(column + 3)), bitDepth: row.optionalInteger(column + 4).map { Int($0) },
      bitRate: row.optionalInteger(column + 5).map { Int($0) }, isLossless: row.flag(column + 6),
      claimedFrameCount: isEstimated ? nil : claim, estimatedFrameCount: isEstimated ? claim : nil,
      frameCount: row.optionalInteger(column + 8))
  }

  static func write(_ format: AudioFormat?, file: Int64, in db: Database) throws {
    guard let format else {
      try Query(db, "DELETE FROM format WHERE file = ?").run(.integer(file))
      return
    }
    try Query(
      db,
      """
      INSERT OR REPLACE INTO format (file, container, codec, sample_rate_hz, channels, bit_depth, bit_rate_bps, lossless,
        claimed_frames, frames, claim_is_estimated)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      .integer(file), .text(format.container), .text(format.codec), .integer(format.sampleRate),
      .integer(format.channelCount), .integer(format.bitDepth), .integer(format.bitRate), .flag(format.isLossless),
      .integer(format.claimedFrameCount ?? format.estimatedFrameCount), .integer(format.frameCount),
      .flag(format.claimedFrameCount == nil && format.estimatedFrameCount != nil))
  }
}
