internal import Platform
internal import Synchronization
internal import SystemPackage

/// The bytes of a segment, either in memory or mapped from a file.
final class SegmentBytes: Sendable {
  /// Pointer to the bytes, which are never written to.
  nonisolated(unsafe) let pointer: UnsafeRawBufferPointer
  /// The mapped file; `nil` if the bytes are in memory.
  private let file: MappedFile?
  private let coldness: Coldness
  /// `true` if the file was cold, as defined by `Coldness`, when `prepareForQuery` last checked.
  private let cold = Atomic(false)
  var isCold: Bool { cold.load(ordering: .relaxed) }

  init(_ bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
    copy.copyBytes(from: bytes)
    pointer = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<bytes.count])
    file = nil
    coldness = Coldness()
  }

  /// Maps a file. It may be replaced while it is mapped, but must not be changed in place.
  init(mapping path: FilePath, coldness: Coldness = Coldness()) throws(CatalogError) {
    self.coldness = coldness
    do {
      guard let file = try MappedFile(path) else { throw CatalogError.notACatalog(path: path.string) }
      pointer = file.bytes
      self.file = file
    } catch let error as CatalogError {
      throw error
    } catch {
      throw .unreadable(path: path.string, reason: "\(error)")
    }
  }

  deinit {
    if file == nil { pointer.deallocate() }
  }

  // MARK: Files that are not in memory

  /// Thresholds above which a mapped file is treated as cold.
  struct Coldness {
    /// Minimum size in bytes. A smaller file is soon entirely in memory anyway, because the system reads ahead around
    /// each access.
    var minSize = 64 << 20
    /// Minimum share of sampled pages that are not in memory.
    var minShare = 0.05
  }

  /// Distance between sampled pages, in bytes. Even for gigabytes, sampling takes microseconds.
  private static let sampleStep = 32 << 20
  /// Minimum number of bytes between ranges that are read separately.
  private static let minGap = 16 << 10

  /// Samples how much of the file is in memory. While the file is cold, read-ahead is turned off, because it could add
  /// megabytes to each of thousands of accesses.
  ///
  /// - Returns: `true` if the file is cold. For files of other users, `mincore(2)` reports all pages as present, so
  ///   read-ahead stays on.
  @discardableResult
  func prepareForQuery() -> Bool {
    guard let file, pointer.count >= coldness.minSize else { return false }
    let count = max(1, pointer.count / Self.sampleStep)
    var missing = 0
    for index in 0..<count {
      let place = pointer.count / (2 * count) * (2 * index + 1)
      guard let isInMemory = file.isInMemory(at: place) else { return false }
      if !isInMemory { missing += 1 }
    }
    let isCold = Double(missing) >= coldness.minShare * Double(count)
    if cold.exchange(isCold, ordering: .relaxed) != isCold {
      file.setReadAhead(!isCold)
    }
    return isCold
  }

  /// Prefetches several ranges of a mapped file in one call. A disk can work on many requests at once, whereas page
  /// faults occur one after the other. Prefetching is worth its cost only if the file is cold.
  func fetch(_ ranges: [Range<Int>]) {
    guard let file else { return }
    var next: Range<Int>?
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let range = range.clamped(to: 0..<pointer.count)
      if range.isEmpty { continue }
      if let last = next, range.lowerBound - last.upperBound < Self.minGap {
        next = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        if let next { file.prefetch(next) }
        next = range
      }
    }
    if let next { file.prefetch(next) }
  }
}
