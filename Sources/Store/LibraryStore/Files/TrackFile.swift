internal import Analysis
internal import GRDB
public import Platform
public import ResultStore
public import SystemPackage

/// The location of a track's file, and its state at the last run.
public struct TrackFile: Sendable, Hashable {
  public var path: FilePath
  /// The outermost folder above the file that was passed to a run; `nil` if there is none.
  public var root: FilePath?
  /// The same as `AudioFormat.container`; `nil` for files that could not be read.
  public var container: String?
  public var codec: String?
  public var size: Int64?
  /// Device and inode of the file.
  public var key: FileKey?
  public var modified: Timestamp?
  public var statusChanged: Timestamp?
  /// `true` if the last run decoded audio from the file.
  public var isAudio: Bool
  /// Folders that links in the path are allowed to lead into.
  public var linkScope: [FilePath] = []

  public init(path: FilePath, root: FilePath? = nil, container: String? = nil, codec: String? = nil) {
    self.path = path
    self.root = root
    self.container = container
    self.codec = codec
    isAudio = container != nil
  }

  /// Returns `true` if `file` is the file that the last run saw, unchanged.
  ///
  /// Many file systems get a new device number on each mount. In that case the times decide, because no program can set
  /// the time of the last status change.
  public func isSeen(as file: FileIdentity) -> Bool {
    guard let key, key.isTrustworthy, file.inode == key.inode, file.size == size else { return false }
    if file.device == key.device { return true }
    return statusChanged != nil && file.changed == statusChanged && file.modified == modified
  }
}

extension ResultStore {
  /// Returns the file of a track; `nil` if there is no track with this id or its file is gone. Links may lead into the
  /// folders of runs.
  /// - Parameter id: The `file_id` of reports.
  public func trackFile(id: String) throws(StoreError) -> TrackFile? {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT file.path, m.container, m.codec, file.size_bytes, file.device, file.inode, file.mtime_ns, file.ctime_ns,
          file.status
        FROM song CROSS JOIN file ON file.id = song.id LEFT JOIN format m ON m.file = file.id
        WHERE song.track_id = ?
        """)
      var track = try select.first(.text(id)) {
        var track = TrackFile(path: select.path(0), container: select.optionalText(1), codec: select.optionalText(2))
        track.size = select.optionalInteger(3)
        if let device = select.optionalInteger(4), let inode = select.optionalInteger(5) {
          track.key = FileKey(device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode))
        }
        track.modified = select.optionalInteger(6).map { Timestamp(nanoseconds: $0) }
        track.statusChanged = select.optionalInteger(7).map { Timestamp(nanoseconds: $0) }
        let status = select.optionalText(8).flatMap(FileAnalysis.Status.init(rawValue:))
        track.isAudio = track.container != nil && (status == .ok || status == .partial)
        return track
      }
      guard let path = track?.path else { return nil }
      let roots = try Self.roots(db)
      track?.linkScope = roots
      track?.root = Self.outermost(of: roots, above: path)
      return track
    }
  }

  /// Returns the outermost root above a path; `nil` if there is none. The root may be written into, but permission to
  /// write into a folder does not imply permission to replace it. Runs started by a watching server are also given
  /// folders within a root.
  private static func outermost(of roots: [FilePath], above path: FilePath) -> FilePath? {
    roots.filter { $0 != path && path.starts(with: $0) }.min { $0.components.count < $1.components.count }
  }

  private static func roots(_ db: Database) throws -> [FilePath] {
    let select = try Query(db, "SELECT DISTINCT path FROM run_root")
    var roots: [FilePath] = []
    try select.forEachRow { roots.append(select.path(0)) }
    return roots.filter { !$0.isObject }
  }
}
