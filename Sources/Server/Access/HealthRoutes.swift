internal import Application
internal import Filters
internal import Hummingbird
internal import Text

/// `/healthz`: whether the server works and reads its database.
struct HealthRoutes: RouteSet {
  let services: Services

  func add(to router: Router<ServerContext>) {
    router.get("healthz") { _, _ in
      let count = try await services.reading { try services.store.trackTotals().count }
      return Response.json(["status": "ok", "version": .string(Nocturne.version), "tracks": .integer(Int64(count))])
    }
  }
}
