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
