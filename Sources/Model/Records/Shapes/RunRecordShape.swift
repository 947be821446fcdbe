internal import Analysis
internal import Platform
internal import SystemPackage
internal import Text

extension Shape<RunRecord> {
  /// The run described by a JSON report.
  package static var run: Shape {
    Shape(
      summary: "One run of the program over a library.",
      fields: [
        .required("id", .integer, "Number of the run in its database.") { Int($0.id) },
        .required("started_at", .dateTime, "UTC.") { $0.started },
        .optional("finished_at", .dateTime, "End of the run, UTC; null while it is in progress, and if it was killed.")
        { $0.finished },
        .required(
          "state", .choice,
          "finished; interrupted: ended early on request; failed: ended by an error that was not limited to single "
            + "files; died: was killed."
        ) { $0.state },
        .optional("exit_status", .integer, "Exit status of the program.") { $0.exitStatus },
        .required("program_version", .text, "Version of the program.") { $0.programVersion },
        .required("pipeline", .text, "Name of the pipeline definition.") { $0.pipeline },
        .optional("configuration", .json, "The resolved configuration.") { $0.configuration },
        .required("configuration_digest", .text, "Equal digests mean equal configurations.") { $0.configurationDigest },
        .map("analyzers", .integer, "Version of each analyzer.") { run in
          run.analyzers.map { (key: $0.id, value: $0.version) }
        },
        .map("analyzer_digests", .text, "Digest of each analyzer's configuration.") { run in
          run.analyzers.map { (key: $0.id, value: $0.digest) }
        },
        .objects("roots", .root, "The files and folders that the run was given.") { $0.roots },
        .object("totals", .totals, "Files by outcome; seen is the sum of the others.") { $0.totals },
        .required("newly_failed", .integer, "Number of files in totals.failed that were not known as failing before.") {
          $0.newlyFailed
        },
        .required(
          "newly_damaged", .integer,
          "Number of files in totals.partial that were not known as damaged or failing before."
        ) {
          $0.newlyDamaged
        },
        .required("pending", .integer, "Number of files found but left for the next run; not included in totals.") {
          $0.pending
        },
      ])
  }
}

extension Shape<RunRecord.Root> {
  fileprivate static var root: Shape {
    Shape(
      summary: "A file or folder to scan.",
      fields: [
        .required("path", .text, "Absolute path for display.") { DisplayPath.text(of: $0.path) },
        .required(
          "condition", .choice,
          "scanned; missing, empty or unreadable: nothing below it was marked as vanished."
        ) { $0.condition },
      ])
  }
}

extension Shape<RunTotals> {
  fileprivate static var totals: Shape {
    Shape(
      summary: "Numbers of files by outcome; each file is counted once.",
      fields: [
        .required("seen", .integer, "All.") { $0.seen },
        .required("analyzed", .integer, "Files analyzed in this run without problems.") { $0.analyzed },
        .required(
          "partial", .integer, "Files analyzed in this run that are damaged, or were not analyzed to their end."
        ) {
          $0.partial
        },
        .required("cached", .integer, "Unchanged files with nothing to do, including those known as damaged.") {
          $0.cached
        },
        .required("failed", .integer, "Files that failed in this run, or are known as failing and were not retried.") {
          $0.failed
        },
        .required("skipped", .integer, "Files that were skipped.") { $0.skipped },
        .required("vanished", .integer, "Files that were known before and are gone now.") { $0.vanished },
      ])
  }
}
