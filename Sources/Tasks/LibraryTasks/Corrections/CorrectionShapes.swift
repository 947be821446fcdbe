internal import Analysis
package import LibraryStore
internal import Platform
internal import Records
internal import Reporting
package import ResultStore
internal import Text

extension LibraryTempoChange.Outcome {
  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.tempoChanges.ndjsonLine(self) }
}

extension CorrectionImport.Outcome {
  /// One line of NDJSON, including its line break.
  /// - Parameter isDryRun: `true` if nothing was set.
  package func ndjsonLine(isDryRun: Bool) -> [UInt8] {
    Shape.correctionImport.ndjsonLine(CorrectionImportReport(outcome: self, isDryRun: isDryRun))
  }
}

/// The output of `set`: schema `nocturne.set` version 2. Fields keep their names and types forever; the only changes
/// are new fields.
extension Shape<LibraryTempoChange.Outcome> {
  static var tempoChanges: Shape {
    Shape(
      summary: "The result of changing the tempo of files.",
      fields: [
        .required("dry_run", .boolean, "This was a dry run, and nothing was changed.") { $0.isDryRun },
        .required("matched", .integer, "Number of files selected for the change.") { $0.matchedCount },
        .required("changed", .integer, "Number of recordings that were or would be changed; copies are counted once.") {
          $0.changedCount
        },
        .required("copies", .integer, "Number of selected files that are copies of others.") { $0.copyCount },
        .required("unchanged", .integer, "Number of selected files without a correction to remove.") {
          $0.unchangedCount
        },
        .objects(
          "refused", .tempoRefusal, "Files to which the change cannot be applied, by reason; null if there are none."
        ) {
          $0.refusals
        },
        .objects(
          "files", .tempoChange, "Files given by name, or the first of the selected files; null if there are none."
        ) { $0.examples },
      ])
  }
}

extension Shape<LibraryTempoChange.Refusal> {
  fileprivate static var tempoRefusal: Shape {
    Shape(
      summary: "Files to which the change cannot be applied.",
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
        .uri { $0.path }, .path { $0.path },
        .required("content_id", .contentID, "Content id of the audio.") { $0.audio },
        .optional("before_bpm", .number, "Tempo before, in beats per minute.") { $0.before },
        .optional("after_bpm", .number, "Tempo after, in beats per minute; null if there is none.") { $0.after },
        .required("tempo_locked", .boolean, "A correction is set; false if the analyzed tempo applies again.") {
          $0.isLocked
        },
        .optional("note", .text, "What happened to the beats, in words.") { $0.note },
        .required("copies", .integer, "Number of other files with the same audio, which change as well.") { $0.copies },
      ])
  }
}

private struct CorrectionImportReport {
  var outcome: CorrectionImport.Outcome
  var isDryRun: Bool
}

/// The output of `set --import`: schema `nocturne.corrections` version 1.
extension Shape<CorrectionImportReport> {
  fileprivate static var correctionImport: Shape {
    Shape(
      summary: "Corrections that were read from a table.",
      fields: [
        .required("dry_run", .boolean, "This was a dry run, and nothing was changed.") { $0.isDryRun },
        .required("new", .integer, "Number of corrections for audio that had none.") {
          $0.outcome.corrections.newCount
        },
        .required("waiting", .integer, "Number of the new corrections whose audio is not in the library yet.") {
          $0.outcome.corrections.waitingCount
        },
        .required("replaced", .integer, "Number of corrections that replaced earlier ones.") {
          $0.outcome.corrections.replacedCount
        },
        .required("same", .integer, "Number of corrections that are the same as existing ones.") {
          $0.outcome.corrections.sameCount
        },
        .required("older", .integer, "Number of corrections left out because newer ones exist.") {
          $0.outcome.corrections.olderCount
        },
        .required("unreadable", .integer, "Number of rows that could not be read.") { $0.outcome.unreadableCount },
        .objects(
          "unreadable_lines", .unreadableLine, "The first 1000 rows that could not be read; null if there are none."
        ) {
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
        .required("line", .integer, "Line of the table in which the row begins, from 1.") { $0.line },
        .required("reason", .text, "Why the row could not be read.") { $0.reason },
      ])
  }
}

/// The JSON Schemas of the output of `set` and `review`.
package enum CorrectionSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "set", "nocturne.set.v2.schema.json",
        ReportSchema.lineSchema(Shape.tempoChanges.schema, title: "nocturne.set, version 2: a change of tempi").text
      ),
      (
        "corrections", "nocturne.corrections.v1.schema.json",
        ReportSchema.lineSchema(
          Shape.correctionImport.schema, title: "nocturne.corrections, version 1: corrections read from a table"
        ).text
      ),
      (
        "review", "nocturne.review.v2.schema.json",
        ReportSchema.lineSchema(
          Shape.reviewList.schema, title: "nocturne.review, version 2: tracks whose tempo is doubtful"
        ).text
      ),
    ]
  }
}

