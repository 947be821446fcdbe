internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import Serving

/// `/v1/sessions`: recognizes what is playing in live audio.
struct SessionRoutes: RouteSet {
  let api = API.recognition
  let services: Services

  private var sessions: LiveSessions { services.recognition.sessions }

  var routes: [Route] {
    route(
      .post, "sessions", "Start a session that recognizes live audio", [.number("min_confidence")],
      answers: [.json(.session, .created)]
    ) { request, context in
      let limit = try request.confidenceLimit
      // If there is no catalog, this request fails, so that no later event has to report it.
      _ = try await services.reading { try sessions.catalog.current() }
      let session = try sessions.open(limit, for: context.client.owner)
      var response = JSONType.session.response(session.progress, status: .created)
      response.headers[.location] = "/v1/sessions/\(session.id)"
      return response
    }
    route(.get, "sessions/{id}", "The progress of a session", answers: [.json(.session)]) { _, context in
      JSONType.session.response(try session(context).progress)
    }
    route(
      .post, "sessions/{id}/audio", "Send the next chunk of audio to a session", [.integer("sequence", 0...1_000_000)],
      body: .bytes(["audio/pcm"]), answers: [.json(.receipt, .accepted)]
    ) { request, context in
      let session = try session(context)
      let sequence = try request.uri.queryParameters["sequence"].map { text throws(RequestError) in
        guard let number = Int(text), number >= 0 else {
          throw RequestError(.badRequest, "sequence counts chunks from 0; it is not \(text).")
        }
        return number
      }
      guard case .pcm(let format) = try AudioType(contentType: request.headers[.contentType]) else {
        throw RequestError(
          .unsupportedMediaType,
          "Live audio is PCM, such as Content-Type: audio/pcm;rate=48000;channels=1;encoding=s16le. Files go to "
            + "/v1/match."
        )
      }
      let chunk = try await request.body.collect(upTo: LiveSession.maximumChunkSize)
      let (receipt, isWorkNew) = try session.add(chunk, format, sequence: sequence)
      if isWorkNew { sessions.listen(to: session) }
      return JSONType.receipt.response(receipt, status: .accepted)
    }
    route(
      .get, "sessions/{id}/events", "Recognized tracks of a session, as server-sent events",
      [.integer("last_event_id", 0...1_000_000)],
      type: "text/event-stream"
    ) { request, context in
      events(of: try session(context), after: try lastEventID(of: request), until: context.end)
    }
    route(.delete, "sessions/{id}", "End a session", answers: [.empty(.noContent)]) { _, context in
      sessions.end(try session(context), because: "The client has ended it.")
      return Response(status: .noContent)
    }
  }

  private func session(_ context: ServerContext) throws -> LiveSession {
    try sessions.session(context.parameters.require("id"))
  }

  /// The id of the last event that the client has received, according to the request; 0 if the request does not state
  /// it.
  private func lastEventID(of request: Request) throws(RequestError) -> Int {
    guard let text = request.headers[Self.lastEventID] ?? request.uri.queryParameters["last_event_id"].map(String.init)
    else { return 0 }
    guard let id = Int(text), id >= 0 else {
      throw RequestError(.badRequest, "Last-Event-ID is the number of an event, not \(text).")
    }
    return id
  }

  private static let lastEventID = HTTPField.Name("Last-Event-ID")!
  /// Tells nginx not to buffer the response.
  private static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!

  private func events(of session: LiveSession, after id: Int, until end: EventLoopFuture<Void>) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store", Self.accelBuffering: "no",
      ],
      body: ResponseBody { writer in
        var last = id
        func news() -> ByteBuffer? {
          let events = session.events(after: last)
          guard let newest = events.last else { return nil }
          last = newest.id
          var buffer = ByteBuffer()
          for event in events { event.write(to: &buffer) }
          return buffer
        }
        try await writer.write(SessionEvent.opening)
        for await _ in try session.wakeUps(until: end) { try await writer.write(news() ?? SessionEvent.keepAlive) }
        if let buffer = news() { try await writer.write(buffer) }
        try await writer.finish(nil)
      })
  }
}

extension JSONType<LiveSession.Receipt> {
  fileprivate static var receipt: Self {
    .object(
      "Receipt",
      .required("duplicate", .flag) { $0.isDuplicate }, .required("received_s", .number) { $0.receivedSeconds },
      .required("sequence", .integer) { $0.sequence })
  }
}

extension JSONType<LiveSession.Progress> {
  fileprivate static var session: Self {
    .object(
      "Session", .required("audio", .text) { "/v1/sessions/\($0.id)/audio" },
      .required("events", .text) { "/v1/sessions/\($0.id)/events" }, .required("id", .text) { $0.id },
      .required("idle_timeout_s", .integer) { _ in Int(LiveSessions.idleSeconds) },
      .required("last_event_id", .integer) { $0.lastEventID },
      .required("maximum_chunk_bytes", .integer) { _ in LiveSession.maximumChunkSize },
      .required("next_sequence", .integer) { $0.nextSequence },
      .required("received_s", .number) { $0.receivedSeconds })
  }
}
