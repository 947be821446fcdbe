package import Hummingbird
internal import NIOCore
internal import Synchronization

/// The context of one request.
package struct ServerContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  private let whoAsks: WhoAsks
  private let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    channel = source.channel
    coreContext = CoreRequestContextStorage(source: source)
    whoAsks = WhoAsks(Client(address: source.channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) }))
  }

  /// The client; `Access` fills in what is known, for the log as well, which comes before it.
  package var client: Client {
    get { whoAsks.client.withLock { $0 } }
    nonmutating set { whoAsks.client.withLock { $0 = newValue } }
  }

  /// When the client is gone.
  package var end: EventLoopFuture<Void> { channel.closeFuture }

  /// Lets a client send the body for whose leave it waits (`Expect: 100-continue`).
  func welcomeBody() { channel.triggerUserOutboundEvent(ConnectionGuard.BodyWelcome(), promise: nil) }

  /// The start of absolute URLs: `https://music.example.org`, as the client knows us.
  package func baseURL(of request: Request) -> String {
    "\(client.isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
  }
}

private final class WhoAsks: Sendable {
  let client: Mutex<Client>

  init(_ client: Client) { self.client = Mutex(client) }
}
