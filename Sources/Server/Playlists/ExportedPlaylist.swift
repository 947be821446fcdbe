internal import Application
internal import ResultStore

/// A playlist as a file for other players on this machine.
enum ExportedPlaylist {
  /// Extended M3U with absolute paths.
  static func m3u8(of songs: [Song]) -> [UInt8] {
    let tracks = songs.map { song in
      PlaylistTrack(path: song.row.path, artist: song.row.artist, title: song.title, duration: song.row.durationSeconds)
    }
    return tracks.m3uFile(relativeTo: nil)
  }
}
