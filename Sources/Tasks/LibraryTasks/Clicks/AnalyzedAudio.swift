internal import Analysis
internal import AudioDecoding
internal import Platform
internal import Records
internal import SystemPackage

/// The identity of the audio that a file contained when it was analyzed. The file's findings apply only to that audio.
struct AnalyzedAudio: Sendable {
  private let contentID: ContentID?
  private let sizeBytes: Int64?
  private let modified: Timestamp?

  init(_ record: FileRecord) {
    contentID = record.contentID
    sizeBytes = record.sizeBytes
    modified = record.modified
  }

  /// Returns `true` if the file still contains the same audio. The file is read only if its size or time has changed,
  /// which may merely be due to new tags.
  /// - Throws: `DecodeError` if the file cannot be read.
  func isUnchanged(at path: FilePath) throws(DecodeError) -> Bool {
    if let file = FileIdentity(path), file.size == sizeBytes, file.modified == modified { return true }
    guard let contentID else { return false }
    return try AudioContent(path: path).id == contentID
  }
}
