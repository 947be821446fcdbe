internal import Filters
internal import Hummingbird
internal import Records
internal import Serving

/// `/healthz`: a health check that reads the database.
struct HealthRoutes: RouteSet {
  let api = API.server
  let services: Services

  var routes: [Route] {
    route(
      .get, "healthz", "Health check: the server runs and can read its database", answers: [.json(.health)],
      access: .open
    ) { _, _ in
      JSONType.health.response(try await services.reading { try services.store.trackTotals().count })
    }
  }
}

extension JSONType<Int> {
  /// The number of tracks shows that the database can be read.
  fileprivate static var health: Self {
    .object(
      "Health", .required("status", .text) { _ in "ok" }, .required("tracks", .integer) { $0 },
      .required("version", .text) { _ in Nocturne.version })
  }
}
