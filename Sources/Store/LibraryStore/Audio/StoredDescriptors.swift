internal import Analysis
internal import GRDB
public import Records
public import ResultStore

/// Audio descriptors of existing files.
public struct StoredDescriptors: Sendable {
  /// Ids of rows of `file`, ascending.
  public var files: [Int64] = []
  /// Concatenated descriptors, in the format of `LikenessFinding`.
  public var bytes: [UInt8] = []
}

extension ResultStore {
  /// - Parameters:
  ///   - version: Version of `LikenessFinding`.
  ///   - size: Number of bytes per descriptor.
  ///   - limit: Approximate maximum number of descriptors, spread evenly over the files; `nil` for all.
  public func descriptors(version: Int, size: Int, limit: Int? = nil) throws(StoreError) -> StoredDescriptors {
    try read { db in
      var found = StoredDescriptors()
      guard existing.has(LikenessFinding.declaration.table) else { return found }
      let last = try Query(db, "SELECT max(file) FROM likeness")
      let step = try limit.flatMap { limit in
        try last.first { max(1, last.integer(0) / Int64(max(limit, 1))) }
      }
      let query = try Query(
        db,
        """
        SELECT likeness.file, likeness.descriptor FROM likeness JOIN file ON file.id = likeness.file
        WHERE likeness.version = ? AND length(likeness.descriptor) = ? AND file.vanished_run IS NULL
          AND likeness.file % ? = 0
        ORDER BY likeness.file
        """)
      try query.forEachRow(.integer(version), .integer(size), .integer(step ?? 1)) {
        found.files.append(query.integer(0))
        unsafe found.bytes.append(contentsOf: query.bytes(1))
      }
      return found
    }
  }

  /// Returns the records of files, in the order of the ids in `files`. Files that have no record are left out.
  /// - Parameter long: See `RecordSelection.long`.
  public func records(
    ofFiles files: [Int64], long: Set<String> = []
  ) throws(StoreError) -> [(file: Int64, record: FileRecord)] {
    try read { db in
      let reader = try RecordReader(store: self, RecordSelection(long: long), condition: "file.id = ?", db)
      var found: [(file: Int64, record: FileRecord)] = []
      for file in files {
        try reader.forEach([.integer(file)]) {
          found.append((file, $0))
          return false
        }
      }
      return found
    }
  }
}
