package import Platform
internal import ResultStore
package import SystemPackage
internal import Text

/// The progress of the current run, which may be in this process or another one.
package struct RunProgress: Sendable, Equatable {
  private let holder: RunLock.Holder
  /// `true` if this process started the run.
  package let isOwn: Bool

  /// Returns `nil` if neither a run nor another command holds the lock of the database, or if its holder cannot be
  /// read.
  package init?(ofDatabase database: FilePath, ownProcess: Int32? = nil) {
    guard let holder = RunLock.holder(forDatabase: database) else { return nil }
    self.holder = holder
    isOwn = ownProcess == holder.owner.processID
  }

  /// The phase of the run; `nil` if a command other than a run is changing the library.
  package var phase: String? { holder.progress?.phase }
  package var done: Int { holder.progress?.done ?? 0 }
  /// Number of files to analyze or verify; `nil` while it is unknown.
  package var planned: Int? { holder.progress?.planned }
  /// Number of files that the scan has seen.
  package var scanned: Int { holder.progress?.scanned ?? 0 }
  /// Name of a file that is being analyzed.
  package var current: String? { holder.progress?.current }
  package var started: Timestamp { holder.owner.started }

  package var text: String {
    guard let progress = holder.progress else { return "Another command is changing the library" }
    switch progress.phase {
    case "scan": return progress.scanned > 0 ? "Scanning: \(counted(progress.scanned, "file")) so far" : "Scanning"
    case "report": return "Writing reports"
    case "verify": return "Verifying: \(progress.done) of \(counted(progress.planned ?? 0, "file"))"
    default: return "Analyzing: \(progress.done) of \(counted(progress.planned ?? 0, "file"))"
    }
  }

  /// Estimated remaining time of the analysis or verification, in seconds; `nil` in other phases, and until more than
  /// two files are done.
  package var remaining: Double? {
    guard let progress = holder.progress, ["analyze", "verify"].contains(progress.phase),
      let planned = progress.planned,
      progress.done > 2, planned >= progress.done
    else { return nil }
    let elapsed = Double(Timestamp.now.nanoseconds - holder.owner.started.nanoseconds) / 1e9
    return elapsed / Double(progress.done) * Double(planned - progress.done)
  }
}
