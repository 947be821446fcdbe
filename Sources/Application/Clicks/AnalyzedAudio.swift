internal import Analysis
internal import AudioDecoding
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
    if let file = FileIdentity(path), file.size == sizeBytes, file.modified == modified { return true }
    guard let contentID else { return false }
    return try AudioContent(path: path).id == contentID
  }
}

extension FilePath {
  /// Whether both names lead to one file that is there.
  func isSameFile(as other: FilePath) -> Bool {
    guard let own = try? FileStatus(at: self, followingLinks: true).key else { return false }
    return (try? FileStatus(at: other, followingLinks: true).key) == own
  }
}
