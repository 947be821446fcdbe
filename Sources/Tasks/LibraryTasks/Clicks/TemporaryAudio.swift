package import AudioEncoding
internal import Platform
package import SystemPackage

/// A temporary WAV file (in `TMPDIR`), for players that need a file. It is removed with this object.
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

  /// Plays the file and waits until it has finished; see `Playback.play`.
  package func play(through playback: Playback) throws(PlayerError) -> Player? { try playback.play(path) }
}
