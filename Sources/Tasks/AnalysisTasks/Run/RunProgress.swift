package import Platform
internal import ResultStore
package import SystemPackage
internal import Text

/// How far a run has come that goes on now, in this process or another one.
package struct RunProgress: Sendable, Equatable {
  private let holder: RunLock.Holder
  /// It was started by this process.
  package let isOwn: Bool

  /// `nil` if no run goes on.
  package init?(ofDatabase database: FilePath, ownProcess: Int32? = nil) {
    guard let holder = RunLock.holder(forDatabase: database) else { return nil }
    self.holder = holder
    isOwn = ownProcess == holder.owner.processID
  }

  /// `nil` if it is no run: another command changes the library.
  package var phase: String? { holder.progress?.phase }
  /// Files that were analyzed.
  package var done: Int { holder.progress?.done ?? 0 }
  /// Files that are to be analyzed; `nil` while that is not known.
  package var planned: Int? { holder.progress?.planned }
  /// Files that the scan has seen.
  package var scanned: Int { holder.progress?.scanned ?? 0 }
  /// The name of a file that is being analyzed.
  package var current: String? { holder.progress?.current }
  package var started: Timestamp { holder.owner.started }

  /// As a person reads it.
  package var text: String {
    guard let progress = holder.progress else { return "Another command is changing the library" }
    switch progress.phase {
    case "scan": return progress.scanned > 0 ? "Scanning: \(counted(progress.scanned, "file")) so far" : "Scanning"
    case "report": return "Writing reports"
    case "verify": return "Verifying: \(progress.done) of \(counted(progress.planned ?? 0, "file"))"
    default: return "Analyzing: \(progress.done) of \(counted(progress.planned ?? 0, "file"))"
    }
  }

  /// Seconds to go, once there is enough to judge by.
  package var remaining: Double? {
    guard let progress = holder.progress, ["analyze", "verify"].contains(progress.phase), let planned = progress.planned,
      progress.done > 2, planned >= progress.done
    else { return nil }
    let elapsed = Double(Timestamp.now.nanoseconds - holder.owner.started.nanoseconds) / 1e9
    return elapsed / Double(progress.done) * Double(planned - progress.done)
  }
}
