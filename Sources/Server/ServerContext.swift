package import Hummingbird
internal import NIOCore

/// What goes with one request.
package struct ServerContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// Who asks; `Access` fills in what is known.
  package var client: Client

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    client = Client(address: source.channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) })
  }

  /// What absolute URLs begin with: `https://music.example.org`, as the client knows us.
  package func baseURL(of request: Request) -> String {
    "\(client.isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
  }
}
