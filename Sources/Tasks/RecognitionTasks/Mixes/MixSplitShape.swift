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
        .required("folder", .text, "Absolute path of the folder with the files, for display.") {
          DisplayPath.text(of: $0.folder)
        },
        .required(
          "method", .choice,
          "flac: decoded and encoded losslessly; copy: packets of the recording, not encoded again."
        ) { $0.method },
        .required(
          "precision_s", .number,
          "Maximum error of a cut in seconds; 0 if cuts are exact to the sample."
        ) { $0.precision.rounded(toPlaces: 6) },
        .optional("damage", .text, "Why the recording is incomplete; null if it is complete.") { $0.damage },
        .objects("pieces", .piece, "The files, in the order of the recording.") { $0.files },
      ])
  }
}

extension Shape<MixSplit.File> {
  fileprivate static var piece: Shape {
    Shape(
      summary: "A piece of the recording.",
      fields: [
        .required("number", .integer, "Position in the order, from 1.") { $0.number },
        .uri { $0.path }, .path { $0.path },
        .required("start_s", .number, "Start in the recording, in seconds.") {
          $0.piece.start.rounded(toPlaces: 6)
        },
        .required("end_s", .number, "End in the recording, in seconds, where the next piece begins.") {
          $0.piece.end.rounded(toPlaces: 6)
        },
        .optional("reference", .text, "Name of the track in the catalog; null for a stretch that was not recognized.") {
          $0.piece.cue?.match.referenceIdentifier
        },
        .optional("title", .text, "Title of the track.") { $0.piece.cue?.match.item.title },
        .optional("artist", .text, "Performers.") { $0.piece.cue?.match.item.artist },
        .required(
          "overlap_s", .number,
          "Seconds in which this track and that of the previous piece play at once; the cut is in the middle."
        ) { $0.piece.overlap.rounded(toPlaces: 3) },
        .list("also_heard", .text, "Names in the catalog of tracks that are heard only while this one plays.") {
          $0.piece.alsoHeard.map(\.match.referenceIdentifier)
        },
      ])
  }
}
