internal import Analysis
internal import AudioDecoding
internal import Glibc
internal import Platform
internal import Records
internal import SystemPackage

/// The audio that a file held when it was analyzed: what was found counts for that alone.
struct AnalyzedAudio: Sendable {
  private let contentID: ContentID?
  private let sizeBytes: Int64?
  private let modified: Timestamp?

  init(_ record: FileRecord) {
    contentID = record.contentID
    sizeBytes = record.sizeBytes
    modified = record.modified
  }

  /// Whether the file still holds it. Only if size or time have changed is the file read for that: new tags change both, and
  /// not the audio.
  /// - Throws: `DecodeError` if it cannot be read.
  func isStill(at path: FilePath) throws(DecodeError) -> Bool {
    var status = stat()
    if path.withPlatformString({ unsafe stat($0, &status) }) == 0, Int64(status.st_size) == sizeBytes,
      Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec) == modified?.nanoseconds
    {
      return true
    }
    guard let contentID else { return false }
    return try AudioContent(path: path).id == contentID
  }
}

extension FilePath {
  /// Whether both names lead to one file that is there.
  func isSameFile(as other: FilePath) -> Bool {
    guard let own = identity(of: self) else { return false }
    return own == identity(of: other)
  }
}

/// Device and inode.
private func identity(of path: FilePath) -> [UInt64]? {
  var status = stat()
  guard path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
  return [UInt64(status.st_dev), UInt64(status.st_ino)]
}
