package import Analysis
internal import Digests
internal import Platform
package import SystemPackage

extension FileChecksum {
  /// Maximum size, in bytes, of a file that gets a checksum.
  private static let byteLimit: Int64 = 1 << 40
  /// Minimum size, in bytes, of a nearly empty sparse file that gets no checksum: a sparse file can claim any size.
  private static let minSparseSize: Int64 = 1 << 30
  private static let bufferSize = 1 << 18

  /// Computes a checksum by reading a file once from start to end.
  ///
  /// - Parameters:
  ///   - audio: Byte range for which a separate hash is computed; `nil` for none.
  ///   - kinds: Digests to compute in addition to XXH3.
  ///   - fromDisk: `true` to drop the file from the page cache before and after reading, so that the bytes come from
  ///     the disk, and files that other programs use stay in the cache.
  ///   - isCancelled: Called between buffers.
  /// - Returns: `nil` if reading was canceled, or if the file is not a regular file, is too large, or is a huge and
  ///   nearly empty sparse file.
  /// - Throws: The system's error if the file cannot be opened or read.
  package static func reading(
    _ path: FilePath, audio: Range<Int64>? = nil, kinds: Set<Kind> = [], fromDisk: Bool = false,
    isCancelled: () -> Bool = { false }
  ) throws(Errno) -> FileChecksum? {
    let file = try FileDescriptor.openWithoutWaiting(path)
    defer { try? file.close() }
    let status = try FileStatus(of: file)
    guard status.kind == .regular, status.size <= byteLimit else { return nil }
    guard status.size < minSparseSize || status.allocatedSize >= status.size / 16 else { return nil }
    if fromDisk { file.advise(.notNeeded) }
    defer { if fromDisk { file.advise(.notNeeded) } }
    file.advise(.willReadInOrder)
    var hashers = Hashers(audio: audio, kinds: kinds)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      if isCancelled() { return nil }
      let got = try file.read(buffer)
      if got == 0 { return hashers.finish() }
      hashers.update(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
      // The file may grow while it is being read.
      if hashers.byteCount > byteLimit { return nil }
    }
  }

  private struct Hashers: ~Copyable {
    private var whole = ContentHasher()
    private var part = ContentHasher()
    private let audio: Range<Int64>?
    private var sha256: Digest.Running?
    private var md5: Digest.Running?
    private(set) var byteCount: Int64 = 0

    init(audio: Range<Int64>?, kinds: Set<Kind>) {
      self.audio = audio
      sha256 = kinds.contains(.sha256) ? Digest.Running(isSHA256: true) : nil
      md5 = kinds.contains(.md5) ? Digest.Running(isSHA256: false) : nil
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
      whole.update(bytes)
      sha256?.update(bytes)
      md5?.update(bytes)
      let span = byteCount..<byteCount + Int64(bytes.count)
      if let common = audio?.clamped(to: span), !common.isEmpty {
        let (start, end) = (Int(common.lowerBound - byteCount), Int(common.upperBound - byteCount))
        part.update(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      }
      byteCount = span.upperBound
    }

    mutating func finish() -> FileChecksum {
      var checksum = FileChecksum(
        whole: whole.finish(), byteCount: byteCount, audio: audio, audioHash: audio == nil ? nil : part.finish())
      if let digest = sha256?.finish() { checksum.digests[.sha256] = digest.bytes }
      if let digest = md5?.finish() { checksum.digests[.md5] = digest.bytes }
      return checksum
    }
  }
}
