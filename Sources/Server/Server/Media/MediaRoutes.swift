internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import LibraryTasks
internal import NIOCore
internal import Platform
internal import ResultStore
internal import Serving
internal import SystemPackage

/// `/media`: the files of tracks, and covers. Requests contain ids; paths come only from the store.
struct MediaRoutes: RouteSet {
  let api = API(name: "media", path: "/media")
  let services: Services

  var routes: [Route] {
    route(.get, "tracks/{id}", "The file of a track", type: "audio/*") { request, context in
      try await services.track(context.parameters.require("id"), for: request)
    }
    route(
      .get, "covers/{id}", "The cover of a track or an album",
      [.choice("size", ["64", "160", "300", "640"]), .choice("missing", ["empty"])],
      // If there is no picture, the response to `missing=empty` is 204 instead of 404.
      answers: [.empty(.noContent)], type: "image/jpeg", access: .tokenOrCoverKey
    ) { request, context in
      let size = try request.uri.queryParameters["size"].map { text -> Int in
        guard let size = Int(text), size > 0 else {
          throw RequestError(.badRequest, "size is a number of pixels, such as \(CoverSize.standard.rawValue).")
        }
        return size
      }
      return try await services.cover(context.parameters.require("id"), size: CoverSize(for: size), for: request)
    }
  }
}

extension Services {
  /// Returns a response with the file of a track, or part of it.
  /// - Parameter isAttachment: `true` to offer the file for download rather than playback.
  func track(_ id: String, for request: Request, isAttachment: Bool = false) async throws -> Response {
    let track = try await reading {
      guard let track = try trackFile(id) else {
        throw RequestError(.notFound, "There is no track with this id.")
      }
      return track
    }
    let file = try await transferring { try open(track) }
    let type = AudioMediaType.name(container: track.container, codec: track.codec)
    let name = track.path.lastComponent.map { DisplayPath.text(of: FilePath(root: nil, [$0])) } ?? id
    return FileAnswer(file: file, contentType: type, name: name, isAttachment: isAttachment).response(to: request, self)
  }

  private func trackFile(_ id: String) throws(StoreError) -> TrackFile? {
    var track = try store.trackFile(id: id)
    if options.servesLinksOutside { track?.linkScope = ["/"] }
    return track
  }

  private func open(_ track: TrackFile) throws(RequestError) -> OpenFile {
    if track.path.isObject {
      throw RequestError(.notFound, "This track is an object on another server, which is not played from here.")
    }
    do {
      return try OpenFile(track)
    } catch .replaced {
      throw RequestError(.notFound, "The file of this track has been replaced since the last run.")
    } catch .outside {
      throw RequestError(
        .notFound,
        "The file of this track is behind a link that leads out of the folders of the library. To serve such files, "
          + "set serve_links_outside: true.")
    } catch .notAudio {
      throw RequestError(.notFound, "The last run found no audio in the file of this track.")
    } catch {
      throw RequestError(.notFound, "The file of this track is gone, or its disk is not mounted.")
    }
  }

  /// Returns a response with a cover as JPEG, or with status 204 if there is none and the request has `missing=empty`.
  /// - Parameter id: The id of a track or an album.
  func cover(_ id: String, size: CoverSize, for request: Request) async throws -> Response {
    let track = try await reading {
      // The cover of an album is the cover of its first track.
      guard
        let track = try trackFile(id) ?? store.album(id: id).flatMap({ try trackFile($0.firstTrack) })
      else { throw RequestError(.notFound, "There is no track and no album with this id.") }
      return track
    }
    let cover =
      if let known = covers.known(of: track, size: size) {
        known
      } else {
        try await picturing { covers.cover(of: track, size: size) }
      }
    guard let cover else {
      // Pages with their own placeholder request a 204, because browsers log a 404 as an error.
      guard request.uri.queryParameters["missing"] != "empty" else {
        return Response(status: .noContent, headers: [.cacheControl: "private, max-age=300"])
      }
      throw RequestError(.notFound, "There is no cover in the file, and none beside it.")
    }
    let headers: HTTPFields = [
      .eTag: cover.entityTag, .cacheControl: "private, max-age=300", .xContentTypeOptions: "nosniff",
    ]
    if let known = request.headers[.ifNoneMatch], EntityTags(known).contains(cover.entityTag) {
      return Response(status: .notModified, headers: headers)
    }
    var response = Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: cover.bytes)))
    response.headers[.contentType] = "image/jpeg"
    return response
  }
}

extension Cover {
  fileprivate var entityTag: String { "\"\(digest)\"" }
}
