internal import Platform
internal import ResultStore
internal import SystemPackage
internal import Text

/// How far a run has come that goes on now, in this process or another one.
struct RunProgress: Sendable, Equatable {
  private let holder: RunLock.Holder
  /// It was started by this server.
  private let isOwn: Bool

  /// `nil` if no run goes on.
  init?(ofDatabase database: FilePath, ownProcess: Int32? = nil) {
    guard let holder = RunLock.holder(forDatabase: database) else { return nil }
    self.holder = holder
    isOwn = ownProcess == holder.owner.processID
  }

  func write(into json: inout JSONWriter) {
    let progress = holder.progress
    json.put("phase", progress?.phase ?? "other")
    json.put("done", progress?.done ?? 0)
    json.put("total", progress?.planned)
    json.put("seen", progress?.scanned ?? 0)
    json.put("current", progress?.current)
    json.put("eta_s", remaining, decimals: 0)
    json.put("started_at", holder.owner.started.description)
    json.put("is_own", isOwn)
    json.put("text", text)
  }

  var text: String {
    guard let progress = holder.progress else { return "Another command is changing the library" }
    switch progress.phase {
    case "scan": return progress.scanned > 0 ? "Scanning: \(counted(progress.scanned, "file")) so far" : "Scanning"
    case "report": return "Writing reports"
    default: return "Analyzing: \(progress.done) of \(counted(progress.planned ?? 0, "file"))"
    }
  }

  /// Seconds, once there is enough to judge by.
  private var remaining: Double? {
    guard let progress = holder.progress, progress.phase == "analyze", let planned = progress.planned,
      progress.done > 2, planned >= progress.done
    else { return nil }
    let elapsed = Double(Timestamp.now.nanoseconds - holder.owner.started.nanoseconds) / 1e9
    return elapsed / Double(progress.done) * Double(planned - progress.done)
  }
}
