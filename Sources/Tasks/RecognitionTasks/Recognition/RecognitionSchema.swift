package import Records
internal import Reporting

/// The JSON Schemas of the output of `match` and `listen`.
package enum RecognitionSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "match", "nocturne.match.v1.schema.json",
        ReportSchema.lineSchema(Shape.match.schema, title: "nocturne.match, version 1: one file").text
      ),
      (
        "listen", "nocturne.listen.v1.schema.json",
        ReportSchema.lineSchema(Shape.heard.schema, title: "nocturne.listen, version 1: one recognized track").text
      ),
    ]
  }

  /// The schema of a track recognized in a file.
  package static var track: SchemaNode { Shape.cue.schema }
}
