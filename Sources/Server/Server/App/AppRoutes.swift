internal import AnalysisTasks
internal import Filters
internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import LibraryTasks
internal import ResultStore
internal import Serving
internal import Text

/// The routes for the pages of the app. They are theirs alone, and change with them.
struct AppRoutes: Sendable {
  private let library: AppLibrary
  private let hub = EventHub()

  init(services: Services, watch: LibraryWatch?) throws(StoreError) {
    library = try AppLibrary(services, watch: watch)
  }

  /// Says what happens until it is stopped.
  func observe() async { await LibraryObserver(library: library, hub: hub).run() }

  /// Ends the streams of events, so no client waits for their ends; to be called when the server is to stop.
  func stopEvents() { hub.close() }

  var parts: [any RouteSet] {
    [
      StatusRoutes(library: library),
      SearchRoutes(library: library),
      TrackRoutes(library: library),
      CollectionRoutes(library: library),
      ListRoutes(library: library),
      TempoRoutes(library: library, hub: hub),
      EventRoutes(library: library, hub: hub),
      ReportRoutes(library: library),
      DuplicateRoutes(library: library),
    ]
  }
}

extension API {
  static let app = API(name: "app", path: "/app/api", errors: AppErrors())
}

/// Errors of the use cases as answers: their sentences are written for people.
private struct AppErrors: RouterMiddleware {
  typealias Context = ServerContext

  func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as FilterRequestError {
      let (described, word) = (RequestError(.badRequest, "\(error.error)".capitalizedSentence), error.error.word)
      return JSONType.error.response(
        ErrorDetail(described, mistake: (word, error.error.position)), status: .badRequest)
    } catch let error as TempoChangeError {
      throw RequestError(.conflict, "\(error)".withoutMarkup)
    } catch let error as SimilarTracksError {
      throw RequestError(.conflict, "\(error)".withoutMarkup)
    } catch let error as UnknownFile {
      throw RequestError(.notFound, "\(error)".withoutMarkup)
    }
  }
}

extension String {
  /// Without the marks around commands that a terminal has.
  fileprivate var withoutMarkup: String { replacing("`", with: "") }

  /// With a capital letter at its start.
  fileprivate var capitalizedSentence: String { prefix(1).uppercased() + dropFirst() }
}
