internal import GRDB
public import SystemPackage

/// Where the file of a track is, and what the last run saw of it.
public struct TrackFile: Sendable, Hashable {
  public var path: FilePath
  /// Of `AudioFormat`; `nil` for files that could not be read.
  public var container: String?
  public var codec: String?
  public var size: Int64?
  public var inode: UInt64?

  public init(path: FilePath, container: String?, codec: String?, size: Int64?, inode: UInt64?) {
    self.path = path
    self.container = container
    self.codec = codec
    self.size = size
    self.inode = inode
  }
}

extension ResultStore {
  /// The file of a track; `nil` if there is no such track, or its file is gone.
  /// - Parameter id: `file_id` of reports.
  public func trackFile(id: String) throws(StoreError) -> TrackFile? {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT file.path, m.container, m.codec, file.size_bytes, file.inode
        FROM song CROSS JOIN file ON file.id = song.id LEFT JOIN format m ON m.file = file.id
        WHERE song.track_id = ?
        """)
      return try select.first(.text(id)) {
        TrackFile(
          path: select.path(0), container: select.optionalText(1), codec: select.optionalText(2),
          size: select.optionalInteger(3), inode: select.optionalInteger(4).map { UInt64(bitPattern: $0) })
      }
    }
  }
}
