internal import DSP
internal import Platform
internal import Recognition
internal import Records

/// The object `split` in `nocturne.match`.
extension Shape<MixSplit.Outcome> {
  static var split: Shape {
    Shape(
      summary: "The files into which a recording was cut.",
      fields: [
        .required("folder", .text, "Absolute path for display of the folder they are in.") {
          DisplayPath.text(of: $0.folder)
        },
        .required(
          "method", .choice,
          "flac: decoded, and encoded without loss; copy: packets of the recording, not encoded again."
        ) { $0.method },
        .required(
          "precision_s", .number,
          "Seconds by which a cut may be beside its place; 0 if cuts are exact to the sample."
        ) { $0.precision.rounded(toPlaces: 6) },
        .optional("damage", .text, "Why the recording is not all there; null if it is.") { $0.damage },
        .objects("pieces", .piece, "The files, in the order of the recording.") { $0.files },
      ])
  }
}

extension Shape<MixSplit.File> {
  fileprivate static var piece: Shape {
    Shape(
      summary: "A piece of the recording.",
      fields: [
        .required("number", .integer, "From 1.") { $0.number },
        .uri { $0.path }, .path { $0.path },
        .required("start_s", .number, "Where it begins in the recording, in seconds.") {
          $0.piece.start.rounded(toPlaces: 6)
        },
        .required("end_s", .number, "Where it ends in the recording: there the next one begins.") {
          $0.piece.end.rounded(toPlaces: 6)
        },
        .optional("reference", .text, "Name of the track in the catalog; null for a stretch that was not recognized.") {
          $0.piece.cue?.match.referenceIdentifier
        },
        .optional("title", .text, "Title of the track.") { $0.piece.cue?.match.item.title },
        .optional("artist", .text, "Performers.") { $0.piece.cue?.match.item.artist },
        .required(
          "overlap_s", .number,
          "How long this track and that of the piece before sound at once; they are cut apart in the middle of that."
        ) { $0.piece.overlap.rounded(toPlaces: 3) },
        .list("also_heard", .text, "Names in the catalog of tracks that are heard only while this one is.") {
          $0.piece.alsoHeard.map(\.match.referenceIdentifier)
        },
      ])
  }
}
