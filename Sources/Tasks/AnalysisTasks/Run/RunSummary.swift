internal import Analysis
internal import Foundation
internal import Pipeline
internal import Records
internal import ResultStore
package import SystemPackage
internal import Text

package struct RunSummary: Sendable {
  private let outcome: LibraryRun.Outcome
  private let elapsed: Duration
  private let digest: FailureDigest
  private let status: ExitStatus
  /// The outputs that were written, with their paths.
  private let outputs: [String]
  private let isDryRun: Bool
  private let verification: LibraryVerification.Outcome?

  package init(of analysis: LibraryAnalysis.Outcome, database: FilePath, isDryRun: Bool) {
    outcome = analysis.run
    elapsed = analysis.elapsed
    digest = analysis.digest
    status = analysis.status
    outputs = isDryRun ? [] : ["database: \(database.string)"] + analysis.reports.map(\.text)
    self.isDryRun = isDryRun
    verification = analysis.verification
  }

  /// A table of the totals, the new failures, and the paths of the results; for a dry run, its plan.
  package func text(_ style: TextStyle = TextStyle()) -> String {
    isDryRun ? plan : table(style)
  }

  /// The plan of a dry run.
  private var plan: String {
    let scan = outcome.scan
    var parts = ["\(scan.new) new", "\(scan.changed) changed", "\(scan.outdated) with missing or outdated findings"]
    if scan.touched > 0 { parts.append("\(scan.touched) touched, to be compared") }
    if scan.retried > 0 { parts.append("\(scan.retried) to be retried") }
    return """
      Dry run: \(counted(scan.pending, "file")) would be analyzed (\(parts.joined(separator: ", "))).
      Unchanged: \(scan.cached); known as failing: \(scan.knownFailures); would be skipped: \(scan.skipped);
      moved: \(scan.moved); gone: \(scan.vanished). Nothing was changed.
      """
  }

  private func table(_ style: TextStyle) -> String {
    let totals = outcome.totals
    let seconds = max(elapsed / .seconds(1), 0.001)
    var rows: [(String, Int, String)] = [
      ("seen", totals.seen, "in \(describe(elapsed))"),
      ("analyzed", totals.analyzed, analyzedDetail(seconds)),
      ("partial", totals.partial, partialDetail),
      ("cached", totals.cached, cachedDetail),
      ("failed", totals.failed, failedDetail),
      ("skipped", totals.skipped, skippedDetail),
      ("vanished", totals.vanished, "gone since the last run; their results are kept"),
    ]
    if let totals = verification?.totals { rows.append(("verified", totals.all, verifiedDetail(totals))) }
    if outcome.pending > 0 { rows.append(("waiting", outcome.pending, "left for the next run")) }
    let width = String(rows.map(\.1).max() ?? 0).count
    var lines = rows.filter { $0.1 > 0 || $0.0 == "seen" || $0.0 == "analyzed" || $0.0 == "failed" }.map { row in
      let count = String(row.1)
      let line =
        "  \(row.0.padding(toLength: 9, withPad: " ", startingAt: 0)) "
        + String(repeating: " ", count: width - count.count) + count
        + (row.2.isEmpty ? "" : "  " + style.colored(row.2, .faint))
      if row.0 == "verified", verification.map({ $0.totals.news > 0 }) ?? false { return style.colored(line, .red) }
      return ["failed", "partial"].contains(row.0) && row.1 > 0 ? style.colored(line, .red) : line
    }
    let failures =
      (digest.hasNews ? digest.lines(style) : []) + (verification.map { VerificationDigest($0).lines(style) } ?? [])
    if !failures.isEmpty { lines += [""] + failures + [""] }
    lines += stageLines
    lines += outputs.map { "  \(style.colored("→", .green)) \(printable($0))" }
    return lines.joined(separator: "\n")
  }

  /// The time of each stage, longest first; empty if it was not measured.
  private var stageLines: [String] {
    let times = outcome.stageTimes
    let total = times.total
    guard total > 0 else { return [] }
    let rows = times.seconds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let width = rows.map(\.key.count).max() ?? 0
    let lines = rows.map { stage, seconds in
      "  \(stage.padding(toLength: width, withPad: " ", startingAt: 0)) "
        + String(format: "%9.2f s %5.1f%%", seconds, 100 * seconds / total)
    }
    let heading = "Time by stage, \(describe(seconds: total)) in all threads together"
    return ["", heading] + lines + [""]
  }

  package var message: Message {
    let totals = outcome.totals
    let counts = [
      ("seen", totals.seen), ("analyzed", totals.analyzed), ("partial", totals.partial), ("cached", totals.cached),
      ("failed", totals.failed), ("skipped", totals.skipped), ("vanished", totals.vanished),
      ("newly_failed", outcome.newlyFailed), ("newly_damaged", outcome.newlyDamaged), ("pending", outcome.pending),
      ("exit_status", Int(status.rawValue)),
    ]
    var fields = Dictionary(uniqueKeysWithValues: counts.map { ($0.0, JSONValue.integer(Int64($0.1))) })
    fields["duration_s"] = .number((elapsed / .milliseconds(1)).rounded() / 1000)
    fields["audio_s"] = .number((outcome.audioDuration * 1000).rounded() / 1000)
    if let verification {
      fields["verification"] = .object(
        Dictionary(
          uniqueKeysWithValues: VerificationDigest(verification).counts.map { ($0.name, .integer(Int64($0.count))) }))
    }
    fields["run"] = .integer(outcome.runID)
    fields["state"] = .string(outcome.state.rawValue)
    if !outcome.stageTimes.isEmpty {
      fields["stage_s"] = .object(
        outcome.stageTimes.seconds.mapValues { .number(($0 * 1000).rounded() / 1000) })
    }
    return Message(
      level: status == .fine ? .info : .warning, event: isDryRun ? "dry_run" : "run_ended",
      text: isDryRun
        ? plan.replacing("\n", with: " ")
        : "seen \(totals.seen), analyzed \(totals.analyzed), partial \(totals.partial), cached \(totals.cached), "
          + "failed \(totals.failed), skipped \(totals.skipped), vanished \(totals.vanished)", fields: fields)
  }

  private func analyzedDetail(_ seconds: Double) -> String {
    guard outcome.totals.analyzed + outcome.totals.partial > 0 else { return "nothing was new or changed" }
    var parts: [String] = []
    if outcome.audioDuration > 0 {
      parts.append(
        "\(describe(seconds: outcome.audioDuration)) of audio, \(realtimeFactor(outcome.audioDuration / seconds))")
    }
    if outcome.reused > 0 { parts.append("\(outcome.reused) with audio known before") }
    return parts.joined(separator: ", ")
  }

  private var partialDetail: String { "damaged or not analyzed to the end; \(outcome.newlyDamaged) new" }

  private var cachedDetail: String {
    let (moved, damaged) = (outcome.scan.moved, outcome.scan.knownDamaged)
    return "unchanged since they were analyzed" + (moved > 0 ? ", \(moved) moved" : "")
      + (damaged > 0 ? ", \(damaged) known as damaged" : "")
  }

  private func verifiedDetail(_ totals: VerificationTotals) -> String {
    let bad = totals.knownChanged + totals.knownUnreadable
    return "read again, \(totals.bytes / 1_000_000) MB; \(totals.changedSilently) changed silently"
      + (totals.unreadable > 0 ? ", \(totals.unreadable) unreadable" : "")
      + (bad > 0 ? ", \(bad) known as such" : "")
  }

  private var skippedDetail: String {
    let waiting = outcome.stillChanging
    return "no audio files, or left out"
      + (waiting > 0 ? "; \(waiting) of them being written, which the next run takes" : "")
  }

  private var failedDetail: String {
    guard outcome.totals.failed > 0 else { return "" }
    let resting = outcome.scan.quarantined
    return "\(outcome.newlyFailed) new" + (resting > 0 ? ", \(resting) in quarantine" : "")
  }
}
