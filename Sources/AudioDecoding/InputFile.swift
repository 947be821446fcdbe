internal import Analysis
internal import Glibc
internal import SystemPackage

/// A regular file that is read by offset. Opening never blocks and never touches anything but regular files, whatever
/// lies under the name.
final class InputFile {
  let descriptor: CInt
  /// Bytes, when it was opened.
  let size: Int64

  init(path: FilePath) throws(DecodeError) {
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let descriptor = path.withPlatformString { Glibc.open($0, flags) }
    guard descriptor >= 0 else {
      throw DecodeError(.unreadable, "The file cannot be opened: \(Self.describe(errno)).")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw DecodeError(.unreadable, "The file cannot be examined: \(Self.describe(code)).")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw DecodeError(.unreadable, "This is not a regular file.")
    }
    guard status.st_size > 0 else {
      close(descriptor)
      throw DecodeError(.empty, "The file is empty.")
    }
    self.descriptor = descriptor
    size = Int64(status.st_size)
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
  }

  deinit { close(descriptor) }

  private static func describe(_ code: CInt) -> String { String(cString: strerror(code)) }

  static func readError(_ code: CInt) -> DecodeError {
    DecodeError(.readError, "The system could not read the file: \(describe(code)).")
  }

  /// Fills as much of `buffer` as the file has from `offset` on; returns the number of bytes.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DecodeError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let got = pread(descriptor, buffer.baseAddress! + filled, buffer.count - filled, off_t(offset) + filled)
      if got < 0 && errno == EINTR { continue }
      if got < 0 { throw Self.readError(errno) }
      if got == 0 { break }
      filled += got
    }
    return filled
  }

  /// Up to `count` bytes from `offset` on; fewer at the end of the file. `count` is the caller's own, never a header's.
  func bytes(at offset: Int64, count: Int) throws(DecodeError) -> Bytes {
    guard offset >= 0, offset < size else { return Bytes([]) }
    var bytes = [UInt8](repeating: 0, count: Int(min(Int64(count), size - offset)))
    var failure: DecodeError?
    let filled = bytes.withUnsafeMutableBytes { buffer in
      do throws(DecodeError) {
        return try read(into: buffer, at: offset)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    bytes.removeLast(bytes.count - filled)
    return Bytes(bytes)
  }

  /// More than this of a file is never hashed: sparse files can claim to be endless.
  private static let hashLimit: Int64 = 8 << 30

  /// Hashes a range of the file in one sequential pass. Of a range beyond all real audio it takes the first and the
  /// last 4 GiB.
  func hash(_ range: Range<Int64>, into hasher: inout ContentHasher) throws(DecodeError) {
    guard range.upperBound - range.lowerBound <= Self.hashLimit else {
      try hash(range.lowerBound..<range.lowerBound + Self.hashLimit / 2, into: &hasher)
      try hash(range.upperBound - Self.hashLimit / 2..<range.upperBound, into: &hasher)
      return
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(Int64(buffer.count), range.upperBound - offset))
      let got = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
      if got == 0 { break }
      hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
      offset += Int64(got)
    }
  }
}

/// Bytes of a header: reads past the end give `nil`.
struct Bytes {
  let values: [UInt8]

  init(_ values: [UInt8]) { self.values = values }

  var count: Int { values.count }

  func has(_ text: StaticString, at offset: Int = 0) -> Bool {
    guard offset >= 0, offset + text.utf8CodeUnitCount <= values.count else { return false }
    for index in 0..<text.utf8CodeUnitCount where text.utf8Start[index] != values[offset + index] { return false }
    return true
  }

  func has(_ pattern: [UInt8], at offset: Int = 0) -> Bool {
    guard offset >= 0, offset + pattern.count <= values.count else { return false }
    return values[offset..<offset + pattern.count].elementsEqual(pattern)
  }

  func bigEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value? {
    let width = Value.bitWidth / 8
    guard offset >= 0, offset + width <= values.count else { return nil }
    return values[offset..<offset + width].reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
  }

  func littleEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value? {
    bigEndian(type, at: offset)?.byteSwapped
  }
}
