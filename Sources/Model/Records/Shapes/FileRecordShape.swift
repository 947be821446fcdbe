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
      summary: "Everything known about one file.",
      fields: facts + options.findings.map { .finding($0, long: options.long) } + outcomes)
  }

  private static var facts: [Field<FileRecord>] {
    [
      .required(
        "file_id", .contentID,
        "Identifies the file by its path: XXH3-128 of the path's bytes in base62. The key for search engines."
      ) { ContentID(ofPath: $0.path) },
      .optional(
        "analyzed_at", .dateTime,
        "Time of the last analysis, UTC, truncated to seconds; null if the file was never analyzed."
      ) { $0.analyzed },
      .optional(
        "id", .contentID,
        "Identifies the encoded audio without its tags: 128 bits in base62. Copies and retagged files have the same "
          + "id. null if there is no audio."
      ) { $0.contentID },
      .required("uri", .uri, "URI of the file, with the bytes of its path percent-encoded.") { $0.path.uri },
      .required(
        "path", .path,
        "Absolute path for display. Bytes that are not UTF-8 appear as \\xHH; a backslash that would be mistaken "
          + "for one, as \\x5C."
      ) { DisplayPath.text(of: $0.path) },
      .required(
        "status", .choice,
        "ok; partial: damaged, or not analyzed to its end; failed: no audio could be decoded; skipped: passed over."
      ) { $0.status },
      .optionalObject("error", .problem, "Why the status is not ok; null if it is.") { $0.problem },
      .objects("remarks", .problem, "Oddities of the file that are not errors; null if there are none.") { $0.remarks },
      .required(
        "vanished", .boolean,
        "The file was gone when its folder was last scanned. Reports include such files only on request."
      ) { $0.isVanished },
      .object("format", .format, "Format of the audio, and facts about the file.") { $0 },
    ]
  }

  private static var outcomes: [Field<FileRecord>] {
    [
      .map("findings", .json, "Findings of other analyzers, by analyzer id: any JSON value. null if there are none.") {
        record in
        record.otherFindings.map { (key: $0.key, value: $0.value) }
      },
      .objects(
        "problems", .analyzerProblem,
        "Analyzers without a finding for this file, with the reason; null if there are none."
      ) {
        $0.analyzerProblems
      },
      .map(
        "analyzers", .integer,
        "Version of each analyzer whose results this record contains, by analyzer id; null if there are none."
      ) {
        record in
        record.analyzers.map { (key: $0.id, value: $0.version) }
      },
    ]
  }
}

extension Shape<Problem> {
  package static var problem: Shape<Problem> {
    Shape(
      summary: "A remark about a file that is not damaged by it.",
      fields: [
        .required("stage", .choice, "Stage of the work in which the problem occurred.") { $0.stage },
        .required("code", .text, "Code of the problem for programs; codes are never renamed.") { $0.code },
        .required("message", .text, "Description of the problem in one sentence.") { $0.message },
      ])
  }
}

extension Shape<FileRecord.AnalyzerProblem> {
  static var analyzerProblem: Shape {
    Shape(
      summary: "An analyzer without a finding.",
      fields: [
        .required("analyzer", .text, "Id of the analyzer.") { $0.analyzer },
        .required("outcome", .choice, "not_applicable: there was nothing to analyze; failed: it gave up.") {
          $0.outcome
        },
        .required("message", .text, "Description of the problem in one sentence.") { $0.message },
      ])
  }
}

extension Shape<FileRecord> {
  fileprivate static var format: Shape {
    Shape(
      summary: "The file and its audio (null if none was found).",
      fields: [
        .optional(
          "container", .text, "Container of the audio: wav, flac, mp3, ogg, mp4, aiff, matroska, …; null if unknown."
        ) { $0.format?.container },
        .optional(
          "codec", .text, "Codec of the audio: pcm_s16, flac, mp3, vorbis, opus, aac, alac, …; null if unknown."
        ) { $0.format?.codec },
        .optional(
          "duration_s", .number, "Duration in seconds as decoded, otherwise as claimed or estimated; null if unknown."
        ) {
          $0.format?.duration
        },
        .optional(
          "duration_is_estimated", .boolean,
          "duration_s and claimed_duration_s are estimated from bit rate and size: nothing was decoded, and no "
            + "header gives the duration."
        ) { $0.format?.durationIsEstimated },
        .optional("claimed_duration_s", .number, "Duration in seconds that the file claims; null if it does not.") {
          record in
          guard let format = record.format, format.sampleRate > 0,
            let frames = format.claimedFrameCount ?? format.estimatedFrameCount
          else { return nil }
          return Double(frames) / Double(format.sampleRate)
        },
        .optional("sample_rate_hz", .integer, "Sample rate in Hz; null if unknown.") { $0.format?.sampleRate },
        .optional("channels", .integer, "Number of channels; null if unknown.") { $0.format?.channelCount },
        .optional("bit_depth", .integer, "Bits per sample; null for codecs without a bit depth.") {
          $0.format?.bitDepth
        },
        .optional("bit_rate_bps", .integer, "Mean bit rate of the audio in bits per second; null if unknown.") {
          $0.format?.bitRate
        },
        .optional("lossless", .boolean, "The codec is lossless.") { $0.format?.isLossless },
        .optional("size_bytes", .integer, "Size of the file in bytes; null if unknown.") {
          $0.sizeBytes.map { Int($0) }
        },
        .optional(
          "modified_at", .dateTime,
          "Time of the last modification of the file, UTC, truncated to seconds; null if unknown."
        ) {
          $0.modified
        },
      ])
  }
}
