internal import Glibc
public import SystemPackage

extension FileDescriptor {
  /// Opens a file for reading. Does not wait for a writer if the file is a FIFO, and does not make the file this
  /// process's controlling terminal if it is a terminal.
  public static func openWithoutWaiting(_ path: FilePath) throws(Errno) -> FileDescriptor {
    let number = path.withPlatformString { unsafe Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    guard number >= 0 else { throw .current }
    return FileDescriptor(rawValue: number)
  }

  /// Makes reads and writes wait again, after the file was opened without waiting.
  public func setBlocking() { _ = fcntl(rawValue, F_SETFL, 0) }

  /// Reads into a buffer. An interrupted read is tried again.
  /// - Returns: The number of bytes read; 0 at the end.
  public func read(_ buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    while true {
      let count = unsafe Glibc.read(rawValue, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw .current }
    }
  }

  /// Advice to the kernel about caching the whole file (`posix_fadvise`).
  public enum CacheAdvice: Sendable {
    case willReadInOrder
    /// The kernel may drop the file's pages from its cache.
    case notNeeded
  }

  public func advise(_ advice: CacheAdvice) {
    let value =
      switch advice {
      case .willReadInOrder: POSIX_FADV_SEQUENTIAL
      case .notNeeded: POSIX_FADV_DONTNEED
      }
    _ = posix_fadvise(rawValue, 0, 0, value)
  }
}
