import AnalysisTesting
import Foundation
import SystemPackage
import Testing

@testable import Exports

/// Requests to AcoustID, and what becomes of the answers.
@Suite(.bounded) struct AcoustIDSendingTests {
  private typealias Reply = Result<AcoustIDConnection.Answer, AcoustIDConnection.Failure>

  /// Gives the replies in turn, then status 200 with an empty object.
  private final class Service: AcoustIDService {
    var replies: [Reply]
    var forms: [String] = []
    var addresses: Set<String> = []

    init(_ replies: [Reply]) { self.replies = replies }

    func post(_ form: String, to address: String) throws(AcoustIDConnection.Failure) -> AcoustIDConnection.Answer {
      forms.append(form)
      addresses.insert(address)
      if replies.isEmpty { return AcoustIDConnection.Answer(status: 200, retryAfter: nil, body: Array("{}".utf8)) }
      switch replies.removeFirst() {
      case .success(let answer): return answer
      case .failure(let failure): throw failure
      }
    }
  }

  private final class Pauses {
    var seconds: [Double] = []
    /// The pauses before retries; those between requests are shorter.
    var long: [Double] { seconds.filter { $0 >= 1 } }
  }

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static func answer(_ status: Int, _ body: String = "{}", after seconds: Int? = nil) -> Reply {
    .success(AcoustIDConnection.Answer(status: status, retryAfter: seconds, body: Array(body.utf8)))
  }

  private func context(_ options: [String: String]) throws -> ExportContext {
    let keys = try folder.write(Array("client=one\nuser=two\n".utf8), as: "keys")
    let all = ["key-file": keys.string, "server": "http://localhost/v2/"].merging(options) { $1 }
    return ExportContext(output: folder.path, program: "Nocturne 1.2.3", trackCount: 1, options: all)
  }

  private struct Sent {
    var forms: [String]
    var addresses: Set<String>
    var pauses: Pauses
    var results: String
    /// The problem that ended the sending; `nil` if all was sent.
    var problem: String?
  }

