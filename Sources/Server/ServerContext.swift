package import Hummingbird
internal import NIOCore
internal import Synchronization

/// What goes with one request.
package struct ServerContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  private let whoAsks: WhoAsks

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    whoAsks = WhoAsks(Client(address: source.channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) }))
  }

  /// Who asks; `Access` fills in what is known, for the log as well, which comes before it.
  package var client: Client {
    get { whoAsks.client.withLock { $0 } }
    nonmutating set { whoAsks.client.withLock { $0 = newValue } }
  }

  /// What absolute URLs begin with: `https://music.example.org`, as the client knows us.
  package func baseURL(of request: Request) -> String {
    "\(client.isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
  }
}

private final class WhoAsks: Sendable {
  let client: Mutex<Client>

  init(_ client: Client) { self.client = Mutex(client) }
}
