import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import Objects

/// The requests of single attempts, and the space for the objects.
@Suite(.bounded) struct FetchRequestTests {
  private typealias Step = ScriptedServer.Step

  private static let bytes = (0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 4) }
  private static let tagged = ["ETag": "\"one\""]

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func fetcher(
    _ environment: [String: String] = [:], limit: Int = 64 << 20, attempts: Int = 4
  ) -> ObjectFetcher {
    var policy = FetchPolicy(silence: .seconds(5))
    policy.attempts = attempts
    policy.firstPause = .milliseconds(1)
    return ObjectFetcher(
      ObjectAccess(environment: environment, home: folder.path), space: FetchSpace(limit: limit, in: folder.path),
      policy: policy)
  }

  private func fetch(_ uri: String, _ fetcher: ObjectFetcher) throws -> FetchedObject {
    try #require(try fetcher.fetch(try ObjectAddress(uri: Array(uri.utf8)), isCancelled: { false }))
  }

  private func failure(_ uri: String, _ fetcher: ObjectFetcher) throws -> FetchFailure {
    try #require(throws: FetchFailure.self) { try fetch(uri, fetcher) }
  }

  private func content(_ object: FetchedObject) throws -> [UInt8] { try SmallFile.read(object.path, limit: 1 << 20) }

  /// Open descriptors of files and folders in the folder, also of removed ones.
  private func openCount() throws -> Int {
    let place = try folder.path.resolved().string
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      FilePath("/proc/self/fd/\($0)").linkTarget?.string.hasPrefix(place) == true
    }
  }

  // MARK: - Answers

  /// The rest of an object is requested only if a part of it is there.
  @Test(arguments: [(0, nil), (1, "bytes=1-"), (2, "bytes=2-")])
  func onlyTheRestIsRequested(received: Int, range: String?) throws {
    let server = try ScriptedServer { request in
      request.number == 1
        ? [.answer(200, Self.tagged, Array(Self.bytes[..<received]), length: Self.bytes.count)]
        : [.answer(200, Self.tagged, Self.bytes)]
    }
    // A server without ranges sends all of it, and no third request is necessary.
    #expect(try content(fetch("http://127.0.0.1:\(server.port)/a", fetcher())) == Self.bytes)
    #expect(server.requests.count == 2)
    #expect(server.requests[0].headers["range"] == nil && server.requests[0].headers["if-match"] == nil)
    #expect(server.requests[1].headers["range"] == range)
    #expect(server.requests[1].headers["if-match"] == "\"one\"")
  }

  @Test func anotherRangeThanTheRequestedOneIsDropped() throws {
    let server = try ScriptedServer { request in
      switch request.number {
      case 1: [.answer(200, Self.tagged, Array(Self.bytes[..<1_000]), length: 2_000)]
      case 2:
        [.answer(206, ["ETag": "\"one\"", "Content-Range": "bytes 500-1999/2000"], Array(Self.bytes[500...]))]
      default: [.answer(200, Self.tagged, Self.bytes)]
      }
    }
    #expect(try content(fetch("http://127.0.0.1:\(server.port)/a", fetcher())) == Self.bytes)
    #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=1000-", nil])
  }

  /// Without a tag, a rest may be that of another version, even if a server sends it unasked.
  @Test(arguments: [200, 206])
  func nothingIsResumedWithoutATag(status: Int) throws {
    let server = try ScriptedServer { request in
      switch request.number {
      case 1:
        // The connection ends early, or the server sends less than it has.
        status == 200
          ? [.answer(200, [:], Array(Self.bytes[..<1_000]), length: 2_000)]
          : [.answer(206, ["Content-Range": "bytes 0-999/2000"], Array(Self.bytes[..<1_000]))]
      case 2: [.answer(206, ["Content-Range": "bytes 1000-1999/2000"], [UInt8](repeating: 1, count: 1_000))]
      default: [.answer(200, [:], Self.bytes)]
      }
    }
    #expect(try content(fetch("http://127.0.0.1:\(server.port)/a", fetcher())) == Self.bytes)
    #expect(server.requests.map { $0.headers["range"] } == [nil, nil, nil])
  }

  @Test func aPartThatWasNotRequestedIsRefused() throws {
    let server = try ScriptedServer { request in
      let start = request.target == "/part" ? 5 : 0
      let range = ["Content-Range": "bytes \(start)-1999/2000"]
      return [.answer(206, range, Array(Self.bytes[start...]))]
    }
    #expect(try content(fetch("http://127.0.0.1:\(server.port)/whole", fetcher())) == Self.bytes)
    let failure = try failure("http://127.0.0.1:\(server.port)/part", fetcher())
    #expect(failure.code == .badAnswer && failure.message.contains("only a part of the object"))
  }

  /// Refusals before the first byte of an object, and after some.
  @Test(arguments: [
    (404, FetchFailure.Code.notFound, FetchFailure.Code.changed), (410, .notFound, .changed),
    (412, .badAnswer, .changed), (416, .badAnswer, .changed), (401, .denied, .denied), (407, .denied, .denied),
  ])
  func refusalsMeanAnotherThingLater(status: Int, first: FetchFailure.Code, later: FetchFailure.Code) throws {
    let server = try ScriptedServer { request in
      request.target == "/later" && request.number == 1
        ? [.answer(200, Self.tagged, Array(Self.bytes[..<9]), length: 2_000)]
        : [.answer(status, [:], Array("<Error><Code>OddCode</Code></Error>".utf8))]
    }
    let early = try failure("http://127.0.0.1:\(server.port)/first", fetcher())
    #expect(early.code == first)
    #expect(early.message.contains("\(status) OddCode"))
    #expect(try failure("http://127.0.0.1:\(server.port)/later", fetcher()).code == later)
  }

  // MARK: - Regions

  private static let keys = ["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "KEY", "AWS_REGION": "home-1"]

  private static func region(_ request: ScriptedServer.Request) -> String? {
    // Credential=ID/20261121/home-1/s3/aws4_request
    request.headers["authorization"]?.split(separator: "/").dropFirst(2).first.map(String.init)
  }

  private func environment(_ server: ScriptedServer) -> [String: String] {
    Self.keys.merging(["AWS_ENDPOINT_URL": "http://127.0.0.1:\(server.port)"]) { $1 }
  }

  /// A bucket in another region is asked there, at once and from then on.
  @Test func bucketsMayBeInAnotherRegion() throws {
    let page = Array("<ListBucketResult></ListBucketResult>".utf8)
    let server = try ScriptedServer { request in
      Self.region(request) == "far-2"
        ? [.answer(200, [:], request.target.contains("list-type") ? page : Self.bytes)]
        : [.answer(400, ["x-amz-bucket-region": "far-2"])]
    }
    let fetcher = fetcher(environment(server))
    #expect(try content(fetch("s3://b/a", fetcher)) == Self.bytes)
    #expect(try content(fetch("s3://b/c", fetcher)) == Self.bytes)
    #expect(server.requests.map { Self.region($0) } == ["home-1", "far-2", "far-2"])
    let other = self.fetcher(environment(server))
    var listing = BucketListing(try ObjectFolder(uri: Array("s3://b".utf8)), through: other)
    #expect(try listing.next(isCancelled: { false }) == nil)
    #expect(server.requests.dropFirst(3).map { Self.region($0) } == ["home-1", "far-2"])
    #expect(server.requests.last?.headers["accept-encoding"] != nil)
  }

  /// The attempts are limited if a server names one region after another.
  @Test func regionsThatKeepChangingEnd() throws {
    let server = try ScriptedServer { request in
      [.answer(400, ["x-amz-bucket-region": "far-\(request.number)"])]
    }
    let failure = try failure("s3://b/a", fetcher(environment(server), attempts: 3))
    #expect(failure.code == .badAnswer && failure.message.contains("keeps naming other regions"))
    #expect(server.requests.count == 3)
    var listing = BucketListing(
      try ObjectFolder(uri: Array("s3://b".utf8)), through: fetcher(environment(server), attempts: 3))
    let refused = #expect(throws: FetchFailure.self) { try listing.next(isCancelled: { false }) }
    #expect(refused?.code == .badAnswer && refused?.message.contains("keeps naming other regions") == true)
    #expect(server.requests.count == 6)
  }

  /// Only buckets of Amazon's kind have regions, and the same region is no other.
  @Test func regionsOfOtherServersMeanNothing() throws {
    let server = try ScriptedServer { _ in [.answer(403, ["x-amz-bucket-region": "far-2"])] }
    #expect(try failure("http://127.0.0.1:\(server.port)/a", fetcher()).code == .denied)
    #expect(server.requests.count == 1)
    #expect(try failure("s3://b/a", fetcher(environment(server))).code == .denied)
    #expect(server.requests.count == 3)
  }

  // MARK: - Listings

  private func listing(_ server: ScriptedServer, _ uri: String = "s3://b/a") throws -> BucketListing {
    BucketListing(
      try ObjectFolder(uri: Array(uri.utf8)),
      through: fetcher(["AWS_ENDPOINT_URL": "http://127.0.0.1:\(server.port)"], attempts: 3))
  }

  @Test(arguments: [
    (404, FetchFailure.Code.notFound, 1), (401, .denied, 1), (403, .denied, 1), (400, .badAnswer, 1),
    (302, .badAnswer, 1), (204, .badAnswer, 1), (503, .unavailable, 3), (500, .unavailable, 3),
  ])
  func refusalsOfListings(status: Int, code: FetchFailure.Code, requestCount: Int) throws {
    let server = try ScriptedServer { _ in
      [.answer(status, ["Location": "/x"], Array("<Error><Code>OddCode</Code></Error>".utf8))]
    }
    var listing = try listing(server)
    let failure = #expect(throws: FetchFailure.self) { try listing.next(isCancelled: { false }) }
    #expect(failure?.code == code)
    #expect(server.requests.count == requestCount)
    if requestCount > 1 { #expect(failure?.message.contains("in 3 tries") == true) }
    if status != 204 { #expect(failure?.message.contains("\(status) OddCode") == true) }
  }

  /// An empty last page ends the listing: the folder is not empty, so its name is not asked for.
  @Test func anEmptyLastPageEndsAListing() throws {
    let first = """
      <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken><Contents>\
      <Key>a/b</Key><Size>7</Size><LastModified>2026-11-21T04:15:04Z</LastModified></Contents></ListBucketResult>
      """
    let server = try ScriptedServer { request in
      let isSecond = request.target.contains("continuation-token=t")
      return [.answer(200, [:], Array((isSecond ? "<ListBucketResult></ListBucketResult>" : first).utf8))]
    }
    var listing = try listing(server)
    #expect(try listing.next(isCancelled: { false })?.encodedKey == "a/b")
    #expect(try listing.next(isCancelled: { false }) == nil)
    #expect(try listing.next(isCancelled: { false }) == nil)
    #expect(server.requests.count == 2)
  }

  @Test func pagesHaveALimit() throws {
    let page = [UInt8](repeating: 0x78, count: 8 << 20)
    let server = try ScriptedServer { _ in [.answer(200, [:], page)] }
    var listing = try listing(server)
    let failure = #expect(throws: FetchFailure.self) { try listing.next(isCancelled: { false }) }
    #expect(failure?.code == .badAnswer && failure?.message == "The server sent a page that is too long.")
  }

  @Test func aCanceledListingEnds() throws {
    let server = try ScriptedServer { _ in [.answer(503)] }
    var listing = try listing(server)
    #expect(try listing.next(isCancelled: { !server.requests.isEmpty }) == nil)
    #expect(server.requests.count <= 1)
  }

  // MARK: - Pauses

  @Test func pausesLastAndCanBeCanceled() {
    let fetcher = fetcher()
    let start = ContinuousClock.now
    var calls = 0
    #expect(
      fetcher.pause(.milliseconds(110)) {
        calls += 1
        return false
      })
    #expect(ContinuousClock.now - start >= .milliseconds(110))
    #expect((2...30).contains(calls))
    calls = 0
    #expect(
      !fetcher.pause(.seconds(600)) {
        calls += 1
        return calls == 2
      })
    #expect(!fetcher.pause(.zero) { true })
    #expect(fetcher.pause(.zero) { false })
  }

  // MARK: - Space

  /// The reservation of a granted answer, which keeps the space; `nil` if there is no space at the moment.
  private func granted(_ space: FetchSpace, _ bytes: Int?) throws -> FetchSpace.Reservation? {
    if case .granted(let reservation) = try space.reserve(bytes) { reservation } else { nil }
  }

  @Test func spaceIsGrantedUpToItsLimit() throws {
    let space = FetchSpace(limit: 1_000, in: folder.path)
    var whole = try granted(space, 1_000)
    #expect(whole?.bytes == 1_000 && space.used == 1_000)
    #expect(try granted(space, 1) == nil)
    #expect(try granted(space, nil) == nil)
    whole = nil
    #expect(space.used == 0)
    #expect(throws: FetchFailure.self) { try space.reserve(1_001) }
    let first = try granted(space, 400)
    #expect(try granted(space, 601) == nil)
    let second = try granted(space, 600)
    #expect(space.used == 1_000)
    #expect([first?.bytes, second?.bytes] == [400, 600])
    #expect(try granted(space, 0) != nil)
    // An object of unknown size takes all the space.
    let other = FetchSpace(limit: 1_000, in: folder.path)
    let unknown = try granted(other, nil)
    #expect(unknown?.bytes == 1_000)
  }

  /// A disk that is too small is an error, unless other objects take the space at the moment.
  @Test func theDiskMustHaveTheSpace() throws {
    let space = FetchSpace(limit: 1 << 60, in: folder.path)
    let failure = try #require(throws: FetchFailure.self) { try space.reserve(1 << 50) }
    #expect(failure.code == .noSpace)
    #expect(failure.message.contains("the object has 1073741824 MB, but only"))
    let small = try granted(space, 1)
    #expect(try granted(space, 1 << 50) == nil)
    #expect(space.used == 1)
    #expect(small?.bytes == 1)
  }

  @Test(arguments: [
    (String(repeating: "x", count: 250) + ".flac", true), (String(repeating: "x", count: 251) + ".flac", false),
    ("a b", true), (".hidden", true),
  ])
  func namesOfFilesHaveALimit(name: String, isKept: Bool) throws {
    let space = FetchSpace(limit: 10, in: folder.path)
    let download = try Download(named: Array(name.utf8), in: space, try #require(try granted(space, 10)))
    #expect(download.path.lastComponent?.string == (isKept ? name : "object.flac"))
  }

  /// The extension of a shortened name is kept if it is one.
  @Test(arguments: [
    (String(repeating: "x", count: 300), "object"), (String(repeating: "x", count: 300) + ".a", "object.a"),
    (String(repeating: "x", count: 300) + ".123456789012345", "object.123456789012345"),
    (String(repeating: "x", count: 300) + ".1234567890123456", "object"), ("..", "object."), (".", "object."),
    ("", "object"),
  ])
  func impossibleNamesAreReplaced(name: String, file: String) throws {
    let space = FetchSpace(limit: 10, in: folder.path)
    let download = try Download(named: Array(name.utf8), in: space, try #require(try granted(space, 10)))
    #expect(download.path.lastComponent?.string == file)
  }

  @Test func downloadsAreAsLongAsTheirReservation() throws {
    let space = FetchSpace(limit: 10, in: folder.path)
    let download = try Download(named: Array("a".utf8), in: space, try #require(try granted(space, 10)))
    try download.append(Array(1...6))
    try download.append(Array(7...10))
    let failure = #expect(throws: FetchFailure.self) { try download.append([11]) }
    #expect(failure?.code == .tooLarge)
    #expect(download.written == 10)
    try download.startOver()
    #expect(download.written == 0)
    try download.append([1, 2])
    #expect(try SmallFile.read(download.path, limit: 100) == [1, 2])
  }

  /// All objects are in one folder. Nothing of them stays, on the disk or open.
  @Test func objectsLeaveNothingBehind() throws {
    let server = try ScriptedServer { request in
      request.target == "/none" ? [.answer(200, [:], [1], length: 9)] : [.answer(200, Self.tagged, Self.bytes)]
    }
    let left = folder.path.appending("nocturne-fetch-abandoned")
    try left.makeFolder()
    do {
      let fetcher = fetcher(attempts: 1)
      let place = "http://127.0.0.1:\(server.port)"
      let first = try fetch("\(place)/a", fetcher)
      #expect(!left.exists)
      let second = try fetch("\(place)/b", fetcher)
      let parent = first.path.removingLastComponent().removingLastComponent()
      #expect(second.path.removingLastComponent().removingLastComponent() == parent)
      #expect(first.path.removingLastComponent() != second.path.removingLastComponent())
      // Only the folder of the process is open, because it is locked.
      #expect(try openCount() == 1)
      #expect(throws: FetchFailure.self) { try fetch("\(place)/none", fetcher) }
      #expect(try FolderListing.names(in: parent).count == 2)
      // Another process leaves this folder alone.
      do {
        let other = self.fetcher(attempts: 1)
        let third = try fetch("\(place)/c", other)
        #expect(try openCount() == 2)
        #expect(try content(third) == content(first))
      }
      #expect(try openCount() == 1)
      #expect(try content(second) == Self.bytes)
    }
    #expect(try FolderListing.names(in: folder.path).isEmpty)
    #expect(try openCount() == 0)
  }
}