  private func send(_ lines: [String], _ replies: [Reply] = [], as kind: String = "lookup") throws -> Sent {
    let (service, pauses) = (Service(replies), Pauses())
    let sender = try #require(
      try AcoustIDSender(context(["send": kind]), connection: service) { pauses.seconds.append($0) })
    let list = try folder.write(Array(lines.map { $0 + "\n" }.joined().utf8), as: "list.txt")
    var problem: String?
    do {
      let file = try sender.send(list)
      #expect(file == folder.file("results.ndjson"))
    } catch {
      problem = "\(error)"
    }
    let results = try String(contentsOfFile: folder.file("results.ndjson").string, encoding: .utf8)
    return Sent(
      forms: service.forms, addresses: service.addresses, pauses: pauses, results: results, problem: problem)
  }

  private static let line = "format=json&duration.0=1"

  private static func result(_ line: Int, first: Int = 0, count: Int = 1, status: Int = 200, _ answer: String = "{}")
    -> String
  {
    #"{"line":\#(line),"first_index":\#(first),"count":\#(count),"http_status":\#(status),"answer":\#(answer)}"# + "\n"
  }

  // MARK: - Answers

  @Test func answersAreKept() throws {
    let two = "format=json&duration.0=1&duration.1=2"
    let sent = try send([two, Self.line], [Self.answer(200, #"{"status":"ok"}"#), Self.answer(200, "no JSON")])
    #expect(sent.problem == nil && sent.forms == ["client=one&" + two, "client=one&" + Self.line])
    #expect(sent.addresses == ["http://localhost/v2/lookup"])
    #expect(
      sent.results
        == Self.result(1, count: 2, #"{"status":"ok"}"#) + Self.result(2, "null"))
    // Later results replace these.
    let submitted = try send([Self.line], as: "submit")
    #expect(submitted.forms == ["client=one&user=two&" + Self.line])
    #expect(submitted.addresses == ["http://localhost/v2/submit"] && submitted.results == Self.result(1))
    let nothing = try send([])
    #expect(nothing.forms.isEmpty && nothing.results == "" && nothing.problem == nil)
  }

  /// At most three requests are sent per second.
  @Test func requestsKeepADistance() throws {
    let sent = try send(Array(repeating: Self.line, count: 20))
    #expect(sent.forms.count == 20 && sent.pauses.seconds.count <= 19)
    #expect(sent.pauses.seconds.allSatisfy { $0 > 0 && $0 <= 1.0 / 3 + 1e-9 })
    #expect(sent.pauses.seconds.max() ?? 0 > 0.25)
  }

  // MARK: - Retries

  @Test func busyServersAreAskedAgain() throws {
    let lost = Reply.failure(AcoustIDConnection.Failure(reason: "connection lost", isFinal: false))
    let sent = try send(
      [Self.line],
      [Self.answer(429, after: 7), Self.answer(503), lost, Self.answer(500, after: 10_000), Self.answer(200)])
    #expect(sent.problem == nil && sent.forms.count == 5 && Set(sent.forms).count == 1)
    #expect(sent.pauses.long == [7, 2, 4, 600] && sent.results == Self.result(1))
  }

  @Test func fiveAttemptsAreEnough() throws {
    let sent = try send([Self.line, Self.line], [Self.answer(200)] + Array(repeating: Self.answer(503), count: 9))
    #expect(sent.forms.count == 6 && sent.pauses.long == [1, 2, 4, 8] && sent.results == Self.result(1))
    let problem = try #require(sent.problem)
    #expect(problem.hasPrefix("AcoustID did not answer request 2: the server answered with status 503."))
    #expect(problem.contains("results.ndjson; export again later."))
  }

  @Test func hopelessFailuresAreNotRetried() throws {
    let missing = Reply.failure(AcoustIDConnection.Failure(reason: "no curl", isFinal: true))
    let sent = try send([Self.line], [missing])
    #expect(sent.forms.count == 1 && sent.pauses.long.isEmpty && sent.results == "")
    #expect(sent.problem?.contains("request 1: no curl.") == true)
    let lost = Reply.failure(AcoustIDConnection.Failure(reason: "connection lost", isFinal: false))
    let other = try send([Self.line], Array(repeating: lost, count: 5))
    #expect(other.forms.count == 5 && other.problem?.contains("request 1: connection lost.") == true)
  }

  // MARK: - Refusals

  @Test(arguments: [
    (400, #"{"error":{"code":4,"message":"invalid API key"}}"#, "refused the request: invalid API key. Check the keys"),
    (401, "{}", "refused the request: status 401. Check the keys"),
    (403, "[]", "refused the request: status 403. Check the keys"),
    (404, #"{"error":{"message":"x"}}"#, "answered with status 404. Check --option server"),
    (399, "{}", "answered with status 399. Check --option server"),
    (204, "{}", "answered with status 204. Check --option server"),
    (499, "{}", "answered with status 499. Check --option server"),
  ])
  func refusalsEndTheSending(status: Int, body: String, problem: String) throws {
    let sent = try send([Self.line, Self.line], [Self.answer(status, body)])
    #expect(sent.forms.count == 1 && sent.problem == "AcoustID \(problem); nothing more was sent.")
    #expect(sent.results == Self.result(1, status: status, body))
  }

  /// Requests that are too large are halved; their results say where each half begins.
  @Test func largeRequestsAreHalved() throws {
    let three = "format=json&duration.0=1&duration.1=2&duration.2=3"
    let whole = try send([three], [Self.answer(413)])
    #expect(
      whole.forms.map { $0.dropFirst("client=one&".count) } == [
        three[...], "format=json&duration.0=1&duration.1=2", "format=json&duration.0=3",
      ])
    #expect(whole.results == Self.result(1, count: 2) + Self.result(1, first: 2))
    let twice = try send([three], [Self.answer(413), Self.answer(413)])
    #expect(twice.forms.count == 5)
    #expect(twice.results == Self.result(1) + Self.result(1, first: 1) + Self.result(1, first: 2))
    // A single fingerprint cannot be halved, and does not keep the others from being sent.
    let single = try send([Self.line, Self.line], [Self.answer(413)])
    #expect(single.problem == nil && single.results == Self.result(1, status: 413) + Self.result(2))
  }

  // MARK: - Options

  @Test func options() throws {
    #expect(try AcoustIDSender(context([:])) == nil)
    for server in ["http://a", "https://a"] {
      #expect(try AcoustIDSender(context(["send": "lookup", "server": server])) != nil)
    }
    #expect(try AcoustIDSender(context(["send": "submit"]))?.isSubmission == true)
    #expect(try AcoustIDSender(context(["send": "lookup"]))?.isSubmission == false)
    for (name, value) in [("send", "all"), ("send", ""), ("server", "ftp://a"), ("server", "")] {
      var options = ["send": "lookup"]
      options[name] = value
      let context = try context(options)
      #expect { try AcoustIDSender(context) } throws: { error in
        guard case .badOption(let option, value: let found, expected: _)? = error as? ExportError else { return false }
        return option == name && found == value
      }
    }
  }

  /// Files of others are not replaced by results.
  @Test func foreignResultsStay() throws {
    try folder.write(Array("{\"line\":2}".utf8), as: "results.ndjson")
    let context = try context(["send": "lookup"])
    #expect { try AcoustIDSender(context) } throws: { error in
      if case .refused? = error as? ExportError { true } else { false }
    }
    try folder.write(Array(Self.result(1).utf8), as: "results.ndjson")
    let sender = try #require(try AcoustIDSender(context, connection: Service([])))
    #expect { try sender.send(folder.file("none.txt")) } throws: { error in
      if case .cannotCreate? = error as? ExportError { true } else { false }
    }
  }
}
