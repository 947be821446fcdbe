internal import Platform
internal import Recognition
internal import Records

/// The output of `match` and `listen`: schemas `nocturne.match` and `nocturne.listen` version 1. Fields keep their
/// names and types forever; the only changes are new fields.
extension Shape<MatchRecord> {
  static var match: Shape {
    Shape(
      summary: "What was recognized in one file.",
      fields: [
        .uri { $0.path }, .path { $0.path },
        .optionalObject("error", .problem, "Why nothing could be looked for.") { $0.problem },
        .optional("duration_s", .number, "Seconds that were listened to; null if none were.") { $0.duration },
        .objects("tracks", .cue, "Which tracks play when, ascending by start; null if none was recognized.") {
          $0.tracks
        },
        .required("partial", .boolean, "Whether a catalog did not answer, so that tracks may be missing.") {
          !$0.missing.isEmpty
        },
        .objects("missing_catalogs", .missing, "Catalogs that did not answer; null if all did.") { $0.missing },
        .optionalObject(
          "split", .split,
          "The files into which the recording was cut; null without --split, or if nothing was recognized."
        ) { $0.split },
      ])
  }
}

extension Shape<MissingCatalog> {
  fileprivate static var missing: Shape {
    Shape(
      summary: "A catalog that did not answer.",
      fields: [
        .required("catalog", .text, "Its address.") { $0.name },
        .required("reason", .text, "Why it did not answer.") { $0.reason },
      ])
  }
}

extension Shape<DetectionRecord> {
  static var heard: Shape {
    Shape(
      summary: "A track that begins or ends in a stream.",
      fields: [
        .required("event", .text, "began: the track was recognized; ended: it is no longer heard.") {
          $0.change.kind.rawValue
        },
        .required("heard_at", .dateTime, "When this was noticed, UTC, cut to seconds.") { $0.heard },
        .required("time_s", .number, "Seconds of the stream in which the track was last recognized.") {
          $0.match.queryStart + $0.match.queryDuration
        },
        .required("start_s", .number, "Where in the stream the track was first heard, in seconds.") { $0.change.start },
        .optional("end_s", .number, "Where in the stream the track was last heard, in seconds; null while it goes on.")
        {
          $0.change.kind == .ended ? $0.change.end : nil
        },
        .required("track_offset_s", .number, "Where in the track the stream was at time_s, in seconds.") {
          $0.match.best.matchOffset + $0.match.queryDuration * $0.match.best.speed
        },
      ] + Field.matched { $0.match.best } + [
        .required("speed", .number, "Seconds of the track that go by in one second of the stream.") {
          $0.match.best.speed
        },
        .required("frequency_skew", .number, "0.04 if the stream is 4% higher than the track.") {
          $0.match.best.frequencySkew
        },
        .required("confidence", .number, "0 to 1: probability that this is the recording.") {
          $0.match.best.confidence
        },
        .objects("alternatives", .alternative, "Other tracks of the catalog that hold the same recording.") {
          Array($0.match.mediaItems.dropFirst())
        },
      ])
  }
}

extension Shape<CueSheet.Cue> {
  static var cue: Shape {
    Shape(
      summary: "One track playing.",
      fields: [
        .required("start_s", .number, "Where it begins in the file, in seconds; known to some four seconds.") {
          $0.start
        },
        .required("end_s", .number, "Where it ends in the file.") { $0.end },
      ] + Field.matched { $0.match } + [
        .required("track_offset_s", .number, "Where in the track start_s lies, in seconds.") { $0.match.matchOffset },
        .required("speed", .number, "Seconds of the track that go by in one second of the file.") { $0.speed },
        .required("frequency_skew", .number, "0.04 if the file is 4% higher than the track.") {
          $0.match.frequencySkew
        },
        .required("confidence", .number, "0 to 1: probability that this is the recording.") { $0.confidence },
        .objects("alternatives", .alternative, "Other tracks of the catalog that hold the same recording.") {
          $0.alternatives
        },
      ])
  }
}

extension Shape<MatchedMediaItem> {
  fileprivate static var alternative: Shape {
    Shape(summary: "A track of the catalog.", fields: Field.matched { $0 })
  }
}

extension Field {
  /// The fields with the catalog's data about a track.
  fileprivate static func matched(_ get: @escaping @Sendable (Record) -> MatchedMediaItem) -> [Field] {
    [
      .required("reference", .text, "Name of the track in the catalog: its content id, unless given another.") {
        get($0).referenceIdentifier
      },
      .optional("title", .text, "Title.") { get($0).item.title },
      .optional("subtitle", .text, "Subtitle.") { get($0).item.subtitle },
      .optional("artist", .text, "Performers.") { get($0).item.artist },
      .optional("album", .text, "Title of the release.") { get($0).item.album },
      .optional("isrc", .text, "International Standard Recording Code (ISO 3901).") { get($0).item.isrc },
      .list("genres", .text, "Genres.") { get($0).item.genres },
      .optional("creation_date", .text, "Mostly ISO 8601, as precise as it is known.") { get($0).item.creationDate },
      .optional("artwork_url", .text, "Address of a picture.") { get($0).item.artworkURL },
      .optional("web_url", .text, "Address of a page.") { get($0).item.webURL },
      .optional("explicit", .boolean, "Explicit words.") { get($0).item.isExplicit },
      .map("properties", .json, "Further properties; path is the file of the library it was built from.") { record in
        get(record).item.properties.map { (key: $0.key, value: $0.value) }
      },
    ]
  }
}
