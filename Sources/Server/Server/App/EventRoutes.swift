internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Serving

/// Sends events to the pages of the app while they are open.
struct EventRoutes: RouteSet {
  let api = API.app
  let library: AppLibrary
  let hub: EventHub

  /// Tells nginx not to buffer the response.
  private static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!

  var routes: [Route] {
    route(.get, "events", "Changes of the library, as server-sent events", type: "text/event-stream") { _, context in
      guard let events = hub.listen(context.client.owner, until: context.end) else {
        throw RequestError(
          .serviceUnavailable, "Too many pages are connected to this server. Close some of them.", retryAfter: 30)
      }
      let status = try await library.services.reading { try LibraryStatus(of: library) }
      return Response(
        status: .ok,
        headers: [
          .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store", Self.accelBuffering: "no",
        ],
        body: ResponseBody { writer in
          try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
          try await writer.write(ServerEvent(.hello, .status, status).buffer)
          for await event in events { try await writer.write(event.buffer) }
          try await writer.finish(nil)
        })
    }
  }
}
