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
        .optionalObject("error", .problem, "Why the file could not be searched for tracks; null if it could.") {
          $0.problem
        },
        .optional("duration_s", .number, "Seconds of audio that were searched; null if none were.") { $0.duration },
        .objects("tracks", .cue, "Recognized tracks in order of their start; null if there are none.") {
          $0.tracks
        },
        .required("partial", .boolean, "A catalog did not answer, so tracks may be missing.") {
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
        .required("catalog", .text, "Address of the catalog.") { $0.name },
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
        .required("heard_at", .dateTime, "Time at which this was noticed, UTC, truncated to seconds.") { $0.heard },
        .required("time_s", .number, "Position in the stream, in seconds, at which the track was last recognized.") {
          $0.match.queryStart + $0.match.queryDuration
        },
        .required("start_s", .number, "Position in the stream, in seconds, at which the track was first heard.") {
          $0.change.start
        },
        .optional(
          "end_s", .number,
          "Position in the stream, in seconds, at which the track was last heard; null while it continues."
        ) {
          $0.change.kind == .ended ? $0.change.end : nil
        },
        .required("track_offset_s", .number, "Position in the track, in seconds, at time_s.") {
          $0.match.best.matchOffset + $0.match.queryDuration * $0.match.best.speed
        },
      ] + Field.matched { $0.match.best } + [
        .required("speed", .number, "Speed of the stream: seconds of the track per second of the stream.") {
          $0.match.best.speed
        },
        .required(
          "frequency_skew", .number, "Shift of frequencies relative to the track: 0.04 if the stream is 4% higher."
        ) {
          $0.match.best.frequencySkew
        },
        .required("confidence", .number, "Probability, 0 to 1, that this is the recording.") {
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
      summary: "A recognized track.",
      fields: [
        .required("start_s", .number, "Start in the file in seconds, accurate to about 4 s.") {
          $0.start
        },
        .required("end_s", .number, "End in the file in seconds.") { $0.end },
      ] + Field.matched { $0.match } + [
        .required("track_offset_s", .number, "Position in the track, in seconds, at start_s.") { $0.match.matchOffset },
        .required("speed", .number, "Speed of the file: seconds of the track per second of the file.") { $0.speed },
        .required(
          "frequency_skew", .number, "Shift of frequencies relative to the track: 0.04 if the file is 4% higher."
        ) {
          $0.match.frequencySkew
        },
        .required("confidence", .number, "Probability, 0 to 1, that this is the recording.") { $0.confidence },
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
      .optional(
        "creation_date", .text, "Date of the recording, mostly ISO 8601, as precise as it is known; null if unknown."
      ) { get($0).item.creationDate },
      .optional("artwork_url", .text, "URL of a picture.") { get($0).item.artworkURL },
      .optional("web_url", .text, "URL of a web page.") { get($0).item.webURL },
      .optional("explicit", .boolean, "The lyrics are explicit.") { get($0).item.isExplicit },
      .map("properties", .json, "Further properties; path is the file of the library it was built from.") { record in
        get(record).item.properties.map { (key: $0.key, value: $0.value) }
      },
    ]
  }
}
