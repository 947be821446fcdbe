import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import FoundationXML
import HTTPTypes
import LibraryTesting
import Records
import ResultStore
import SystemPackage
import Testing
import Text

@testable import Server
@testable import Serving

/// Compares the server's responses about one untidy library byte for byte with the files in `Snapshots`: one folder per
/// API, one file per request of `SnapshotRequests`.
@Suite(.bounded) struct SnapshotTests {
  @Test(arguments: SnapshotRequests.all.keys.sorted()) func answersAreTheKnownOnes(api: String) async throws {
    let requests = SnapshotRequests.all[api] ?? []
    let routes = try Route.all()
    let library = try await ServedLibrary(filling: UntidyLibrary.fill) { options in
      if api == "access" { options.serving.tokenFile = Self.tokens(beside: options.catalog) }
    }
    var talk = try SnapshotTalk(library)
    let snapshots = Snapshots(part: api)
    for request in requests {
      let (text, answer) = try await talk.answer(to: request)
      if let complaint = try snapshots.complaint(about: text, named: request.file) {
        Issue.record("\(complaint)")
      }
      if !answer.body.isEmpty,
        let problem = try Self.malformation(of: answer) ?? Self.otherType(of: answer, to: request, routes)
          ?? Self.otherMembers(of: answer, to: request, routes)
      {
        Issue.record("\(request.method) \(request.target): \(problem)")
      }
    }
    let surplus = try snapshots.leftOver(besides: Set(requests.map(\.file)))
    #expect(surplus == [], "no request has these answers")
    #expect(Set(requests.map(\.name)).count == requests.count)
    try await library.stop()
  }

  private static func tokens(beside catalog: FilePath) -> FilePath {
    let file = catalog.removingLastComponent().appending("tokens")
    let text = Data("phone \(SnapshotRequests.secret)\n".utf8)
    _ = FileManager.default.createFile(atPath: file.string, contents: text, attributes: [.posixPermissions: 0o600])
    return file
  }

  private static func malformation(of answer: ServedLibrary.Answer) -> String? {
    let type = answer.headers["content-type"] ?? ""
    if type.hasPrefix("application/json"), (try? JSONValue(parsing: answer.body)) == nil { return "no JSON" }
    if type.hasPrefix("application/xml"), !XMLParser(data: Data(answer.body)).parse() { return "no XML" }
    return nil
  }

  /// `nil` if the response has the media type of the OpenAPI document.
  private static func otherType(
    of answer: ServedLibrary.Answer, to request: SnapshotRequest, _ routes: [Route]
  ) -> String? {
    guard let route = route(of: request, among: routes), route.mediaType != "*/*", (200..<300).contains(answer.status)
    else { return nil }
    let type = answer.headers["content-type"].map { String($0.prefix { $0 != ";" }) } ?? ""
    // A parameter selects Subsonic's format and JSONP.
    if type == route.mediaType || request.target.contains(/[?&](f|format)=/) { return nil }
    return "answers \(type), and the description says \(route.mediaType)"
  }

  /// `nil` if the response has exactly the members and types of the OpenAPI document.
  private static func otherMembers(
    of answer: ServedLibrary.Answer, to request: SnapshotRequest, _ routes: [Route]
  ) throws -> String? {
    // A client that names `fields` gets no others.
    guard let route = route(of: request, among: routes), !request.target.contains(/[?&]fields=/),
      answer.headers["content-type"]?.hasPrefix("application/json") == true,
      let schema = answer.status >= 400
        ? (route.api.hasStandardErrors ? JSONType.error.schema.json : nil)
        : route.answers.first(where: { $0.status == answer.status })?.schema
    else { return nil }
    guard case .object(var members) = schema else { return "no schema" }
    members["$defs"] = .object(OpenAPIRoutes.schemas(of: routes))
    var text = JSONWriter()
    text.value(.object(members))
    let validator = try SchemaValidator(String(decoding: text.bytes, as: UTF8.self), isClosed: true)
    let complaints = validator.complaints(about: try JSONSerialization.jsonObject(with: Data(answer.body)))
    return complaints.isEmpty ? nil : complaints.prefix(5).joined(separator: "; ")
  }

