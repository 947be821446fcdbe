internal import Glibc
internal import Synchronization
internal import SystemPackage

/// The bytes of a segment, in memory or mapped from a file.
final class SegmentBytes: Sendable {
  /// The bytes are never written.
  nonisolated(unsafe) let pointer: UnsafeRawBufferPointer
  private let isMapped: Bool
  private let coldness: Coldness
  /// True if much of the file was not in memory when `prepareForQuery` last checked.
  private let cold = Atomic(false)
  var isCold: Bool { cold.load(ordering: .relaxed) }

  init(_ bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
    copy.copyBytes(from: bytes)
    pointer = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<bytes.count])
    isMapped = false
    coldness = Coldness()
  }

  /// Maps a file. The file may be replaced in the meantime, but must not be changed in place.
  init(mapping path: FilePath, coldness: Coldness = Coldness()) throws(CatalogError) {
    self.coldness = coldness
    do {
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      defer { try? file.close() }
      var status = stat()
      guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
      guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
        throw CatalogError.notACatalog(path: path.string)
      }
      let size = Int(status.st_size)
      guard let base = mmap(nil, size, PROT_READ, MAP_SHARED, file.rawValue, 0), base != MAP_FAILED else {
        throw Errno(rawValue: errno)
      }
      pointer = UnsafeRawBufferPointer(start: base, count: size)
      isMapped = true
    } catch let error as CatalogError {
      throw error
    } catch {
      throw .unreadable(path: path.string, reason: "\(error)")
    }
  }

  deinit {
    if isMapped {
      munmap(UnsafeMutableRawPointer(mutating: pointer.baseAddress), pointer.count)
    } else {
      pointer.deallocate()
    }
  }

  // MARK: Files that are not in memory

  /// Thresholds for treating a mapped file as cold.
  struct Coldness {
    /// Minimum size in bytes. A smaller file is soon entirely in memory, as the system reads ahead around each access.
    var minSize = 64 << 20
    /// Minimum share of sampled pages that are not in memory.
    var minShare = 0.05
  }

  /// Bytes per sampled page: sampling takes microseconds for gigabytes.
  private static let sampleStep = 32 << 20
  /// Ranges closer than this many bytes are read together.
  private static let minGap = 16 << 10

  /// Samples how much of the file is in memory. If the file is cold, turns off read-ahead, which can be megabytes for
  /// each of thousands of accesses.
  ///
  /// - Returns: `true` if the file is cold. For files of other users, `mincore(2)` reports all pages as present;
  ///   read-ahead then stays on.
  @discardableResult
  func prepareForQuery() -> Bool {
    guard isMapped, pointer.count >= coldness.minSize, let base = pointer.baseAddress else { return false }
    let count = max(1, pointer.count / Self.sampleStep)
    var missing = 0
    for index in 0..<count {
      let place = pointer.count / (2 * count) * (2 * index + 1)
      var state: UInt8 = 1
      guard mincore(UnsafeMutableRawPointer(mutating: base + Self.startOfPage(place)), 1, &state) == 0 else {
        return false
      }
      if state & 1 == 0 { missing += 1 }
    }
    let isCold = Double(missing) >= coldness.minShare * Double(count)
    if cold.exchange(isCold, ordering: .relaxed) != isCold {
      _ = madvise(UnsafeMutableRawPointer(mutating: base), pointer.count, isCold ? MADV_RANDOM : MADV_NORMAL)
    }
    return isCold
  }

  /// Prefetches several ranges of a mapped file in one call: the disk can work on many requests at once, while page
  /// faults come one after another. Only worth its cost if the file is cold.
  func fetch(_ ranges: [Range<Int>]) {
    guard isMapped, let base = pointer.baseAddress else { return }
    var next: Range<Int>?
    func advise(_ range: Range<Int>) {
      let start = Self.startOfPage(range.lowerBound)
      _ = madvise(UnsafeMutableRawPointer(mutating: base + start), range.upperBound - start, MADV_WILLNEED)
    }
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let range = range.clamped(to: 0..<pointer.count)
      if range.isEmpty { continue }
      if let last = next, range.lowerBound - last.upperBound < Self.minGap {
        next = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        if let next { advise(next) }
        next = range
      }
    }
    if let next { advise(next) }
  }

  private static let pageSize = sysconf(Int32(_SC_PAGESIZE))

  private static func startOfPage(_ offset: Int) -> Int { offset & ~(pageSize - 1) }
}
