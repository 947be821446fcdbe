internal import Pipeline
internal import Platform
internal import Records
internal import Reporting
internal import ResultStore
internal import Text

extension FileVerification.Outcome {
  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.verification.ndjsonLine(self) }
}

/// The output of `verify --json`: schema `nocturne.verification` version 1. Fields keep their names and types forever;
/// the only changes are new fields.
extension Shape<FileVerification.Outcome> {
  static var verification: Shape {
    Shape(
      summary: "The result of a verification.",
      fields: [
        .required("schema", .text, "nocturne.verification") { _ in "nocturne.verification" },
        .required("version", .integer, "Version of the schema: 1.") { _ in 1 },
        .required("exit_status", .integer, "Exit status of the program.") { Int($0.status.rawValue) },
        .required("duration_s", .number, "Duration in seconds.") { ($0.elapsed / .milliseconds(1)).rounded() / 1000 },
        .required("stopped", .boolean, "It ended early, by a signal or at the end of its time.") {
          $0.verification.wasStopped
        },
        .object("totals", .verificationTotals, "All files.") { $0.verification.totals },
        .objects(
          "files", .verificationTrouble,
          "Changed and unreadable files, up to \(LibraryVerification.troubleLimit), in the order in which they were read."
        ) { $0.verification.troubles },
        .objects("folders", .verificationLoss, "Folders that are missing, with their disks or without.") {
          $0.verification.losses
        },
      ])
  }
}

extension Shape<VerificationTotals> {
  fileprivate static var verificationTotals: Shape {
    Shape(
      summary: "Files by result; each counts once.",
      fields: [
        .required("bytes", .integer, "Bytes read.") { Int($0.bytes) },
        .required("verified", .integer, "Unchanged.") { $0.verified },
        .required("taken", .integer, "Read for the first time, or accepted.") { $0.taken },
        .required("restored", .integer, "With their former bytes again.") { $0.restored },
        .required("changed_silently", .integer, "With other bytes under the same size and time.") {
          $0.changedSilently
        },
        .required("known_changed", .integer, "Changed, as reported before.") { $0.knownChanged },
        .required("unreadable", .integer, "Readable before, and not now.") { $0.unreadable },
        .required("known_unreadable", .integer, "Unreadable, as reported before.") { $0.knownUnreadable },
        .required("missing", .integer, "No longer there.") { $0.missing },
        .required("left_to_scan", .integer, "Of another size or time: left to the next run.") { $0.leftToScan },
      ])
  }
}

extension Shape<LibraryVerification.Trouble> {
  fileprivate static var verificationTrouble: Shape {
    Shape(
      summary: "A changed or unreadable file.",
      fields: [
        .uri { $0.path }, .path { $0.path },
        .required("kind", .text, "changed_silently or unreadable.") { $0.kind.rawValue },
        .optional("hit", .text, "The changed part: audio or tags; null for an unreadable file.") { $0.hit?.rawValue },
        .required("message", .text, "Sentences for a person.") { $0.message },
        .required("is_new", .boolean, "No earlier verification has reported it.") { $0.isNews },
      ])
  }
}

extension Shape<LibraryVerification.Loss> {
  fileprivate static var verificationLoss: Shape {
    Shape(
      summary: "A missing folder.",
      fields: [
        .uri { $0.path }, .path { $0.path },
        .required("condition", .text, "missing, empty or unreadable.") { $0.condition.rawValue },
        .required("files", .integer, "Files in it that were not read.") { $0.fileCount },
      ])
  }
}

/// JSON Schema of the output of `verify --json`.
package enum VerificationSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "verification", "nocturne.verification.v1.schema.json",
        ReportSchema.lineSchema(
          Shape.verification.schema, title: "nocturne.verification, version 1: the result of analyze verify"
        ).text
      )
    ]
  }
}
