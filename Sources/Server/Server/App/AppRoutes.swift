internal import AnalysisTasks
internal import Filters
internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import LibraryTasks
internal import ResultStore
internal import Serving
internal import Text

/// Routes for the pages of the app. They are private to the app and change with it.
struct AppRoutes: Sendable {
  private let library: AppLibrary
  private let hub = EventHub()

  init(services: Services, watch: LibraryWatch?) throws(StoreError) {
    library = try AppLibrary(services, watch: watch)
  }

  /// Sends changes in the library to the pages until the calling task is canceled or `stopEvents` is called.
  func observe() async { await LibraryObserver(library: library, hub: hub).run() }

  /// Ends the event streams, which would otherwise keep connections open. Called when the server stops.
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

/// Turns errors of the task modules into responses. The messages of these errors are written for users.
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
  /// The text without the backticks that mark commands in a terminal.
  fileprivate var withoutMarkup: String { replacing("`", with: "") }

  fileprivate var capitalizedSentence: String { prefix(1).uppercased() + dropFirst() }
}
