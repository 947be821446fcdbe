internal import Pipeline
internal import Platform
internal import ResultStore
internal import Synchronization
internal import SystemPackage
internal import Text

/// Publishes the progress of a run to other processes through its lock file, when a phase begins and otherwise at most
/// once a second.
final class SharedProgress: Sendable {
  private struct State {
    var progress = RunLock.Progress(phase: RunEvent.Phase.scan.rawValue)
    var shared: ContinuousClock.Instant?
  }

  private static let interval = Duration.seconds(1)

  private let lock: RunLock
  private let state = Mutex(State())

  init(_ lock: RunLock) {
    self.lock = lock
  }

  func handle(_ event: RunEvent) {
    state.withLock { state in
      var isUrgent = false
      switch event {
      case .began(let phase):
        state.progress.phase = phase.rawValue
        if phase == .verify { state.progress.done = 0 }
        isUrgent = true
      case .scanned(let count): state.progress.scanned = count
      case .planned(let count): state.progress.planned = count
      case .started(let path): state.progress.current = path.lastComponent.map { printable($0.string) }
      case .finished, .verified: state.progress.done += 1
      case .notice: return
      }
      let now = ContinuousClock.now
      if !isUrgent, let shared = state.shared, now - shared < Self.interval { return }
      state.shared = now
      lock.share(state.progress)
    }
  }
}
