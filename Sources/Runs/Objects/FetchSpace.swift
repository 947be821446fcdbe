public import Platform
internal import Synchronization
public import SystemPackage

/// The disk space that fetched objects may occupy at the same time. The threads of a process share it.
///
/// Objects are stored in a folder that the process owns and keeps locked. If the process is killed, the lock is
/// released, and the next process removes the folder.
public final class FetchSpace: Sendable {
  enum Answer {
    case granted(Reservation)
    /// There is no space at the moment; retry.
    case later
  }

  /// Total space in bytes.
  public let limit: Int
  private let parent: FilePath
  private let state = Mutex((used: 0, count: 0, folder: LockedFolder?.none))

  /// Minimum space, in bytes, that must stay free on the disk in addition to the object.
  private static let margin = 16 << 20
  static let prefix = "nocturne-fetch-"

  /// - Parameters:
  ///   - limit: Total space in bytes.
  ///   - parent: The folder that contains the folder of the process.
  public init(limit: Int, in parent: FilePath = .temporaryFolder) {
    self.limit = limit
    self.parent = parent
  }

  /// Reserved space in bytes.
  var used: Int { state.withLock { $0.used } }

  /// - Parameter bytes: Size of an object; `nil` if it is unknown, in which case all the space is reserved.
  /// - Throws: `FetchFailure` if the object exceeds the limit, or if the disk has no space for it although nothing else
  ///   is reserved.
  func reserve(_ bytes: Int?) throws(FetchFailure) -> Answer {
    guard (bytes ?? 0) <= limit else {
      throw FetchFailure(
        .tooLarge,
        "The object has \((bytes ?? 0) >> 20) MB, but objects may take only \(limit >> 20) MB (--fetch-space).")
    }
    let wanted = bytes ?? limit
    return try state.withLock { state throws(FetchFailure) in
      guard state.used == 0 || state.used + wanted <= limit else { return .later }
      if let bytes, let free = DiskSpace(holding: parent)?.free, free < bytes + Self.margin {
        guard state.used == 0 else { return .later }
        throw Self.full(parent, "the object has \(bytes >> 20) MB, but only \(free >> 20) MB are free")
      }
      state.used += wanted
      return .granted(Reservation(bytes: wanted, of: self))
    }
  }

  static func full(_ folder: FilePath, _ reason: String) -> FetchFailure {
    FetchFailure(
      .noSpace, "There is no space in \(DisplayPath.text(of: folder)): \(reason). Set TMPDIR to use another folder.")
  }

  fileprivate func release(_ bytes: Int) { state.withLock { $0.used -= bytes } }

  /// Creates a folder for one object.
  func makeFolder() throws(FetchFailure) -> FilePath {
    do {
      return try state.withLock { state in
        let folder = if let folder = state.folder { folder } else { try LockedFolder(in: parent, prefix: Self.prefix) }
        state.folder = folder
        state.count += 1
        let path = folder.path.appending("\(state.count)")
        try path.makeFolder(permissions: .ownerReadWriteExecute)
        return path
      }
    } catch {
      throw FetchFailure(.noSpace, "No file can be created in \(DisplayPath.text(of: parent)): \(error).")
    }
  }

  final class Reservation: Sendable {
    let bytes: Int
    private let space: FetchSpace

    fileprivate init(bytes: Int, of space: FetchSpace) {
      self.bytes = bytes
      self.space = space
    }

    deinit { space.release(bytes) }
  }
}

/// A temporary folder that its process keeps locked.
private final class LockedFolder: Sendable {
  let path: FilePath
  private let descriptor: FileDescriptor

  init(in parent: FilePath, prefix: String) throws {
    Self.removeAbandoned(in: parent, prefix: prefix)
    // Until a new folder is locked, another process that is cleaning up may take it for an abandoned one.
    for _ in 0..<10 {
      let path = try FilePath.makeTemporaryFolder(in: parent, prefix: prefix)
      guard let descriptor = Self.locked(path) else { continue }
      if path.exists {
        self.path = path
        self.descriptor = descriptor
        return
      }
      try? descriptor.close()
    }
    throw Errno.resourceBusy
  }

  deinit {
    path.removeAll()
    try? descriptor.close()
  }

  /// - Returns: `nil` if another process holds the lock, or if the folder cannot be opened.
  private static func locked(_ path: FilePath) -> FileDescriptor? {
    guard let folder = try? FileDescriptor.open(path, .readOnly, options: [.directory, .noFollow, .closeOnExec]) else {
      return nil
    }
    guard (try? folder.lock(.exclusive)) == true else {
      try? folder.close()
      return nil
    }
    return folder
  }

  /// Removes the folders of processes that have ended. Folders of other users cannot be opened, so they remain.
  private static func removeAbandoned(in parent: FilePath, prefix: String) {
    for name in (try? FolderListing.names(in: parent)) ?? [] where name.string.hasPrefix(prefix) {
      let path = parent.appending(name)
      guard let descriptor = locked(path) else { continue }
      path.removeAll()
      try? descriptor.close()
    }
  }
}
