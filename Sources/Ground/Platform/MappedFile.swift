internal import Glibc
public import SystemPackage

/// A file mapped into memory for reading. While it is mapped, it may be replaced, but must not be changed in place.
public final class MappedFile: Sendable {
  nonisolated(unsafe) public let bytes: UnsafeRawBufferPointer

  /// - Returns: `nil` if the file is empty or not a regular file.
  public init?(_ path: FilePath) throws {
    let file = try FileDescriptor.openWithoutWaiting(path)
    defer { try? file.close() }
    let status = try FileStatus(of: file)
    guard status.kind == .regular, status.size > 0 else { return nil }
    let size = Int(status.size)
    guard let base = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, file.rawValue, 0), unsafe base != MAP_FAILED else {
      throw Errno.current
    }
    unsafe bytes = UnsafeRawBufferPointer(start: base, count: size)
  }

  deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }

  /// Returns `true` if the page at an offset is in memory; `nil` if the kernel does not report it. For other users'
  /// files, the kernel always reports that the page is in memory.
  public func isInMemory(at offset: Int) -> Bool? {
    var state: UInt8 = 1
    let page = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress! + Self.startOfPage(offset))
    guard unsafe mincore(page, 1, &state) == 0 else { return nil }
    return state & 1 != 0
  }

  /// Advises the kernel whether accessing a page should also read the surrounding pages.
  public func setReadAhead(_ isWanted: Bool) {
    let base = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    _ = unsafe madvise(base, bytes.count, isWanted ? MADV_NORMAL : MADV_RANDOM)
  }

  /// Starts reading a range from the disk, without waiting for it.
  public func prefetch(_ range: Range<Int>) {
    let start = Self.startOfPage(range.lowerBound)
    let base = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress! + start)
    _ = unsafe madvise(base, range.upperBound - start, MADV_WILLNEED)
  }

  private static let pageSize = sysconf(Int32(_SC_PAGESIZE))

  private static func startOfPage(_ offset: Int) -> Int { offset & ~(pageSize - 1) }
}
