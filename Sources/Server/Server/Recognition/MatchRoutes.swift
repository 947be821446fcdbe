internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Platform
internal import Recognition
internal import RecognitionTasks
internal import Serving
internal import Synchronization
internal import Text

/// `POST /v1/match` recognizes the recordings in an audio file or in raw PCM samples. `POST /v1/catalog/part` answers
/// other servers that search this server's catalog as a part of their own.
struct MatchRoutes: RouteSet {
  let api = API.recognition
  let services: Services

  var routes: [Route] {
    route(
      .post, "match", "Recognize the recordings in an audio file", [.number("min_confidence")],
      body: .bytes(["application/octet-stream"]), answers: [.json(.match)]
    ) { request, _ in
      let limit = try request.confidenceLimit
      return try await services.recognition.uploads.admit {
        let audio = try await UploadedAudio(request, services)
        let heard = try await services.recognition.uploads.run { try recording(audio, limit) }
        return JSONType.match.response(
          MatchRecord(path: "/", duration: heard.sheet.duration, tracks: heard.sheet.cues, missing: heard.missing))
      }
    }
    route(
      .post, "catalog/part", "Search this server's catalog on behalf of another server",
      body: .bytes(["application/octet-stream"]), type: "application/octet-stream"
    ) { request, _ in
      try await services.recognition.questions.admit {
        let question = try await request.body.collect(upTo: Self.maxQuestionSize)
        let answer = try await services.recognition.questions.run { try self.answer(Array(question.readableBytesView)) }
        return Response(
          status: .ok, headers: [.contentType: "application/octet-stream", .cacheControl: "no-store"],
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer)))
      }
    }
  }

  /// Maximum size of a request to `catalog/part` in bytes, which is enough for the landmarks of a minute of audio.
  private static let maxQuestionSize = 4 << 20

  private func answer(_ question: [UInt8]) throws -> [UInt8] {
    try services.recognition.catalog.withSession { session in
      do throws(PartFailure) {
        return try session.answer(toPart: question)
      } catch {
        throw RequestError(.badRequest, "The catalog query cannot be read: \(error).")
      }
    }
  }

  private func recording(_ audio: UploadedAudio, _ limit: ConfidenceLimit) throws -> RecognizedRecording {
    var heard = try services.recognition.catalog.withSession {
      try audio.heard($0, decoder: services.options.decoder)
    }
    heard.sheet.cues = try heard.sheet.cues.filter { limit.accepts($0.confidence) }.map(
      services.recognition.links.linked)
    return heard
  }
}

extension JSONType<MatchRecord> {
  /// The matches, without the fields that identify a file.
  fileprivate static var match: Self {
    let heard = MatchRecord.recognizedFields.map { field in
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
  /// The limit in the parameter `min_confidence`; the default limit if the parameter is missing.
  var confidenceLimit: ConfidenceLimit {
    get throws(RequestError) {
      guard let text = uri.queryParameters["min_confidence"] else { return ConfidenceLimit() }
      guard let least = Double(text), ConfidenceLimit.range.contains(least) else {
        throw RequestError(
          .badRequest,
          "min_confidence is \(ConfidenceLimit.range.lowerBound) to 1: less likely matches are never found.")
      }
      return ConfidenceLimit(minimum: least)
    }
  }
}
