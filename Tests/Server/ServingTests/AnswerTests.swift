import AnalysisTesting
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Synchronization
import Testing
import Text

@testable import Serving

/// Errors as clients see them.
@Suite(.bounded) struct ErrorTests {
  @Test func everyErrorHasAStatus() {
    struct Secret: Error {}
    struct Own: ClientFacingError { let asRequestError = RequestError(.conflict, "Own.") }
    for (error, status, message) in [
      (RequestError(.gone, "Gone."), .gone, "Gone."), (Own(), .conflict, "Own."),
      (HTTPError(.notFound), .notFound, "There is nothing at this address."),
      (HTTPError(.notFound, message: "No song."), .notFound, "No song."),
      (HTTPError(.conflict), .conflict, "Conflict"), (HTTPError(.conflict, message: "Twice."), .conflict, "Twice."),
      (HTTPParserError.invalidChunkSize, .badRequest, "The body of the request is not valid HTTP/1.1"),
      (NIOTooManyBytesError(maxBytes: 1), .contentTooLarge, "The request is too large."),
      (CancellationError(), .serviceUnavailable, "The server is stopping."),
      (Secret(), .internalServerError, "The server could not answer; its log says why."),
    ] as [(any Error, HTTPResponse.Status, String)] {
      let described = RequestError(error)
      #expect(described.status == status && described.message.hasPrefix(message), "\(error)")
      #expect(described.retryAfter == (error is CancellationError ? 5 : nil))
    }
    #expect(RequestError.overload.status == .serviceUnavailable && RequestError.overload.retryAfter == 1)
  }

  private struct Log: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ lines: Lines) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.all.withLock { $0.append("\(event.level) \(event.message)") } }
  }

  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  /// A fault of the server is logged; an overload and mistakes of clients are not.
  @Test(
    arguments: [
      (500, nil, true), (501, nil, true), (503, 7, false), (404, nil, false), (401, nil, false), (429, 3, false),
    ] as [(Int, Int?, Bool)])
  func faultsAreLogged(status: Int, retryAfter: Int?, isLogged: Bool) async throws {
    let lines = Lines()
    let error = RequestError(HTTPResponse.Status(code: status), "Text.", retryAfter: retryAfter)
    let routes = TestRoutes(list: [(.get, "a", nil, { _, _ in throw error })]).routes
    let answer = try await ServedRoutes(routes, logger: Logger(label: "test") { _ in Log(lines) }).get("/test/a")
    #expect(lines.all.withLock { $0 } == (isLogged ? ["error request_failed"] : []))
    #expect(answer.status == status && answer.headers[.retryAfter] == retryAfter.map { "\($0)" })
    #expect(answer.headers[.wwwAuthenticate] == (status == 401 ? "Bearer" : nil))
    let body: JSONValue = ["error": ["status": .integer(Int64(status)), "message": "Text."]]
    #expect(try JSONValue(parsing: answer.bytes) == body)
  }

  @Test func detailsAreAddedIfKnown() throws {
    let error = RequestError(.badRequest, "Text.")
    func json(_ detail: ErrorDetail) throws -> JSONValue {
      var writer = JSONWriter()
      JSONType.error.write(detail, &writer)
      return try JSONValue(parsing: writer.bytes)
    }
    #expect(try json(ErrorDetail(error)) == ["error": ["status": 400, "message": "Text."]])
    #expect(
      try json(ErrorDetail(error, reason: "CODE", mistake: ("word", 3)))
        == ["error": ["status": 400, "message": "Text.", "reason": "CODE", "position": 3, "word": "word"]])
    #expect(
      try json(ErrorDetail(error, mistake: ("word", nil)))
        == ["error": ["status": 400, "message": "Text.", "position": .null, "word": "word"]])
  }
}

@Suite(.bounded) struct TextDeliveryTests {
  /// Number of times that a thread was asked for.
  private final class Asides: Sendable {
    let count = Mutex(0)
  }

  private func deliver(
    _ size: Int = 2000, _ method: HTTPRequest.Method = .get, _ request: HTTPFields = [.acceptEncoding: "gzip"],
    status: HTTPResponse.Status = .ok, headers: HTTPFields = [.contentType: "application/json; charset=utf-8"],
    asides: Asides = Asides(), isBusy: Bool = false
  ) async throws -> Response {
    let head = HTTPRequest(method: method, scheme: "http", authority: nil, path: "/", headerFields: request)
    let delivery = TextDelivery { work in
      asides.count.withLock { $0 += 1 }
      if isBusy { throw RequestError.overload }
      return try work()
    }
    var headers = headers
    headers[.contentLength] = "\(size)"
    return try await ServedRoutes.withContext { context in
      try await delivery.handle(
        Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context
      ) { [headers] _, _ in
        Response(
          status: status, headers: headers,
          body: ResponseBody(byteBuffer: ByteBuffer(repeating: UInt8(ascii: " "), count: size)))
      }
    }
  }

  private func body(_ response: Response) async throws -> [UInt8] { try await ServedRoutes.bytes(of: response.body) }

