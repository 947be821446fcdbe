internal import HTTPTypes
internal import Hummingbird
internal import Records
internal import ResultStore
internal import Serving
internal import Text

/// `/api/v1/{mbid}/…`: AcousticBrainz's documents for recordings whose MusicBrainz ids are in the library's tags.
///
/// The files tagged with a recording's id are its submissions, numbered from 0.
struct AcousticBrainzRoutes: RouteSet {
  let api = API(
    name: "acousticbrainz", path: "/api/v1", hasStandardErrors: false,
    errors: ErrorShape { error, json in json.value(["message": .string(error.message)]) })
  let services: Services

  /// Maximum number of recordings per request, the same as in AcousticBrainz.
  private static let bulkLimit = 25

  /// The response, whose member names depend on the request and on the known findings.
  private static let document = [RouteAnswer.json(.map(.any))]

  var routes: [Route] {
    let ids = [RouteParameter.text("recording_ids").required]
    let submission = [RouteParameter.integer("n", 0...1000)]
    route(.get, "low-level", "Low-level features of several recordings", ids, answers: Self.document) { request, _ in
      try await bulk(request) { _, record in LowLevelDocument(record: record).jsonValue }
    }
    route(.get, "high-level", "High-level features of several recordings", ids, answers: Self.document) { request, _ in
      try await bulk(request) { _, record in Self.highLevel(record) }
    }
    route(.get, "count", "Number of files for each of several recordings", ids, answers: Self.document) { request, _ in
      let wanted = try Self.recordings(request)
      return try await services.reading {
        var answer: [String: JSONValue] = ["mbid_mapping": [:]]
        for (id, _) in wanted { answer[id] = .object(["count": .integer(Int64(try files(id).count))]) }
        return Response.json(.object(answer))
      }
    }
    route(.get, "{mbid}/low-level", "Low-level features of a recording", submission, answers: Self.document) {
      request, context in
      try await document(request, context) { LowLevelDocument(record: $0).jsonValue }
    }
    route(.get, "{mbid}/high-level", "High-level features of a recording", submission, answers: Self.document) {
      request, context in
      try await document(request, context, Self.highLevel)
    }
    route(.get, "{mbid}/count", "Number of files of a recording", answers: Self.document) { _, context in
      let id = try context.parameters.require("mbid").lowercased()
      return try await services.reading {
        let count = try files(id).count
        guard count > 0 else { throw Self.notFound }
        return Response.json(["mbid": .string(id), "count": .integer(Int64(count))])
      }
    }
  }

  private static let notFound = RequestError(.notFound, "Not found")

  /// Returns a document without results, because Nocturne does not have AcousticBrainz's classifiers of mood, genre and
  /// voice.
  private static func highLevel(_ record: FileRecord) -> JSONValue {
    ["highlevel": [:], "metadata": ["version": LowLevelDocument.version(record)]]
  }

  private func files(_ recording: String) throws(StoreError) -> [Int64] {
    try services.store.songs(recordingID: recording).map(\.row.fileID)
  }

  /// Returns a response with one submission of one recording.
  private func document(
    _ request: Request, _ context: ServerContext, _ make: @Sendable (FileRecord) -> JSONValue
  ) async throws -> Response {
    let id = try context.parameters.require("mbid").lowercased()
    let text = request.uri.queryParameters["n"] ?? "0"
    guard let number = Int(text), number >= 0 else {
      throw RequestError(.badRequest, "Offset must be an integer value")
    }
    return try await services.reading {
      guard let value = try value(id, number, make) else { throw Self.notFound }
      return Response.json(value)
    }
  }

  /// Returns `{mbid: {number: …}}` for the requested submissions of several recordings; unknown ones are left out.
  private func bulk(
    _ request: Request, _ make: @Sendable (String, FileRecord) -> JSONValue
  ) async throws -> Response {
    let wanted = try Self.recordings(request)
    return try await services.reading {
      var answer: [String: [String: JSONValue]] = [:]
      for (id, number) in wanted {
        guard let value = try value(id, number, { make(id, $0) }) else { continue }
        answer[id, default: [:]]["\(number)"] = value
      }
      return Response.json(
        .object(answer.mapValues { .object($0) }.merging(["mbid_mapping": [:]]) { first, _ in first }))
    }
  }

  private func value(_ id: String, _ number: Int, _ make: (FileRecord) -> JSONValue) throws -> JSONValue? {
    let files = try files(id)
    guard files.indices.contains(number) else { return nil }
    return try services.store.records(ofFiles: [files[number]], long: ["beats"]).first.map { make($0.record) }
  }

  /// Parses `recording_ids=mbid;mbid:number`.
  private static func recordings(_ request: Request) throws(RequestError) -> [(id: String, number: Int)] {
    guard let text = request.uri.queryParameters["recording_ids"], !text.isEmpty else {
      throw RequestError(.badRequest, "Missing `recording_ids` parameter")
    }
    let items = text.split(separator: ";")
    guard items.count <= bulkLimit else {
      throw RequestError(.badRequest, "More than \(bulkLimit) recordings not allowed per request")
    }
    var recordings: [(id: String, number: Int)] = []
    for item in items {
      let parts = item.split(separator: ":", maxSplits: 1)
      guard let id = parts.first, isUUID(id) else {
        throw RequestError(.badRequest, "'\(item)' is not a valid UUID")
      }
      recordings.append((id.lowercased(), parts.count > 1 ? Int(parts[1]) ?? 0 : 0))
    }
    return recordings
  }

  private static func isUUID(_ text: Substring) -> Bool {
    text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count) == [8, 4, 4, 4, 12]
      && text.allSatisfy { $0.isHexDigit || $0 == "-" }
  }
}
