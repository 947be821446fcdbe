internal import Analysis
internal import Records
internal import Reporting
internal import ResultStore
internal import System
internal import Text

extension LibraryTempoChange.Outcome {
  /// As a line of NDJSON, line break included.
  package var ndjsonLine: [UInt8] { Shape.tempoChanges.line(self) }
}

extension CorrectionImport.Outcome {
  /// As a line of NDJSON, line break included.
  /// - Parameter isDryRun: Nothing was set.
  package func ndjsonLine(isDryRun: Bool) -> [UInt8] {
    Shape.correctionImport.line(CorrectionImportReport(outcome: self, isDryRun: isDryRun))
  }
}

extension Shape {
  func line(_ record: Record) -> [UInt8] {
    var json = JSONWriter()
    writeJSON(record, into: &json)
    json.endLine()
    return json.bytes
  }
}

/// What `set` prints, as the schema `nocturne.set` version 1 has it. A field keeps its name and type for ever; what comes
/// later is added.
extension Shape<LibraryTempoChange.Outcome> {
  static var tempoChanges: Shape {
    Shape(
      summary: "A change of the tempo of files.",
      fields: [
        .required("dry_run", .boolean, "Nothing was changed.") { $0.isDryRun },
        .required("matched", .integer, "Files that were to be changed.") { $0.matchedCount },
        .required("changed", .integer, "Recordings that were, or would be, changed; copies share theirs.") {
          $0.changedCount
        },
        .required("copies", .integer, "Matched files that are copies of others.") { $0.copyCount },
        .required("unchanged", .integer, "Matched files without a correction to take back.") { $0.unchangedCount },
        .objects("refused", .tempoRefusal, "Files that cannot take the change, by reason; null if there are none.") {
          $0.refusals
        },
        .objects(
          "files", .tempoChange, "Files given by name, or the first of those that were matched; null if there are none."
        ) { $0.examples },
      ])
  }
}

extension Shape<LibraryTempoChange.Refusal> {
  fileprivate static var tempoRefusal: Shape {
    Shape(
      summary: "Files that cannot take a change.",
      fields: [
        .required("reason", .text, "no_audio, no_tempo, out_of_range, no_beats or too_short.") { $0.code },
        .required("count", .integer, "Number of files.") { $0.count },
      ])
  }
}

extension Shape<TempoChange.Change> {
  fileprivate static var tempoChange: Shape {
    Shape(
      summary: "A file whose tempo is changed.",
      fields: [
        .required("uri", .uri, "The file, with the bytes of its path percent-encoded.") { $0.path.fileURI },
        .required("path", .text, "Absolute path for display, as in reports.") { DisplayPath.text(of: $0.path) },
        .required("content_id", .contentID, "Its audio.") { $0.audio },
        .optional("before_bpm", .number, "Tempo before, in beats per minute.") { $0.before },
        .optional("after_bpm", .number, "Tempo after, in beats per minute; null if there is none.") { $0.after },
        .required("locked", .boolean, "A correction is set; false if the found tempo counts again.") { $0.isLocked },
        .optional("note", .text, "What became of the beats, in words.") { $0.note },
        .required("copies", .integer, "Other files with the same audio, which change as well.") { $0.copies },
      ])
  }
}

private struct CorrectionImportReport {
  var outcome: CorrectionImport.Outcome
  var isDryRun: Bool
}

/// What `set --import` prints, as the schema `nocturne.corrections` version 1 has it.
extension Shape<CorrectionImportReport> {
  fileprivate static var correctionImport: Shape {
    Shape(
      summary: "Corrections that were read from a table.",
      fields: [
        .required("dry_run", .boolean, "Nothing was changed.") { $0.isDryRun },
        .required("new", .integer, "There was none for this audio.") { $0.outcome.corrections.newCount },
        .required("waiting", .integer, "Of these: no file with this audio is known yet.") {
          $0.outcome.corrections.waitingCount
        },
        .required("replaced", .integer, "They took the place of others.") { $0.outcome.corrections.replacedCount },
        .required("same", .integer, "They say what was set already.") { $0.outcome.corrections.sameCount },
        .required("older", .integer, "Others are newer, and were kept.") { $0.outcome.corrections.olderCount },
        .required("unreadable", .integer, "Rows that could not be read.") { $0.outcome.unreadableCount },
        .objects("unreadable_lines", .unreadableLine, "The first 1000 of them; null if there are none.") {
          $0.outcome.unreadable
        },
      ])
  }
}

extension Shape<CorrectionImport.UnreadableLine> {
  fileprivate static var unreadableLine: Shape {
    Shape(
      summary: "A row that could not be read.",
      fields: [
        .required("line", .integer, "Where it begins, from 1.") { $0.line },
        .required("reason", .text, "What is wrong with it.") { $0.reason },
      ])
  }
}

/// JSON Schemas of what `set` and `review` print.
enum CorrectionSchema {
  static var files: [(format: String, name: String, text: String)] {
    [
      (
        "set", "nocturne.set.v1.schema.json",
        ReportSchema.lineSchema(Shape.tempoChanges.schema, title: "nocturne.set, version 1: a change of tempi").text
      ),
      (
        "corrections", "nocturne.corrections.v1.schema.json",
        ReportSchema.lineSchema(
          Shape.correctionImport.schema, title: "nocturne.corrections, version 1: corrections read from a table"
        ).text
      ),
    ]
  }
}
