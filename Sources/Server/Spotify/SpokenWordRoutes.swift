internal import HTTPTypes
internal import Hummingbird
internal import Text

/// Shows, episodes, audiobooks and chapters in Spotify's Web API. A library of files has none, so lists of them are empty and
/// no id leads to one.
struct SpokenWordRoutes: RouteSet {
  let catalog: CatalogRoutes

  private static let kinds = ["show", "episode", "audiobook", "chapter"]
  /// What people can save.
  private static let saved = ["show", "episode", "audiobook"]
  private static let parts = [("show", "episodes"), ("audiobook", "chapters")]

  func add(to router: Router<ServerContext>) {
    let group = router.group("v1")
    for kind in Self.kinds {
      catalog.get(group, RouterPath("\(kind)s")) { request, _ in
        let ids = try request.ids(most: 50)
        return Response.json(.object(["\(kind)s": .array(ids.map { _ in .null })]))
      }
      catalog.get(group, RouterPath("\(kind)s/:id")) { _, id in throw try Self.absent(kind, id) }
    }
    for (kind, part) in Self.parts {
      catalog.get(group, RouterPath("\(kind)s/:id/\(part)")) { _, id in throw try Self.absent(kind, id) }
    }
    for kind in Self.saved {
      catalog.get(group, RouterPath("me/\(kind)s")) { request, _ in try catalog.emptyPage(request, "me/\(kind)s") }
      catalog.get(group, RouterPath("me/\(kind)s/contains")) { request, _ in
        Response.json(.array(try request.ids(most: 50).map { _ in false }))
      }
      catalog.change(group, .put, "me/\(kind)s") { throw try Self.absent(kind, $0.ids().first ?? "") }
      catalog.change(group, .delete, "me/\(kind)s") {
        // None was saved, so none is left.
        _ = try $0.ids()
        return Response(status: .ok)
      }
    }
  }

  private static func absent(_ kind: String, _ id: String) throws -> RequestError {
    _ = try CatalogRequest.id(id)
    return RequestError(.notFound, "There is no \(kind) with this id: the library has music only.")
  }
}
