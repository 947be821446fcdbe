internal import HTTPTypes
internal import Hummingbird
internal import Platform
internal import Recognition
internal import RecognitionTasks
internal import Serving
internal import Synchronization
internal import Text

/// `POST /v1/match`: which tracks of the catalog are heard in an audio file or in PCM.
struct MatchRoutes: RouteSet {
  let api = API.recognition
  let services: Services

  var routes: [Route] {
    route(
      .post, "match", "Which recordings an audio file has", [.number("min_confidence")],
      body: .bytes(["application/octet-stream"]), answers: [.json(.match)]
    ) { request, _ in
      let limit = try request.confidenceLimit
      return try await services.recognition.uploads.admit {
        let audio = try await UploadedAudio(request, services)
        let sheet = try await services.recognition.uploads.run { try cueSheet(audio, limit) }
        return JSONType.match.response(MatchRecord(path: "/", duration: sheet.duration, tracks: sheet.cues))
      }
    }
  }

  private func cueSheet(_ audio: UploadedAudio, _ limit: ConfidenceLimit) throws -> CueSheet {
    var sheet = try services.recognition.catalog.withSession {
      try audio.cueSheet($0, decoder: services.options.decoder)
    }
    sheet.cues = try sheet.cues.filter { limit.accepts($0.confidence) }.map(services.recognition.links.linked)
    return sheet
  }
}

extension JSONType<MatchRecord> {
  /// What was recognized, without what says in which file.
  fileprivate static var match: Self {
    let heard = MatchRecord.heardFields.map { field in
      guard field.name == "tracks" else { return field }
      var field = field
      let tracks = JSONType<[CueSheet.Cue]>.list(.named("MatchTrack", RecognitionSchema.track) { _, _ in })
      (field.schema, field.definitions) = (tracks.schema, tracks.definitions)
      return field
    }
    return .object("Match", groups: [.required("result", .text) { $0.tracks.isEmpty ? "no-match" : "match" }] + heard)
  }
}

extension Request {
  /// The parameter `min_confidence`.
  var confidenceLimit: ConfidenceLimit {
    get throws(RequestError) {
      guard let text = uri.queryParameters["min_confidence"] else { return ConfidenceLimit() }
      guard let least = Double(text), ConfidenceLimit.range.contains(least) else {
        throw RequestError(
          .badRequest,
          "min_confidence is \(ConfidenceLimit.range.lowerBound) to 1: less likely matches are never found.")
      }
      return ConfidenceLimit(least: least)
    }
  }
}
