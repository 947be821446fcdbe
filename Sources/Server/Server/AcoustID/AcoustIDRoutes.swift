internal import Analysis
internal import Chromaprint
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Records
internal import Serving
internal import Text

/// `/v2/lookup`: looks up fingerprints and track ids in the library, with the interface of AcoustID's web service.
struct AcoustIDRoutes: RouteSet {
  let api = API(name: "acoustid", path: "/v2", access: .tokenAmongParameters(.acoustID), hasStandardErrors: false)
  let services: Services
  let fingerprints: FingerprintLookup

  /// Maximum number of fingerprints per request.
  private static let batchLimit = 20
  private static let resultLimit = 10
  /// Maximum number of items per fingerprint, enough for 17 minutes of audio. Fingerprints from fpcalc, which cover 120
  /// s by default, have about 950.
  private static let itemLimit = 8_192

  private static let summary = "Recordings that match a fingerprint, in AcoustID's format"
  private static let parameters: [RouteParameter] = [
    .text("client"), .text("fingerprint"), .integer("duration", 1...32_767), .text("trackid"), .text("meta"),
    .choice("format", ["json", "jsonp"]), .text("jsoncallback"),
  ]

  var routes: [Route] {
    route(.get, "lookup", Self.summary, Self.parameters, answers: [.json(.reply)]) { request, _ in
      await answer(FormFields(request.uri.query ?? ""))
    }
    route(
      .post, "lookup", Self.summary, body: .form(Self.parameters.map(\.name)), answers: [.json(.reply)]
    ) { request, _ in
      do {
        // Parameters may be in the query, in a form body, or in both.
        var request = request
        let form = try await request.collectForm()
        return await answer(FormFields(request.uri.query ?? "") + form)
      } catch {
        return Self.response(.other(RequestError(error)), to: FormFields(""))
      }
    }
  }

  private func answer(_ parameters: FormFields) async -> Response {
    do {
      return Self.response(try await reply(parameters), to: parameters)
    } catch {
      return Self.response(error as? AcoustIDError ?? .other(RequestError(error)), to: parameters)
    }
  }

  private func reply(_ parameters: FormFields) async throws -> AcoustIDReply {
    let format = parameters["format"] ?? "json"
    guard format == "json" || format == "jsonp" else { throw AcoustIDError.unknownFormat(format) }
    guard parameters["client"]?.isEmpty == false else { throw AcoustIDError.missingParameter("client") }
    let meta = AcoustIDAnswer.Meta(parameters["meta"] ?? "")
    if let text = parameters["trackid"] {
      guard let content = AcoustIDAnswer.content(ofUUID: text) else { throw AcoustIDError.invalidUUID("trackid") }
      return .results(try await results(of: [FingerprintLookup.Hit(content: content, score: 1)], meta))
    }
    guard parameters["batch"] == "1" else { return .results(try await results(parameters, "", meta)) }
    let suffixes = (0..<Self.batchLimit).map { ".\($0)" }.filter { parameters["fingerprint\($0)"] != nil }
    guard !suffixes.isEmpty else { throw AcoustIDError.missingParameter("fingerprint.0") }
    var found: [JSONValue] = []
    for suffix in suffixes {
      let results = try await results(parameters, suffix, meta)
      found.append(["index": .string(String(suffix.dropFirst())), "results": .array(results)])
    }
    return .fingerprints(found)
  }

  /// Returns the results for one fingerprint.
  /// - Parameter suffix: The suffix of the parameter names, such as `.0`.
  private func results(
    _ parameters: FormFields, _ suffix: String, _ meta: AcoustIDAnswer.Meta
  ) async throws -> [JSONValue] {
    guard let text = parameters["fingerprint\(suffix)"] else {
      throw AcoustIDError.missingParameter("fingerprint\(suffix)")
    }
    guard let duration = parameters["duration\(suffix)"] else {
      throw AcoustIDError.missingParameter("duration\(suffix)")
    }
    guard let seconds = Double(duration), (1...32_767).contains(seconds) else { throw AcoustIDError.invalidDuration }
    guard let fingerprint = Fingerprint(text), 1...Self.itemLimit ~= fingerprint.count else {
      throw AcoustIDError.invalidFingerprint
    }
    return try await results(of: fingerprints.lookup(fingerprint, limit: Self.resultLimit), meta)
  }

  private func results(of hits: [FingerprintLookup.Hit], _ meta: AcoustIDAnswer.Meta) async throws -> [JSONValue] {
    try await services.reading {
      try hits.compactMap { hit in
        let files = try services.store.files(holding: hit.content)
        let records = try services.store.records(ofFiles: files).map(\.record)
        guard !records.isEmpty else { return nil }
        return AcoustIDAnswer(
          content: hit.content, score: hit.score,
          files: records.map { (ContentID(ofPath: $0.path).description, $0) }
        ).jsonValue(meta)
      }
    }
  }

  // MARK: Answers

  private static func response(_ error: AcoustIDError, to parameters: FormFields) -> Response {
    response(.error(error), error.status, to: parameters)
  }

  private static func response(
    _ reply: AcoustIDReply, _ status: HTTPResponse.Status = .ok, to parameters: FormFields
  ) -> Response {
    guard parameters["format"] == "jsonp" else { return JSONType.reply.response(reply, status: status) }
    let wanted = parameters["jsoncallback"] ?? ""
    // Only identifiers are accepted; anything else would be script injection.
    let isName = !wanted.isEmpty && wanted.utf8.allSatisfy { isalnumeric($0) || $0 == UInt8(ascii: "_") }
    var json = JSONWriter()
    JSONType.reply.write(reply, &json)
    return Response(
      status: status,
      headers: [.contentType: "application/javascript; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(
        byteBuffer: ByteBuffer(string: "\(isName ? wanted : "jsonAcoustidApi")(\(json.text))")))
  }

  private static func isalnumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}

/// The response to a lookup. The members of its list items depend on the parameter `meta`.
private enum AcoustIDReply {
  case results([JSONValue])
  /// Results of several lookups in one request.
  case fingerprints([JSONValue])
  case error(AcoustIDError)
}

extension JSONType<AcoustIDReply> {
  fileprivate static var reply: Self {
    .object(
      "AcoustIDLookup", .ifAny("error", .any) { if case .error(let error) = $0 { error.jsonValue } else { nil } },
      .ifAny("fingerprints", .list(.any)) { if case .fingerprints(let found) = $0 { found } else { nil } },
      .ifAny("results", .list(.any)) { if case .results(let found) = $0 { found } else { nil } },
      .required("status", .text) { if case .error = $0 { "error" } else { "ok" } })
  }
}
