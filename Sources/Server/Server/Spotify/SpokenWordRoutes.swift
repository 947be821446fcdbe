internal import HTTPTypes
internal import Hummingbird
internal import Serving

/// Shows, episodes, audiobooks and chapters in Spotify's Web API. A library of files does not contain any of these, so
/// the lists are empty, and all ids are unknown.
struct SpokenWordRoutes: RouteSet {
  let spotify: SpotifyRoutes

  var api: API { spotify.api }

  private static let kinds = ["show", "episode", "audiobook", "chapter"]
  /// The kinds of objects that people can save.
  private static let saved = ["show", "episode", "audiobook"]
  private static let parts = [("show", "episodes"), ("audiobook", "chapters")]

  var routes: [Route] {
    for kind in Self.kinds {
      spotify.read(
        "\(kind)s", "Always null for each id: the library has music only", SpotifyRequest.ids,
        answers: .only("\(kind)s", .list(.any), as: "\(kind.prefix(1).uppercased() + kind.dropFirst())s")
      ) { request, _ in try request.ids(max: 50).map { _ in .null } }
      spotify.read("\(kind)s/{id}", Self.summary, answers: [.json(.error, .notFound)]) { _, id in
        throw try Self.absent(kind, id)
      }
    }
    for (kind, part) in Self.parts {
      spotify.read("\(kind)s/{id}/\(part)", Self.summary, answers: [.json(.error, .notFound)]) { _, id in
        throw try Self.absent(kind, id)
      }
    }
    for kind in Self.saved {
      spotify.emptyPage("me/\(kind)s", "Always empty: the library has music only")
      spotify.read(
        "me/\(kind)s/contains", "Always false for each id: the library has music only", SpotifyRequest.ids,
        answers: .list(.flag)
      ) { request, _ in try request.ids(max: 50).map { _ in false } }
      spotify.change(
        .put, "me/\(kind)s", "Always 404: the library has music only", [.text("ids")],
        answers: [.json(.error, .notFound)]
      ) { throw try Self.absent(kind, $0.ids().first ?? "") }
      spotify.change(
        .delete, "me/\(kind)s", "No effect: the library has music only", [.text("ids")]
      ) {
        // Nothing was ever saved, so there is nothing to remove.
        _ = try $0.ids()
        return Response(status: .ok)
      }
    }
  }

  private static let summary = "Always 404: the library has music only"

  private static func absent(_ kind: String, _ id: String) throws -> RequestError {
    _ = try SpotifyRequest.id(id)
    return RequestError(.notFound, "There is no \(kind) with this id: the library has music only.")
  }
}
