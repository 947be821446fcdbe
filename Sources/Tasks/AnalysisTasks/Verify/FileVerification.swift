internal import BuiltInAnalyzers
package import Pipeline
package import ResultStore

/// Implements `analyze verify`: verifies the checksums of files in a library.
package struct FileVerification: Sendable {
  package var request: LibraryVerification.Request
  /// The time limit; `nil` for none.
  package var timeBudget: Duration?
  package var failurePolicy: FailurePolicy

  package init(
    _ request: LibraryVerification.Request, timeBudget: Duration? = nil, failurePolicy: FailurePolicy = .new
  ) {
    self.request = request
    self.timeBudget = timeBudget
    self.failurePolicy = failurePolicy
  }

  package struct Outcome: Sendable {
    package var verification: LibraryVerification.Outcome
    package var status: ExitStatus
    package var elapsed: Duration
  }

  /// - Throws: `StoreError`, or an error if no worker can be started. Committed results stay.
  package func perform(_ store: ResultStore, observer: some RunObserver) async throws -> Outcome {
    defer { request.isolation.close() }
    let start = ContinuousClock.now
    let control = RunControl(limit: timeBudget)
    observer.begins(control)
    let found = try await LibraryVerification(store: store, request: request, control: control) { observer.handle($0) }
      .perform(try Self.plan())
    return Outcome(
      verification: found, status: observer.interruption ?? status(of: found), elapsed: .now - start)
  }

  /// Returns the plan of `LibraryVerification.definition`, for files that have no checksum, or whose bytes have
  /// changed.
  package static func plan() throws -> AnalysisPlan {
    try LibraryVerification.definition.plan(with: BuiltInAnalyzers.all)
  }

  private func status(of found: LibraryVerification.Outcome) -> ExitStatus {
    if !found.losses.isEmpty { return .fatal }
    return failurePolicy.isViolated(by: found.totals) ? .filesFailed : .fine
  }
}

extension FailurePolicy {
  /// Returns whether the result of a verification leads to exit status 3.
  func isViolated(by totals: VerificationTotals) -> Bool {
    let bad = totals.news + totals.knownChanged + totals.knownUnreadable
    return switch self {
    case .never: false
    case .new: totals.news > 0
    case .any: bad > 0
    case .percent(let limit): totals.all > 0 && Double(bad) * 100 > limit * Double(totals.all)
    }
  }
}