  // MARK: All of them

  /// The route that answers a request, as the router chooses it: names before parameters.
  private static func route(of request: SnapshotRequest, among routes: [Route]) -> Route? {
    let path = String(request.target.prefix { $0 != "?" })
    return routes.filter { $0.method.rawValue == request.method && matches($0.path, path) }
      .min { rank($0.path) < rank($1.path) }
  }

  /// Clients generated from the OpenAPI document can send these requests.
  @Test func requestsSayWhatIsDescribed() throws {
    let routes = try Route.all()
    for request in SnapshotRequests.all.values.joined() {
      guard let route = Self.route(of: request, among: routes) else { continue }
      let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().joined()
      let names = query.split(separator: "&").map { String($0.prefix { $0 != "=" }) }
      let unknown = Set(names).subtracting(route.parameters.map(\.name))
      #expect(unknown.sorted() == [], "\(request.method) \(route.path) has no such parameters")
      guard case .json(let members)? = route.body, case .object(let body)? = try? JSONValue(parsing: request.body.utf8)
      else { continue }
      let others = Set(body.keys).subtracting(members.map(\.name))
      #expect(others.sorted() == [], "the body of \(request.method) \(route.path) has no such members")
    }
  }

  /// Routes without a response in `Snapshots`, with the reason.
  private static let exceptions = [
    "GET /app/{file}": "The files of the app, as they are in the sources.",
    "GET /": "Likewise.",
    "GET /app/api/events": "A stream that does not end.",
    "GET /app/api/report.html":
      "Its data are among the snapshots of ReportingTests; times are in the zone of the machine.",
  ]

  @Test func everyRouteHasAnAnswerHere() throws {
    func name(_ route: Route) -> String { "\(route.method.rawValue) \(route.path)" }
    let routes = try Route.all()
    let asked = SnapshotRequests.all.values.joined().compactMap { Self.route(of: $0, among: routes).map(name) }
    let names = Set(routes.map(name))
    #expect(names.subtracting(asked).subtracting(Self.exceptions.keys).sorted() == [], "routes without a snapshot")
    #expect(Set(Self.exceptions.keys).subtracting(names).sorted() == [], "exceptions without a route")
  }

  private static func matches(_ pattern: String, _ path: String) -> Bool {
    let (parts, words) = (pattern.split(separator: "/"), path.split(separator: "/"))
    guard parts.count == words.count else { return false }
    return zip(parts, words).allSatisfy { part, word in
      guard part.first == "{", let end = part.lastIndex(of: "}") else { return part == word }
      let rest = part[part.index(after: end)...]
      return word.count > rest.count && word.hasSuffix(rest)
    }
  }

  /// Literal parts come first, from the left; then parts with a literal end.
  private static func rank(_ pattern: String) -> String {
    pattern.split(separator: "/").map { $0.first != "{" ? "0" : $0.last != "}" ? "1" : "2" }.joined()
  }

  @Test func everyMethodOfSubsonicHasAnAnswerHere() {
    let asked = SnapshotRequests.subsonicMethods
    #expect(SubsonicRoutes.methods.subtracting(asked).sorted() == [], "methods without a snapshot")
  }
}

/// A sequence of requests to one server.
private struct SnapshotTalk {
  private let library: ServedLibrary
  private var ids: [String: String]
  /// Random ids, with the names that replace them.
  private var shown: [(id: String, name: String)] = []

  /// A fixed host for all requests: URLs in responses contain it, and actual ports differ.
  private static let host = "127.0.0.1:8642"
  /// Headers that concern the connection, or differ each time.
  private static let leftOut: Set<String> = ["date", "connection", "content-length", "server"]
  /// Headers of nearly all responses: only differences are shown.
  private static let usual = [
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "microphone=(self), camera=(), geolocation=()", "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff", "x-frame-options": "DENY",
  ]

