public import Analysis
public import ResultStore
public import SystemPackage

extension ResultStore {
  /// Returns the existing files, by their audio. Audio that only one file contains is included only if it is in
  /// `wanted`.
  public func filesByContent(wanted: Set<ContentID>) throws(StoreError) -> [ContentID: [Int64]] {
    try read { db in
      let query = try Query(
        db,
        "SELECT content_id, id FROM file WHERE content_id IS NOT NULL AND vanished_run IS NULL ORDER BY content_id, path"
      )
      var found: [ContentID: [Int64]] = [:]
      var (content, files): (ContentID?, [Int64]) = (nil, [])
      func finish() {
        if let content, files.count > 1 || wanted.contains(content) { found[content] = files }
      }
      try query.forEachRow {
        let next = ContentID(query.text(0))
        if next != content {
          finish()
          (content, files) = (next, [])
        }
        files.append(query.integer(1))
      }
      finish()
      return found
    }
  }

  /// Returns the number of existing tracks in the album of each file. Files without an album are left out.
  public func albumSizes(ofFiles files: [Int64]) throws(StoreError) -> [Int64: Int] {
    try read { db in
      let query = try Query(
        db,
        """
        SELECT song.id, (SELECT count(*) FROM song other WHERE other.album_id = song.album_id)
        FROM json_each(?) wanted CROSS JOIN song ON song.id = wanted.value WHERE song.album_id IS NOT NULL
        """)
      var sizes: [Int64: Int] = [:]
      try query.forEachRow(.list(files)) { sizes[query.integer(0)] = Int(query.integer(1)) }
      return sizes
    }
  }
}

extension ResultStore {
  /// Returns the first path of each audio among its existing files, or among its vanished files if none exists.
  public func paths(ofAudio contents: Set<ContentID>) throws(StoreError) -> [ContentID: FilePath] {
    try read { db in
      let query = try Query(
        db, "SELECT path FROM file WHERE content_id = ? ORDER BY vanished_run IS NOT NULL, path LIMIT 1")
      var paths: [ContentID: FilePath] = [:]
      for content in contents {
        try query.first(.text(content.description)) { paths[content] = query.path(0) }
      }
      return paths
    }
  }
}
