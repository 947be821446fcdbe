public import LibraryScan
internal import Platform
public import ResultStore

extension FileStamp {
  /// Creates the stamp of a file that the walker has found.
  public init(_ file: ScannedFile) {
    self.init(
      path: file.path, device: file.device, inode: file.inode, sizeBytes: file.size,
      modified: file.modified,
      // File systems without this time report 0.
      statusChanged: file.statusChanged.nanoseconds > 0 ? file.statusChanged : nil)
  }
}
