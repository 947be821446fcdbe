import AnalysisTesting
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import Serving

/// Sizes of request bodies.
@Suite(.bounded) struct BodyLimitsTests {
  private static let large = API(name: "large", path: "/large", bodyLimit: BodyLimits.large)
  private static let limits = BodyLimits(
    routes: RouteTable(
      TestRoutes(list: [(.post, "a", nil, respond)]).routes
        + TestRoutes(api: large, list: [(.post, "a", nil, respond)]).routes))

  @Sendable private static func respond(_ request: Request, _ context: ServerContext) -> Response {
    Response(status: .ok)
  }

  /// Passes a request through the limits.
  /// - Parameters:
  ///   - path: The path of the route; `nil` if there is none.
  ///   - parts: The parts of the body; `nil` for a body that nobody reads.
  private func send(
    _ path: String?, _ headers: HTTPFields, parts: [ByteBuffer]? = nil,
    _ limits: BodyLimits = limits, whileHeld: () async throws -> Void = {}
  ) async throws -> Int {
    let head = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/", headerFields: headers)
    let stream = AsyncStream<ByteBuffer> { continuation in
      for part in parts ?? [] { continuation.yield(part) }
      continuation.finish()
    }
    return try await ServedRoutes.withContext(path: path) { context in
      let request = Request(head: head, body: RequestBody(asyncSequence: stream))
      let count = Mutex(0)
      _ = try await limits.handle(request, context: context) { request, _ in
        if parts != nil { for try await part in request.body { count.withLock { $0 += part.readableBytes } } }
        try await whileHeld()
        return Response(status: .ok)
      }
      return count.withLock { $0 }
    }
  }

  private func length(_ count: Int) -> HTTPFields { [.contentLength: "\(count)"] }
  private let chunked: HTTPFields = [.transferEncoding: "chunked"]

  @Test(arguments: [("/test/a", 1), (nil, 1), ("/none", 1), ("/large/a", 64)] as [(String?, Int)])
  func announcedLengthsHaveALimit(path: String?, megabytes: Int) async throws {
    _ = try await send(path, length(megabytes << 20))
    let error = await #expect(throws: RequestError.self) { try await send(path, length(megabytes << 20 + 1)) }
    #expect(error?.status == .contentTooLarge && error?.message.contains(" \(megabytes) MB ") == true)
    for headers in [[:], length(0)] as [HTTPFields] { #expect(try await send(path, headers, parts: []) == 0) }
  }

  @Test func otherLengthsAreCountedAsTheyArrive() async throws {
    let half = ByteBuffer(repeating: 0, count: 1 << 19)
    let one = ByteBuffer(repeating: 0, count: 1)
    #expect(try await send("/test/a", chunked, parts: [half, half]) == 1 << 20)
    await #expect(throws: NIOTooManyBytesError.self) {
      try await send("/test/a", chunked, parts: [half, half, one])
    }
    // A body without either header is none, so it is not counted.
    #expect(try await send("/test/a", [:], parts: [half, half, one]) == 1 << 20 + 1)
  }

