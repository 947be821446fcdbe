internal import HTTPTypes
internal import Listening
internal import Recognition
internal import RecognitionTasks
internal import Serving
internal import Synchronization
internal import SystemPackage

/// The current recognition catalog. It is opened on first use, and opened again when it has changed. Requests in
/// progress finish with the previous version. Other catalogs may be searched together with this one.
final class ServedCatalog: Sendable {
  private struct State {
    var checked: ContinuousClock.Instant?
    var found: [CatalogVersion]?
    /// The server's own catalog.
    var catalog: CustomCatalog?
    /// The catalog joined with the other catalogs on this machine.
    var joined: CustomCatalog?
    /// Idle sessions with the joined catalog.
    var idle: [RecognitionSession] = []
    /// Increases each time the catalogs are opened.
    var generation = 0
    /// The reason an existing catalog is not in use, or is only partly in use.
    var problem: (any Error)?
    /// `true` if the catalog has changed but cannot be read completely, so the previous one is in use.
    var isOutdated = false
  }

  /// The path of the server's own catalog, which can be changed.
  let path: FilePath
  private let others: [FilePath]
  private let parts: [any CatalogPart]
  private let state = Mutex(State())

  /// Interval between two checks of the catalog files.
  private static let checkInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - path: The server's own catalog.
  ///   - others: Catalogs on this machine that are searched together with the server's own.
  ///   - parts: Catalogs on other servers that are searched as well.
  init(path: FilePath, others: [FilePath] = [], parts: [any CatalogPart] = []) {
    self.path = path
    self.others = others
    self.parts = parts
  }

  /// Returns the server's own catalog. Blocks for milliseconds.
  /// - Throws: `RequestError` if there is none, or if it cannot be read.
  func current() throws -> CustomCatalog {
    try state.withLock { state in
      checkIfDue(&state)
      return try state.catalog ?? { throw Self.refusal(state) }()
    }
  }

  /// `true` if the catalog has changed but cannot be read completely, so the previous one is in use.
  var isOutdated: Bool { state.withLock { $0.isOutdated } }

  /// The reason an existing catalog is not in use, or is only partly in use; `nil` if there is no such reason, or if no
  /// catalog is in use.
  var problem: String? { state.withLock { $0.joined == nil ? nil : $0.problem.map { "\($0)" } } }

  /// Calls `body` with a session that searches the current catalog and the other catalogs.
  /// - Throws: `RequestError` if there is no catalog to search, or any error that `body` throws.
  func withSession<Value>(_ body: (RecognitionSession) throws -> Value) throws -> Value {
    let (session, generation) = try state.withLock { state in
      checkIfDue(&state)
      guard let joined = state.joined ?? (parts.isEmpty ? nil : CustomCatalog()) else { throw Self.refusal(state) }
      return (try state.idle.popLast() ?? RecognitionSession(catalog: joined, parts: parts), state.generation)
    }
    defer {
      state.withLock { if $0.generation == generation { $0.idle.append(session) } }
    }
    return try body(session)
  }

  /// Makes the next use check the catalog files without delay.
  func noteChange() { state.withLock { $0.checked = nil } }

  private func checkIfDue(_ state: inout State) {
    if state.checked.map({ ContinuousClock.now - $0 > Self.checkInterval }) ?? true { reload(&state) }
  }

  private static func refusal(_ state: borrowing State) -> RequestError {
    switch state.problem {
    case is CatalogTaskError, nil:
      RequestError(
        .serviceUnavailable,
        "There is no catalog of recordings yet. Create one from the analyzed files with: analyze catalog build. The "
          + "server then uses it without a restart."
      )
    case .some:
      RequestError(
        .serviceUnavailable,
        "The catalog of recordings cannot be read. To see why: analyze catalog info --check. To repair it: analyze "
          + "catalog build."
      )
    }
  }

  private func reload(_ state: inout State) {
    state.checked = .now
    let found = ([path] + others).map { CatalogVersion(of: $0) }
    guard found != state.found else { return }
    state.found = found
    state.generation += 1
    state.idle = []
    state.problem = nil
    var losses: [MissingCatalog] = []
    func open(_ path: FilePath) -> CustomCatalog? {
      do {
        return try CustomCatalog(readableForQuerying: path)
      } catch {
        state.problem = error
        if let loss = (error as? CatalogError)?.loss { losses.append(loss) }
        return nil
      }
    }
    let own = open(path)
    let isGone = state.problem is CatalogTaskError
    // A catalog that was removed is no longer used. A damaged catalog may be half copied, so the previous version stays
    // in use.
    state.isOutdated = state.catalog != nil && !isGone && own?.losses.isEmpty != true
    if !state.isOutdated { state.catalog = own } else { losses = [] }
    let joined = [state.catalog].compactMap { $0 } + others.compactMap(open)
    // Segments are shared, so nothing is copied.
    state.joined = joined.isEmpty ? nil : try? CustomCatalog(joining: joined)
    state.joined?.losses += losses
    if state.problem == nil, let loss = (own?.losses ?? []).first ?? state.joined?.losses.first {
      state.problem = CatalogError.damaged(path: loss.name, detail: loss.reason)
    }
  }
}
