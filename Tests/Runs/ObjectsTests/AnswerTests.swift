import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import Objects

/// The reading of answers, without a server: heads, versions, refusals, listings, and the status of curl.
@Suite(.bounded) struct AnswerTests {
  private static func head(_ status: Int, _ headers: [String: String] = [:]) throws -> ResponseHead {
    let lines = ["HTTP/1.1 \(status) Status"] + headers.map { "\($0): \($1)" }.sorted()
    return try #require(ResponseHead(Array(lines.joined(separator: "\r\n").utf8)))
  }

  // MARK: - Heads

  @Test(arguments: [
    ("HTTP/1.1 200 OK", 200), ("HTTP/2 204", 204), ("HTTP/1.0 100 Continue", 100), ("HTTP/1.1 999 Odd", 999),
    ("HTTP/1.1 404", 404), ("HTTP/1.1 99 Low", nil), ("HTTP/1.1 1000 High", nil), ("HTTP/1.1", nil), ("200 OK", nil),
    ("XTTP/1.1 200 OK", nil), ("HTTP/1.1 OK 200", nil), ("", nil),
  ])
  func statusLines(line: String, status: Int?) {
    #expect(ResponseHead(Array("\(line)\r\nA: b\r\n\r\n".utf8))?.status == status)
    #expect(ResponseHead(Array("\(line)\n".utf8))?.status == status)
  }

