internal import Analysis
internal import AudioEncoding
internal import DSP
internal import Platform
internal import Records
internal import Reporting
internal import Text

extension ClickRecord {
  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.click.ndjsonLine(self) }
}

extension MetronomeRecord {
  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.metronome.ndjsonLine(self) }
}

/// The output of `click`: schema `nocturne.click` version 2. Fields keep their names and types forever; the only
/// changes are new fields.
extension Shape<ClickRecord> {
  static var click: Shape {
    Shape(
      summary: "A track with clicks on its beats.",
      fields: [
        .required("uri", .uri, "URI of the track, with the bytes of its path percent-encoded.") { $0.track.path.uri },
        .required("path", .text, "Absolute path of the track for display, as in reports.") {
          DisplayPath.text(of: $0.track.path)
        },
        .tempo { $0.track.bpm }, .tempoIsLocked { $0.track.isLocked },
        .optional("tempo_metre", .text, "Meter: 4/4, 3/4, 6/8, 9/8 or 12/8; null if uncertain.") { $0.track.metre },
        .required("clicks", .integer, "Number of clicks, including accents.") { $0.outcome.clickCount },
        .required("accents", .integer, "Number of clicks on downbeats; 0 if downbeats are unknown.") {
          $0.outcome.accentCount
        },
        .required("clicks_only", .boolean, "The output contains only clicks, no music.") { $0.track.isClicksOnly },
        .optional("music_gain_db", .number, "Gain of the music in dB, 0 or less; null without music.") {
          $0.track.isClicksOnly ? nil : $0.track.levels.music
        },
        .required("loudness_known", .boolean, "The loudness of the track is known, and levels are based on it.") {
          $0.track.isLoudnessKnown
        },
        .required("clipped_samples", .integer, "Number of samples beyond full scale, which were clipped.") {
          Int($0.outcome.clippedSampleCount)
        },
        .optional("problem", .text, "Why the music is incomplete; null if it is complete.") {
          $0.outcome.problem?.message
        },
      ]
        + clickFields(
          sound: { $0.track.sound }, level: { $0.track.levels.clicks }, rate: { $0.outcome.sampleRate },
          channels: { $0.outcome.channelCount }, duration: { $0.outcome.duration }, destination: { $0.destination }))
  }
}

/// The output of `metronome`: schema `nocturne.metronome` version 1.
extension Shape<MetronomeRecord> {
  static var metronome: Shape {
    Shape(
      summary: "A plain click track.",
      fields: [
        .required("bpm", .number, "Clicks per minute.") { $0.metronome.tempo.beatsPerMinute },
        .required("metre", .text, "Clicks per bar and their unit, such as 3/4.") { $0.metronome.metre.description },
        .required("clicks", .integer, "Number of clicks, including accents.") { $0.outcome.clickCount },
        .required("accents", .integer, "Number of clicks that begin a bar; 0 without accents.") {
          $0.outcome.accentCount
        },
      ]
        + clickFields(
          sound: { $0.metronome.sound }, level: { $0.metronome.peak }, rate: { $0.outcome.sampleRate },
          channels: { _ in 1 }, duration: { $0.outcome.duration }, destination: { $0.destination }))
  }
}

extension Shape {
  /// The fields that both schemas share.
  fileprivate static func clickFields(
    sound: @escaping @Sendable (Record) -> ClickSound, level: @escaping @Sendable (Record) -> Double,
    rate: @escaping @Sendable (Record) -> Int, channels: @escaping @Sendable (Record) -> Int,
    duration: @escaping @Sendable (Record) -> Double, destination: @escaping @Sendable (Record) -> ClickDestination
  ) -> [Field<Record>] {
    [
      .required("sound", .text, "Sound of the clicks: wood, beep or click.") { sound($0).rawValue },
      .required("click_level_dbfs", .number, "Peak of accents in dBFS; other clicks are 3 dB quieter.") {
        level($0)
      },
      .required("sample_rate_hz", .integer, "Samples per second.") { rate($0) },
      .required("channels", .integer, "Channels.") { channels($0) },
      .required("duration_s", .number, "Seconds.") { duration($0).rounded(toPlaces: 6) },
      .optional("output_uri", .uri, "URI of the file that was written; null if it was only played.") {
        destination($0).output?.uri
      },
      .optional("output", .text, "Absolute path of the written file for display; null if it was only played.") {
        destination($0).output.map { DisplayPath.text(of: $0) }
      },
      .optional("format", .text, "Format of the file: flac, wav or opus; null if it was only played.") {
        destination($0).format?.rawValue
      },
      .optional("played_by", .text, "The program that played it; null if it was not played.") {
        destination($0).player
      },
    ]
  }
}

/// The JSON Schemas of the output of `click` and `metronome`.
package enum ClickSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "click", "nocturne.click.v2.schema.json",
        ReportSchema.lineSchema(Shape.click.schema, title: "nocturne.click, version 2: one track").text
      ),
      (
        "metronome", "nocturne.metronome.v1.schema.json",
        ReportSchema.lineSchema(Shape.metronome.schema, title: "nocturne.metronome, version 1: one click track").text
      ),
    ]
  }
}
