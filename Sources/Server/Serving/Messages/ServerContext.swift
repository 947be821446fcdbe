package import Hummingbird
internal import NIOCore
internal import Synchronization

package struct ServerContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  private let clientBox: ClientBox
  private let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    channel = source.channel
    coreContext = CoreRequestContextStorage(source: source)
    clientBox = ClientBox(Client(address: source.channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) }))
  }

  /// The client. `Access` fills in the details. The log, whose middleware encloses `Access`, uses them as well.
  package var client: Client {
    get { clientBox.client.withLock { $0 } }
    nonmutating set { clientBox.client.withLock { $0 = newValue } }
  }

  /// Completes when the connection is closed.
  package var end: EventLoopFuture<Void> { channel.closeFuture }

  /// Permits a client that is waiting with `Expect: 100-continue` to send the body.
  func welcomeBody() { channel.triggerUserOutboundEvent(ConnectionGuard.BodyWelcome(), promise: nil) }

  /// The start of absolute URLs, as seen by the client: `https://music.example.org`.
  package func baseURL(of request: Request) -> String {
    "\(client.isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
  }
}

private final class ClientBox: Sendable {
  let client: Mutex<Client>

  init(_ client: Client) { self.client = Mutex(client) }
}
