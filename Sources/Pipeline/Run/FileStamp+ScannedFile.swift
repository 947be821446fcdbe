public import LibraryScan
public import ResultStore
internal import System

extension FileStamp {
  /// What the store wants to know of a file that the walker has found.
  public init(_ file: ScannedFile) {
    self.init(
      path: file.path, device: file.device, inode: file.inode, sizeBytes: file.size,
      modified: Timestamp(nanoseconds: file.mtimeNanoseconds),
      // File systems that have no such time say 0.
      statusChanged: file.ctimeNanoseconds > 0 ? Timestamp(nanoseconds: file.ctimeNanoseconds) : nil)
  }
}
