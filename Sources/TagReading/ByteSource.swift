internal import Analysis
internal import Glibc
internal import SystemPackage

/// Random access to the bytes of a file, in bounded memory: small reads go through one window, and all reads together
/// stay below a budget, so that a file cannot make its reader go through gigabytes.
///
/// Reads past the end give fewer bytes, or none.
final class ByteSource {
  private enum Storage {
    case file(FileDescriptor)
    case memory([UInt8])
  }

  /// In bytes.
  let size: Int
  private let storage: Storage
  private var window: [UInt8] = []
  private var windowStart = 0
  private var budget: Int
  /// The budget was too small for a read.
  private(set) var isExhausted = false

  static let windowSize = 32 * 1024
  /// Bytes that are read from one file at most. The largest pictures of Vorbis comments, which cannot be skipped, fit
  /// in.
  static let readBudget = 96 * 1024 * 1024

  /// Bytes in memory.
  init(_ bytes: [UInt8]) {
    storage = .memory(bytes)
    size = bytes.count
    budget = .max
  }

  /// A regular file; the descriptor stays the caller's.
  init(file: FileDescriptor, budget: Int = readBudget) throws(TagReadError) {
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0 else {
      throw TagReadError(.unreadable, "The file cannot be examined: \(Errno(rawValue: errno)).")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw TagReadError(.unreadable, "This is not a regular file; only regular files are read.")
    }
    storage = .file(file)
    size = Int(status.st_size)
    self.budget = budget
  }

  /// The bytes from `offset` on, at most `count` of them.
  func bytes(at offset: Int, count: Int) throws(TagReadError) -> [UInt8] {
    guard offset >= 0, offset < size, count > 0 else { return [] }
    let count = min(count, size - offset)
    switch storage {
    case .memory(let bytes):
      return offset == 0 && count == bytes.count ? bytes : Array(bytes[offset..<offset + count])
    case .file(let descriptor):
      if count > Self.windowSize / 2 { return try read(descriptor, at: offset, count: count) }
      if offset < windowStart || offset + count > windowStart + window.count {
        window = try read(descriptor, at: offset, count: min(Self.windowSize, size - offset))
        windowStart = offset
      }
      let start = offset - windowStart
      return Array(window[min(start, window.count)..<min(start + count, window.count)])
    }
  }

  private func read(_ descriptor: FileDescriptor, at offset: Int, count: Int) throws(TagReadError) -> [UInt8] {
    budget -= count
    guard budget >= 0 else {
      isExhausted = true
      return []
    }
    var failure: Errno?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      do {
        while filled < count {
          let rest = unsafe UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
          let length = unsafe try descriptor.read(fromAbsoluteOffset: Int64(offset + filled), into: rest)
          if length == 0 { break }
          filled += length
        }
      } catch {
        failure = error as? Errno ?? .ioError
      }
    }
    if let failure {
      throw TagReadError(.readError, "Reading failed at byte \(offset): \(failure). Is the disk still there?")
    }
    return bytes
  }
}

extension TagRegions {
  /// The tags at the start of a file.
  static func leading(in source: ByteSource) throws(TagReadError) -> Leading {
    try leading(fileSize: Int64(source.size)) { (offset, count) throws(TagReadError) in
      try source.bytes(at: Int(offset), count: count)
    }
  }

  /// The tags at the end of a file, the last one first.
  static func trailing(in source: ByteSource, behind start: Int) throws(TagReadError) -> [Region] {
    try trailing(behind: Int64(start), fileSize: Int64(source.size)) { (offset, count) throws(TagReadError) in
      try source.bytes(at: Int(offset), count: count)
    }
  }
}

extension ID3v2Header {
  /// The header at `offset`; `nil` if there is none.
  init?(at offset: Int, in source: ByteSource) throws(TagReadError) {
    try self.init(at: Int64(offset), fileSize: Int64(source.size)) { (offset, count) throws(TagReadError) in
      try source.bytes(at: Int(offset), count: count)
    }
  }
}

extension Collection<UInt8> {
  /// Unsigned, most significant byte first. At most 8 bytes are taken; bytes that are not there count as none.
  func bigEndian(_ count: Int = 4) -> UInt64 {
    prefix(Swift.min(count, 8)).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Unsigned, least significant byte first.
  func littleEndian(_ count: Int = 4) -> UInt64 {
    var value: UInt64 = 0
    for (index, byte) in prefix(Swift.min(count, 8)).enumerated() { value |= UInt64(byte) << UInt64(8 * index) }
    return value
  }

  /// The bytes as characters of ISO 8859-1.
  var latin1: String {
    var scalars = String.UnicodeScalarView()
    for byte in self { scalars.append(Unicode.Scalar(byte)) }
    return String(scalars)
  }

  /// True if `text`, in ASCII, stands `offset` bytes after the start.
  func has(_ text: String, at offset: Int = 0) -> Bool {
    dropFirst(offset).starts(with: text.utf8)
  }
}
