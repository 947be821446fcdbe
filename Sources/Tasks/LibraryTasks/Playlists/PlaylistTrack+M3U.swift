internal import Exports
package import SystemPackage

extension PlaylistTrack {
  /// In each playlist of them.
  package static var m3uMark: String { M3UFile.mark }
}

extension [PlaylistTrack] {
  /// A playlist of them.
  /// - Parameter folder: Paths are relative to it; absolute if it is `nil`.
  package func m3uFile(relativeTo folder: FilePath?) -> [UInt8] {
    reduce(into: M3UFile.header) { bytes, track in
      bytes += M3UFile.entry(track.path, name: track.name, duration: track.duration, relativeTo: folder)
    }
  }
}
