internal import Records
internal import Reporting
internal import TagWriting

extension TaggingResult {
  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.tagging.ndjsonLine(self) }
}

/// The output of `write-tags --json`: schema `nocturne.write_tags` version 1. Fields keep their names and types
/// forever; the only changes are new fields.
extension Shape<TaggingResult> {
  static var tagging: Shape {
    Shape(
      summary: "The result of writing the tags of a file.",
      fields: [
        .uri { $0.path }, .path { $0.path },
        .required(
          "status", .text,
          "written; planned: would be written without a dry run; unchanged: the tags have the values already; kept: "
            + "they have other values; nothing: there is nothing to write; failed."
        ) { $0.status.rawValue },
        .objects("changes", .tagChange, "Items that were, or would be, changed; null if there are none.") {
          $0.changes
        },
        .objects(
          "kept", .tagChange,
          "Items with other values that were kept, with the values not written in after; null if there are none."
        ) { $0.kept },
        .objects("gaps", .tagGap, "Fields for which nothing was found; null if there are none.") { $0.gaps },
        .optional("reason", .text, "Code of the reason why the file could not be changed; null otherwise.") {
          $0.problem?.code.rawValue
        },
        .optional("message", .text, "Why the file could not be changed, in one sentence; null otherwise.") {
          $0.problem?.message
        },
      ])
  }
}

extension Shape<TagChange> {
  fileprivate static var tagChange: Shape {
    Shape(
      summary: "An item of a tag.",
      fields: [
        .required("field", .text, "The canonical name of the tag.") { $0.field },
        .required("tag", .text, "The kind of tag: id3v2, apev2, vorbis, mp4, asf; other for any other.") { $0.tag },
        .required("key", .text, "The key in that tag.") { $0.key },
        .list("before", .text, "Values before the change; null if there were none.") { $0.before },
        .list("after", .text, "Values after the change; null if there are none.") { $0.after },
      ])
  }
}

extension Shape<TaggingResult.Gap> {
  fileprivate static var tagGap: Shape {
    Shape(
      summary: "A field for which nothing was found.",
      fields: [
        .required("field", .text, "Name of the field, as given on the command line.") { $0.field },
        .required("reason", .text, "Why there is no value to write.") { $0.reason },
      ])
  }
}

/// The JSON Schema of the output of `write-tags`.
package enum TagWritingSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "write-tags", "nocturne.write_tags.v1.schema.json",
        ReportSchema.lineSchema(Shape.tagging.schema, title: "nocturne.write_tags, version 1: one file").text
      )
    ]
  }
}
