import AnalysisTesting
import HTTPTypes
import Hummingbird
import NIOCore
import Platform
import Records
import Testing
import Text

@testable import Serving

@Suite(.bounded) struct RouteTests {
  private func route(_ method: HTTPRequest.Method, _ path: String, api: String = "") -> Route {
    TestRoutes(api: API(name: "test", path: api), list: [(method, path, nil, { _, _ in Response(status: .ok) })])
      .routes[0]
  }

  /// Names of functions in generated clients.
  @Test(
    arguments: [
      (.get, "", "getRoot"), (.get, "v1/tracks/{id}", "getV1TracksById"), (.post, "api/token", "postApiToken"),
      (.get, "media/{track_id}.m3u8", "getMediaByTrack_idM3u8"), (.delete, "a-b/c_d/x", "deleteABC_dX"),
      (.get, "{id}", "getById"), (.get, "v2/é", "getV2É"), (.get, "openapi.json", "getOpenapiJson"),
    ] as [(HTTPRequest.Method, String, String)])
  func routesHaveNames(method: HTTPRequest.Method, path: String, id: String) {
    #expect(route(method, path).id == id)
  }

  @Test func routesBelongToTheirAPI() {
    let route = route(.get, "a", api: "/x")
    #expect(route.path == "/x/a" && route.access == .token && route.mediaType == "application/json")
    let api = API(name: "a", path: "/a")
    #expect(api.hasStandardErrors && api.bodyLimit == 1 << 20 && api.errors == nil && api.access == .token)
    #expect(BodyLimits.large == 64 << 20)
  }

  @Test func parametersMayBeRequired() {
    let parameter = RouteParameter.text("a")
    #expect(!parameter.isRequired && parameter.required.isRequired && parameter.required.name == "a")
    #expect(RouteParameter.integer("n", 1...5).schema == ["type": "integer", "minimum": 1, "maximum": 5])
    #expect(RouteParameter.choice("c", ["x", "y"]).schema == ["type": "string", "enum": ["x", "y"]])
    #expect(RouteParameter.texts("l").schema == ["type": "array", "items": ["type": "string"]])
    #expect(!RouteParameter.choice("c", []).isRequired && !RouteParameter.integer("n", 0...1).isRequired)
  }

  /// Other methods of a path are refused with those that there are.
  @Test func otherMethodsAreRefused() async throws {
    let respond: Route.Respond = { _, _ in Response(status: .ok) }
    let server = ServedRoutes(
      TestRoutes(list: [
        (.get, "read", nil, respond), (.post, "write", nil, respond), (.get, "both", nil, respond),
        (.put, "both", nil, respond), (.delete, "both", nil, respond),
      ]).routes)
    for (path, allowed) in [
      ("read", "GET, HEAD, OPTIONS"), ("write", "POST, OPTIONS"), ("both", "GET, HEAD, PUT, DELETE, OPTIONS"),
    ] {
      let known = Set(allowed.split(separator: ", ").map { String($0) })
      for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .trace] {
        let answer = try await server.ask(method, "/test/\(path)")
        let isKnown = known.contains(method.rawValue)
        #expect(answer.status == (isKnown ? 200 : 405), "\(method) \(path)")
        #expect(answer.headers[.allow] == (isKnown ? nil : allowed), "\(method) \(path)")
        if !isKnown { #expect(answer.text.contains("This address accepts \(allowed).")) }
      }
      let options = try await server.ask(.options, "/test/\(path)")
      #expect(options.status == 204 && options.headers[.allow] == allowed && options.bytes.isEmpty)
    }
    #expect(try await server.get("/test/none").status == 404)
  }

  @Test func errorsOfAnAPIHaveItsForm() async throws {
    struct Shape: RouterMiddleware {
      typealias Context = ServerContext
      func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
      ) async throws -> Response {
        do { return try await next(request, context) } catch { return Response(status: .init(code: 418)) }
      }
    }
    let respond: Route.Respond = { _, _ in throw CancellationError() }
    for (errors, status) in [(nil, 503), (Shape(), 418)] as [(Shape?, Int)] {
      let api = API(name: "a", path: "/a", errors: errors)
      let server = ServedRoutes(TestRoutes(api: api, list: [(.get, "b", nil, respond)]).routes)
      #expect(try await server.get("/a/b").status == status)
    }
  }
}

