internal import HTTPTypes
internal import Listening
internal import Recognition
internal import RecognitionTasks
internal import Serving
internal import Synchronization
internal import SystemPackage

/// The catalog of recordings as it is now: opened when it is first wanted, and again when it has changed. A request
/// that has begun with the one before finishes with that.
final class ServedCatalog: Sendable {
  private struct State {
    var looked: ContinuousClock.Instant?
    var found: CatalogState?
    var catalog: CustomCatalog?
    /// Sessions with that catalog that are not in use.
    var idle: [RecognitionSession] = []
    /// Counts catalogs.
    var generation = 0
    /// Why the catalog that is there now is not the one in use.
    var problem: (any Error)?
  }

  let path: FilePath
  private let state = Mutex(State())

  /// How long what was seen of the file is believed.
  private static let patience = Duration.seconds(1)

  init(path: FilePath) {
    self.path = path
  }

  /// Blocks for milliseconds.
  /// - Throws: `RequestError` if there is none.
  func current() throws -> CustomCatalog { try state.withLock { try Self.catalog(in: &$0, at: path) } }

  /// Why a changed catalog is not used; `nil` if there is no such thing.
  var problem: String? { state.withLock { $0.catalog == nil ? nil : $0.problem.map { "\($0)" } } }

  /// Lends a session of the current catalog.
  /// - Throws: `RequestError` if there is no catalog, and what `body` throws.
  func withSession<Value>(_ body: (RecognitionSession) throws -> Value) throws -> Value {
    let (session, generation) = try state.withLock { state in
      let catalog = try Self.catalog(in: &state, at: path)
      return (try state.idle.popLast() ?? RecognitionSession(catalog: catalog), state.generation)
    }
    defer {
      state.withLock { if $0.generation == generation { $0.idle.append(session) } }
    }
    return try body(session)
  }

  /// The next look is not put off.
  func noteChange() { state.withLock { $0.looked = nil } }

  private static func catalog(in state: inout State, at path: FilePath) throws -> CustomCatalog {
    if state.looked.map({ ContinuousClock.now - $0 > patience }) ?? true { look(into: &state, at: path) }
    if let catalog = state.catalog { return catalog }
    switch state.problem {
    case is CatalogTaskError, nil:
      throw RequestError(
        .serviceUnavailable,
        "There is no catalog of recordings yet. Make one from the analyzed files with: analyze catalog build. The server "
          + "notices it by itself.")
    case .some:
      throw RequestError(
        .serviceUnavailable,
        "The catalog of recordings cannot be read. To see why: analyze catalog info --check. To repair it: analyze catalog build."
      )
    }
  }

  private static func look(into state: inout State, at path: FilePath) {
    state.looked = .now
    let found = CatalogState(of: path)
    guard found != state.found else { return }
    state.found = found
    do {
      state.catalog = try CustomCatalog(forAsking: path)
      state.problem = nil
      state.generation += 1
      state.idle = []
    } catch {
      state.problem = error
      // A catalog that was removed is gone; one that cannot be read may be half copied.
      if error is CatalogTaskError { state.catalog = nil }
    }
  }
}
