internal import Analysis
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LibraryTasks
internal import NIOCore
internal import Platform
internal import Records
internal import Reporting
internal import ResultStore
internal import Serving
internal import Text

/// One track: all that was found, what it looks like, and what sounds like it.
struct TrackRoutes: RouteSet {
  let api = API.app
  let library: AppLibrary

  private static let similarCounts = 1...100
  private static let printPoints = 12...120

  var routes: [Route] {
    route(.get, "tracks/{id}", "All that is known of a track", answers: "AppTrackPage") { _, context in
      try await track(context.parameters.require("id"))
    }
    route(.get, "tracks/{id}/waveform", "The waveform", answers: "AppWaveform") { request, context in
      try await waveform(context.parameters.require("id"), request)
    }
    route(
      .get, "tracks/{id}/similar", "Tracks that sound alike", [.integer("limit", Self.similarCounts)],
      answers: "AppSimilarTracks"
    ) { request, context in
      try await similar(
        context.parameters.require("id"), QueryReading(request).number("limit", in: Self.similarCounts, standard: 12))
    }
    route(
      .get, "prints", "Small waveforms of several tracks",
      [.text("ids").required, .integer("points", Self.printPoints)], answers: "AppPrints"
    ) { request, _ in try await prints(request) }
  }

  // MARK: Findings

  private func track(_ id: String) async throws -> Response {
    try await library.services.reading {
      let record = try library.record(ofTrack: id, long: ["beats", "chapters", "lyrics"])
      let song = try library.song(id)
      let former = try record.contentID.map { try library.store.formerTempi(of: $0) } ?? []
      let copies = try record.contentID.map { try library.store.fileCount(withAudio: $0) - 1 } ?? 0
      return .json { json in
        json.object { json in
          json.putObject("track") { song.write(into: &$0) }
          facts(of: record, copies: copies, into: &json)
          findings(of: record, former, into: &json)
          problems(of: record, into: &json)
        }
      }
    }
  }

  private func facts(of record: FileRecord, copies: Int, into json: inout JSONWriter) {
    json.put("path", DisplayPath.text(of: record.path))
    json.put("content_id", record.contentID?.description)
    json.put("size_bytes", record.sizeBytes)
    json.put("modified_at", record.modified?.description)
    json.put("analyzed_at", record.analyzed?.description)
    json.put("is_vanished", record.isVanished)
    json.put("copies", max(copies, 0))
    if let format = record.format {
      json.putObject("format") {
        $0.put("container", format.container)
        $0.put("codec", format.codec)
        $0.put("sample_rate_hz", format.sampleRate)
        $0.put("channels", format.channelCount)
        $0.put("bit_depth", format.bitDepth)
        $0.put("bit_rate_bps", format.bitRate)
        $0.put("lossless", format.isLossless)
      }
    } else {
      json.putNull("format")
    }
    json.putList("tags", record.tags.map(TagLabel.rows) ?? []) { json, tag in
      json.put("label", tag.label)
      json.put("value", tag.value)
    }
    json.put("has_lyrics", record.tags?.hasLyrics ?? false)
    json.putList("lyrics", record.tags?.lyrics ?? []) { json, lyrics in
      json.put("language", lyrics.language)
      json.put("description", lyrics.description)
      json.put("text", lyrics.text)
      json.putList("lines", lyrics.lines) { json, line in
        json.put("start_s", line.seconds, decimals: 3)
        json.put("text", line.text)
      }
    }
    json.putList("chapters", record.tags?.chapters ?? []) { json, chapter in
      json.put("start_s", chapter.startSeconds, decimals: 3)
      json.put("end_s", chapter.endSeconds, decimals: 3)
      json.put("title", chapter.title)
    }
  }

  /// Those whose members have the names of reports.
  static let plainFindings = Shape<FileRecord>(
    summary: "",
    fields: [
      .finding(LoudnessFinding.self, long: []), .finding(CuesFinding.self, long: []),
      .finding(TraitsFinding.self, long: []),
    ])

