import Analysis
import Pipeline
import Synchronization
import SystemPackage

/// Remembers the events of a run as text, with the names of files in place of paths.
final class EventLog: Sendable {
  private let lines = Mutex<[String]>([])
  private let react: @Sendable (RunEvent) -> Void

  /// - Parameter react: Called after each event is noted.
  init(_ react: @escaping @Sendable (RunEvent) -> Void = { _ in }) { self.react = react }

  var all: [String] { lines.withLock { $0 } }

  /// The names of the files in the order in which they were started.
  var started: [String] { all.filter { $0.hasPrefix("started ") }.map { String($0.dropFirst(8)) } }

  /// The notices, each with its event.
  var notices: [String] { all.filter { $0.hasPrefix("notice ") }.map { String($0.dropFirst(7)) } }

  @Sendable func take(_ event: RunEvent) {
    func name(_ path: FilePath) -> String { path.lastComponent?.string ?? "" }
    let line =
      switch event {
      case .began(let phase): "began \(phase.rawValue)"
      case .scanned(let count): "scanned \(count)"
      case .planned(let count): "planned \(count)"
      case .started(let path): "started \(name(path))"
      case .finished(let path, let status, let problem, let duration):
        "finished \(name(path)) \(status.rawValue) \(problem.map { "\($0.code) " } ?? "")\(duration)"
      case .verified(let path, let byteCount, let isBad):
        "verified \(name(path)) \(byteCount) \(isBad ? "bad" : "good")"
      case .notice(let text, let event, _): "notice \(event): \(text)"
      }
    lines.withLock { $0.append(line) }
    react(event)
  }
}