@Suite(.bounded) struct QueryReadingTests {
  private func query(_ text: String) -> QueryReading {
    QueryReading(
      Request(
        head: HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/a?\(text)"),
        body: RequestBody(buffer: ByteBuffer())))
  }

  private func status(_ body: () throws -> Void) -> HTTPResponse.Status? {
    do {
      try body()
      return nil
    } catch {
      return (error as? RequestError)?.status
    }
  }

  @Test func textsHaveALimit() throws {
    #expect(try query("a=x&a=y").text("a") == "x" && query("a=").text("a") == "" && query("b=x").text("a") == nil)
    #expect(try query("a=%C3%A9").text("a") == "é")
    for (limit, isTaken) in [(2000, true), (2001, false)] {
      let text = String(repeating: "x", count: limit)
      #expect(status { _ = try query("a=\(text)").text("a") } == (isTaken ? nil : .badRequest))
    }
    // Bytes count, not characters.
    #expect(try query("a=%C3%A9").text("a", limit: 2) == "é")
    #expect(status { _ = try query("a=%C3%A9").text("a", limit: 1) } == .badRequest)
  }

  @Test func numbersHaveARange() throws {
    for (text, number) in [("3", 3), ("9", 9), ("2", nil), ("10", nil), ("x", nil), ("", nil), ("3.5", nil)]
      as [(String, Int?)]
    {
      var found: Int?
      let status = status { found = try query("n=\(text)").number("n", in: 3...9, standard: 5) }
      #expect(found == number && status == (number == nil ? .badRequest : nil), "\(text)")
    }
    #expect(try query("").number("n", in: 3...9, standard: 50) == 50)
    let error = #expect(throws: RequestError.self) { try query("n=10").number("n", in: 3...9, standard: 5) }
    #expect(error?.message == "n expects 3 to 9, not '10'.")
  }

  @Test func choicesAreWords() throws {
    let words = ["song", "album"]
    #expect(try query("w=album").choice("w", of: words) == "album")
    #expect(try query("w=").choice("w", of: words) == nil && query("").choice("w", of: words) == nil)
    let error = #expect(throws: RequestError.self) { try query("w=albun").choice("w", of: words) }
    #expect(error?.status == .badRequest && error?.message.contains("album") == true)
  }

  @Test func pagesHaveLimits() throws {
    for (text, limit, offset) in [
      ("", 50, 0), ("limit=1", 1, 0), ("limit=500", 500, 0), ("limit=0", nil, nil), ("limit=501", nil, nil),
      ("offset=1", 50, 1), ("offset=10000000", 50, 10_000_000), ("offset=10000001", nil, nil),
      ("offset=-1", nil, nil),
    ] as [(String, Int?, Int?)] {
      let page = try? query(text).page()
      #expect(page?.limit == limit && page?.offset == offset, "\(text)")
    }
    #expect(try query("").page(limit: 7).limit == 7)
    #expect(
      QueryReading.page.map(\.schema) == [
        ["type": "integer", "minimum": 1, "maximum": 500], ["type": "integer", "minimum": 0, "maximum": 10_000_000],
      ])
  }

  private func object(_ body: String, _ type: String? = "application/json") async throws -> [String: JSONValue] {
    var headers = HTTPFields()
    headers[.contentType] = type
    let head = HTTPRequest(method: .post, scheme: "http", authority: nil, path: "/", headerFields: headers)
    return try await Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body))).jsonObject()
  }

  @Test func objectsAreJSON() async throws {
    for type in ["application/json", "Application/JSON; x"] {
      #expect(try await object(#"{"a": 1}"#, type) == ["a": 1])
      #expect(try await object("{}", type) == [:])
    }
    #expect(try await object("", nil) == [:])
    for type in [nil, "text/plain", "application/jsonx", ""] {
      let error = await #expect(throws: RequestError.self) { try await object("{}", type) }
      #expect(error?.status == .unsupportedMediaType)
    }
    for body in ["[]", "1", "null", "{", " ", #"{"a": }"#] {
      let error = await #expect(throws: RequestError.self) { try await object(body) }
      #expect(error?.status == .badRequest, "\(body)")
    }
  }

  /// Ten objects and arrays within each other, and 64 kB.
  @Test func objectsHaveLimits() async throws {
    func nested(_ depth: Int) -> String {
      #"{"a": "# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }
    #expect(try await object(nested(10)).count == 1)
    await #expect(throws: RequestError.self) { try await object(nested(11)) }
    let text = #"{"a": 1}"#
    let padding = String(repeating: " ", count: 65_536 - text.utf8.count)
    #expect(try await object(text + padding) == ["a": 1])
    await #expect(throws: NIOTooManyBytesError.self) { try await object(text + padding + " ") }
  }
}

