internal import HTTPTypes
internal import Listening
internal import Recognition
internal import RecognitionTasks
internal import Serving
internal import Synchronization
internal import SystemPackage

/// The catalog of recordings as it is now: opened when it is first wanted, and again when it has changed. A request
/// that has begun with the one before finishes with that. Others may be asked together with it.
final class ServedCatalog: Sendable {
  private struct State {
    var looked: ContinuousClock.Instant?
    var found: [CatalogState]?
    /// The server's own.
    var catalog: CustomCatalog?
    /// It and the others of this machine, to be asked as one.
    var asked: CustomCatalog?
    /// Sessions with that catalog that are not in use.
    var idle: [RecognitionSession] = []
    /// Counts catalogs.
    var generation = 0
    /// Why the catalog that is there now is not the one in use.
    var problem: (any Error)?
  }

  /// The path of the server's own catalog, which can be changed.
  let path: FilePath
  private let others: [FilePath]
  private let parts: [any CatalogPart]
  private let state = Mutex(State())

  /// How long what was seen of the file is believed.
  private static let patience = Duration.seconds(1)

  /// - Parameters:
  ///   - path: The server's own catalog.
  ///   - others: Catalogs of this machine that are asked together with it.
  ///   - parts: Catalogs elsewhere that are asked, too.
  init(path: FilePath, others: [FilePath] = [], parts: [any CatalogPart] = []) {
    self.path = path
    self.others = others
    self.parts = parts
  }

  /// The server's own catalog. Blocks for milliseconds.
  /// - Throws: `RequestError` if there is none.
  func current() throws -> CustomCatalog {
    try state.withLock { state in
      lookIfDue(&state)
      return try state.catalog ?? { throw Self.refusal(state) }()
    }
  }

  /// Why a catalog that is there is not used; `nil` if there is no such thing.
  var problem: String? { state.withLock { $0.asked == nil ? nil : $0.problem.map { "\($0)" } } }

  /// Lends a session that asks the current catalog and the others.
  /// - Throws: `RequestError` if there is nothing to ask, and what `body` throws.
  func withSession<Value>(_ body: (RecognitionSession) throws -> Value) throws -> Value {
    let (session, generation) = try state.withLock { state in
      lookIfDue(&state)
      guard let asked = state.asked ?? (parts.isEmpty ? nil : CustomCatalog()) else { throw Self.refusal(state) }
      return (try state.idle.popLast() ?? RecognitionSession(catalog: asked, parts: parts), state.generation)
    }
    defer {
      state.withLock { if $0.generation == generation { $0.idle.append(session) } }
    }
    return try body(session)
  }

  /// The next look is not put off.
  func noteChange() { state.withLock { $0.looked = nil } }

  private func lookIfDue(_ state: inout State) {
    if state.looked.map({ ContinuousClock.now - $0 > Self.patience }) ?? true { look(into: &state) }
  }

  private static func refusal(_ state: borrowing State) -> RequestError {
    switch state.problem {
    case is CatalogTaskError, nil:
      RequestError(
        .serviceUnavailable,
        "There is no catalog of recordings yet. Make one from the analyzed files with: analyze catalog build. The server "
          + "notices it by itself.")
    case .some:
      RequestError(
        .serviceUnavailable,
        "The catalog of recordings cannot be read. To see why: analyze catalog info --check. To repair it: analyze catalog build."
      )
    }
  }

  private func look(into state: inout State) {
    state.looked = .now
    let found = ([path] + others).map { CatalogState(of: $0) }
    guard found != state.found else { return }
    state.found = found
    state.generation += 1
    state.idle = []
    do {
      state.catalog = try CustomCatalog(forAsking: path)
      state.problem = nil
    } catch {
      state.problem = error
      // A catalog that was removed is gone; one that cannot be read may be half copied.
      if error is CatalogTaskError { state.catalog = nil }
    }
    var asked = state.catalog.map { [$0] } ?? []
    for other in others {
      do {
        asked.append(try CustomCatalog(forAsking: other))
      } catch {
        state.problem = error
      }
    }
    // Segments are shared, so nothing is copied.
    state.asked = asked.isEmpty ? nil : try? CustomCatalog(joining: asked)
  }
}
