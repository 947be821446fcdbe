package import Hummingbird
internal import NIOCore

/// What goes with one request.
package struct ServerContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The address of the other end; a proxy's if there is one between.
  package let remoteAddress: String?

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress?.ipAddress
  }
}
