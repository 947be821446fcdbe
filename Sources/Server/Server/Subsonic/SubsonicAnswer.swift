internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Records
internal import Serving
internal import Text

/// A response in Subsonic's envelope. As clients expect, its HTTP status is 200 even for errors.
struct SubsonicAnswer {
  enum Format: Equatable {
    case xml, json
    /// JSON as the argument in a call to the function `callback`.
    case jsonp(callback: String)

    /// Uses XML unless the client requests another format.
    init(_ fields: FormFields) {
      switch fields["f"] {
      case "json": self = .json
      case "jsonp":
        let callback = fields["callback"] ?? ""
        // Only identifiers are accepted; anything else would be script injection.
        let isName = !callback.isEmpty && callback.utf8.allSatisfy { Self.nameCharacters.contains($0) }
        self = isName ? .jsonp(callback: callback) : .json
      default: self = .xml
      }
    }

    private static let nameCharacters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.".utf8)
  }

  /// The supported version of Subsonic's API.
  static let version = "1.16.1"

  static func response(_ body: SubsonicObject, _ format: Format) -> Response {
    response(status: "ok", body, format)
  }

  static func response(_ error: RequestError, _ format: Format) -> Response {
    let code = SubsonicErrorCode(error)
    var body = SubsonicObject()
    body.put("error") {
      $0.put("code", code.rawValue)
      $0.put("message", error.message)
    }
    var response = response(status: "failed", body, format)
    if let seconds = error.retryAfter { response.headers[.retryAfter] = String(seconds) }
    return response
  }

  private static func response(status: String, _ body: SubsonicObject, _ format: Format) -> Response {
    var envelope = SubsonicObject()
    envelope.put("status", status)
    envelope.put("version", version)
    envelope.put("type", "nocturne")
    envelope.put("serverVersion", Nocturne.version)
    envelope.put("openSubsonic", true)
    for member in body.members { envelope.put(member.name, member.value) }
    let (type, bytes): (String, [UInt8])
    switch format {
    case .xml:
      var writer = XMLWriter()
      writer.element("subsonic-response", .object(envelope), namespace: "http://subsonic.org/restapi")
      (type, bytes) = ("application/xml; charset=utf-8", Array(writer.text.utf8))
    case .json: (type, bytes) = ("application/json; charset=utf-8", json(envelope))
    case .jsonp(let callback):
      (type, bytes) = ("text/javascript; charset=utf-8", Array("\(callback)(".utf8) + json(envelope) + Array(");".utf8))
    }
    return Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  private static func json(_ envelope: SubsonicObject) -> [UInt8] {
    var writer = JSONWriter()
    type.write(envelope, &writer)
    return writer.bytes
  }

  /// The JSON type of the envelope. The members that individual methods add are not specified.
  static let type = JSONType<SubsonicObject>.only(
    "subsonic-response",
    .named(
      "SubsonicAnswer",
      [
        "type": "object",
        "properties": [
          "status": ["type": "string"], "version": ["type": "string"], "type": ["type": "string"],
          "serverVersion": ["type": "string"], "openSubsonic": ["type": "boolean"], "error": error.schema,
        ],
        "required": ["status", "version", "type", "serverVersion", "openSubsonic"], "additionalProperties": [:],
      ], definitions: error.definitions
    ) { $1.subsonic(.object($0)) }, as: "Subsonic")

  private static let error = JSONType<RequestError>.object(
    "SubsonicError",
    .required("code", .integer) { SubsonicErrorCode($0).rawValue }, .required("message", .text) { $0.message })
}

/// The error codes of Subsonic's API.
enum SubsonicErrorCode: Int {
  case generic = 0
  case missingParameter = 10
  case clientTooOld = 20
  case serverTooOld = 30
  case wrongCredentials = 40
  case tokensNotSupported = 41
  case mechanismNotSupported = 42
  case conflictingMechanisms = 43
  case invalidKey = 44
  case notAllowed = 50
  case notFound = 70

  init(_ error: RequestError) {
    self =
      error.apiCode.flatMap(Self.init)
      ?? {
        switch error.status {
        case .unauthorized: .wrongCredentials
        case .forbidden: .notAllowed
        case .notFound: .notFound
        default: .generic
        }
      }()
  }
}

/// Converts errors under `/rest/` to Subsonic's form, including those for clients without access.
struct SubsonicErrorShape: RouterMiddleware {
  typealias Context = ServerContext

  func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch  where request.uri.path.hasPrefix("/rest/") {
      let described = RequestError(error)
      if described.status.kind == .serverError && described.status != .serviceUnavailable {
        context.logger.error("request_failed", metadata: ["error": "\(error)"])
      }
      return SubsonicAnswer.response(described, SubsonicAnswer.Format(FormFields(request.uri.query ?? "")))
    }
  }
}
