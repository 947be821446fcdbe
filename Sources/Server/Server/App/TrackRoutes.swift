internal import Analysis
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import LibraryTasks
internal import Platform
internal import Records
internal import Reporting
internal import ResultStore
internal import Serving
internal import Text

/// Routes for a track's findings, its waveform and similar tracks, and for small waveforms of several tracks.
struct TrackRoutes: AppRouteSet {
  let library: AppLibrary

  private static let similarCounts = 1...100
  private static let printPoints = 12...120

  var routes: [Route] {
    answer(.get, "tracks/{id}", "Everything known about a track", answers: .trackPage) { request in
      let record = try library.record(ofTrack: request.id, long: ["beats", "chapters", "lyrics"])
      return TrackPage(
        song: try library.song(request.id), record: record,
        former: try record.contentID.map { try library.store.formerTempi(of: $0) } ?? [],
        copies: try record.contentID.map { try library.store.fileCount(withAudio: $0) - 1 } ?? 0,
        chronicle: try FileChronicle(of: record.path, in: library.store))
    }
    route(
      .get, "tracks/{id}/waveform", "The waveform of a track", answers: [.json(.appWaveform)]
    ) { request, context in try await waveform(context.parameters.require("id"), request) }
    answer(
      .get, "tracks/{id}/similar", "Tracks that sound alike", [.integer("limit", Self.similarCounts)],
      answers: .similarTracks, .computing
    ) { request in
      try similar(request.id, request.query.number("limit", in: Self.similarCounts, standard: 12))
    }
    let prints = JSONType.only("prints", .map(.nullable(.list(.integer))), as: "AppPrints")
    answer(
      .get, "prints", "Small waveforms of several tracks",
      [.text("ids").required, .integer("points", Self.printPoints)], answers: [.json(prints)]
    ) { request in
      var response = prints.response(try self.prints(request.query))
      response.headers[.cacheControl] = "private, max-age=3600"
      return response
    }
  }

  // MARK: Waveforms

  private func waveform(_ id: String, _ request: Request) async throws -> Response {
    try await library.services.reading {
      let record = try library.record(ofTrack: id, long: ["waveform"])
      guard let waveform = record.findings[WaveformFinding.self], waveform.peak != nil else {
        throw RequestError(
          .notFound,
          "No waveform is stored for this track. Analyze it with a pipeline that has the analyzer waveform, such as "
            + "default."
        )
      }
      var response = JSONType.appWaveform.response(waveform)
      let tag = "\"\(ContentID(hashing: waveform.maxima + waveform.onsets))\""
      response.headers[.cacheControl] = "private, no-cache"
      response.headers[.eTag] = tag
      return request.headers[.ifNoneMatch] == tag
        ? Response(status: .notModified, headers: response.headers.withoutBody) : response
    }
  }

  private func prints(_ query: QueryReading) throws -> [(key: String, value: [Int]?)] {
    let ids = (try query.text("ids", limit: 2400) ?? "").split(separator: ",").map(String.init)
    guard ids.count <= 100 else { throw RequestError(.badRequest, "At most 100 ids are allowed per request.") }
    let points = try query.number("points", in: Self.printPoints, standard: 48)
    var prints: [String: [Int]] = [:]
    let known = try library.store.songs(ids: ids).compactMap { $0.map { (id: $0.id, path: $0.row.path) } }
    try library.store.forEachRecord(at: known.map(\.path), long: ["beats"]) { place, record in
      prints[known[place].id] = record.tempo.flatMap { PlaceholderCover.points(of: $0.onsets, count: points) }
      return true
    }
    return ids.map { ($0, prints[$0]) }
  }

  // MARK: Similar tracks

  private func similar(_ id: String, _ limit: Int) throws -> FoundAlike {
    let options = library.services.options
    let reading = SoundReading(by: options.fileAnalysis)
    let answer = try SimilarTracks(in: library.store, reading: reading, descriptors: library.sounds)
      .near(try library.song(id).row.path, limit: limit)
    let songs = try library.store.songs(ids: answer.tracks.map { ContentID(ofPath: $0.record.path).description })
    return FoundAlike(
      comparedCount: answer.comparedCount, leftOutCount: answer.leftOutCount,
      tracks: zip(answer.tracks, songs).compactMap { track, song in song.map { (ListRow($0), track.likeness) } })
  }
}

private struct FoundAlike {
  var comparedCount: Int
  var leftOutCount: Int
  var tracks: [(track: ListRow<Song>, likeness: Double)]
}

extension JSONType<FoundAlike> {
  fileprivate static var similarTracks: Self {
    let track = JSONType<(track: ListRow<Song>, likeness: Double)>.object(
      "AppSimilarTrack",
      groups: JSONType<ListRow<Song>>.fields.map { $0.of { $0.track } }
        + [.required("likeness", .number(decimals: 3)) { $0.likeness }])
    return .object(
      "AppSimilarTracks",
      .required("compared", .integer) { $0.comparedCount }, .required("left_out", .integer) { $0.leftOutCount },
      .required("items", .list(track)) { $0.tracks })
  }
}

extension JSONType<WaveformFinding> {
  fileprivate static var appWaveform: Self {
    .object(
      "AppWaveform",
      .required("points", .integer) { $0.pointCount }, .required("point_s", .number(decimals: 6)) { $0.pointSeconds },
      .optional("peak_dbfs", .number(decimals: 2)) { $0.peak },
      .optional("low_peak_dbfs", .number(decimals: 2)) { $0.lowPeak },
      .optional("mid_peak_dbfs", .number(decimals: 2)) { $0.midPeak },
      .optional("high_peak_dbfs", .number(decimals: 2)) { $0.highPeak }, .required("minima", .base64) { $0.minima },
      .required("maxima", .base64) { $0.maxima }, .required("rms", .base64) { $0.rms },
      .required("low_peaks", .base64) { $0.lowPeaks }, .required("low_rms", .base64) { $0.lowRMS },
      .required("mid_peaks", .base64) { $0.midPeaks }, .required("mid_rms", .base64) { $0.midRMS },
      .required("high_peaks", .base64) { $0.highPeaks }, .required("high_rms", .base64) { $0.highRMS },
      .optional("onset_step_s", .number(decimals: 6)) { $0.onsetStepSeconds },
      .required("onsets", .base64) { $0.onsets }, .optional("reason", .text) { $0.reason })
  }
}

extension JSONType<[UInt8]> {
  fileprivate static var base64: Self { JSONType(["type": "string"]) { $1.string(Data($0).base64EncodedString()) } }
}

extension ShownTempo {
  /// Returns `nil` if the tempo was neither analyzed nor set.
  init?(_ record: FileRecord, _ former: [FormerTempo]) {
    guard let tempo = record.tempo else { return nil }
    self.init(
      tempo: tempo, correction: record.tempoCorrection,
      found: record.tempoCorrection.map(\.found) ?? tempo, former: former)
  }
}

extension HTTPFields {
  /// The headers, without those that describe a body.
  fileprivate var withoutBody: HTTPFields {
    var fields = self
    fields[.contentType] = nil
    fields[.contentLength] = nil
    return fields
  }
}
