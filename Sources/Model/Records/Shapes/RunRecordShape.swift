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
        .optional("finished_at", .dateTime, "UTC; null while it runs, and if it died.") { $0.finished },
        .required(
          "state", .choice,
          "finished; interrupted: ended early on request; failed: by an error that concerned no single file; died: was killed."
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
        .objects("roots", .root, "The files and folders it was pointed at.") { $0.roots },
        .object("totals", .totals, "What became of the files: seen is the sum of the others.") { $0.totals },
        .required("newly_failed", .integer, "How many of totals.failed were not known as failing before.") {
          $0.newlyFailed
        },
        .required("newly_damaged", .integer, "How many of totals.partial were not known as damaged or failing before.")
        {
          $0.newlyDamaged
        },
        .required("pending", .integer, "Files found and left for the next run; not in the totals.") { $0.pending },
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
      summary: "How many files, each counted once.",
      fields: [
        .required("seen", .integer, "All.") { $0.seen },
        .required("analyzed", .integer, "Analyzed in this run, and fine.") { $0.analyzed },
        .required("partial", .integer, "Analyzed in this run, and damaged or not analyzed to their end.") {
          $0.partial
        },
        .required("cached", .integer, "Unchanged, nothing to be done; known damaged ones too.") { $0.cached },
        .required("failed", .integer, "Failed now, or known as failing and not tried again.") { $0.failed },
        .required("skipped", .integer, "Passed over.") { $0.skipped },
        .required("vanished", .integer, "Known before and gone now.") { $0.vanished },
      ])
  }
}
