package import AudioEncoding
internal import Foundation
internal import Platform
package import SystemPackage

/// A WAV file in the folder for temporary files (`TMPDIR`) that is removed when nobody uses it any more: for programs that
/// play files.
package final class TemporaryAudio: Sendable {
  package let path: FilePath

  package init() {
    path = FilePath(FileManager.default.temporaryDirectory.path).appending("nocturne-\(UUID().uuidString).wav")
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  /// Plays it and waits; see `Playback.play`.
  package func play(through playback: Playback) throws(PlayerError) -> Player? { try playback.play(path) }
}