  private func findings(of record: FileRecord, _ former: [FormerTempo], into json: inout JSONWriter) {
    if let tempo = ShownTempo(record, former) {
      json.putObject("tempo") { tempo.write(into: &$0) }
    } else {
      json.putNull("tempo")
    }
    if let key = record.findings[KeyFinding.self] {
      json.putObject("key") { Self.write(key, into: &$0) }
    } else {
      json.putNull("key")
    }
    if let sections = record.findings[SectionsFinding.self] {
      json.putObject("sections") { json in
        json.put("form", sections.form)
        json.putList("map", sections.map) { json, section in
          json.put("start_s", section.startSeconds, decimals: 3)
          json.put("end_s", section.endSeconds, decimals: 3)
          json.put("label", section.label)
          json.put("level_db", section.levelDecibels, decimals: 2)
        }
        json.put("reason", sections.reason)
      }
    } else {
      json.putNull("sections")
    }
    for field in Self.plainFindings.fields {
      json.key(field.key)
      field.writeJSON(record, &json)
    }
    json.putList("other_findings", FindingLines.known.lines(of: record).flatMap(\.self)) { json, line in
      json.put("label", line.label)
      json.put("text", line.text)
    }
    json.putList("faults", record.findings[HealthFinding.self]?.faults ?? []) { json, fault in
      json.put("kind", fault.kind)
      json.put("start_s", fault.startSeconds, decimals: 3)
      json.put("end_s", fault.endSeconds, decimals: 3)
    }
    json.put("has_waveform", record.findings[WaveformFinding.self]?.peak != nil)
    json.put("has_descriptor", record.findings[LikenessFinding.self].map { $0.reason == nil } ?? false)
  }

  private static func write(_ key: KeyFinding, into json: inout JSONWriter) {
    json.put("camelot", key.camelot)
    json.put("tonic", key.tonic)
    json.put("mode", key.mode)
    json.put("open_key", key.openKey)
    json.put("confidence", key.confidence, decimals: 3)
    json.putList("candidates", key.candidates) { json, candidate in
      json.put("key", candidate.key)
      json.put("probability", candidate.probability, decimals: 4)
    }
    json.putList("map", key.map) { json, section in
      json.put("start_s", section.startSeconds, decimals: 2)
      json.put("key", section.key)
    }
    json.put("tuning_hz", key.tuningHertz, decimals: 2)
    if let tonic = key.tonic, let mode = key.mode {
      json.put("text", "\(tonic) \(mode). \(TempoText.confidence(key.confidence))")
    } else {
      json.put("text", "No key was found. Drums, noise and speech have none.")
    }
    json.put("reason", key.reason)
  }

  private func problems(of record: FileRecord, into json: inout JSONWriter) {
    json.putList("problems", [record.problem].compactMap(\.self)) { json, problem in
      let words = ProblemWords(code: problem.code)
      json.put("code", problem.code)
      json.put("name", words.name)
      json.put("what", words.sentence)
      json.put("do", words.advice())
      json.put("detail", ProblemSentence.text(of: problem, record.format))
      json.put("is_failure", record.status == .failed)
    }
    json.key("remarks")
    json.beginArray()
    let analyzers = record.analyzerProblems.filter { $0.outcome == .failed }.map { "\($0.analyzer): \($0.message)" }
    for remark in record.remarks.map(\.message) + (record.tags?.remarks ?? []) + analyzers { json.string(remark) }
    json.endArray()
  }

  // MARK: Pictures of sound

  private func waveform(_ id: String, _ request: Request) async throws -> Response {
    try await library.services.reading {
      let record = try library.record(ofTrack: id, long: ["waveform"])
      guard let waveform = record.findings[WaveformFinding.self], waveform.peak != nil else {
        throw RequestError(
          .notFound,
          "No waveform is kept of this track. Analyze it with a pipeline that has the analyzer waveform, such as default."
        )
      }
      var response = Response.json { json in json.object { Self.write(waveform, into: &$0) } }
      let tag = "\"\(ContentID(hashing: waveform.maxima + waveform.onsets))\""
      response.headers[.cacheControl] = "private, no-cache"
      response.headers[.eTag] = tag
      return request.headers[.ifNoneMatch] == tag
        ? Response(status: .notModified, headers: response.headers.withoutBody) : response
    }
  }

