internal import Glibc
package import SystemPackage

/// The bytes of a regular file, or of memory, read by offset.
///
/// Opening a path never blocks, and fails unless it leads to a regular file. Small reads go through one window, and all
/// reads together stay within a budget, so that no file can cause gigabytes to be read. Reads past the end return fewer
/// bytes or none, and so do reads of a file that was shortened in the meantime. Not thread-safe.
package final class ByteSource {
  private enum Storage {
    case file(CInt)
    case memory([UInt8])
    case stream(CInt)
  }

  /// Size in bytes when the file was opened, or only up to `hole` if there is one; `Int.max` for a stream.
  package let size: Int
  /// The hole at which reading ends; `nil` if the file is read to its end.
  package let hole: Range<Int>?
  private let storage: Storage
  private var window: [UInt8] = []
  private var windowStart = 0
  private var budget: Int
  /// `true` once the budget was too small for a read. That read and all later ones return nothing.
  package private(set) var isExhausted = false

  /// Bytes per read of a contiguous scan.
  package static let windowSize = 32 * 1024
  /// Bytes per read after a jump: the data between two headers is mostly skipped.
  private static let jumpWindowSize = 4 * 1024

  /// Maximum size considered, in bytes. No disk is that large, but a sparse file may claim to be, and sums of lengths
  /// must not overflow.
  private static let maxSize: off_t = 1 << 56

  package init(_ bytes: [UInt8]) {
    storage = .memory(bytes)
    size = bytes.count
    hole = nil
    budget = .max
  }

  /// Creates a source for a pipe or other input that can be read only once, in order, by libraries that do their own
  /// reading. Reads through this object return nothing. The caller owns the descriptor.
  package init(stream descriptor: CInt) {
    storage = .stream(descriptor)
    size = .max
    hole = nil
    budget = 0
  }

  /// - Parameters:
  ///   - budget: Maximum number of bytes to read in total.
  ///   - endsAtHole: `true` to stop reading at the first large hole of a huge file that is nearly all holes.
  package init(path: FilePath, budget: Int = .max, endsAtHole: Bool = false) throws(FileReadError) {
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let descriptor = path.withPlatformString { Glibc.open($0, flags) }
    guard descriptor >= 0 else {
      throw FileReadError(.unreadable, "The file cannot be opened: \(Errno(rawValue: errno)).")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw FileReadError(.unreadable, "The file cannot be examined: \(Errno(rawValue: code)).")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileReadError(.unreadable, "This is not a regular file.")
    }
    storage = .file(descriptor)
    let whole = Int(min(status.st_size, Self.maxSize))
    hole = endsAtHole ? Self.hole(in: descriptor, size: whole, stored: Int(status.st_blocks) * 512) : nil
    size = hole?.lowerBound ?? whole
    self.budget = budget
  }

  deinit { if case .file(let descriptor) = storage { close(descriptor) } }

  /// The descriptor for libraries that do their own reading, valid while the source exists; `nil` for memory.
  package var descriptor: CInt? {
    switch storage {
    case .file(let descriptor), .stream(let descriptor): descriptor
    case .memory: nil
    }
  }

  package var isStream: Bool { if case .stream = storage { true } else { false } }

  /// Advises the system that most of the file will be read from start to end.
  package func expectSequentialReads() {
    if case .file(let descriptor) = storage { _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL) }
  }

  /// `SEEK_DATA` and `SEEK_HOLE` of `lseek`, which Swift does not import.
  private static let seekData: CInt = 3
  private static let seekHole: CInt = 4

  /// Minimum size of a file that may be read in part: more than a day of CD audio. In smaller files, a hole may be
  /// digital silence: some file systems and copying programs store it as a hole.
  private static let minSparseSize = 1 << 34
  private static let minHoleSize = 1 << 26
  /// Maximum number of holes examined.
  private static let holeLimit = 10_000

  /// The first large hole of a huge file that is nearly all holes; `nil` for other files.
  /// - Parameter stored: Number of bytes stored on the disk.
  private static func hole(in descriptor: CInt, size: Int, stored: Int) -> Range<Int>? {
    guard size >= minSparseSize, stored < size / 16 else { return nil }
    var position = 0
    for _ in 0..<holeLimit {
      let start = lseek(descriptor, off_t(position), seekHole)
      guard start >= 0, start < size else { return nil }
      let data = lseek(descriptor, start, seekData)
      guard data >= 0 || errno == ENXIO else { return nil }
      let end = data >= 0 ? Int(data) : size
      if end - Int(start) >= minHoleSize { return Int(start)..<end }
      position = end
    }
    return nil
  }

  /// Offset of the next stored bytes at or after `offset`, past any hole of a sparse file; `size` if no bytes follow.
  /// Holes read as zeros.
  package func startOfData(from offset: Int) throws(FileReadError) -> Int {
    guard case .file(let descriptor) = storage else { return offset }
    let data = lseek(descriptor, off_t(offset), Self.seekData)
    if data >= 0 { return Int(data) }
    // The rest of the file is a hole, or the file system does not support holes.
    return errno == ENXIO ? size : offset
  }

  /// Returns up to `count` bytes from `offset` on; none if `offset` is negative.
  package func bytes(at offset: Int, count: Int) throws(FileReadError) -> [UInt8] {
    guard offset >= 0, offset < size, count > 0 else { return [] }
    let count = min(count, size - offset)
    if case .memory(let bytes) = storage {
      return offset == 0 && count == bytes.count ? bytes : Array(bytes[offset..<offset + count])
    }
    if count > Self.windowSize / 2 { return try read(at: offset, count: count) }
    let windowEnd = windowStart + window.count
    if offset < windowStart || offset + count > windowEnd {
      let isContiguous = (windowStart...windowEnd).contains(offset)
      let length = isContiguous ? Self.windowSize : max(Self.jumpWindowSize, count)
      window = try read(at: offset, count: min(length, size - offset))
      windowStart = offset
    }
    let start = offset - windowStart
    return Array(window[min(start, window.count)..<min(start + count, window.count)])
  }

  private func read(at offset: Int, count: Int) throws(FileReadError) -> [UInt8] {
    var failure: FileReadError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(FileReadError) {
        filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        filled = 0
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Fills `buffer` from `offset` on, bypassing the window.
  ///
  /// - Returns: Number of bytes read, which is smaller at the end of the file, and 0 for a stream or if the budget does
  ///   not suffice.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileReadError) -> Int {
    guard offset >= 0, offset < size else { return 0 }
    let count = min(buffer.count, size - offset)
    let descriptor: CInt
    switch storage {
    case .memory(let bytes):
      buffer.copyBytes(from: bytes[offset..<offset + count])
      return count
    case .file(let file): descriptor = file
    case .stream: return 0
    }
    guard !isExhausted, budget >= count else {
      isExhausted = true
      return 0
    }
    budget -= count
    var filled = 0
    while filled < count {
      let got = pread(
        descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
      if got < 0 && errno == EINTR { continue }
      if got < 0 { throw .reading(errno) }
      if got == 0 { break }
      filled += got
    }
    return filled
  }
}
