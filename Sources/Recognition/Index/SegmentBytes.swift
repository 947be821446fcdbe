internal import Glibc
internal import SystemPackage

/// The bytes of a segment, in memory or mapped from a file, for as long as they are needed.
final class SegmentBytes: Sendable {
  /// It is never written to.
  nonisolated(unsafe) let pointer: UnsafeRawBufferPointer
  private let isMapped: Bool

  init(_ bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
    copy.copyBytes(from: bytes)
    pointer = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<bytes.count])
    isMapped = false
  }

  /// Maps a file. It may be replaced by another one meanwhile, but must not be changed in place.
  init(mapping path: FilePath) throws(CatalogError) {
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
}
