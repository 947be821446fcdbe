package import Pipeline
package import ResultStore

/// An observer of a run, which can also stop it.
package protocol RunObserver: Sendable {
  /// Called often, from any thread. It must not block.
  func handle(_ event: RunEvent)

  /// Called if another run is using the database. This run waits for the other one to end, up to
  /// `LibraryAnalysis.lockPatience`.
  func waits(for owner: RunLock.Owner?)

  /// Called when the database is open and the work starts. Until the run ends, `control` can stop it.
  func begins(_ control: RunControl)

  /// The exit status of a run that was stopped; `nil` if it was not stopped.
  var interruption: ExitStatus? { get }
}
