internal import LibraryStore

extension [Song] {
  /// An M3U playlist with absolute paths, for players on this machine.
  package var m3uFile: [UInt8] {
    map { song in
      PlaylistTrack(path: song.row.path, artist: song.row.artist, title: song.title, duration: song.row.durationSeconds)
    }.m3uFile(relativeTo: nil)
  }
}
