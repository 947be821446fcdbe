public import LibraryScan
internal import Platform
public import ResultStore

extension FileStamp {
  /// The stamp of a file that the walker found.
  public init(_ file: ScannedFile) {
    self.init(
      path: file.path, device: file.device, inode: file.inode, sizeBytes: file.size,
      modified: Timestamp(nanoseconds: file.mtimeNanoseconds),
      // File systems without this time report 0.
      statusChanged: file.ctimeNanoseconds > 0 ? Timestamp(nanoseconds: file.ctimeNanoseconds) : nil)
  }
}
