internal import Analysis
package import LibraryStore
internal import Platform
internal import Records
internal import Reporting
package import ResultStore
internal import Text

extension LibraryTempoChange.Outcome {
  /// Includes the line break.
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
        .uri { $0.path }, .path { $0.path },
        .required("content_id", .contentID, "Its audio.") { $0.audio },
        .optional("before_bpm", .number, "Tempo before, in beats per minute.") { $0.before },
        .optional("after_bpm", .number, "Tempo after, in beats per minute; null if there is none.") { $0.after },
        .required("tempo_locked", .boolean, "A correction is set; false if the found tempo counts again.") {
          $0.isLocked
        },
        .optional("note", .text, "What became of the beats, in words.") { $0.note },
        .required("copies", .integer, "Other files with the same audio, which change as well.") { $0.copies },
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

  /// Includes the line break.
  package var ndjsonLine: [UInt8] { Shape.reviewList.ndjsonLine(self) }
}

/// The output of `review --json`: schema `nocturne.review` version 2.
extension Shape<ReviewList> {
  fileprivate static var reviewList: Shape {
    Shape(
      summary: "Tracks whose tempo is doubtful.",
      fields: [
        .required("below", .number, "Their confidence is less than this.") { $0.below },
        .required("count", .integer, "Number of tracks.") { $0.tracks.count },
        .objects(
          "tracks", .reviewedTrack,
          "Least confident first, those that were skipped in a review at the end; null if there are none."
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
        .required("content_id", .contentID, "Its audio.") { $0.doubtful.audio },
        .optional("artist", .text, "Performers.") { $0.track.artist },
        .optional("title", .text, "Title.") { $0.track.title },
        .optional("duration_s", .number, "Seconds.") { $0.track.duration },
        .required("tempo_bpm", .number, "Tempo that was found, in beats per minute.") { $0.doubtful.bpm },
        .required("tempo_confidence", .number, "0 to 1.") { $0.doubtful.confidence },
        .required("half_bpm", .number, "Half of it.") { $0.track.half.bpm },
        .required("double_bpm", .number, "Twice as much.") { $0.track.double.bpm },
        .objects("others", .choice, "Other tempi that were considered, best first; null if there are none.") {
          $0.track.others
        },
        .required("skipped", .boolean, "It was skipped in a review.") { $0.doubtful.wasSkipped },
      ])
  }
}

extension Shape<ReviewedTrack.Choice> {
  fileprivate static var choice: Shape {
    Shape(
      summary: "A tempo that was considered.",
      fields: [
        .required("bpm", .number, "Beats per minute.") { $0.bpm },
        .optional("weight", .number, "Share of the evidence.") { $0.weight },
      ])
  }
}
