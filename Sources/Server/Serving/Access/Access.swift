internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import NIOCore

/// Rejects requests with a foreign `Host`, a foreign `Origin`, or a missing or invalid token.
package struct Access: RouterMiddleware {
  package typealias Context = ServerContext

  private let routes: RouteTable
  private let names: ServedNames
  private let allowedOrigins: Set<String>
  private let proxies: TrustedProxies
  private let tokens: AccessTokens
  private let failures = FailedAttempts()

  package init(_ options: ServingOptions, tokens: AccessTokens, routes: RouteTable) {
    self.routes = routes
    names = ServedNames(host: options.host, names: options.names)
    allowedOrigins = Set(options.allowedOrigins.map { $0.lowercased() })
    proxies = TrustedProxies(options.trustedProxies)
    self.tokens = tokens
  }

  package func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    var request = request
    context.client = proxies.client(peer: context.client.address, headers: request.headers)
    let access = routes.access(context.endpointPath)
    try checkTarget(request)
    let authority = try checkedName(request)
    let origin = PageOrigin(request.headers, method: request.method, authority: authority, allowed: allowedOrigins)
    switch origin {
    case .own: break
    case .allowed(let origin):
      if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
        return Self.preflight(origin)
      }
    case .navigation where access == .page: break
    case .navigation, .foreign:
      throw RequestError(
        .forbidden,
        "Pages of other origins may not use this server. To allow one, start the server with --allow-origin and "
          + "that origin."
      )
    }
    if tokens.areNeeded {
      context.client.token = try await token(of: &request, context: context, access: access)
    }
    var response = try await next(request, context)
    if case .allowed(let origin) = origin { Self.allow(origin, in: &response) }
    return response
  }

  private func checkTarget(_ request: Request) throws {
    guard request.uri.string.utf8.count <= Self.maximumTarget else {
      throw RequestError(.uriTooLong, "The address is longer than \(Self.maximumTarget) bytes.")
    }
  }

  /// Maximum number of bytes in the path and the query.
  private static let maximumTarget = 8192

  private func checkedName(_ request: Request) throws -> String {
    guard let authority = request.head.authority else {
      throw RequestError(.badRequest, "The request has no Host header.")
    }
    guard names.contain(authority) else {
      throw RequestError(
        .misdirectedRequest,
        "This server does not accept requests for that host name. To accept it, start the server with --name and "
          + "the name."
      )
    }
    return authority
  }

  // MARK: Tokens

  /// - Returns: The name of the token; `nil` if the client did not send a valid one and none is needed here.
  private func token(of request: inout Request, context: ServerContext, access: RouteAccess) async throws -> String? {
    let shown = try await credentials(of: &request, context: context, access: access)
    guard let shown else {
      if !access.needsToken || access == .tokenOrThisMachine && context.client.isLocal { return nil }
      throw Self.unauthorized("This requires a token. Send it as: Authorization: Bearer TOKEN")
    }
    if let name = name(of: shown) { return name }
    // Pages that do not need a token stay available, and an expired cookie does not count as a failed attempt.
    if !access.needsToken { return nil }
    if case .cookie = shown {} else { try failures.note(context.client.address) }
    throw Self.unauthorized("The token is not valid. It may have expired or been mistyped.")
  }

  private static func unauthorized(_ message: String) -> RequestError { RequestError(.unauthorized, message) }

  private func name(of credentials: Credentials) -> String? {
    switch credentials {
    case .secret(let secret): tokens.name(ofSecret: secret)
    case .bearer(let text): tokens.name(ofPass: text, kind: .bearer) ?? tokens.name(ofSecret: text)
    case .cookie(let text): tokens.name(ofPass: text, kind: .cookie)
    case .cover(let key, let id): tokens.name(ofCoverKey: key, for: id)
    case .salted(let token, let salt): tokens.name(ofSubsonicToken: token, salt: salt)
    }
  }

  private func credentials(
    of request: inout Request, context: ServerContext, access: RouteAccess
  ) async throws -> Credentials? {
    if access == .ownSecret { return nil }
    if let header = request.headers[.authorization] { return Credentials(authorization: header) }
    if case .tokenAmongParameters(let parameters) = access {
      if let found = Credentials(parameters: FormFields(request.uri.query ?? ""), of: parameters) { return found }
      if request.method == .post,
        request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true,
        let found = Credentials(parameters: try await request.collectForm(), of: parameters)
      {
        return found
      }
    }
    if access == .tokenOrCoverKey, let id = context.parameters.get("id"), let key = request.uri.queryParameters["key"] {
      return .cover(key: String(key), id: id)
    }
    return request.cookies[AppCookie.name].map { .cookie($0.value) }
  }

  // MARK: Other origins (https://fetch.spec.whatwg.org/#http-cors-protocol)

  private static func preflight(_ origin: String) -> Response {
    var response = Response(status: .noContent)
    allow(origin, in: &response)
    response.headers[.accessControlAllowMethods] = "GET, HEAD, POST, PUT, DELETE"
    response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, If-Match, If-None-Match, Range"
    response.headers[.accessControlMaxAge] = "600"
    return response
  }

  private static func allow(_ origin: String, in response: inout Response) {
    response.headers[.accessControlAllowOrigin] = origin
    response.headers[.accessControlExposeHeaders] = "Content-Range, ETag, Location, Retry-After"
    response.headers[.crossOriginResourcePolicy] = "cross-origin"
    response.headers.append(HTTPField(name: .vary, value: "Origin"))
  }
}

extension HTTPField.Name {
  static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
}
