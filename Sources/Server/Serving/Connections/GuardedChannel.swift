internal import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTP1

/// HTTP/1.1 on a connection with a `ConnectionGuard`.
package struct GuardedChannel: ServerChildChannel {
  package typealias Value = HTTP1Channel.Value

  private let base: HTTP1Channel
  private let limits: ConnectionLimits
  private let counts: ConnectionCounts
  private let metrics: ServerMetrics

  package init(
    responder: @escaping HTTPChannelHandler.Responder, limits: ConnectionLimits, counts: ConnectionCounts,
    metrics: ServerMetrics
  ) {
    base = HTTP1Channel(
      responder: responder,
      configuration: HTTP1Channel.Configuration(
        httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
          maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
          maxHeaderFieldCount: limits.headerCount)))
    self.limits = limits
    self.counts = counts
    self.metrics = metrics
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let address = channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) }
    let isWelcome = counts.add(address)
    metrics.connectionBegan()
    channel.closeFuture.whenComplete { _ in
      if isWelcome { counts.remove(address) }
      metrics.connectionEnded()
    }
    return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let connection = ConnectionGuard(limits, metrics: metrics)
      let pipeline = channel.pipeline.syncOperations
      let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(connection, position: .after(parser))
      try pipeline.addHandler(ByteWatch(connection), position: .first)
      if !isWelcome {
        // No response is sent, because a client with that many connections does not wait for one.
        metrics.connectionEnded(because: .tooMany)
        channel.close(promise: nil)
      }
      return value
    }
  }

  package func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
