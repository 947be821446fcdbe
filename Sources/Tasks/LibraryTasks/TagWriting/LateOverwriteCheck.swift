internal import Analysis
internal import Platform
internal import SystemPackage
internal import TagWriting

/// Holds results back for a moment, then checks that no other program has overwritten the files that were written.
///
/// A program that has read the old file may replace the new one with its own version without using a lock. In that
/// case, the file is not reported as written. Instead, the change is applied again to the file's current version.
struct LateOverwriteCheck {
  /// The result for a file.
  struct Outcome {
    var result: TaggingResult
    /// The identity of the new file; `nil` if none was written.
    var file: FileIdentity?

    init(_ result: TaggingResult, _ file: FileIdentity? = nil) {
      self.result = result
      self.file = file
    }
  }

  private struct Entry {
    var outcome: Outcome
    var attempts: Int
    var time: ContinuousClock.Instant
    /// Repeats the change.
    var again: () throws -> Outcome
  }

  /// The time that another program may need to read a file and write it back.
  private static let delay = Duration.milliseconds(250)
  private static let maxAttempts = 5

  private let report: (TaggingResult) throws -> Bool
  private var waiting: [Entry] = []
  private var next = 0
  /// `true` if `report` has returned `false`.
  private(set) var isStopped = false

  /// - Parameter report: Called with each result. It returns `false` to stop.
  init(report: @escaping (TaggingResult) throws -> Bool) { self.report = report }

  /// Adds an outcome, and reports the outcomes that have waited long enough.
  mutating func add(_ outcome: Outcome, again: @escaping () throws -> Outcome) throws {
    waiting.append(Entry(outcome: outcome, attempts: 1, time: .now, again: again))
    while next < waiting.count, waiting[next].outcome.file == nil || waiting[next].time + Self.delay <= .now {
      try settleNext()
    }
    // Drops the settled entries.
    if next > 1_000 {
      waiting.removeFirst(next)
      next = 0
    }
  }

  /// Waits for the remaining outcomes and reports them.
  mutating func finish() throws {
    while next < waiting.count {
      if waiting[next].outcome.file != nil {
        let rest = ContinuousClock.now.duration(to: waiting[next].time + Self.delay)
        Threads.pause(milliseconds: Int((rest / .milliseconds(1)).rounded(.up)))
      }
      try settleNext()
    }
  }

  private mutating func settleNext() throws {
    let entry = waiting[next]
    // Nothing is kept that only a repetition needs.
    waiting[next].again = { [outcome = entry.outcome] in outcome }
    next += 1
    guard let file = entry.outcome.file, !file.isUnchanged(at: entry.outcome.result.path) else {
      return try show(entry.outcome.result)
    }
    let outcome = try entry.again()
    switch outcome.result.status {
    // The other program has kept the new values.
    case .unchanged: try show(entry.outcome.result)
    case .written where entry.attempts < Self.maxAttempts:
      waiting.append(Entry(outcome: outcome, attempts: entry.attempts + 1, time: .now, again: entry.again))
    case .written:
      var result = outcome.result
      result.status = .failed
      result.problem = TagWriteError(
        .changed, "Another program keeps overwriting the file; its version was kept.")
      try show(result)
    default: try show(outcome.result)
    }
  }

  private mutating func show(_ result: TaggingResult) throws {
    if try !report(result) { isStopped = true }
  }
}

extension FileIdentity {
  /// Returns `true` if the path still refers to this file with this content. Permissions may have changed.
  fileprivate func isUnchanged(at path: FilePath) -> Bool {
    guard let now = FileIdentity(path) else { return false }
    return now.device == device && now.inode == inode && now.size == size && now.modified == modified
  }
}
