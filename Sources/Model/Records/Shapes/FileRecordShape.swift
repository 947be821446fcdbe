package import Analysis
internal import Platform
internal import SystemPackage
internal import Text

/// The record of a file in schema `nocturne.report` version 1. A field keeps its name and type forever, but new fields
/// may be added.
extension Shape<FileRecord> {
  /// - Parameter options: Options that select the long fields to include. All other long fields are `null`.
  package static func file(_ options: ReportOptions) -> Shape {
    Shape(
      summary: "All that is known of one file.",
      fields: facts + options.findings.map { .finding($0, long: options.long) } + outcomes)
  }

  private static var facts: [Field<FileRecord>] {
    [
      .required(
        "file_id", .contentID,
        "Identifies the file by its path: XXH3-128 of the path's bytes in base62. The key for search engines."
      ) { ContentID(ofPath: $0.path) },
      .optional(
        "analyzed_at", .dateTime, "When the file was last analyzed, UTC, cut to seconds; null if it never was."
      ) { $0.analyzed },
      .optional(
        "id", .contentID,
        "Identifies the encoded audio without its tags: 128 bits in base62. Copies and re-tagged files have the same."
      ) { $0.contentID },
      .required("uri", .uri, "The file, with the bytes of its path percent-encoded.") { $0.path.uri },
      .required(
        "path", .path,
        "Absolute path for display. Bytes that are not UTF-8 stand as \\xHH; a backslash that would read so, as \\x5C."
      ) { DisplayPath.text(of: $0.path) },
      .required(
        "status", .choice,
        "ok; partial: damaged, or not analyzed to its end; failed: no audio could be decoded; skipped: passed over."
      ) { $0.status },
      .optionalObject("error", .problem, "Why the status is not ok.") { $0.problem },
      .objects("remarks", .problem, "What is odd about the file although nothing failed.") { $0.remarks },
      .required(
        "vanished", .boolean,
        "The file was gone when its folder was last scanned. Such files are in a report only where asked for."
      ) { $0.isVanished },
      .object("format", .format, "What kind of audio the file holds, and the file itself.") { $0 },
    ]
  }

  private static var outcomes: [Field<FileRecord>] {
    [
      .map("findings", .json, "What other analyzers found, by analyzer: whatever JSON they give.") { record in
        record.otherFindings.map { (key: $0.key, value: $0.value) }
      },
      .objects("problems", .analyzerProblem, "Analyzers that left no finding for this file, and why.") {
        $0.analyzerProblems
      },
      .map("analyzers", .integer, "Version of each analyzer whose outcome this record shows.") { record in
        record.analyzers.map { (key: $0.id, value: $0.version) }
      },
    ]
  }
}

extension Shape<Problem> {
  package static var problem: Shape<Problem> {
    Shape(
      summary: "Something to tell about a file.",
      fields: [
        .required("stage", .choice, "Where it happened.") { $0.stage },
        .required("code", .text, "For machines; never renamed.") { $0.code },
        .required("message", .text, "One sentence for people.") { $0.message },
      ])
  }
}

extension Shape<FileRecord.AnalyzerProblem> {
  static var analyzerProblem: Shape {
    Shape(
      summary: "An analyzer without a finding.",
      fields: [
        .required("analyzer", .text, "Its id.") { $0.analyzer },
        .required("outcome", .choice, "not_applicable: there was nothing to analyze; failed: it gave up.") {
          $0.outcome
        },
        .required("message", .text, "One sentence for people.") { $0.message },
      ])
  }
}

extension Shape<FileRecord> {
  fileprivate static var format: Shape {
    Shape(
      summary: "The file, and the audio in it (null where none was found).",
      fields: [
        .optional("container", .text, "wav, flac, mp3, ogg, mp4, aiff, matroska, …") { $0.format?.container },
        .optional("codec", .text, "pcm_s16, flac, mp3, vorbis, opus, aac, alac, …") { $0.format?.codec },
        .optional("duration_s", .number, "Length in seconds: as decoded, else as claimed or estimated.") {
          $0.format?.duration
        },
        .optional(
          "duration_is_estimated", .boolean,
          "duration_s and claimed_duration_s are an estimate by bit rate and size: nothing was decoded, and no header says."
        ) { $0.format?.durationIsEstimated },
        .optional("claimed_duration_s", .number, "Length in seconds as the file claims it.") { record in
          guard let format = record.format, format.sampleRate > 0,
            let frames = format.claimedFrameCount ?? format.estimatedFrameCount
          else { return nil }
          return Double(frames) / Double(format.sampleRate)
        },
        .optional("sample_rate_hz", .integer, "Samples per second and channel.") { $0.format?.sampleRate },
        .optional("channels", .integer, "Number of channels.") { $0.format?.channelCount },
        .optional("bit_depth", .integer, "Bits per sample; null for codecs that have none.") { $0.format?.bitDepth },
        .optional("bit_rate_bps", .integer, "Mean bits per second of the audio.") { $0.format?.bitRate },
        .optional("lossless", .boolean, "The codec is lossless.") { $0.format?.isLossless },
        .optional("size_bytes", .integer, "Size of the file in bytes.") { $0.sizeBytes.map { Int($0) } },
        .optional("modified_at", .dateTime, "When the file was last modified, UTC, cut to seconds.") { $0.modified },
      ])
  }
}