  init(_ library: ServedLibrary) throws {
    self.library = library
    ids = try UntidyLibrary.ids(in: library.store)
    for (name, print) in zip(["print", "other"], UntidyLibrary.fingerprints) { ids[name] = print }
  }

  mutating func answer(to request: SnapshotRequest) async throws -> (text: String, answer: ServedLibrary.Answer) {
    let (target, body) = (filled(request.target), filled(request.body))
    let headers = ["Host": Self.host].merging(request.headers) { $1 }
    let answer = try await library.ask(request.method, target, headers, body: Array(body.utf8))
    if let kept = request.kept {
      var id = kept.path.split(separator: ".").reduce(answer.json) { $0[String($1)] }.text
      if id.isEmpty, let found = ReadableText.plain(answer.body).firstMatch(of: #/ id="([^"]+)"/#) {
        id = String(found.1)
      }
      if !id.isEmpty {
        ids[kept.name] = id
        shown.append((id, "<\(kept.name)>"))
      }
    }
    var lines = ["\(request.method) \(target)"]
    if !body.isEmpty { lines.append(body) }
    lines += ["", "\(answer.status)"]
    for (name, value) in answer.headers.merging(
      Self.usual.mapValues { _ in "none" }, uniquingKeysWith: { known, _ in known }
    )
    .sorted(by: { $0.key < $1.key }) where !Self.leftOut.contains(name) && Self.usual[name] != value {
      // The value follows from the body.
      let isTag = name == "etag" && value.hasPrefix("W/\"")
      lines.append("\(name): \(isTag ? "W/\"…\"" : name == "set-cookie" ? Self.cookie(value) : value)")
    }
    let text = lines.joined(separator: "\n") + "\n\n" + Self.readable(answer, width: request.width) + "\n"
    return (plain(text, request.hidden), answer)
  }

  /// The text with ids in place of their names.
  private func filled(_ text: String) -> String {
    text.replacing(/@([a-z0-9]+(?:-[a-z]+)*)/) { match in
      ids[String(match.1)] ?? String(match.0)
    }
  }

  private static func readable(_ answer: ServedLibrary.Answer, width: Int) -> String {
    let type = answer.headers["content-type"] ?? ""
    if type.hasPrefix("application/json"), let text = ReadableText.json(answer.body, width: width) { return text }
    let text = ReadableText.plain(answer.body)
    return type.hasPrefix("application/xml") ? ReadableText.xml(text) : text
  }

  private static func cookie(_ value: String) -> String {
    value.replacing(/=[^;]{20,};/, with: "=…;")
  }

  /// The text without parts that differ each time.
  private func plain(_ text: String, _ hidden: [String]) -> String {
    var text = text.replacing(Nocturne.version, with: "<version>")
    for (id, name) in shown { text = text.replacing(id, with: name) }
    text = text.replacing(library.folder.path.string, with: "<folder>")
    // All times of this library are earlier.
    text = text.replacing(/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/) { match in
      match.0 > "2025-06" ? "<now>" : String(match.0)
    }
    // The size of the pages that SQLite uses.
    text = text.replacing(/database_size_bytes [0-9]+/) { _ in "database_size_bytes <size>" }
    for name in hidden {
      let pattern = try? Regex("\"\(name)\": (\"[^\"]*\"|[0-9.]+)")
      if let pattern { text = text.replacing(pattern, with: "\"\(name)\": <\(name)>") }
    }
    return text
  }
}

extension SnapshotRequest {
  fileprivate var file: String {
    let kind =
      switch target {
      case _ where ["m3u8", "metrics", "jsonp"].contains { target.contains($0) }: "txt"
      case _ where target.hasPrefix("/rest/"): target.contains("f=json") ? "json" : "xml"
      default: "json"
      }
    return "\(name).\(kind)"
  }
}
