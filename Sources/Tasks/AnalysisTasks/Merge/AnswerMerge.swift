package import Analysis
internal import BuiltInAnalyzers
internal import Exports
package import Pipeline
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage
internal import Text

/// Implements `analyze merge`: merges the answers of workers into a database.
package struct AnswerMerge {
  package var inputs: [AnswerFiles]
  /// The database, which is created if it does not exist.
  package var database: FilePath
  /// The analyzers of the program.
  package var kinds: [AnalyzerKind]
  package var lockPatience: Duration
  package var failurePolicy: FailurePolicy

  package init(
    _ inputs: [AnswerFiles], into database: FilePath, kinds: [AnalyzerKind], lockPatience: Duration = .zero,
    failurePolicy: FailurePolicy = .new
  ) {
    self.inputs = inputs
    self.database = database
    self.kinds = kinds
    self.lockPatience = lockPatience
    self.failurePolicy = failurePolicy
  }

  package enum Event: Sendable {
    /// Another run is using the database.
    case waitsForLock
    /// The database is open. Until the merge ends, the control can stop it.
    case begins(RunControl)
    /// A line is not a valid answer.
    case refused(AnswerFiles, line: Int, reason: String)
  }

  package struct Outcome: Sendable {
    package var status: ExitStatus
    package var counts: MergeCounts
    /// Number of lines that do not name a file.
    package var withoutFile: Int
    /// Number of lines that are not valid answers.
    package var refused: Int
    package var digest: FailureDigest

    /// One line for the terminal.
    package var text: String {
      let lines = counts.merged + counts.unchanged + counts.outdated + withoutFile + refused
      return """
        \(counted(lines, "line")): \(counts.merged) merged, \(counts.unchanged) known before, \
        \(counts.outdated) older than what is known, \(withoutFile) without a file, \(refused) left out
        """
    }
  }

  /// The Parquet column that contains the lines of workers. Its value is empty for a file without an answer.
  private static let answerColumn = "answer"

  /// - Parameters:
  ///   - audience: Selects a digest for people or for programs.
  ///   - interruption: The exit status of a merge that was stopped; `nil` if it was not stopped.
  ///   - report: Called with events, on the calling thread.
  /// - Throws: `AnswerMergeError`, `StoreError`. Committed results stay.
  package func perform(
    audience: FailureDigest.Audience = .people, interruption: () -> ExitStatus? = { nil }, report: (Event) -> Void
  ) throws -> Outcome {
    guard !inputs.isEmpty else { throw AnswerMergeError.noFiles }
    for input in inputs { try input.check(kinds: kinds) }
    try DatabaseFolder.prepare(for: database)
    let lock = try RunLock.acquire(forDatabase: database, waitingAtMost: lockPatience) { _ in report(.waitsForLock) }
    defer { lock.release() }
    let store = try ResultStore(path: database, findings: BuiltInAnalyzers.findings)
    let control = RunControl()
    report(.begins(control))

    let merge = Merge(
      merger: ResultMerger(store: store, programVersion: Nocturne.version), kinds: kinds, control: control)
    var refused = 0
    for input in inputs where !control.isStopping {
      try input.withDescriptor { descriptor in
        let refuse = { (number: Int, reason: String) in
          refused += 1
          report(.refused(input, line: number, reason: reason))
        }
        do {
          guard ParquetTextReader.isParquet(descriptor) else { return try merge.read(descriptor, onRefusal: refuse) }
          var answers = try ParquetTextReader(descriptor, column: Self.answerColumn)
          try merge.read({ _ in try answers.next().map { .text($0) } }, onRefusal: refuse)
        } catch let foreign as Merge.ForeignInput {
          throw AnswerMergeError.foreign(
            input, foreign, merged: input.name == inputs[0].name ? "Nothing" : "Nothing more")
        } catch let refusal as ParquetTextReader.Refusal {
          throw AnswerMergeError.unreadable(FilePath(input.name), reason: "\(refusal)", merged: "Nothing more")
        }
      }
    }
    let finished = try merge.finish { ending in
      if let status = interruption() { return status.rawValue }
      let isViolated = failurePolicy.isViolated(
        by: ending.totals, knownDamaged: ending.knownDamaged, news: ending.newlyFailed + ending.newlyDamaged)
      return (refused > 0 || isViolated ? ExitStatus.filesFailed : .fine).rawValue
    }
    let digest = try FailureDigest(
      of: finished.run, in: store, for: audience, knownFailures: finished.totals.failed - finished.newlyFailed,
      knownDamaged: finished.totals.partial - finished.newlyDamaged - finished.unsettled + finished.knownDamaged)
    return Outcome(
      status: ExitStatus(rawValue: finished.exitStatus) ?? .fatal, counts: merge.counts, withoutFile: merge.withoutFile,
      refused: refused, digest: digest)
  }
}
