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
        .required("schema", .text, "Name of the schema: nocturne.verification.") { _ in "nocturne.verification" },
        .required("version", .integer, "Version of the schema: 1.") { _ in 1 },
        .required("exit_status", .integer, "Exit status of the program.") { Int($0.status.rawValue) },
        .required("duration_s", .number, "Duration in seconds.") { ($0.elapsed / .milliseconds(1)).rounded() / 1000 },
        .required("stopped", .boolean, "The verification ended early, by a signal or because its time was up.") {
          $0.verification.wasStopped
        },
        .object("totals", .verificationTotals, "Totals of all files.") { $0.verification.totals },
        .objects(
          "files", .verificationTrouble,
          "Changed and unreadable files, up to \(LibraryVerification.troubleLimit), in the order in which they were "
            + "read."
        ) { $0.verification.troubles },
        .objects("folders", .verificationLoss, "Folders that are missing, alone or with their disks.") {
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
        .required("bytes", .integer, "Number of bytes read.") { Int($0.bytes) },
        .required("verified", .integer, "Unchanged.") { $0.verified },
        .required("taken", .integer, "Files read for the first time, or accepted.") { $0.taken },
        .required("restored", .integer, "Files that have their former bytes again.") { $0.restored },
        .required("changed_silently", .integer, "Files with different bytes, but the same size and times.") {
          $0.changedSilently
        },
        .required("known_changed", .integer, "Changed files that were reported before.") { $0.knownChanged },
        .required("unreadable", .integer, "Files that could be read before and cannot be read now.") { $0.unreadable },
        .required("known_unreadable", .integer, "Unreadable files that were reported before.") { $0.knownUnreadable },
        .required("missing", .integer, "Files that no longer exist.") { $0.missing },
        .required("left_to_scan", .integer, "Files with a different size or time, which are left to the next run.") {
          $0.leftToScan
        },
      ])
  }
}

extension Shape<LibraryVerification.Trouble> {
  fileprivate static var verificationTrouble: Shape {
    Shape(
      summary: "A changed or unreadable file.",
      fields: [
        .uri { $0.path }, .path { $0.path },
        .required("kind", .text, "Kind of the problem: changed_silently or unreadable.") { $0.kind.rawValue },
        .optional("hit", .text, "The changed part: audio or tags; null for an unreadable file.") { $0.hit?.rawValue },
        .required("message", .text, "Description of the problem in sentences.") { $0.message },
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
        .required("condition", .text, "Condition of the folder: missing, empty or unreadable.") {
          $0.condition.rawValue
        },
        .required("files", .integer, "Number of files in the folder that were not read.") { $0.fileCount },
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
