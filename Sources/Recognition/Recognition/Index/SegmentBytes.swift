internal import Platform
internal import Synchronization
internal import SystemPackage

/// The bytes of a segment, in memory or mapped from a file, for as long as they are needed.
final class SegmentBytes: Sendable {
  /// It is never written to.
  nonisolated(unsafe) let pointer: UnsafeRawBufferPointer
  /// `nil` if they are in memory.
  private let file: MappedFile?
  private let coldness: Coldness
  /// Whether a good part of the file is still to be read from the disk, when `prepareForQuery` last looked.
  private let cold = Atomic(false)
  var isCold: Bool { cold.load(ordering: .relaxed) }

  init(_ bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
    copy.copyBytes(from: bytes)
    pointer = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<bytes.count])
    file = nil
    coldness = Coldness()
  }

  /// Maps a file. It may be replaced by another one meanwhile, but must not be changed in place.
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

  /// When a mapped file counts as cold.
  struct Coldness {
    /// Of smaller files all is soon in memory, as the system reads around each place that is touched.
    var leastSize = 64 << 20
    /// The share that is still to be read from the disk.
    var leastShare = 0.05
  }

  /// One page is looked at for each of these many bytes: microseconds for gigabytes.
  private static let sampleStep = 32 << 20
  /// Ranges with less between them are read together.
  private static let leastGap = 16 << 10

  /// Looks how much of the file is in memory. If little is, the system from now on reads what is asked for and nothing
  /// around it, which can be megabytes for each of thousands of places.
  ///
  /// - Returns: Whether a good part is not in memory. `mincore(2)` says of files of other users that all is there: then the
  ///   system does as it does without advice.
  @discardableResult
  func prepareForQuery() -> Bool {
    guard let file, pointer.count >= coldness.leastSize else { return false }
    let count = max(1, pointer.count / Self.sampleStep)
    var missing = 0
    for index in 0..<count {
      let place = pointer.count / (2 * count) * (2 * index + 1)
      guard let isInMemory = file.isInMemory(at: place) else { return false }
      if !isInMemory { missing += 1 }
    }
    let isCold = Double(missing) >= coldness.leastShare * Double(count)
    if cold.exchange(isCold, ordering: .relaxed) != isCold {
      file.readAround(!isCold)
    }
    return isCold
  }

  /// Has ranges of a mapped file read, all at once: a disk has much to do at a time, where touching one page after
  /// another would wait for each. Only worth its cost if the file is cold.
  func fetch(_ ranges: [Range<Int>]) {
    guard let file else { return }
    var next: Range<Int>?
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let range = range.clamped(to: 0..<pointer.count)
      if range.isEmpty { continue }
      if let last = next, range.lowerBound - last.upperBound < Self.leastGap {
        next = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        if let next { file.prefetch(next) }
        next = range
      }
    }
    if let next { file.prefetch(next) }
  }
}