@Suite(.bounded) struct JSONTypeTests {
  private struct Song: Sendable {
    var title = "One"
    var year: Int?
    var genre: String?
    var lengths: [Double] = []
  }

  private static let song = JSONType<Song>.object(
    "Song", .required("title", .text) { $0.title }, .optional("year", .place) { $0.year },
    .ifAny("genre", .text) { $0.genre }, .required("lengths", .numbers(decimals: 1)) { $0.lengths })

  private func text<Value>(_ value: Value, _ type: JSONType<Value>) throws -> JSONValue {
    var json = JSONWriter()
    type.write(value, &json)
    return try JSONValue(parsing: json.bytes)
  }

  @Test func membersMayBeNullOrMissing() throws {
    #expect(try text(Song(), Self.song) == ["title": "One", "year": .null, "lengths": []])
    #expect(
      try text(Song(year: 1997, genre: "Pop", lengths: [1.25, .nan, 2]), Self.song)
        == ["title": "One", "year": 1997, "genre": "Pop", "lengths": [1.3, .number(2)]])
    #expect(Self.song.schema.json == ["$ref": "#/components/schemas/Song"])
    #expect(
      Self.song.definitions["Song"]?.json == [
        "type": "object",
        "properties": [
          "title": ["type": "string"], "year": ["anyOf": [["type": "integer", "minimum": 0], ["type": "null"]]],
          "genre": ["type": "string"], "lengths": ["type": "array", "items": ["type": "number"]],
        ],
        "required": ["title", "year", "lengths"],
      ])
  }

  @Test func listsAndMapsHaveElements() throws {
    #expect(try text([1, 2], .list(.integer)) == [1, 2] && text([], JSONType<[Int]>.list(.integer)) == [])
    let map = JSONType<[(key: String, value: Int)]>.map(.integer)
    #expect(try text([("a", 1), ("b", 2)], map) == ["a": 1, "b": 2])
    #expect(map.schema.json == ["type": "object", "additionalProperties": ["type": "integer"]])
    // Values that follow are separate.
    var json = JSONWriter()
    json.beginArray()
    JSONType<[Int]>.list(.integer).write([1], &json)
    map.write([("a", 1)], &json)
    JSONType<Bool>.flag.write(true, &json)
    json.endArray()
    #expect(try JSONValue(parsing: json.bytes) == [[1], ["a": 1], true])
    #expect(try text(nil, JSONType<Int?>.nullable(.integer)) == .null && text(3, .nullable(.integer)) == 3)
    let list = JSONType<[Song]>.list(Self.song)
    #expect(list.definitions["Song"] != nil && JSONType<Song?>.nullable(Self.song).definitions["Song"] != nil)
  }

  @Test func responsesAreNotStored() async throws {
    let response = Self.song.response(Song(), status: .created)
    #expect(response.status == .created && response.headers[.cacheControl] == "no-store")
    #expect(response.headers[.contentType] == "application/json; charset=utf-8")
    let bytes = try await ServedRoutes.bytes(of: response.body)
    #expect(try JSONValue(parsing: bytes) == ["title": "One", "year": .null, "lengths": []])
  }
}
