internal import Analysis
internal import GRDB
internal import Platform
public import SystemPackage

/// Where the file of a track is, and what the last run saw of it.
public struct TrackFile: Sendable, Hashable {
  public var path: FilePath
  /// Of `AudioFormat`; `nil` for files that could not be read.
  public var container: String?
  public var codec: String?
  public var size: Int64?
  public var inode: UInt64?
}

extension ResultStore {
  /// The file of a track; `nil` if there is no such track, or its file is gone.
  /// - Parameter id: `file_id` of reports.
  public func trackFile(id: String) throws(StoreError) -> TrackFile? {
    guard ContentID(id) != nil else { return nil }
    return try read { db in
      let select = try Query(
        db,
        """
        SELECT file.path, m.container, m.codec, file.size_bytes, file.inode
        FROM song CROSS JOIN file ON file.id = song.id LEFT JOIN format m ON m.file = file.id
        """)
      var found: TrackFile?
      try select.forEachWhile([]) {
        let path = select.path(0)
        guard ContentID(ofPath: path).description == id else { return true }
        found = TrackFile(
          path: path, container: select.optionalText(1), codec: select.optionalText(2),
          size: select.optionalInteger(3), inode: select.optionalInteger(4).map { UInt64(bitPattern: $0) })
        return false
      }
      return found
    }
  }
}
