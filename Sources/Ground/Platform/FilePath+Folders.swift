internal import Glibc
public import SystemPackage

extension FilePath {
  /// The working folder of this process, without links; `/` if it is gone or may not be read.
  public static var currentFolder: FilePath { currentFolderIfAny ?? "/" }

  /// `nil` if the working folder is gone or may not be read.
  public static var currentFolderIfAny: FilePath? {
    guard let folder = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(folder) }
    return unsafe FilePath(platformString: folder)
  }

  /// Creates a folder and its missing parents. An existing folder, or a link to one, is left unchanged.
  /// - Parameter permissions: Permissions of all created folders, subject to the umask.
  public func makeFolder(
    permissions: FilePermissions = [.ownerReadWriteExecute, .groupReadWriteExecute, .otherReadWriteExecute]
  ) throws(Errno) {
    do {
      try makeLastFolder(permissions)
    } catch .noSuchFileOrDirectory {
      let parent = removingLastComponent()
      guard !parent.isEmpty, parent != self, parent.isGone(followingLinks: true) else { throw .noSuchFileOrDirectory }
      try parent.makeFolder(permissions: permissions)
      try makeLastFolder(permissions)
    }
  }

  /// Creates this folder in an existing parent. Does nothing if the folder already exists.
  public func makeLastFolder(_ permissions: FilePermissions) throws(Errno) {
    guard withPlatformString({ unsafe mkdir($0, permissions.rawValue) }) != 0 else { return }
    let problem = Errno(rawValue: errno)
    guard fileKind != .folder else { return }
    throw problem == .fileExists ? .notDirectory : problem
  }

  /// Removes a file, a folder with all its content, or a link without its target. Files that the system refuses to
  /// remove stay.
  public func removeAll() {
    let parent = removingLastComponent()
    guard let name = lastComponent, let folder = try? OpenFolder(parent.isEmpty ? "." : parent) else { return }
    folder.removeAll(name)
  }
}

extension OpenFolder {
  /// Removes an entry of this folder like `FilePath.removeAll`. Nothing outside the folder is removed, even if another
  /// program replaces folders with links in the meantime.
  public func removeAll(_ name: FilePath.Component) {
    guard name.withPlatformString({ unsafe unlinkat(descriptor.rawValue, $0, 0) }) != 0,
      let folder = try? folder(FilePath(root: nil, [name]), links: .refused)
    else { return }
    if let listing = try? FolderListing(of: folder) {
      for name in listing.entries.compactMap(listing.component) { folder.removeAll(name) }
    }
    _ = name.withPlatformString { unsafe unlinkat(descriptor.rawValue, $0, AT_REMOVEDIR) }
  }
}
