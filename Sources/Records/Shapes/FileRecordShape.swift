package import Analysis
internal import System
internal import SystemPackage
internal import Text

/// The record of a file, as schema `nocturne.report` version 1 has it. A field keeps its name and type for ever; what comes
/// later is added.
extension Shape<FileRecord> {
  /// - Parameter options: what they leave out is `null`.
  package static func file(_ options: ReportOptions) -> Shape {
    Shape(
      summary: "All that is known of one file.",
      fields: [
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
        .required("uri", .uri, "The file, with the bytes of its path percent-encoded.") { $0.path.fileURI },
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
        .optionalObject("tags", .tags(options), "Tags under canonical names; null if they were not read.") { $0.tags },
        .optionalObject(
          "tempo", .tempo(includesBeats: options.includesBeats), "Tempo and beats; null if they were not looked for."
        ) { record in record.tempo.map { ReportedTempo(finding: $0, isLocked: record.tempoCorrection != nil) } },
        .optionalObject("fingerprint", .fingerprint, "Acoustic fingerprint for AcoustID.") { record in
          record.fingerprint.map { ReportedFingerprint(finding: $0, trackLength: TrackLength(of: record)) }
        },
        .optionalObject("signature", .signature, "Landmark signature, by which clips of the track are recognised.") {
          $0.signature
        },
        .map("findings", .json, "What other analyzers found, by analyzer: whatever JSON they give.") { record in
          record.findings.map { (key: $0.key, value: $0.value) }
        },
        .objects("problems", .analyzerProblem, "Analyzers that left no finding for this file, and why.") {
          $0.analyzerProblems
        },
        .map("analyzers", .integer, "Version of each analyzer whose outcome this record shows.") { record in
          record.analyzers.map { (key: $0.id, value: $0.version) }
        },
      ])
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

extension Shape<TagFinding> {
  /// The fields of `TagField.all`, and what has no canonical name.
  static func tags(_ options: ReportOptions) -> Shape {
    Shape(
      summary: "Tags under canonical names, after MusicBrainz Picard's table of tag mappings.",
      fields: TagField.all.map { .tag($0) } + [
        .mapOfLists("other", .text, "Tags without a canonical name, under the name the file has for them.") { tags in
          tags.fields.compactMap { name, values in
            guard name.hasPrefix(TagField.otherPrefix) else { return nil }
            return (key: String(name.dropFirst(TagField.otherPrefix.count)), value: values)
          }
        },
        .objects("pictures", .picture, "Embedded pictures.") { $0.pictures },
        .required("has_lyrics", .boolean, "The tags hold lyrics.") { $0.hasLyrics },
        .list("formats", .text, "The tag formats found: id3v2.4, vorbis, mp4, apev2, …") { $0.formats },
        .objects("lyrics", .lyrics, "Lyrics; null unless the report was made with lyrics.") {
          options.includesLyrics ? $0.lyrics : []
        },
        .objects("chapters", .chapter, "Chapters; null unless the report was made with chapters.") {
          options.includesChapters ? $0.chapters : []
        },
      ])
  }
}

extension Field<TagFinding> {
  fileprivate static func tag(_ tag: TagField) -> Field {
    let name = tag.name
    if tag.isList {
      return .list(name, .text, tag.summary) { $0.fields[name] ?? [] }
    }
    return switch tag.kind {
    case .text, .date, .gain, .identifier:
      .optional(name, .text, tag.summary) { tags in
        if case .string(let value)? = tags.fields[name].map({ tag.reportValue($0) }) { value } else { nil }
      }
    case .integer:
      .optional(name, .integer, tag.summary) { tags in
        if case .integer(let value)? = tags.fields[name].map({ tag.reportValue($0) }) { Int(value) } else { nil }
      }
    case .number:
      .optional(name, .number, tag.summary) { tags in
        if case .number(let value)? = tags.fields[name].map({ tag.reportValue($0) }) { value } else { nil }
      }
    case .flag:
      .optional(name, .boolean, tag.summary) { tags in
        if case .bool(let value)? = tags.fields[name].map({ tag.reportValue($0) }) { value } else { nil }
      }
    }
  }
}

extension Shape<TagFinding.Picture> {
  fileprivate static var picture: Shape {
    Shape(
      summary: "An embedded picture.",
      fields: [
        .required("type", .text, "What it shows, as ID3 names it: front cover, back cover, artist, other, …") {
          $0.type
        },
        .optional("mime", .text, "Media type.") { $0.mime },
        .required("size_bytes", .integer, "Size in bytes.") { $0.sizeBytes },
      ])
  }
}

extension Shape<TagFinding.Lyrics> {
  fileprivate static var lyrics: Shape {
    Shape(
      summary: "Words of the song.",
      fields: [
        .optional("language", .text, "Mostly an ISO 639-2 code.") { $0.language },
        .optional("description", .text, "What the tag calls them.") { $0.description },
        .required("text", .text, "The words as the tag has them, times of LRC included.") { $0.text },
        .objects("lines", .lyricsLine, "Lines with their times; null if the words have none.") { $0.lines },
      ])
  }
}

extension Shape<TagFinding.Lyrics.Line> {
  fileprivate static var lyricsLine: Shape {
    Shape(
      summary: "A line or a phrase.",
      fields: [
        .required("time_s", .number, "Where it begins, in seconds from the start of the track.") { $0.seconds },
        .required("text", .text, "Its words; empty where there is a pause.") { $0.text },
      ])
  }
}

extension Shape<TagFinding.Chapter> {
  fileprivate static var chapter: Shape {
    Shape(
      summary: "A chapter.",
      fields: [
        .required("start_s", .number, "Seconds from the start of the track.") { $0.startSeconds },
        .optional("end_s", .number, "Seconds from the start of the track; null if the file does not say.") {
          $0.endSeconds
        },
        .optional("title", .text, "Title of the chapter.") { $0.title },
      ])
  }
}

/// A tempo, and whether it is that of a person.
@dynamicMemberLookup
struct ReportedTempo {
  let finding: TempoFinding
  let isLocked: Bool

  subscript<Value>(dynamicMember path: KeyPath<TempoFinding, Value>) -> Value { finding[keyPath: path] }
}

extension Shape<ReportedTempo> {
  static func tempo(includesBeats: Bool) -> Shape {
    Shape(
      summary: "Tempo and beats.",
      fields: [
        .optional("bpm", .number, "Beats per minute; null if there is no tempo.") { $0.bpm },
        .required(
          "confidence", .number, "0 to 1: probability that bpm is within 4% of the truth, octave included."
        ) { $0.confidence },
        .objects("candidates", .candidate, "Tempi that were considered, best first.") { $0.candidates },
        .required(
          "octave_confidence", .number,
          "0 to 1: given that bpm is right up to a factor of 2 or 3, the probability that the factor is 1."
        ) { $0.octaveConfidence },
        .required("stable", .boolean, "One tempo throughout, within the error of measurement.") { $0.isStable },
        .objects("map", .section, "Tempo map: from each start on, the tempo is bpm.") { $0.map },
        .list("beats_s", .number, "Beats in seconds from the start; null unless the report was made with beats.") {
          includesBeats ? $0.beats : []
        },
        .optional("metre", .text, "4/4, 3/4 or 6/8; null where it is not sure.") { $0.metre },
        .list(
          "downbeats_s", .number, "The beats that begin a bar; null where they are not sure, or without beats."
        ) { includesBeats ? $0.downbeats ?? [] : [] },
        .optionalObject("onsets", .onsets, "Course of onsets; null unless the report was made with beats.") {
          includesBeats && !$0.onsets.values.isEmpty ? $0.onsets : nil
        },
        .optional("reason", .text, "Why there is no tempo: too_short, silence, no_pulse, …") { $0.reason },
        .required(
          "locked", .boolean,
          "A person has set bpm (analyze set): confidences are 1, and what was found stays in the database."
        ) { $0.isLocked },
      ])
  }
}

extension Shape<TempoFinding.Candidate> {
  fileprivate static var candidate: Shape {
    Shape(
      summary: "A tempo that was considered.",
      fields: [
        .required("bpm", .number, "Beats per minute.") { $0.bpm },
        .required("weight", .number, "Share of the evidence; all weights add up to at most 1.") { $0.weight },
      ])
  }
}

extension Shape<TempoFinding.Section> {
  fileprivate static var section: Shape {
    Shape(
      summary: "A stretch of one tempo.",
      fields: [
        .required("start_s", .number, "Seconds from the start of the audio.") { $0.startSeconds },
        .required("bpm", .number, "Beats per minute.") { $0.bpm },
      ])
  }
}

extension Shape<TempoFinding.OnsetSummary> {
  fileprivate static var onsets: Shape {
    Shape(
      summary: "How strongly something begins over the course of the track.",
      fields: [
        .required("step_s", .number, "Seconds from one value to the next.") { $0.stepSeconds },
        .list("values", .number, "Mean onset strength per step, 0 to 1.") { $0.values },
      ])
  }
}

/// How long a track is.
private struct TrackLength {
  let seconds: Double
  let isClaimed: Bool

  /// As decoded where the file is whole and was decoded to its end, else as the file claims it, else what there is.
  init?(of record: FileRecord) {
    guard let format = record.format, format.sampleRate > 0 else { return nil }
    let isWhole = record.status == .ok && format.frameCount != nil
    guard let frames = isWhole ? format.frameCount : format.claimedFrameCount ?? format.frameCount else { return nil }
    seconds = Double(frames) / Double(format.sampleRate)
    isClaimed = !isWhole && format.claimedFrameCount != nil
  }
}

private struct ReportedFingerprint {
  let finding: FingerprintFinding
  let trackLength: TrackLength?
}

extension Shape<ReportedFingerprint> {
  fileprivate static var fingerprint: Shape {
    Shape(
      summary: "Acoustic fingerprint.",
      fields: [
        .required("algorithm", .text, "Algorithm and its number: chromaprint-2.") { $0.finding.algorithm },
        .required(
          "duration_s", .number, "Seconds of audio that it covers: the first 120 at most, unless set otherwise."
        ) {
          $0.finding.duration
        },
        .optional(
          "track_duration_s", .number,
          "Seconds of the whole track, the duration that AcoustID asks for; null if unknown."
        ) { $0.trackLength?.seconds },
        .optional(
          "track_duration_claimed", .boolean,
          "track_duration_s is what the file claims, since it is damaged or was not decoded to its end."
        ) { $0.trackLength?.isClaimed },
        .required("value", .text, "Compressed, URL-safe base64, as fpcalc prints it.") { $0.finding.value },
      ])
  }
}

extension Shape<FileRecord.Signature> {
  fileprivate static var signature: Shape {
    Shape(
      summary: "Landmark signature, without its data.",
      fields: [
        .required("version", .integer, "Version of the signature format.") { $0.version },
        .required("landmarks", .integer, "Number of landmarks.") { $0.landmarkCount },
      ])
  }
}
