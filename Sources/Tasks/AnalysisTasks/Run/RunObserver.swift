package import Pipeline
package import ResultStore

/// The caller that asked for a run: hears how it goes, and may end it.
package protocol RunObserver: Sendable {
  /// Called from any thread, often; must not block.
  func handle(_ event: RunEvent)

  /// Another run is at work on the database; this one begins when that has ended.
  func waits(for owner: RunLock.Owner?)

  /// The database is open, and the work begins. Until it ends, `control` stops it.
  func begins(_ control: RunControl)

  /// The status that a run ends with that was stopped; `nil` if it ends by itself.
  var interruption: ExitStatus? { get }
}
