internal import Filters
internal import Hummingbird
internal import Records
internal import Serving
internal import Text

/// `/healthz`: whether the server works and reads its database.
struct HealthRoutes: RouteSet {
  let api = API.server
  let services: Services

  var routes: [Route] {
    route(
      .get, "healthz", "Whether the server works and reads its database", answers: "Health", access: .open
    ) { _, _ in
      let count = try await services.reading { try services.store.trackTotals().count }
      return Response.json(["status": "ok", "version": .string(Nocturne.version), "tracks": .integer(Int64(count))])
    }
  }
}
