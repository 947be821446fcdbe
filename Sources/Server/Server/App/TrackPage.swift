internal import Analysis
internal import LibraryStore
internal import LibraryTasks
internal import Platform
internal import Records
internal import Reporting
internal import ResultStore
internal import Serving

struct TrackPage: Sendable {
  let song: Song
  let record: FileRecord
  let former: [FormerTempo]
  let copies: Int
  let chronicle: FileChronicle
}

extension JSONType<TrackPage> {
  static var trackPage: Self {
    let line = JSONType<FindingLine>.object(
      "AppFindingLine", .required("label", .text) { $0.label }, .required("text", .text) { $0.text })
    return .object(
      "AppTrackPage",
      groups: facts,
      [
        .optional("tempo", .appTempo) { ShownTempo($0.record, $0.former) },
        .optional("key", .appKey) { $0.record.findings[KeyFinding.self] },
        .optional("sections", .appSections) { $0.record.findings[SectionsFinding.self] },
        .finding(LoudnessFinding.self), .finding(CuesFinding.self), .finding(TraitsFinding.self),
        .required("other_findings", .list(line)) { FindingLines.known.lines(of: $0.record).flatMap(\.self) },
        .required("faults", .list(.appFault)) { $0.record.findings[HealthFinding.self]?.faults ?? [] },
        .required("has_waveform", .flag) { $0.record.findings[WaveformFinding.self]?.peak != nil },
        .required("has_descriptor", .flag) {
          $0.record.findings[LikenessFinding.self].map { $0.reason == nil } ?? false
        },
        .required("problems", .list(.appProblem)) { page in page.record.problem.map { [($0, page.record)] } ?? [] },
        .required("remarks", .list(.text)) { page in
          let record = page.record
          let analyzers = record.analyzerProblems.filter { $0.outcome == .failed }
          return record.remarks.map(\.message) + (record.tags?.remarks ?? [])
            + analyzers.map { "\($0.analyzer): \($0.message)" }
        },
        .required("bytes", .text) { $0.chronicle.stateName },
        .optional("verified_at", .time) { $0.chronicle.checksum?.verified },
        .optional("well_at", .time) { $0.chronicle.checksum?.well },
        .required("history", .list(.appFileEvent)) { $0.chronicle.events },
      ])
  }

  private static var facts: [Field<TrackPage>] {
    let chapter = JSONType<TagFinding.Chapter>.object(
      "AppChapter", .required("start_s", .number(decimals: 3)) { $0.startSeconds },
      .optional("end_s", .number(decimals: 3)) { $0.endSeconds }, .optional("title", .text) { $0.title })
    let line = JSONType<TagFinding.Lyrics.Line>.object(
      "AppLyricsLine",
      .required("start_s", .number(decimals: 3)) { $0.seconds }, .required("text", .text) { $0.text })
    let lyrics = JSONType<TagFinding.Lyrics>.object(
      "AppLyrics", .optional("language", .text) { $0.language }, .optional("description", .text) { $0.description },
      .required("text", .text) { $0.text }, .required("lines", .list(line)) { $0.lines })
    let tag = JSONType<(label: String, value: String)>.object(
      "AppTag", .required("label", .text) { $0.label }, .required("value", .text) { $0.value })
    let appFormat = JSONType<AudioFormat>.object(
      "AppFormat", .required("container", .text) { $0.container }, .required("codec", .text) { $0.codec },
      .required("sample_rate_hz", .integer) { $0.sampleRate }, .required("channels", .integer) { $0.channelCount },
      .optional("bit_depth", .integer) { $0.bitDepth }, .optional("bit_rate_bps", .integer) { $0.bitRate },
      .required("lossless", .flag) { $0.isLossless })
    return [
      .required("track", .appTrack) { ListRow($0.song) },
      .required("path", .text) { DisplayPath.text(of: $0.record.path) },
      .optional("content_id", .text) { $0.record.contentID?.description },
      .optional("size_bytes", .integer) { $0.record.sizeBytes.map { Int($0) } },
      .optional("modified_at", .time) { $0.record.modified }, .optional("analyzed_at", .time) { $0.record.analyzed },
      .required("is_vanished", .flag) { $0.record.isVanished }, .required("copies", .integer) { max($0.copies, 0) },
      .optional("format", appFormat) { $0.record.format },
      .required("tags", .list(tag)) { $0.record.tags.map(TagLabel.rows) ?? [] },
      .required("has_lyrics", .flag) { $0.record.tags?.hasLyrics ?? false },
      .required("lyrics", .list(lyrics)) { $0.record.tags?.lyrics ?? [] },
      .required("chapters", .list(chapter)) { $0.record.tags?.chapters ?? [] },
    ]
  }
}

