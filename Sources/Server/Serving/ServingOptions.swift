internal import Platform
package import SystemPackage

/// The address and clients of a server.
package struct ServingOptions: Sendable {
  /// A name or an address without a port, such as `127.0.0.1`, `::1` or `0.0.0.0`.
  package var host = Self.standardHost
  /// 0 lets the system choose one.
  package var port = Self.standardPort
  /// A file with a token a line; without one, only clients on this machine are let in, and need none.
  package var tokenFile: FilePath?
  /// Other names under which clients may ask for this server, such as that of a reverse proxy.
  package var names: [String] = []
  /// Origins of pages from elsewhere that may use the server, such as `https://player.example.org`.
  package var allowedOrigins: [String] = []
  /// Reverse proxies whose headers `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
  package var trustedProxies: [NetworkRange] = []
  package var connections = ConnectionLimits()
  /// Takes a line for each request.
  package var accessLog: AccessLog?

  package static let standardHost = "127.0.0.1"
  package static let standardPort = ServerAddress.standardPort

  package init() {}
}
