internal import GRDB
public import ResultStore

/// The audio features of a track as a few numbers. Unknown features are `nil`.
public struct AudioFeatures: Sendable, Hashable {
  public var id: String
  public var durationSeconds: Double?
  /// Tempo in beats per minute: the correction if there is one, otherwise the tempo that was found.
  public var bpm: Double?
  /// Meter, such as `4/4`.
  public var metre: String?
  /// Key in Camelot notation, such as `8A`.
  public var key: String?
  /// Integrated loudness in LUFS.
  public var integratedLoudness: Double?
  /// Energy, 0 to 1.
  public var energy: Double?
  /// Danceability, 0 to 1.
  public var danceability: Double?
  /// Speechiness, 0 to 1.
  public var speechiness: Double?
}

extension ResultStore {
  /// Returns features in the same order as `ids`; `nil` for unknown ids.
  public func traits(ofSongs ids: [String]) throws(StoreError) -> [AudioFeatures?] {
    try read { db in
      func column(_ name: String, of table: String) -> String {
        songs.tables.contains(table) ? "\(table).\(name)" : "NULL"
      }
      let joins = ["tempo", "traits"].filter { songs.tables.contains($0) }
        .map { "LEFT JOIN \($0) ON \($0).file = song.id" }.joined(separator: " ")
      let metre = column("metre", of: "tempo")
      let select = try Query(
        db,
        """
        SELECT song.track_id, song.duration_s, song.bpm, coalesce(correction.metre, \(metre)), song.key, song.lufs,
          \(column("energy", of: "traits")), \(column("danceability", of: "traits")), \(column("speechiness", of: "traits"))
        FROM json_each(?) wanted
        CROSS JOIN song ON song.track_id = wanted.value AND \(SongTables.isListed)
        CROSS JOIN file ON file.id = song.id
        LEFT JOIN tempo_correction correction ON correction.content_id = file.content_id \(joins)
        """)
      var found: [String: AudioFeatures] = [:]
      try select.forEachRow(.list(ids)) {
        let id = select.text(0)
        found[id] = AudioFeatures(
          id: id, durationSeconds: select.optionalReal(1), bpm: select.optionalReal(2), metre: select.optionalText(3),
          key: select.optionalText(4), integratedLoudness: select.optionalReal(5), energy: select.optionalReal(6),
          danceability: select.optionalReal(7), speechiness: select.optionalReal(8))
      }
      return ids.map { found[$0] }
    }
  }
}
