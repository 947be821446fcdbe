internal import Exports
package import SystemPackage

extension PlaylistTrack {
  /// The text that marks each M3U playlist.
  package static var m3uMark: String { M3UFile.mark }
}

extension [PlaylistTrack] {
  /// Returns an M3U playlist.
  /// - Parameter folder: The folder to which paths are relative; `nil` for absolute paths.
  package func m3uFile(relativeTo folder: FilePath?) -> [UInt8] {
    reduce(into: M3UFile.header) { bytes, track in
      bytes += M3UFile.entry(track.path, name: track.name, duration: track.duration, relativeTo: folder)
    }
  }
}
