internal import Analysis
internal import Platform
internal import SystemPackage
internal import TagWriting

/// Holds results back for a moment, and then looks again at files that were written.
///
/// A program that had read the old file may put its own version over the new one, without a lock. Nothing is reported as
/// written that is not there any more: the change is made again, on what is there now.
struct TagConfirmation {
  /// The result for a file.
  struct Outcome {
    var result: TaggingResult
    /// The new file, if it was written.
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
    /// Does the same again.
    var again: () throws -> Outcome
  }

  /// How long a program may take to read a file and write it again.
  private static let delay = Duration.milliseconds(250)
  private static let attemptLimit = 5

  private let report: (TaggingResult) throws -> Bool
  private var waiting: [Entry] = []
  private var next = 0
  /// A report has asked to stop.
  private(set) var isStopped = false

  /// - Parameter report: Returns false to stop.
  init(report: @escaping (TaggingResult) throws -> Bool) { self.report = report }

  /// Reports what is old enough.
  mutating func add(_ outcome: Outcome, again: @escaping () throws -> Outcome) throws {
    waiting.append(Entry(outcome: outcome, attempts: 1, time: .now, again: again))
    while next < waiting.count, waiting[next].outcome.file == nil || waiting[next].time + Self.delay <= .now {
      try settleNext()
    }
    // Settled entries go.
    if next > 1_000 {
      waiting.removeFirst(next)
      next = 0
    }
  }

  /// Waits for the rest.
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
    waiting[next].again = { entry.outcome }
    next += 1
    guard let file = entry.outcome.file, !file.isStill(at: entry.outcome.result.path) else {
      return try show(entry.outcome.result)
    }
    let outcome = try entry.again()
    switch outcome.result.status {
    // The program that changed the file kept the values.
    case .unchanged: try show(entry.outcome.result)
    case .written where entry.attempts < Self.attemptLimit:
      waiting.append(Entry(outcome: outcome, attempts: entry.attempts + 1, time: .now, again: entry.again))
    case .written:
      var result = outcome.result
      result.status = .failed
      result.problem = TagWriteError(
        .changed, "Another program keeps writing the file, and overwrites what is written here; its version was kept.")
      try show(result)
    default: try show(outcome.result)
    }
  }

  private mutating func show(_ result: TaggingResult) throws {
    if try !report(result) { isStopped = true }
  }
}

extension FileIdentity {
  /// Whether the path leads to this file, with this content. Its rights may have changed.
  fileprivate func isStill(at path: FilePath) -> Bool {
    guard let now = FileIdentity(path) else { return false }
    return now.device == device && now.inode == inode && now.size == size && now.modified == modified
  }
}