extension Field<TrackPage> {
  /// A finding, with the same member names as in reports.
  fileprivate static func finding<Finding: DeclaredFinding>(_ type: Finding.Type) -> Field {
    var field = Field<FileRecord>.finding(type, long: []).of { (page: TrackPage) in page.record }
    let named = JSONType<TrackPage>.named("App\(field.name.capitalized)", field.schema) { _, _ in }
    (field.schema, field.definitions) = (named.schema, named.definitions)
    return field
  }
}

extension JSONType<KeyFinding> {
  fileprivate static var appKey: Self {
    let candidate = JSONType<KeyFinding.Candidate>.object(
      "AppKeyCandidate",
      .required("key", .text) { $0.key }, .required("probability", .number(decimals: 4)) { $0.probability })
    let section = JSONType<KeyFinding.Section>.object(
      "AppKeySection",
      .required("start_s", .number(decimals: 2)) { $0.startSeconds }, .optional("key", .text) { $0.key })
    return .object(
      "AppKey", .optional("camelot", .text) { $0.camelot }, .optional("tonic", .text) { $0.tonic },
      .optional("mode", .text) { $0.mode }, .optional("open_key", .text) { $0.openKey },
      .optional("confidence", .number(decimals: 3)) { $0.confidence },
      .required("candidates", .list(candidate)) { $0.candidates }, .required("map", .list(section)) { $0.map },
      .optional("tuning_hz", .number(decimals: 2)) { $0.tuningHertz },
      .required("text", .text) { key in
        guard let tonic = key.tonic, let mode = key.mode else {
          return "No key was found. Drums, noise and speech have none."
        }
        return "\(tonic) \(mode). \(TempoText.confidence(key.confidence))"
      },
      .optional("reason", .text) { $0.reason })
  }
}

extension JSONType<SectionsFinding> {
  fileprivate static var appSections: Self {
    let section = JSONType<SectionsFinding.Section>.object(
      "AppSection", .required("start_s", .number(decimals: 3)) { $0.startSeconds },
      .required("end_s", .number(decimals: 3)) { $0.endSeconds }, .required("label", .text) { $0.label },
      .optional("level_db", .number(decimals: 2)) { $0.levelDecibels })
    return .object(
      "AppSections", .optional("form", .text) { $0.form }, .required("map", .list(section)) { $0.map },
      .optional("reason", .text) { $0.reason })
  }
}

extension JSONType where Value == (problem: Problem, record: FileRecord) {
  fileprivate static var appProblem: Self {
    .object(
      "AppProblem",
      groups: Problem.namedFields.map { $0.of { $0.problem } } + [
        .required("detail", .text) { ProblemSentence.text(of: $0.problem, $0.record.format) },
        .required("is_failure", .flag) { $0.record.status == .failed },
      ])
  }
}

extension JSONType<FileEvent> {
  fileprivate static var appFileEvent: Self {
    .object(
      "AppFileEvent", .required("event", .text) { $0.kind.rawValue }, .required("text", .text) { $0.kind.words },
      .optional("at", .time) { $0.time }, .optional("run", .integer) { $0.run.map { Int($0) } },
      .optional("detail", .text) { $0.detail })
  }
}

extension JSONType<HealthFinding.Fault> {
  fileprivate static var appFault: Self {
    .object(
      "AppFault", .required("kind", .text) { $0.kind },
      .required("start_s", .number(decimals: 3)) { $0.startSeconds },
      .required("end_s", .number(decimals: 3)) { $0.endSeconds })
  }
}
