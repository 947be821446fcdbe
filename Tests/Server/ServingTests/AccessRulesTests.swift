import AnalysisTesting
import Foundation
import HTTPTypes
import Hummingbird
import SystemPackage
import Testing

@testable import Serving

/// Decisions about whole requests.
@Suite(.bounded) struct AccessRulesTests {
  private static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
  private static let secret = "aaaaaaaaaaaaaaaa"
  private let folder: TemporaryDirectory
  private let tokens: AccessTokens

  init() throws {
    folder = try TemporaryDirectory()
    let file = try folder.write(Array("phone \(Self.secret)\n".utf8), as: "tokens")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.string)
    tokens = AccessTokens(file: try TokenFile(file) { _ in })
  }

  private static let kinds: [(path: String, access: RouteAccess)] = [
    ("token", .token), ("subsonic", .tokenAmongParameters(.subsonic)), ("acoustid", .tokenAmongParameters(.acoustID)),
    ("covers/{id}", .tokenOrCoverKey), ("machine", .tokenOrThisMachine), ("open", .open), ("own", .ownSecret),
    ("page", .page),
  ]

  /// A route for each kind of access. It returns the client's token and address, the address of the server, and a field
  /// of the form.
  private static let routes = TestRoutes(
    list: kinds.flatMap { path, access in
      [HTTPRequest.Method.get, .post, .put].map { method in (method, path, access, respond) }
    }
  ).routes

  @Sendable private static func respond(_ request: Request, _ context: ServerContext) async throws -> Response {
    var request = request
    let field = request.method == .get ? nil : try await request.collectForm()["q"]
    let client = context.client
    let parts = [
      client.token ?? "-", client.address?.description ?? "-", context.baseURL(of: request), field ?? "-",
    ]
    return Response(status: .ok, body: ResponseBody(byteBuffer: .init(string: parts.joined(separator: " "))))
  }

  private func server(_ change: (inout ServingOptions) -> Void = { _ in }) -> ServedRoutes {
    var options = ServingOptions()
    change(&options)
    return ServedRoutes(Self.routes, options, tokens: tokens)
  }

  private static func bearer(_ text: String) -> HTTPFields { [.authorization: "Bearer \(text)"] }
  private static func cookie(_ text: String) -> HTTPFields { [.cookie: "a=b; nocturne=\(text)"] }

  /// Every kind of route: a program on this machine and one elsewhere, both without a token, and programs
  /// with a wrong and a right token.
  @Test(
    arguments: [
      ("token", false, false, false, "phone"), ("subsonic", false, false, false, "phone"),
      ("acoustid", false, false, false, "phone"), ("covers/one", false, false, false, "phone"),
      ("machine", true, false, false, "phone"), ("open", true, true, true, "phone"), ("own", true, true, true, "-"),
      ("page", true, true, true, "phone"), ("nothing", false, false, false, nil),
    ] as [(String, Bool, Bool, Bool, String?)])
  func routesLetIn(path: String, here: Bool, elsewhere: Bool, withWrongToken: Bool, name: String?) async throws {
    let (server, target) = (server(), "/test/\(path)")
    for (isLetIn, headers, peer) in [
      (here, [:], "127.0.0.1"), (elsewhere, [:], "192.0.2.1"), (withWrongToken, Self.bearer("wrong"), "127.0.0.1"),
      (withWrongToken, Self.bearer("wrong"), "192.0.2.1"), (withWrongToken, Self.cookie("wrong"), "192.0.2.1"),
    ] as [(Bool, HTTPFields, String)] {
      let answer = try await server.get(target, headers, from: peer)
      #expect(answer.status == (isLetIn ? 200 : 401), "\(peer) \(headers)")
      #expect(answer.headers[.wwwAuthenticate] == (isLetIn ? nil : "Bearer"))
      if isLetIn { #expect(answer.text.hasPrefix("- \(peer) ")) }
    }
    let known = try await server.get(target, Self.bearer(Self.secret), from: "192.0.2.1")
    #expect(known.status == (name == nil ? 404 : 200))
    if let name { #expect(known.text == "\(name) 192.0.2.1 http://localhost -") }
  }

  @Test func withoutTokensAllAreLetIn() async throws {
    let server = ServedRoutes(Self.routes)
    for (path, _) in Self.kinds {
      let target = "/test/\(path.replacing("{id}", with: "one"))"
      for headers in [[:], Self.bearer("wrong"), Self.bearer(Self.secret)] as [HTTPFields] {
        let answer = try await server.get(target, headers)
        #expect(answer.status == 200 && answer.text.hasPrefix("- 127.0.0.1 "), "\(path)")
      }
    }
  }

  /// Every way to send a token, on a route that knows it and on one that does not.
  @Test func tokensAreSentInManyWays() async throws {
    let server = server()
    func name(_ method: HTTPRequest.Method, _ target: String, _ headers: HTTPFields, _ body: String = "") async throws
      -> String
    {
      let answer = try await server.ask(method, "/test/\(target)", headers, body: body)
      return answer.status == 401 ? "refused" : answer.text.split(separator: " ").first.map { String($0) } ?? ""
    }
    let bearer = try #require(tokens.pass(for: "phone", kind: .bearer, lasting: 600))
    let cookie = try #require(tokens.pass(for: "phone", kind: .cookie, lasting: 600))
    let expired = try #require(tokens.pass(for: "phone", kind: .cookie, lasting: 0))
    let key = try #require(tokens.coverKey(for: "one", as: "phone"))
    let form: HTTPFields = [.contentType: "Application/X-WWW-Form-URLEncoded; charset=utf-8"]
    let basic = Data("anyone:\(Self.secret)".utf8).base64EncodedString()
    for (method, target, headers, body, expected) in [
      (.get, "token", Self.bearer(Self.secret), "", "phone"), (.get, "token", Self.bearer(bearer), "", "phone"),
      (.get, "token", Self.bearer(cookie), "", "refused"), (.get, "token", Self.cookie(cookie), "", "phone"),
      (.get, "token", Self.cookie(bearer), "", "refused"), (.get, "token", Self.cookie(expired), "", "refused"),
      (.get, "token", Self.cookie(Self.secret), "", "refused"),
      (.get, "token", [.authorization: "Basic \(basic)"], "", "phone"),
      (.get, "token", [.authorization: "Digest x", .cookie: "nocturne=\(cookie)"], "", "refused"),
      (.get, "token?client=\(Self.secret)&p=\(Self.secret)&key=\(key)", [:], "", "refused"),
      (.get, "covers/one?key=\(key)", [:], "", "phone"), (.get, "covers/two?key=\(key)", [:], "", "refused"),
      (.get, "covers/one", Self.cookie(cookie), "", "phone"), (.get, "machine?key=\(key)", [:], "", "-"),
      (.get, "subsonic?p=\(Self.secret)", [:], "", "phone"),
      (.get, "subsonic?t=46e8c5065f1d8080b4a38962f69b264b&s=salt", [:], "", "phone"),
      (.get, "subsonic?t=46e8c5065f1d8080b4a38962f69b264b&s=salz", [:], "", "refused"),
      (.get, "subsonic?client=\(Self.secret)", [:], "", "refused"),
      (.get, "subsonic", Self.cookie(cookie), "", "phone"),
      (.get, "acoustid?client=\(Self.secret)", [:], "", "phone"),
      (.get, "acoustid", form, "client=\(Self.secret)", "refused"),
      (.post, "acoustid", form, "client=\(Self.secret)", "phone"),
      (.post, "acoustid?client=\(Self.secret)", form, "client=wrong", "phone"),
      (.post, "acoustid", [.contentType: "text/plain"], "client=\(Self.secret)", "refused"),
      (.post, "acoustid", [:], "client=\(Self.secret)", "refused"),
      (.put, "acoustid", form, "client=\(Self.secret)", "refused"),
      (.post, "token", form, "client=\(Self.secret)", "refused"),
      (.post, "subsonic", form, "apiKey=\(Self.secret)", "phone"),
    ] as [(HTTPRequest.Method, String, HTTPFields, String, String)] {
      #expect(try await name(method, target, headers, body) == expected, "\(method) \(target) \(headers) \(body)")
    }
    // The route still reads the form.
    let answer = try await server.ask(.post, "/test/acoustid", form, body: "client=\(Self.secret)&q=a")
    #expect(answer.text == "phone 127.0.0.1 http://localhost a")
  }

  /// Twenty wrong tokens a minute. Others are not concerned, and neither is the right token.
  @Test func wrongTokensAreCounted() async throws {
    let server = server { $0.trustedProxies = ["10.0.0.0/8"].compactMap { NetworkRange($0) } }
    func status(_ token: String, from peer: String, for client: String? = nil) async throws -> Int {
      var headers = Self.bearer(token)
      headers[.xForwardedFor] = client
      return try await server.get("/test/token", headers, from: peer).status
    }
    // Expired cookies and missing tokens are no attempts, and neither are wrong tokens where none is needed.
    for _ in 0..<25 {
      #expect(try await server.get("/test/token", Self.cookie("old"), from: "192.0.2.1").status == 401)
      #expect(try await server.get("/test/token", from: "192.0.2.1").status == 401)
      #expect(try await server.get("/test/open", Self.bearer("wrong"), from: "192.0.2.1").status == 200)
    }
    for _ in 0..<20 { #expect(try await status("wrong", from: "192.0.2.1") == 401) }
    let refused = try await server.get("/test/token", Self.bearer("wrong"), from: "192.0.2.1")
    #expect(refused.status == 429 && refused.headers[.retryAfter].flatMap { Int($0) } ?? 0 > 0)
    #expect(refused.headers[.wwwAuthenticate] == nil)
    #expect(try await status(Self.secret, from: "192.0.2.1") == 200)
    #expect(try await status("wrong", from: "192.0.2.1") == 429)
    #expect(try await status("wrong", from: "192.0.2.2") == 401)
    // The client behind a proxy counts.
    #expect(try await status("wrong", from: "10.0.0.1", for: "192.0.2.1") == 429)
    #expect(try await status("wrong", from: "10.0.0.1", for: "192.0.2.3") == 401)
  }

  // MARK: Names and origins

  @Test func onlyRequestsForThisServerAreAnswered() async throws {
    let server = server {
      $0.host = "127.0.0.1"
      $0.names = ["music.example.org"]
    }
    for (host, status) in [
      ("localhost:8642", 200), ("127.0.0.1", 200), ("Music.example.org", 200), ("evil.example", 421),
      ("192.168.1.2", 421), (nil, 400),
    ] as [(String?, Int)] {
      #expect(try await server.ask(.get, "/test/open", host: host).status == status, "\(host ?? "none")")
    }
  }

  /// The path and the query together.
  @Test func targetsHaveALimit() async throws {
    let server = server()
    for (count, status) in [(8192, 200), (8193, 414)] {
      let target = "/test/open?" + String(repeating: "a", count: count - 11)
      #expect(try await server.get(target).status == status, "\(count) bytes")
    }
  }

  @Test func theProxySaysHowItIsReached() async throws {
    let server = server { $0.trustedProxies = ["10.0.0.1"].compactMap { NetworkRange($0) } }
    let headers: HTTPFields = [.xForwardedFor: "198.51.100.7", .xForwardedProto: "https"]
    #expect(try await server.get("/test/open", headers, from: "10.0.0.1").text == "- 198.51.100.7 https://localhost -")
    #expect(try await server.get("/test/open", headers, from: "10.0.0.2").text == "- 10.0.0.2 http://localhost -")
  }

  @Test func linksFromElsewhereLeadOnlyToPages() async throws {
    let server = ServedRoutes(Self.routes)
    let link: HTTPFields = [.secFetchSite: "cross-site", .secFetchMode: "navigate", .secFetchDest: "document"]
    let image: HTTPFields = [.secFetchSite: "cross-site", .secFetchMode: "no-cors", .secFetchDest: "image"]
    let (foreign, own): (HTTPFields, HTTPFields) = ([.origin: "https://evil.example"], [.origin: "http://localhost"])
    for (path, _) in Self.kinds {
      let target = "/test/\(path.replacing("{id}", with: "one"))"
      #expect(try await server.get(target, link).status == (path == "page" ? 200 : 403), "\(path)")
      #expect(try await server.get(target, image).status == 403, "\(path)")
      #expect(try await server.get(target, foreign).status == 403, "\(path)")
      #expect(try await server.get(target, own).status == 200, "\(path)")
    }
  }

  /// CORS: https://fetch.spec.whatwg.org/#http-cors-protocol.
  @Test func anAllowedOriginMayUseTheServer() async throws {
    let server = server { $0.allowedOrigins = ["HTTPS://Player.example"] }
    var headers: HTTPFields = [.origin: "https://player.example", .secFetchSite: "cross-site"]
    let common: HTTPFields = [
      .accessControlAllowOrigin: "https://player.example",
      .accessControlExposeHeaders: "Content-Range, ETag, Location, Retry-After",
      Self.resourcePolicy: "cross-origin", .vary: "Origin",
    ]
    let preflight: HTTPFields = [
      .accessControlAllowMethods: "GET, HEAD, POST, PUT, DELETE",
      .accessControlAllowHeaders: "Authorization, Content-Type, If-Match, If-None-Match, Range",
      .accessControlMaxAge: "600",
    ]
    func expect(_ answer: ServedRoutes.Answer, isPreflight: Bool) {
      for field in common { #expect(answer.headers[field.name] == field.value) }
      for field in preflight { #expect(answer.headers[field.name] == (isPreflight ? field.value : nil)) }
    }
    // A plain OPTIONS needs a token, like any other request.
    #expect(try await server.ask(.options, "/test/token", headers).status == 401)
    headers[.accessControlRequestMethod] = "GET"
    let first = try await server.ask(.options, "/test/token", headers)
    #expect(first.status == 204 && first.headers[.allow] == nil)
    expect(first, isPreflight: true)
    #expect(try await server.get("/test/token", headers).status == 401)
    headers[.authorization] = "Bearer \(Self.secret)"
    let second = try await server.get("/test/token", headers)
    #expect(second.status == 200 && second.text.hasPrefix("phone "))
    expect(second, isPreflight: false)
    headers[.accessControlRequestMethod] = nil
    let third = try await server.ask(.options, "/test/token", headers)
    #expect(third.status == 204 && third.headers[.allow] == "GET, HEAD, POST, PUT, OPTIONS")
    expect(third, isPreflight: false)
    // Others get none of these headers.
    headers = [.origin: "http://localhost"]
    let own = try await server.get("/test/open", headers)
    #expect(own.status == 200 && own.headers[.accessControlAllowOrigin] == nil && own.headers[.vary] == nil)
    #expect(own.headers[Self.resourcePolicy] == "same-origin")
    headers = [.origin: "https://other.example"]
    #expect(try await server.get("/test/open", headers).status == 403)
  }

  // MARK: Security headers

  @Test func everyAnswerHasSecurityHeaders() async throws {
    let frame = HTTPField.Name("X-Frame-Options")!
    func respond(_ headers: HTTPFields) -> Route.Respond { { _, _ in Response(status: .ok, headers: headers) } }
    let server = ServedRoutes(
      TestRoutes(list: [
        (.get, "page", nil, respond([.contentType: "Text/HTML; charset=utf-8"])),
        (.get, "data", nil, respond([.contentType: "application/json"])), (.get, "none", nil, respond([:])),
        (.get, "own", nil, respond([.contentType: "text/html", .contentSecurityPolicy: "own", frame: "SAMEORIGIN"])),
      ]).routes)
    for (path, policy) in [
      ("page", "default-src 'self'; img-src"), ("data", "default-src 'none'; frame-ancestors 'none'"),
      ("none", "default-src 'none'; frame-ancestors 'none'"), ("own", "own"), ("missing", "default-src 'none'; "),
    ] {
      let headers = try await server.get("/test/\(path)").headers
      #expect(headers[.contentSecurityPolicy]?.hasPrefix(policy) == true, "\(path)")
      #expect(headers[frame] == (path == "own" ? "SAMEORIGIN" : "DENY"), "\(path)")
      for (name, value) in [
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Permissions-Policy", "microphone=(self), camera=(), geolocation=()"),
      ] {
        #expect(headers[try #require(HTTPField.Name(name))] == value, "\(path)")
      }
    }
  }
}