  /// Texts of a kilobyte and more are compressed; long ones on another thread.
  @Test(arguments: [(1, false, 0), (1023, false, 0), (1024, true, 0), (65_536, true, 0), (65_537, true, 1)])
  func longTextsAreCompressed(size: Int, isCompressed: Bool, asideCount: Int) async throws {
    let asides = Asides()
    let response = try await deliver(size, asides: asides)
    let bytes = try await body(response)
    #expect(response.headers[.contentEncoding] == (isCompressed ? "gzip" : nil))
    #expect(asides.count.withLock { $0 } == asideCount)
    let whole = [UInt8](repeating: UInt8(ascii: " "), count: size)
    #expect(try isCompressed ? GzipBody.unpacked(bytes, limit: size) == whole : bytes == whole)
    #expect(response.headers[.vary] == "Accept-Encoding" && response.headers[.eTag]?.hasPrefix("W/\"") == true)
    #expect(response.headers[.cacheControl] == "private, no-cache")
    // The tag belongs to the content.
    let plain = try await deliver(size, .get, [:])
    #expect(plain.headers[.eTag] == response.headers[.eTag] && plain.headers[.contentEncoding] == nil)
    #expect(try await deliver(size + 1).headers[.eTag] != response.headers[.eTag])
  }

  @Test func withoutAFreeThreadItIsNotCompressed() async throws {
    let response = try await deliver(70_000, isBusy: true)
    #expect(response.headers[.contentEncoding] == nil && response.headers[.contentLength] == "70000")
    #expect(try await body(response).count == 70_000)
  }

  @Test(
    arguments: [
      ([.contentType: "text/plain"], 200), ([:], 200), ([.contentType: "application/json"], 404),
      ([.contentType: "application/json"], 302), ([.contentType: "application/json", .contentEncoding: "br"], 200),
      ([.contentType: "application/jsonx"], 200),
    ] as [(HTTPFields, Int)])
  func othersStayAsTheyAre(headers: HTTPFields, status: Int) async throws {
    let response = try await deliver(2000, status: .init(code: status), headers: headers)
    #expect(response.headers[.contentEncoding] == headers[.contentEncoding] && response.headers[.eTag] == nil)
    #expect(response.headers[.vary] == nil && response.headers[.cacheControl] == nil)
    #expect(try await body(response).count == 2000)
  }

  @Test func anEmptyBodyHasNoTag() async throws {
    let response = try await deliver(0)
    #expect(response.headers[.eTag] == nil && response.headers[.vary] == nil)
  }

  @Test(arguments: ["application/xml", "Application/JSON;charset=utf-8", "application/schema+json"])
  func textsHaveManyTypes(type: String) async throws {
    let response = try await deliver(2000, headers: [.contentType: type])
    #expect(response.headers[.contentEncoding] == "gzip" && response.headers[.contentType] == type)
  }

  /// Only whole responses to GET are cached.
  @Test func othersHaveNoTag() async throws {
    for (method, status) in [(.post, .ok), (.get, .created)] as [(HTTPRequest.Method, HTTPResponse.Status)] {
      let response = try await deliver(2000, method, [.acceptEncoding: "gzip", .ifNoneMatch: "*"], status: status)
      #expect(response.headers[.eTag] == nil && response.headers[.cacheControl] == nil && response.status == status)
      #expect(response.headers[.contentEncoding] == "gzip")
    }
  }

  @Test(
    arguments: [
      (nil, nil, "private, no-cache"), (nil, "no-store", "private, no-cache"), (nil, "max-age=60", "max-age=60"),
      ("\"own\"", nil, "private, no-cache"), ("W/\"own\"", nil, "private, no-cache"),
    ] as [(String?, String?, String)])
  func aRouteMayHaveItsOwnTag(tag: String?, cache: String?, shown: String) async throws {
    var headers: HTTPFields = [.contentType: "application/json"]
    headers[.eTag] = tag
    headers[.cacheControl] = cache
    let response = try await deliver(2000, headers: headers)
    #expect(response.headers[.cacheControl] == shown)
    let shownTag = try #require(response.headers[.eTag])
    if tag != nil { #expect(shownTag == "W/\"own\"") }
    let strong = String(shownTag.dropFirst(2))
    for known in [shownTag, strong, "\"a\", \(strong)", "*"] {
      let answer = try await deliver(2000, .get, [.ifNoneMatch: known], headers: headers)
      #expect(answer.status == .notModified && answer.headers[.eTag] == shownTag, "\(known)")
      #expect(answer.headers[.contentType] == nil)
      #expect(answer.headers[.cacheControl] == shown && answer.headers[.vary] == "Accept-Encoding")
      #expect(try await body(answer).isEmpty)
    }
    #expect(try await deliver(2000, .get, [.ifNoneMatch: "\"a\""], headers: headers).status == .ok)
  }

  @Test(
    arguments: [
      (nil, false), ("", false), ("gzip", true), ("*", true), ("gzip;q=0, *", false), ("*;q=0, gzip", true),
      ("*;q=0", false), ("br, GZIP ; q=0.001", true), ("gzip;q=1", true), ("gzip;q=0.0", false),
      ("gzip;level=9;q=0", false),
      ("identity", false), (";q=1, gzip", true), ("gzip;q=x", true),
    ] as [(String?, Bool)])
  func clientsAcceptGzip(header: String?, isAccepted: Bool) {
    #expect(TextDelivery.acceptsGzip(header) == isAccepted)
  }
}