  /// Four of the largest bodies are in memory at a time, however their lengths became known, and no byte more.
  @Test(arguments: [false, true]) func allBodiesTogetherHaveALimit(isChunked: Bool) async throws {
    let limits = BodyLimits(routes: Self.limits.routes)
    let part = ByteBuffer(repeating: 0, count: 1 << 20)
    let headers = isChunked ? chunked : length(64 << 20)
    let parts = isChunked ? [ByteBuffer](repeating: part, count: 64) : nil
    let refusals = Mutex<[RequestError?]>([])
    func hold(_ count: Int) async throws {
      guard count > 0 else {
        for _ in 0..<2 {
          let error = await #expect(throws: RequestError.self) { try await send("/test/a", length(1), limits) }
          refusals.withLock { $0.append(error) }
        }
        #expect(try await send("/test/a", length(0), limits) == 0)
        return
      }
      _ = try await send("/large/a", headers, parts: parts, limits) { try await hold(count - 1) }
    }
    // They leave nothing behind.
    for _ in 0..<2 { try await hold(4) }
    for error in refusals.withLock({ $0 }) { #expect(error?.status == .serviceUnavailable && error?.retryAfter == 5) }
    #expect(refusals.withLock { $0.count } == 4)
  }

  @Test func aBudgetCountsToItsLimit() throws {
    let budget = BufferBudget(limit: 100)
    #expect(throws: RequestError.self) { try budget.take(101) }
    try budget.take(100)
    for bytes in [1, 2] { #expect(throws: RequestError.self) { try budget.take(bytes) } }
    try budget.take(0)
    budget.giveBack(1)
    try budget.take(1)
    budget.giveBack(100)
    let share = BufferBudget.Share(of: budget)
    try share.take(60)
    #expect(throws: RequestError.self) { try share.take(41) }
    try share.take(40)
    share.giveBack()
    // A share gives back once.
    share.giveBack()
    try budget.take(100)
    #expect(throws: RequestError.self) { try budget.take(1) }
  }
}

@Suite(.bounded) struct FormTests {
  @Test func fieldsAreDecoded() {
    let fields = FormFields("a=1&b=&c&a=2&=x&&d=%41%42c+%2B&e=1=2&%66=%c3%a9&g=%ff")
    #expect(fields["a"] == "1" && fields.values("a") == ["1", "2"])
    #expect(fields["b"] == "" && fields["c"] == "" && fields[""] == "x" && fields["missing"] == nil)
    #expect(fields["d"] == "ABc +" && fields["e"] == "1=2" && fields["f"] == "é" && fields["g"] == "\u{fffd}")
    #expect(fields.values("missing") == [])
    let all = fields + FormFields("a=3&h=4")
    #expect(all.values("a") == ["1", "2", "3"] && all["h"] == "4")
  }

  /// A percent sign without two digits stands for itself.
  @Test(arguments: [
    ("%", "%"), ("%4", "%4"), ("%4z", "%4z"), ("%z4", "%z4"), ("%%41", "%A"), ("%414", "A4"), ("%+", "% "),
  ])
  func otherPercentSignsStay(text: String, value: String) {
    #expect(FormFields("a=\(text)")["a"] == value)
  }

  private func request(_ body: [UInt8], _ headers: HTTPFields = [:]) -> Request {
    Request(
      head: HTTPRequest(method: .post, scheme: "http", authority: nil, path: "/", headerFields: headers),
      body: RequestBody(buffer: ByteBuffer(bytes: body)))
  }

  /// The body can be read again, decompressed.
  @Test func formsMayBeCompressed() async throws {
    let plain = Array("a=1&b=2".utf8)
    let packed = try #require(GzipBody.packed(plain))
    for (body, encoding) in [(packed, "GZIP"), (plain, nil), (plain, "br")] as [([UInt8], String?)] {
      var headers = HTTPFields()
      headers[.contentEncoding] = encoding
      var request = request(body, headers)
      for _ in 0..<2 {
        let fields = try await request.collectForm()
        #expect(fields["a"] == "1" && fields["b"] == "2")
      }
      #expect(request.headers[.contentEncoding] == (encoding == "br" ? "br" : nil))
    }
    var damaged = request(Array("a=1".utf8), [.contentEncoding: "gzip"])
    await #expect(throws: RequestError.self) { try await damaged.collectForm() }
  }

  /// A megabyte, packed or not.
  @Test func formsHaveALimit() async throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20 + 1)
    var plain = request(body)
    await #expect(throws: NIOTooManyBytesError.self) { try await plain.collectForm() }
    var packed = request(try #require(GzipBody.packed(body)), [.contentEncoding: "gzip"])
    let error = await #expect(throws: RequestError.self) { try await packed.collectForm() }
    #expect(error?.status == .contentTooLarge)
  }

  @Test func packedBodiesAreUnpacked() throws {
    for count in [0, 1, 1000, 100_000] {
      let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 * $0) }
      let packed = try #require(GzipBody.packed(body))
      // RFC 1952: a gzip header, of deflate at the fastest level.
      #expect(packed.prefix(3) == [31, 139, 8] && packed[8] == 4)
      #expect(try GzipBody.unpacked(packed, limit: count) == body)
      guard count > 0 else { continue }
      let large = #expect(throws: RequestError.self) { try GzipBody.unpacked(packed, limit: count - 1) }
      #expect(large?.status == .contentTooLarge)
      let damaged = #expect(throws: RequestError.self) { try GzipBody.unpacked(Array(packed.dropLast()), limit: count) }
      #expect(damaged?.status == .badRequest)
    }
    // zlib's own header is understood, too.
    #expect(try GzipBody.unpacked([0x78, 0x9c, 0x4b, 0x04, 0x00, 0x00, 0x62, 0x00, 0x62], limit: 1) == [0x61])
  }

  @Test func bytesAreCountedWhileTheyAreHeld() throws {
    let budget = BufferBudget(limit: 100)
    let (one, other) = (BufferBudget.Share(of: budget), BufferBudget.Share(of: budget))
    try one.take(60)
    #expect(throws: RequestError.self) { try other.take(41) }
    try other.take(40)
    one.giveBack()
    one.giveBack()
    try other.take(60)
    #expect(throws: RequestError.self) { try one.take(1) }
  }
}