  @Test func headersAreTrimmedAndTheLastCounts() throws {
    let head = try #require(
      ResponseHead(Array("HTTP/1.1 200 OK\r\nA:b\r\nETAG: \t\"x y\"\t \r\nTwice: 1\r\nno colon\r\ntwice: 2:3\n".utf8)))
    #expect(head["a"] == "b")
    #expect(head["etag"] == "\"x y\"")
    #expect(head["twice"] == "2:3")
    #expect(head["none"] == nil)
  }

  private static func summary(_ part: ResponseReader.Part) -> String {
    switch part {
    case .head(let head, let rest): "\(head.status) \(String(decoding: rest, as: UTF8.self))"
    case .needsMore: "more"
    case .invalid: "invalid"
    }
  }

  /// Output may arrive in pieces of any size.
  @Test(arguments: ["\r\n", "\n"])
  func headsArriveByteByByte(newline: String) {
    let text = ["HTTP/1.1 103 Hints", "A: b", "", "HTTP/1.1 200 OK", "C: d", "E", "", ""].joined(separator: newline)
    var reader = ResponseReader(followsRedirects: false)
    for byte in text.utf8.dropLast() { #expect(Self.summary(reader.take([byte])) == "more") }
    #expect(Self.summary(reader.take([0x0A])) == "200 ")
    var whole = ResponseReader(followsRedirects: false)
    #expect(Self.summary(whole.take(Array((text + "rest\n\n").utf8))) == "200 rest\n\n")
  }

  @Test(arguments: [
    (301, true), (302, true), (303, true), (307, true), (308, true), (300, false), (304, false), (305, false),
    (200, false), (201, false), (404, false),
  ])
  func redirectsWithAnAddressAreFollowed(status: Int, isRedirect: Bool) {
    let next = "HTTP/1.1 200 OK\r\n\r\nx"
    for (location, follows) in [("Location: /b\r\n", true), ("Location: /b\r\n", false), ("", true)] {
      var reader = ResponseReader(followsRedirects: follows)
      let found = Self.summary(reader.take(Array("HTTP/1.1 \(status) S\r\n\(location)\r\n\(next)".utf8)))
      #expect(found == (isRedirect && follows && !location.isEmpty ? "200 x" : "\(status) \(next)"))
    }
  }

  @Test(arguments: [(100, true), (199, true), (200, false)])
  func interimAnswersArePassedOver(status: Int, isInterim: Bool) {
    var reader = ResponseReader(followsRedirects: false)
    let found = Self.summary(reader.take(Array("HTTP/1.1 \(status) S\r\n\r\nHTTP/1.1 500 S\r\n\r\n".utf8)))
    #expect(found.hasPrefix(isInterim ? "500 " : "\(status) "))
  }

  @Test func headsHaveALimit() {
    var reader = ResponseReader(followsRedirects: true)
    #expect(Self.summary(reader.take([UInt8](repeating: 0x78, count: 1 << 18))) == "more")
    #expect(Self.summary(reader.take([0x78])) == "invalid")
    var other = ResponseReader(followsRedirects: true)
    #expect(Self.summary(other.take(Array("SSH-2.0\r\n\r\n".utf8))) == "invalid")
  }

  // MARK: - Versions

  @Test func versionsAreReadFromHeaders() throws {
    let whole = ObjectVersion(
      try Self.head(
        200, ["ETag": "\"a\"", "Content-Length": "7", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]))
    #expect(whole.entityTag == "\"a\"" && whole.strongTag == "\"a\"" && whole.size == 7)
    #expect(whole.modified == Timestamp(seconds: 784_111_777, nanoseconds: 0))
    // The length of a part is not that of the object.
    let part = ObjectVersion(
      try Self.head(206, ["ETag": "W/\"a\"", "Content-Length": "7", "Content-Range": "bytes 3-9/20"]))
    #expect(part.entityTag == "W/\"a\"" && part.strongTag == nil && part.size == 20)
    let none = ObjectVersion(try Self.head(206, ["ETag": "", "Content-Length": "7"]))
    #expect(none.entityTag == nil && none.size == nil && none.modified == nil)
  }

  @Test(
    arguments: [
      (("a", 1, 1), ("a", 1, 1), true), (("a", 1, 1), ("b", 1, 1), false), (("a", 1, 1), ("a", 2, 1), false),
      // Equal tags count more than times, and times only without tags.
      (("a", 1, 1), ("a", 1, 2), true), ((nil, 1, 1), (nil, 1, 2), false), (("a", 1, 1), (nil, 1, 2), false),
      ((nil, 1, 1), (nil, 1, 1), true), ((nil, 1, 1), (nil, 2, 1), false),
      // A missing value agrees with any.
      ((nil, nil, 1), (nil, 2, 1), true), ((nil, 1, nil), (nil, 1, 1), true), ((nil, 1, 1), (nil, nil, nil), true),
      ((nil, nil, nil), (nil, nil, nil), true),
    ] as [((String?, Int?, Int?), (String?, Int?, Int?), Bool)])
  func versionsAreCompared(
    first: (tag: String?, size: Int?, day: Int?), second: (tag: String?, size: Int?, day: Int?), isSame: Bool
  ) throws {
    func version(_ given: (tag: String?, size: Int?, day: Int?)) throws -> ObjectVersion {
      var version = ObjectVersion(try Self.head(200))
      version.entityTag = given.tag.map { "\"\($0)\"" }
      version.size = given.size
      version.modified = given.day.map { Timestamp(seconds: Int64($0) * 86_400, nanoseconds: 0) }
      return version
    }
    #expect(try version(first).isSame(as: version(second)) == isSame)
    #expect(try version(second).isSame(as: version(first)) == isSame)
  }

  // MARK: - Refusals

  @Test(arguments: [
    (408, "", true), (425, "", true), (429, "", true), (500, "", true), (502, "", true), (503, "", true),
    (504, "", true), (400, "", false), (403, "", false), (501, "", false), (505, "", false),
    (400, "RequestTimeout", true), (403, "SlowDown", true), (400, "BadRequest", false),
  ])
  func someRefusalsPass(status: Int, code: String, isTransient: Bool) throws {
    let body = code.isEmpty ? "" : "<Error><Code>\(code)</Code><Key>secret</Key></Error>"
    let refusal = Refusal(try Self.head(status), Array(body.utf8))
    #expect(refusal.isTransient == isTransient)
    #expect(refusal.text == (code.isEmpty ? "\(status)" : "\(status) \(code)"))
  }

  @Test func refusalsNameTimesAndRegions() throws {
    for (text, seconds) in [("7", 7), ("0", 0), ("-5", 0), ("soon", nil)] as [(String, Int?)] {
      #expect(Refusal(try Self.head(503, ["Retry-After": text]), []).retryAfter == seconds.map { .seconds($0) })
    }
    for (text, region) in [("eu-west-1", "eu-west-1"), ("EU", nil), ("a b", nil), ("", nil)] as [(String, String?)] {
      #expect(Refusal(try Self.head(301, ["x-amz-bucket-region": text]), []).region == region)
    }
    #expect(Refusal(try Self.head(403), Array("<Code>\(String(repeating: "x", count: 65))</Code>".utf8)).code == nil)
  }

  /// The statuses of curl(1) that pass, and those that do not.
  @Test func statusesOfCurl() {
    func kind(_ status: Int) -> String {
      switch CurlEnding(.status(status), silence: .seconds(9)) {
      case .fine: "fine"
      case .broken: "broken"
      case .failed(let failure): failure.code.rawValue
      }
    }
    let broken: Set = [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92]
    let expected: [Int: String] = [
      0: "fine", 2: "no_curl", 4: "no_curl", 127: "no_curl", 51: "object_denied", 58: "object_denied",
      60: "object_denied", 77: "object_denied", 83: "object_denied", 90: "object_denied", 91: "object_denied",
    ]
    for status in 0...255 {
      #expect(kind(status) == (broken.contains(status) ? "broken" : expected[status] ?? "bad_answer"), "\(status)")
    }
    for (status, words) in [
      (5, "proxy"), (6, "the host was not found"), (7, "refused"), (16, "interrupted"), (92, "interrupted"),
      (18, "ended early"), (28, "too slow for 9 s"), (35, "no secure"), (52, "without an answer"), (55, "was lost"),
      (56, "was lost"), (1, "redirects too often"), (47, "redirects too often"), (2, "too old"), (4, "too old"),
      (127, "not found. Install it"), (60, "curl: status 60"), (3, "ended with status 3."),
    ] {
      #expect("\(CurlEnding(.status(status), silence: .seconds(9)))".contains(words), "\(status)")
    }
    #expect(CurlEnding(.killed, silence: .seconds(9)) == .broken("curl was ended by signal 9, Killed"))
  }

  // MARK: - Policy

  @Test func pausesDoubleUpToALimit() {
    let policy = FetchPolicy()
    #expect(policy.attempts == 6 && policy.silence == .seconds(60))
    for (failures, longest) in [(1, 500), (2, 1_000), (3, 2_000), (6, 16_000), (7, 30_000), (100, 30_000)] {
      let pauses = (0..<100).map { _ in policy.pause(after: failures, asked: nil) / .milliseconds(1) }
      #expect(pauses.allSatisfy { Double(longest) / 2...Double(longest) ~= $0 }, "\(failures): \(pauses)")
      // Half of the pause is random: a hundred pauses are not all in the upper half of that.
      #expect(pauses.contains { $0 < Double(longest) * 0.75 }, "\(failures)")
    }
    #expect(policy.pause(after: 1, asked: .seconds(7)) == .seconds(7))
    #expect(policy.pause(after: 1, asked: .seconds(120)) == .seconds(120))
    #expect(policy.pause(after: 1, asked: .seconds(121)) == .seconds(120))
    var patient = policy
    patient.firstPause = .seconds(1)
    patient.maxPause = .seconds(1_000_000)
    for failures in [17, 18, 1_000] {
      #expect(32_768...65_536 ~= patient.pause(after: failures, asked: nil) / .seconds(1))
    }
  }

  // MARK: - Listings

  private static func page(_ text: String) -> ListingPage? {
    ListingPage(Array("<ListBucketResult>\(text)</ListBucketResult>".utf8))
  }

  @Test func pagesMayLackWhatTheyDoNotNeed() throws {
    let object = "<Contents><Key>a</Key><Size>7</Size><LastModified>2026-11-21T04:15:04Z</LastModified></Contents>"
    let page = try #require(Self.page("<!-- none --><Empty/>" + object))
    #expect(page.continuation == nil)
    #expect(page.objects.map(\.encodedKey) == ["a"] && page.objects[0].size == 7 && page.objects[0].entityTag == nil)
    // Without IsTruncated, a token means nothing.
    let token = "<NextContinuationToken>t</NextContinuationToken>"
    #expect(Self.page(token + object)?.continuation == .some(nil))
    #expect(Self.page("<IsTruncated>false</IsTruncated>" + token)?.continuation == .some(nil))
    #expect(Self.page("<IsTruncated>true</IsTruncated>" + token)?.continuation == "t")
    #expect(ListingPage(Array("<?xml version=\"1.0\"?><!DOCTYPE x><ListBucketResult></ListBucketResult>".utf8)) != nil)
    #expect(ListingPage(Array("<Other></Other>".utf8)) == nil)
    #expect(Self.page("<a></b>") == nil)
    for missing in ["Key", "Size", "LastModified"] {
      #expect(Self.page(object.replacing(missing, with: "Other")) == nil, "\(missing)")
    }
  }

  @Test(arguments: [
    ("a&amp;&lt;&gt;&quot;&apos;", "a&<>\"'"), ("&#65;&#x42;&#x1F3B5;", "AB🎵"), ("&unknown;", "&unknown;"),
    ("&#xD800;", "&#xD800;"), ("&#x;", "&#x;"), ("&", "&"),
  ])
  func entitiesAreResolved(text: String, value: String) {
    let page = Self.page("<IsTruncated>true</IsTruncated><NextContinuationToken>\(text)</NextContinuationToken>")
    #expect(page?.continuation == value)
  }
}
