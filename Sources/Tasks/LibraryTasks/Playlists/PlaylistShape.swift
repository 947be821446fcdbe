internal import DSP
internal import Platform
internal import Records
internal import Reporting

extension PlaylistProposal {
  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.playlist.ndjsonLine(self) }
}

/// The output of `playlist --json`: schema `nocturne.playlist` version 2. Fields keep their names and types forever;
/// the only changes are new fields.
extension Shape<PlaylistProposal> {
  static var playlist: Shape {
    Shape(
      summary: "A playlist.",
      fields: [
        .required("order", .choice, "Order of the tracks.") { $0.order },
        .required("candidates", .integer, "Number of tracks to choose from.") { $0.candidateCount },
        .required("copies", .integer, "Number of files left out as copies of other candidates.") { $0.copyCount },
        .required("unmeasured", .integer, "Number of tracks left out because their duration is unknown.") {
          $0.unmeasuredCount
        },
        .optional(
          "wanted_duration_s", .number, "Requested duration of the playlist in seconds; null if none was requested."
        ) {
          $0.wantedDuration
        },
        .required("duration_s", .number, "Duration of the playlist in seconds.") {
          $0.duration.rounded(toPlaces: 3)
        },
        .required(
          "artist_repeats", .integer, "Number of pairs of tracks by one artist that are closer together than requested."
        ) {
          $0.repeatCount
        },
        .optional(
          "mean_tempo_change_percent", .number,
          "Mean change of tempo from track to track in percent, with half and double tempo as equal; null if unknown."
        ) { mean($0.tempoChanges)?.rounded(toPlaces: 2) },
        .optional(
          "mean_key_steps", .number, "Mean number of steps on the Camelot wheel from track to track; null if unknown."
        ) { mean($0.keySteps.map { Double($0) })?.rounded(toPlaces: 2) },
        .objects("tracks", .playlistTrack, "Tracks of the playlist in order; null if there are none.") {
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
        .required("number", .integer, "Position in the order, from 1.") { $0.number },
        .uri { $0.track.path }, .path { $0.track.path },
        .optional("title", .text, "Title.") { $0.track.title },
        .optional("artist", .text, "Performers.") { $0.track.artist },
        .optional("album", .text, "Title of the release.") { $0.track.album },
        .optional("duration_s", .number, "Seconds.") { $0.track.duration },
        .tempo { $0.track.bpm }, .camelot { $0.track.key },
        .optional("traits_energy", .number, "Energy of the track, 0 to 1; null if the order does not use it.") {
          $0.track.energy
        },
        .optional("likeness", .number, "Similarity to the file of --like, 0 to 1; null without --like.") {
          $0.track.likeness
        },
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
