package import AnalysisTasks
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Records
internal import ServiceLifecycle
internal import Serving
internal import Text

/// The HTTP server, with the app and the APIs of the library and the recognition catalog.
///
/// Each folder beside this file contains a part of the server with its routes. `routes` lists the parts.
package struct NocturneServer: Sendable {
  private let services: Services
  private let watch: LibraryWatch?
  private let app: AppRoutes
  private let logger: Logger
  private let write: @Sendable (Message) -> Void

  /// - Parameter log: Receives log messages; called on any thread.
  /// - Throws: `StoreError`.
  package init(_ services: Services, log: @escaping @Sendable (Message) -> Void) throws {
    self.services = services
    watch = services.options.watch.map { LibraryWatch($0, database: services.store.path, log: log) }
    app = try AppRoutes(services: services, watch: watch)
    write = log
    logger = Logger(label: "nocturne.server") { _ in ServerLog(write: log) }
  }

  /// Serves until `stop` ends.
  ///
  /// When `stop` ends, the server accepts no more connections, finishes the responses in progress and ends event
  /// streams. After ten seconds, it closes the remaining connections.
  /// - Parameter stop: Returns when the server should stop.
  /// - Throws: `ListenError` if the server cannot listen.
  package func run(until stop: @escaping @Sendable () async -> Void) async throws {
    defer { services.close() }
    try watch?.start()
    var configuration = ServiceGroupConfiguration(services: [application], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    let group = ServiceGroup(configuration: configuration)
    let observer = Task { await app.observe() }
    defer { observer.cancel() }
    let stopping = Task {
      await stop()
      services.recognition.endSessions()
      app.stopEvents()
      await group.triggerGracefulShutdown()
    }
    defer { stopping.cancel() }
    // A run that the watch has started ends with the server, even after an error.
    let ending = await Task { try await group.run() }.result
    await watch?.stop()
    do {
      try ending.get()
    } catch  where Self.isAboutListening(error) {
      throw ListenError(error, host: services.options.serving.host, port: services.options.serving.port)
    }
  }

  private static func isAboutListening(_ error: any Error) -> Bool {
    error is IOError || error is SocketAddressError || error is SocketAddressError.UnknownHost
      || error is NIOConnectionError
  }

  private var application: some ApplicationProtocol {
    let host = services.options.serving.host
    let write = write
    let limits = services.options.serving.connections
    let metrics = services.metrics
    let proxies = services.options.serving.trustedProxies
    let counts = ConnectionCounts(limits) { address in
      address.isLoopback || proxies.contains { $0.contains(address) }
    }
    let router = router
    OtherMethods.add(to: router)
    return Hummingbird.Application(
      responder: router.buildResponder(),
      server: HTTPServerBuilder { responder in
        GuardedChannel(responder: responder, limits: limits, counts: counts, metrics: metrics)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: services.options.serving.port), serverName: "Nocturne/\(Nocturne.version)",
        availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? 0
        let address = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
        write(
          Message(
            level: .notice, event: "serving", text: "serving at \(address)",
            fields: ["address": .string(address), "port": .integer(Int64(port))]))
      }, logger: logger)
  }

  var router: Router<ServerContext> {
    let routes = routes
    let table = RouteTable(routes)
    let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RequestLog(services.metrics, log: services.options.serving.accessLog))
    router.add(middleware: ResponseHeaders())
    router.add(middleware: TextDelivery { try await services.reading($0) })
    router.add(middleware: ErrorShape.standard)
    router.add(middleware: SubsonicErrorShape())
    router.add(middleware: Access(services.options.serving, tokens: services.access, routes: table))
    router.add(middleware: BodyLimits(routes: table))
    for route in routes { route.add(to: router) }
    return router
  }

  var routes: [Route] {
    let spotify = SpotifyRoutes(services: services)
    let parts: [any RouteSet] = [
      HealthRoutes(services: services),
      MetricsRoutes(services: services),
      LoginRoutes(services: services),
      MediaRoutes(services: services),
      SubsonicRoutes(services: services),
      MatchRoutes(services: services),
      SessionRoutes(services: services),
      RecognitionCatalogRoutes(services: services),
      AcoustIDRoutes(services: services, fingerprints: FingerprintLookup(services)),
      AcousticBrainzRoutes(services: services),
      TokenRoutes(services: services),
      spotify,
      PlaylistRoutes(spotify: spotify),
      FollowingRoutes(spotify: spotify),
      PlayerRoutes(spotify: spotify),
      SpokenWordRoutes(spotify: spotify),
      PageRoutes(),
    ]
    let routes = (parts + app.parts).flatMap(\.routes)
    return routes + OpenAPIRoutes(others: routes).routes
  }
}
