internal import Analysis
internal import GRDB
internal import Platform
public import ResultStore
public import SystemPackage

/// The folders on disk that contain the tracks of the song catalog, starting at the roots of runs.
public struct LibraryFolders: Sendable {
  public struct Folder: Sendable {
    /// The 22-character id, derived from the path.
    public let id: String
    /// Last component of the path, as display text.
    public let name: String
    /// Id of the folder above; `nil` for a root.
    public let parent: String?
    /// Ids of the subfolders, sorted by name.
    public fileprivate(set) var folders: [String] = []
    /// Ids of the rows of the tracks directly in the folder, sorted by path.
    public fileprivate(set) var files: [Int64] = []
    /// The id of the first track in or below the folder. Its cover represents the folder.
    public fileprivate(set) var cover: String?
  }

  /// The root folders, sorted by name.
  public private(set) var roots: [Folder] = []
  private var folders: [String: Folder] = [:]

  public subscript(id: String) -> Folder? { folders[id] }

  /// Returns the id of the folder that contains a file.
  public static func id(ofFolderOf path: FilePath) -> String { id(path.removingLastComponent()) }

  private static func id(_ path: FilePath) -> String {
    ContentID(hashing: Array("directory\0".utf8) + path.withBytes { Array($0) }).description
  }

  /// - Parameters:
  ///   - tracks: Tracks in path order.
  ///   - given: Folders and files that were passed to runs.
  init(of tracks: [(id: Int64, path: FilePath)], given: [FilePath]) {
    let roots = Self.roots(of: tracks.map(\.path), given: given)
    var ids: [FilePath: String] = [:]
    func add(_ path: FilePath) -> String {
      if let id = ids[path] { return id }
      let id = Self.id(path)
      let parent = roots.contains(path) || path.components.isEmpty ? nil : add(path.removingLastComponent())
      let name = path.lastComponent.map { DisplayPath.text(of: FilePath(root: nil, [$0])) } ?? "/"
      folders[id] = Folder(id: id, name: name, parent: parent)
      if let parent { folders[parent]?.folders.append(id) }
      ids[path] = id
      return id
    }
    for track in tracks {
      let id = add(track.path.removingLastComponent())
      folders[id]?.files.append(track.id)
      var above: String? = id
      while let id = above, folders[id]?.cover == nil {
        folders[id]?.cover = ContentID(ofPath: track.path).description
        above = folders[id]?.parent
      }
    }
    let names = folders.mapValues { (name: $0.name.lowercased(), id: $0.id) }
    for id in folders.keys {
      folders[id]?.folders.sort { (names[$0]?.name ?? "", $0) < (names[$1]?.name ?? "", $1) }
    }
    self.roots = folders.values.filter { $0.parent == nil }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// Returns the outermost given folders. For tracks outside them, adds the common parent folder.
  private static func roots(of tracks: [FilePath], given: [FilePath]) -> Set<FilePath> {
    let folders = Set(tracks.map { $0.removingLastComponent() })
    let files = Set(tracks)
    var roots = Set(given.map { files.contains($0) ? $0.removingLastComponent() : $0 })
    let outside = folders.filter { folder in !roots.contains { folder.starts(with: $0) } }
    if var shared = outside.first {
      for folder in outside { while !folder.starts(with: shared), shared.removeLastComponent() {} }
      roots.insert(shared)
    }
    return roots.filter { root in !roots.contains { $0 != root && root.starts(with: $0) } }
  }
}

extension ResultStore {
  /// Returns the folders of all tracks, which requires reading every track.
  public func folders() throws(StoreError) -> LibraryFolders {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT song.id, file.path FROM song CROSS JOIN file ON file.id = song.id WHERE \(SongTables.isListed)
        ORDER BY file.path
        """)
      var tracks: [(id: Int64, path: FilePath)] = []
      try select.forEachRow { tracks.append((select.integer(0), select.path(1))) }
      let roots = try Query(db, "SELECT DISTINCT path FROM run_root")
      var given: [FilePath] = []
      try roots.forEachRow { given.append(roots.path(0)) }
      return LibraryFolders(of: tracks, given: given)
    }
  }
}
