internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Serving

/// A playlist file for players on the machine that stores the library: M3U8 with absolute paths.
struct PlaylistFile: Sendable {
  let library: AppLibrary

  /// Returns the playlist as a file, without tracks that are no longer in the library.
  func answer(_ id: String) async throws -> Response {
    try await library.services.reading {
      guard let playlist = try library.store.playlist(id: id) else {
        throw RequestError(.notFound, "There is no playlist with this id.")
      }
      let files = try library.store.playlistTracks(id: id).compactMap(\.fileID)
      let songs = try library.store.songs(ofFiles: files)
      let name = String(playlist.name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" })
      return Response(
        status: .ok,
        headers: [
          .contentType: "audio/x-mpegurl; charset=utf-8", .cacheControl: "no-store",
          .contentDisposition: "attachment; filename=\"\(name).m3u8\"",
        ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: songs.m3uFile)))
    }
  }
}
