internal import Analysis
internal import Library
internal import Platform
internal import Records
internal import Reporting
internal import Text

extension BrokenTracks.Track {
  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.broken.ndjsonLine(self) }
}

/// The output of `broken`: schema `nocturne.broken` version 1. Fields keep their names and types forever; the only
/// changes are new fields.
extension Shape<BrokenTracks.Track> {
  static var broken: Shape {
    Shape(
      summary: "A damaged or badly made file.",
      fields: [
        .uri { $0.record.path }, .path { $0.record.path },
        .required("severity", .number, "Severity of the problems, 0 to 1; 1 is the worst.") { $0.severity },
        .optional("title", .text, "Title.") { $0.record.track.titleTag },
        .optional("artist", .text, "Performers.") { $0.record.track.artist },
        .optional("album", .text, "Title of the release.") { $0.record.track.album },
        .objects("reasons", .brokenReason, "Problems of the file, the worst first.") { $0.reasons },
      ])
  }
}

extension Shape<BrokenTracks.Reason> {
  fileprivate static var brokenReason: Shape {
    Shape(
      summary: "A problem of a file.",
      fields: [
        .required(
          "kind", .text, "Kind of the problem: a problem code, a kind of fault, lossy_origin, upsampled or padded."
        ) {
          $0.kind
        },
        .required("message", .text, "Description of the problem in one sentence.") { $0.message },
        .optional("start_s", .number, "Start in seconds; null for problems of the container.") { $0.startSeconds },
        .optional("end_s", .number, "End in seconds; null for problems of the container.") { $0.endSeconds },
        .optional("channel", .integer, "Number of the channel, from 1; null for all channels.") { $0.channel },
        .optional("confidence", .number, "Confidence, 0 to 1; null if the problem is certain.") { $0.confidence },
      ])
  }
}

package enum BrokenSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "broken", "nocturne.broken.v1.schema.json",
        ReportSchema.lineSchema(Shape.broken.schema, title: "nocturne.broken, version 1: one file").text
      )
    ]
  }
}
