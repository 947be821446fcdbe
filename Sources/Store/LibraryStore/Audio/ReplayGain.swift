internal import Analysis
public import ResultStore

/// The ReplayGain 2 values of a track and its album. Unknown values are `nil`.
public struct ReplayGain: Sendable, Hashable {
  /// Gain in dB, relative to -18 LUFS.
  public var trackGain: Double?
  /// Peak, where full scale is 1.
  public var trackPeak: Double?
  /// Gain in dB, relative to -18 LUFS.
  public var albumGain: Double?
  public var albumPeak: Double?
}

extension ResultStore {
  /// Returns the gains of all given files whose loudness was measured.
  /// - Parameter files: Ids of rows of `file`.
  public func replayGains(ofFiles files: [Int64]) throws(StoreError) -> [Int64: ReplayGain] {
    let table = LoudnessFinding.declaration.table
    guard existing.has(table) else { return [:] }
    let columns = ["track_gain_db", "track_peak", "album_gain_db", "album_peak"].map {
      existing.has($0, of: table) ? $0 : "NULL"
    }
    return try read { db in
      let select = try Query(
        db,
        """
        SELECT \(table).file, \(columns.joined(separator: ", "))
        FROM json_each(?) wanted CROSS JOIN \(table) ON \(table).file = wanted.value
        """)
      var gains: [Int64: ReplayGain] = [:]
      try select.forEachRow(.list(files)) {
        gains[select.integer(0)] = ReplayGain(
          trackGain: select.optionalReal(1), trackPeak: select.optionalReal(2), albumGain: select.optionalReal(3),
          albumPeak: select.optionalReal(4))
      }
      return gains
    }
  }
}
