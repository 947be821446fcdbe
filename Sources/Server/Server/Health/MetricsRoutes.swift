internal import AnalysisTasks
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Records
internal import Serving

/// `/metrics`: figures of the server and the store, for Prometheus.
struct MetricsRoutes: RouteSet {
  let api = API.server
  let services: Services

  var routes: [Route] {
    route(
      .get, "metrics", "Metrics for Prometheus; other machines need a token", type: "text/plain",
      access: .tokenOrThisMachine
    ) { _, _ in
      let figures = try await services.reading { try services.figures().library }
      let families =
        services.metrics.families + [
          MetricFamily(
            "nocturne_server_waiting", "Tasks that wait for a thread or run on one, by lane.",
            services.waitingCounts.map { .init(labels: [("lane", $0.name)], value: Double($0.count)) })
        ] + RunMetrics.families(of: figures)
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: families.map(\.text).joined())))
    }
  }
}

extension ServerMetrics {
  var families: [MetricFamily] {
    let state = state
    let requests = state.requests.sorted {
      ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
    }
    return [
      MetricFamily(
        "nocturne_build_info", "Version of the program, as a label; always 1.",
        [.init(labels: [("version", Nocturne.version)], value: 1)]),
      MetricFamily(
        "nocturne_server_requests_total", "Answered requests.", kind: .counter,
        requests.map { key, count in
          .init(
            labels: [("route", key.route), ("method", key.method), ("status", String(key.status))], value: Double(count)
          )
        }),
      MetricFamily(
        "nocturne_server_request_duration_seconds",
        "Seconds from the receipt of a request to the start of its response.", kind: .histogram,
        state.durations.sorted { $0.key < $1.key }.flatMap { Self.samples($1, route: $0) }),
      MetricFamily(
        "nocturne_server_requests_in_progress", "Requests whose response has not started.", state.requestsInProgress),
      MetricFamily(
        "nocturne_server_sent_bytes_total", "Bytes of response bodies.", kind: .counter,
        [.init(value: Double(state.sentBytes))]),
      MetricFamily("nocturne_server_connections", "Open connections.", state.connections),
      MetricFamily(
        "nocturne_server_connections_total", "Accepted connections.", kind: .counter,
        [.init(value: Double(state.allConnections))]),
      MetricFamily(
        "nocturne_server_ended_connections_total",
        "Connections that the server closed because of the client, by reason.", kind: .counter,
        EndReason.allCases.map { .init(labels: [("reason", $0.rawValue)], value: Double(state.ended[$0] ?? 0)) }),
    ]
  }

  private static func samples(_ durations: Durations, route: String) -> [MetricFamily.Sample] {
    var sum = 0
    var samples = zip(durations.counts, Durations.bounds.map { "\($0)" } + ["+Inf"]).map { count, bound in
      sum += count
      return MetricFamily.Sample(suffix: "_bucket", labels: [("route", route), ("le", bound)], value: Double(sum))
    }
    samples.append(.init(suffix: "_sum", labels: [("route", route)], value: durations.sum))
    samples.append(.init(suffix: "_count", labels: [("route", route)], value: Double(sum)))
    return samples
  }
}
