public import LibraryScan
internal import Platform
public import ResultStore

extension FileStamp {
  /// Makes the stamp of a file that the walker found.
  public init(_ file: ScannedFile) {
    self.init(
      path: file.path, device: file.device, inode: file.inode, sizeBytes: file.size,
      modified: file.modified,
      // File systems without this time report 0.
      statusChanged: file.statusChanged.nanoseconds > 0 ? file.statusChanged : nil)
  }
}
