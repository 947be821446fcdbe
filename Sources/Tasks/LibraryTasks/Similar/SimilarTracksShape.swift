internal import Analysis
internal import Library
internal import Platform
internal import Records
internal import Reporting
internal import Text

extension SimilarTracks.Answer {
  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.similar.ndjsonLine(self) }
}

/// The output of `similar`: schema `nocturne.similar` version 2. Fields keep their names and types forever; the only
/// changes are new fields.
extension Shape<SimilarTracks.Answer> {
  static var similar: Shape {
    Shape(
      summary: "The tracks that sound most like a file.",
      fields: [
        .uri { $0.path }, .path { $0.path },
        .required("compared", .integer, "Number of other files of the library that the file was compared with.") {
          $0.comparedCount
        },
        .required(
          "left_out", .integer,
          "Number of similar files left out because they hold the same recording, or that of an earlier track."
        ) { $0.leftOutCount },
        .objects("tracks", .similarTrack, "Tracks, the most similar first; null if there are none.") { $0.tracks },
      ])
  }
}

extension Shape<SimilarTracks.Track> {
  fileprivate static var similarTrack: Shape {
    Shape(
      summary: "A track of the library.",
      fields: [
        .required("rank", .integer, "Rank by similarity, from 1.") { $0.rank },
        .required("likeness", .number, "Similarity of the sound, 0 to 1; 1 is the same sound.") { $0.likeness },
        .uri { $0.record.path }, .path { $0.record.path },
        .optional("title", .text, "Title.") { $0.record.track.titleTag },
        .optional("artist", .text, "Performers.") { $0.record.track.artist },
        .optional("album", .text, "Title of the release.") { $0.record.track.album },
        .optional("duration_s", .number, "Seconds.") { $0.record.format?.duration },
        .tempo { $0.record.tempo?.bpm }, .camelot { $0.record.findings[KeyFinding.self]?.camelot },
      ])
  }
}

package enum SimilarSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "similar", "nocturne.similar.v2.schema.json",
        ReportSchema.lineSchema(Shape.similar.schema, title: "nocturne.similar, version 2: one file").text
      )
    ]
  }
}
