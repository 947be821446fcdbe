internal import DSP
internal import Platform
internal import Records
internal import Reporting

extension PlaylistProposal {
  /// Includes the line break.
  package var ndjsonLine: [UInt8] { Shape.playlist.ndjsonLine(self) }
}

/// The output of `playlist --json`: schema `nocturne.playlist` version 2. Fields keep their names and types forever;
/// the only changes are new fields.
extension Shape<PlaylistProposal> {
  static var playlist: Shape {
    Shape(
      summary: "A playlist.",
      fields: [
        .required("order", .choice, "How the tracks follow each other.") { $0.order },
        .required("candidates", .integer, "Tracks that could be chosen from.") { $0.candidateCount },
        .required("copies", .integer, "Files that were left out as copies of a candidate.") { $0.copyCount },
        .required("unmeasured", .integer, "Tracks that were left out since their length is not known.") {
          $0.unmeasuredCount
        },
        .optional("wanted_duration_s", .number, "The length that was asked for, in seconds; null if none was.") {
          $0.wantedDuration
        },
        .required("duration_s", .number, "The length of the playlist, in seconds.") {
          $0.duration.rounded(toPlaces: 3)
        },
        .required("artist_repeats", .integer, "Pairs of one artist that are nearer to each other than was asked for.") {
          $0.repeatCount
        },
        .optional(
          "mean_tempo_change_percent", .number,
          "Change of tempo from track to track, where half and double are the same; null if it is not known."
        ) { mean($0.tempoChanges)?.rounded(toPlaces: 2) },
        .optional(
          "mean_key_steps", .number, "Steps on the wheel of Camelot from track to track; null if they are not known."
        ) { mean($0.keySteps.map { Double($0) })?.rounded(toPlaces: 2) },
        .objects("tracks", .playlistTrack, "In their order; null if there are none.") {
          $0.tracks.enumerated().map { NumberedTrack(number: $0.offset + 1, track: $0.element) }
        },
      ])
  }
}

private func mean(_ values: [Double]) -> Double? {
  values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
}

private struct NumberedTrack: Sendable {
  /// The number of the track, counted from 1.
  var number: Int
  var track: PlaylistTrack
}

extension Shape<NumberedTrack> {
  fileprivate static var playlistTrack: Shape {
    Shape(
      summary: "A track of the playlist.",
      fields: [
        .required("number", .integer, "From 1.") { $0.number },
        .uri { $0.track.path }, .path { $0.track.path },
        .optional("title", .text, "Title.") { $0.track.title },
        .optional("artist", .text, "Performers.") { $0.track.artist },
        .optional("album", .text, "Title of the release.") { $0.track.album },
        .optional("duration_s", .number, "Seconds.") { $0.track.duration },
        .tempo { $0.track.bpm }, .camelot { $0.track.key },
        .optional("traits_energy", .number, "0 to 1; null where the order does not need it.") { $0.track.energy },
        .optional("likeness", .number, "To the file of --like, 0 to 1.") { $0.track.likeness },
      ])
  }
}

package enum PlaylistSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "playlist", "nocturne.playlist.v2.schema.json",
        ReportSchema.lineSchema(Shape.playlist.schema, title: "nocturne.playlist, version 2: one playlist").text
      )
    ]
  }
}
