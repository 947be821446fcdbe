package import AudioEncoding
internal import Platform
package import SystemPackage

/// A WAV file in the folder for temporary files (`TMPDIR`) that is removed when it is no longer used: for programs that
/// play files.
package final class TemporaryAudio: Sendable {
  package let path: FilePath
  private let folder: TemporaryFolder

  package init() throws(AudioWriteError) {
    do {
      folder = try TemporaryFolder()
    } catch {
      throw .cannotWrite(.temporaryFolder, reason: "\(error)")
    }
    path = folder.file("audio.wav")
  }

  /// Plays it and waits; see `Playback.play`.
  package func play(through playback: Playback) throws(PlayerError) -> Player? { try playback.play(path) }
}
