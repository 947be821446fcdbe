internal import Exports
package import SystemPackage

extension PlaylistTrack {
  /// Text that marks each M3U playlist.
  package static var m3uMark: String { M3UFile.mark }
}

extension [PlaylistTrack] {
  /// An M3U playlist.
  /// - Parameter folder: Paths are relative to this folder; absolute if `nil`.
  package func m3uFile(relativeTo folder: FilePath?) -> [UInt8] {
    reduce(into: M3UFile.header) { bytes, track in
      bytes += M3UFile.entry(track.path, name: track.name, duration: track.duration, relativeTo: folder)
    }
  }
}