/// The tracks that a review would show.
package struct ReviewList: Sendable {
  package var below: Double
  package var tracks: [(doubtful: DoubtfulTempo, track: ReviewedTrack)]

  /// - Throws: `StoreError`.
  package init(of tracks: [DoubtfulTempo], below: Double, in store: ResultStore) throws {
    self.below = below
    self.tracks = []
    for doubtful in tracks {
      guard let track = try store.record(at: doubtful.path).flatMap(ReviewedTrack.init) else { continue }
      self.tracks.append((doubtful, track))
    }
  }

  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.reviewList.ndjsonLine(self) }
}

/// The output of `review --json`: schema `nocturne.review` version 2.
extension Shape<ReviewList> {
  fileprivate static var reviewList: Shape {
    Shape(
      summary: "Tracks whose tempo is doubtful.",
      fields: [
        .required("below", .number, "Limit of confidence; all listed tracks have less.") { $0.below },
        .required("count", .integer, "Number of tracks.") { $0.tracks.count },
        .objects(
          "tracks", .reviewedTrack,
          "Tracks, the least confident first and those skipped in a review last; null if there are none."
        ) { $0.tracks.map { ReviewedLine(doubtful: $0.doubtful, track: $0.track) } },
      ])
  }
}

private struct ReviewedLine {
  var doubtful: DoubtfulTempo
  var track: ReviewedTrack
}

extension Shape<ReviewedLine> {
  fileprivate static var reviewedTrack: Shape {
    Shape(
      summary: "A track whose tempo is doubtful. Copies of the same audio are left out.",
      fields: [
        .uri { $0.doubtful.path }, .path { $0.doubtful.path },
        .required("content_id", .contentID, "Content id of the audio.") { $0.doubtful.audio },
        .optional("artist", .text, "Performers.") { $0.track.artist },
        .optional("title", .text, "Title.") { $0.track.title },
        .optional("duration_s", .number, "Seconds.") { $0.track.duration },
        .required("tempo_bpm", .number, "Tempo found by the analyzer, in beats per minute.") { $0.doubtful.bpm },
        .required("tempo_confidence", .number, "Probability, 0 to 1, that tempo_bpm is right.") {
          $0.doubtful.confidence
        },
        .required("half_bpm", .number, "Half the tempo, in beats per minute.") { $0.track.half.bpm },
        .required("double_bpm", .number, "Twice the tempo, in beats per minute.") { $0.track.double.bpm },
        .objects("others", .choice, "Other candidate tempi, the most likely first; null if there are none.") {
          $0.track.others
        },
        .required("skipped", .boolean, "The track was skipped in a review.") { $0.doubtful.wasSkipped },
      ])
  }
}

extension Shape<ReviewedTrack.Choice> {
  fileprivate static var choice: Shape {
    Shape(
      summary: "A candidate tempo.",
      fields: [
        .required("bpm", .number, "Beats per minute.") { $0.bpm },
        .optional("weight", .number, "Share of the evidence, 0 to 1; null if unknown.") { $0.weight },
      ])
  }
}