  private static func write(_ waveform: WaveformFinding, into json: inout JSONWriter) {
    json.put("points", waveform.pointCount)
    json.put("point_s", waveform.pointSeconds, decimals: 6)
    json.put("peak_dbfs", waveform.peak, decimals: 2)
    json.put("low_peak_dbfs", waveform.lowPeak, decimals: 2)
    json.put("mid_peak_dbfs", waveform.midPeak, decimals: 2)
    json.put("high_peak_dbfs", waveform.highPeak, decimals: 2)
    let lists = [
      ("minima", waveform.minima), ("maxima", waveform.maxima), ("rms", waveform.rms),
      ("low_peaks", waveform.lowPeaks), ("low_rms", waveform.lowRMS), ("mid_peaks", waveform.midPeaks),
      ("mid_rms", waveform.midRMS), ("high_peaks", waveform.highPeaks), ("high_rms", waveform.highRMS),
    ]
    for (name, bytes) in lists { json.put(name, Data(bytes).base64EncodedString()) }
    json.put("onset_step_s", waveform.onsetStepSeconds, decimals: 6)
    json.put("onsets", Data(waveform.onsets).base64EncodedString())
    json.put("reason", waveform.reason)
  }

  private func prints(_ request: Request) async throws -> Response {
    let query = QueryReading(request)
    let ids = (try query.text("ids", limit: 2400) ?? "").split(separator: ",").map(String.init)
    guard ids.count <= 100 else { throw RequestError(.badRequest, "At most 100 ids can be asked for at once.") }
    let points = try query.number("points", in: Self.printPoints, standard: 48)
    return try await library.services.reading {
      var prints: [String: [Int]] = [:]
      let known = try library.store.songs(ids: ids).compactMap { $0.map { (id: $0.id, path: $0.row.path) } }
      try library.store.forEachRecord(at: known.map(\.path), long: ["beats"]) { place, record in
        prints[known[place].id] = record.tempo.flatMap { TrackPrint.points(of: $0.onsets, count: points) }
        return true
      }
      var response = Response.json { json in
        json.object { json in
          json.putObject("prints") { json in
            for id in ids {
              json.key(id)
              guard let print = prints[id] else {
                json.null()
                continue
              }
              json.beginArray()
              for value in print { json.integer(value) }
              json.endArray()
            }
          }
        }
      }
      response.headers[.cacheControl] = "private, max-age=3600"
      return response
    }
  }

  // MARK: Likeness

  private func similar(_ id: String, _ limit: Int) async throws -> Response {
    try await library.services.computing {
      let options = library.services.options
      let reading = SoundReading(timeLimit: options.timeLimit, isolation: options.isolation)
      let answer = try SimilarTracks(in: library.store, reading: reading, sounds: library.sounds)
        .near(try library.song(id).row.path, limit: limit)
      let songs = try library.store.songs(
        ids: answer.tracks.map { ContentID(ofPath: $0.record.path).description })
      return .json { json in
        json.object { json in
          json.put("compared", answer.comparedCount)
          json.put("left_out", answer.leftOutCount)
          json.putList("items", zip(answer.tracks, songs).filter { $0.1 != nil }) { json, found in
            found.1?.write(into: &json)
            json.put("likeness", found.0.likeness, decimals: 3)
          }
        }
      }
    }
  }
}

extension ShownTempo {
  /// Of a record with its beats; `nil` if tempo was never looked for nor set.
  init?(_ record: FileRecord, _ former: [FormerTempo]) {
    guard let tempo = record.tempo else { return nil }
    self.init(
      tempo: tempo, correction: record.tempoCorrection,
      found: record.tempoCorrection.map(\.found) ?? tempo, former: former)
  }
}

extension HTTPFields {
  /// Those of an answer that sends no body.
  fileprivate var withoutBody: HTTPFields {
    var fields = self
    fields[.contentType] = nil
    fields[.contentLength] = nil
    return fields
  }
}
