internal import Analysis
internal import GRDB
public import SystemPackage

extension ResultStore {
  /// Forgets vanished files and all of their findings. Data that people have entered stays: tempi (`correctTempo`),
  /// playlists, saved tracks, and decisions about duplicates.
  /// - Parameters:
  ///   - roots: The folders that contained the files; `nil` for all folders.
  ///   - isDryRun: `true` to forget nothing.
  /// - Returns: The number of files.
  public func pruneVanished(in roots: [FilePath]?, isDryRun: Bool) throws(StoreError) -> Int {
    let ranges = roots.map { PathRange.covering($0).map(\.values) } ?? [[]]
    let condition = "file.vanished_run IS NOT NULL" + (roots == nil ? "" : " AND \(PathRange.condition)")
    let count = { (db: Database) throws -> Int in
      let select = try Query(db, "SELECT count(*) FROM file WHERE \(condition)")
      var total = 0
      for range in ranges { try select.forEachRow(range) { total += Int(select.integer(0)) } }
      return total
    }
    if isDryRun { return try read(count) }
    return try write { db in
      let total = try count(db)
      for range in ranges { try Query(db, "DELETE FROM file WHERE \(condition)").forEachRow(range) {} }
      // Search keys are computed again if the audio comes back.
      try Query(
        db,
        "DELETE FROM sound_sketch WHERE NOT EXISTS (SELECT 1 FROM file WHERE file.content_id = sound_sketch.content_id)"
      ).run()
      return total
    }
  }
}
