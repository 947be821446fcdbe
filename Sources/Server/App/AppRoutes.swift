internal import AnalysisTasks
internal import Filters
internal import HTTPTypes
internal import Hummingbird
internal import LibraryTasks
internal import ResultStore
internal import Serving
internal import Text

/// What the pages of the app ask for. It is theirs alone, and changes with them.
struct AppRoutes: Sendable {
  private let library: AppLibrary
  private let hub = EventHub()

  init(services: Services, watch: LibraryWatch?) throws(StoreError) {
    library = try AppLibrary(services, watch: watch)
  }

  /// Says what happens until it is stopped.
  func observe() async { await LibraryObserver(library: library, hub: hub).run() }

  /// Ends the streams of events, so that nobody waits for their ends; to be called when the server is to stop.
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
      return .json(status: .badRequest) { json in
        json.object { json in
          json.putObject("error") {
            $0.put("status", HTTPResponse.Status.badRequest.code)
            $0.put("message", "\(error.error)".capitalizedSentence)
            $0.put("position", error.error.position)
            $0.put("word", error.error.word)
          }
        }
      }
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
