internal import Platform
package import SystemPackage

/// Options for the address of a server and for its clients.
package struct ServingOptions: Sendable {
  /// A name or an address without a port, such as `127.0.0.1`, `::1` or `0.0.0.0`.
  package var host = Self.standardHost
  /// The port; 0 to let the system choose one.
  package var port = Self.standardPort
  /// A file with a name and a token on each line. Without it, only clients on this machine have access, and they need
  /// no token.
  package var tokenFile: FilePath?
  /// Additional host names of this server, such as the name of a reverse proxy.
  package var names: [String] = []
  /// Origins of foreign pages that may use the server, such as `https://player.example.org`.
  package var allowedOrigins: [String] = []
  /// Reverse proxies whose headers `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.
  package var trustedProxies: [NetworkRange] = []
  package var connections = ConnectionLimits()
  /// The log that receives a line for each request; `nil` for no log.
  package var accessLog: AccessLog?

  package static let standardHost = "127.0.0.1"
  package static let standardPort = ServerAddress.standardPort

  package init() {}
}
