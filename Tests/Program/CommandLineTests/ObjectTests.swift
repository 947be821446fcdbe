import AnalysisTesting
import Foundation
import Glibc
import Platform
import Synchronization
import SystemPackage
import Testing
import Text

/// Objects of a server on the way through a worker into a database.
@Suite(.bounded) struct ObjectTests {
  private typealias Step = ScriptedServer.Step
  private static let fingerprint: [Argument] = ["worker", "--pipeline", "fingerprint"]

  private static func answers(
    _ place: Workplace, _ lines: [String], environment: [String: String] = [:]
  ) throws -> (answers: [JSONValue], outcome: Outcome) {
    let outcome = try place.start(
      fingerprint, environment: environment, input: Array((lines.joined(separator: "\n") + "\n").utf8)
    ).end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    return (try outcome.lines.map { try JSONValue(parsing: Array($0.utf8)) }, outcome)
  }

  private static func leftovers(_ place: Workplace) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string).filter { $0.hasPrefix("nocturne-") }
  }

  @Test func anObjectIsAnalyzedLikeAFile() throws {
    let place = try Workplace()
    let path = try place.put(Audio.wav(1, title: "One"), as: "Björk/a b.wav")
    let server = try ScriptedServer { request in
      switch request.target.lowercased() {
      case "/bj%c3%b6rk/a%20b.wav":
        [
          .answer(
            200, ["ETag": "\"one\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], Audio.wav(1, title: "One"))
        ]
      case "/junk.mp3": [.answer(200, [:], Audio.junk)]
      default: [.answer(404)]
      }
    }
    let host = "http://127.0.0.1:\(server.port)"
    let (answers, _) = try Self.answers(
      place,
      [
        path.string, "\(host)/Björk/a b.wav", #"{"key": "k", "uri": "\#(host)/Bj%c3%b6rk/a%20b.wav"}"#,
        "\(host)/junk.mp3",
        "\(host)/none.wav",
      ])
    #expect(answers.map { $0["status"] } == ["ok", "ok", "ok", "failed", "failed"])
    #expect(answers.map { $0["key"].textValue }[1...2] == ["\(host)/Björk/a b.wav", "k"])
    for answer in answers[1...2] {
      #expect(answer["file"]["uri"].textValue == "\(host)/Bj%C3%B6rk/a%20b.wav")
      #expect(answer["file"]["path"].textValue == "\(host)/Björk/a b.wav")
      #expect(answer["stamp"]["etag"] == "\"one\"" && answer["stamp"]["modified_ns"] == 784_111_777_000_000_000)
      for member in ["id", "tags", "fingerprint"] { #expect(answer["file"][member] == answers[0]["file"][member]) }
      #expect(answer["analysis"] == answers[0]["analysis"])
    }
    #expect(answers[3]["error"]["code"] == "unknown_format")
    #expect(answers[4]["error"]["code"] == "object_not_found" && answers[4]["stamp"] == .null)
    #expect(try Self.leftovers(place).isEmpty)
  }

  /// Secrets are not in answers, in messages, or on a command line that other users of the machine can see.
  @Test func secretsAreSeenByTheServerAlone() throws {
    let place = try Workplace()
    let commandLines = Mutex("")
    let server = try ScriptedServer { request in
      let lines = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { process in
        Int(process).flatMap { FileManager.default.contents(atPath: "/proc/\($0)/cmdline") }
      }
      commandLines.withLock { text in
        text += lines.map { String(decoding: $0, as: UTF8.self) }.filter { $0.contains("curl") }.joined(separator: "\n")
      }
      return request.headers["authorization"] != nil && request.target.hasSuffix("?x=1&X-Amz-Signature=geheim")
        ? [.answer(200, [:], Audio.wav(1))] : [.answer(403, [:], Array("<Code>Denied</Code>geheim".utf8))]
    }
    let host = "127.0.0.1:\(server.port)"
    let (answers, outcome) = try Self.answers(
      place,
      [
        "http://me:sekret@\(host)/a.wav?x=1&X-Amz-Signature=geheim", "http://\(host)/b.wav?x=1&token=geheim",
        "http://me:sekret@\(host)/%zz?token=geheim",
      ])
    #expect(answers.map { $0["status"] } == ["ok", "failed", "failed"])
    #expect(
      answers.map { $0["key"].textValue } == [
        "http://\(host)/a.wav?x=1", "http://\(host)/b.wav?x=1", "http://\(host)/%zz",
      ])
    #expect(answers[1]["error"]["code"] == "object_denied")
    #expect(!commandLines.withLock { $0 }.isEmpty)
    for text in [outcome.text, outcome.errors, commandLines.withLock { $0 }] {
      #expect(!text.contains("sekret") && !text.contains("geheim"))
    }
  }

  @Test func objectsAreStoredFoundAndPlannedByTheirNames() throws {
    let place = try Workplace()
    let server = try ScriptedServer { _ in
      [.answer(200, ["ETag": "\"one\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], Audio.wav(1, title: "One"))]
    }
    let name = "http://127.0.0.1:\(server.port)/Bj%C3%B6rk/a%20b.wav"
    let database: [Argument] = ["--database", Argument(place.database)]
    let (_, outcome) = try Self.answers(place, [name])
    let merged = try place.start(["merge", "-"] + database, input: outcome.output).end()
    #expect(merged.status == 0, "\(merged.errors)")
    #expect(try place.start(["merge", "-"] + database, input: outcome.output).end().status == 0)

    let report = try place.start(["report", "--report", "ndjson", "--output", "-"] + database).end()
    #expect(try JSONValue(parsing: Array(report.lines[0].utf8))["uri"].textValue == name)
    let shown = "http://127.0.0.1:\(server.port)/Björk/a b.wav"
    #expect(try place.start(["search", "björk", "-l"] + database).end().text == name + "\n")
    for given in [name, shown] {
      #expect(try place.start(["show", Argument(stringLiteral: given)] + database).end().text.hasPrefix(shown))
    }
    let why = try place.start(["show", "--why", Argument(stringLiteral: name)] + database).end()
    #expect(why.status == 0 && why.text.contains("An object"), "\(why.text)")

    let size = Audio.wav(1, title: "One").count
    let time = "1994-11-06T08:49:37Z"
    let other = "2001-01-01T00:00:00Z"
    for (header, row, planned) in [
      ("uri,size_bytes,modified,etag", "\(size),\(time),\"\"\"one\"\"\"", nil),
      ("uri,size_bytes,modified,etag", "\(size),\(other),one", nil),
      ("uri,size_bytes,modified", "\(size),\(time)", nil),
      ("uri,size_bytes,modified,etag", "\(size),\(time),two", "changed"),
      ("uri,size_bytes,modified,etag", "\(size + 1),\(time),one", "changed"),
      ("uri,size_bytes,modified,etag", "\(size),\(other),", "changed"),
      ("uri,size_bytes,modified", "\(size),\(other)", "changed"),
    ] as [(String, String, String?)] {
      let plan = try place.start(
        ["plan", "--from-listing", "-", "--ndjson", "--pipeline", "fingerprint"] + database,
        input: Array("\(header)\n\(name),\(row)\n".utf8)
      ).end()
      #expect(plan.status == 0, "\(plan.errors)")
      let lines = try plan.lines.map { try JSONValue(parsing: Array($0.utf8)) }
      #expect(lines.map { $0["reason"].textValue } == [planned].compactMap { $0 }, "\(header) \(row)")
      if planned != nil {
        #expect(lines[0]["uri"].textValue == name)
        let again = try place.start(Self.fingerprint, input: plan.output).end()
        #expect(try again.answers.map { $0["status"] } == ["ok"])
      }
    }
    // A scan of files leaves objects alone.
    try place.put(Audio.wav(2), as: "a.wav")
    #expect(try place.run().status == 0)
    #expect(try place.start(["prune", "--dry-run"] + database).end().errors.hasPrefix("0 "))
    let verified = try place.start(["verify", "-v"] + database).end()
    #expect(
      verified.status == 0 && verified.errors.contains("1 file ") && !verified.errors.contains("missing"),
      "\(verified.errors)")
  }

  @Test func commandsThatNeedFilesSaySo() throws {
    let place = try Workplace()
    let server = try ScriptedServer { _ in [.answer(200, [:], Audio.wav(1))] }
    let name = "http://127.0.0.1:\(server.port)/a.wav"
    let outcome = try place.start(["worker"], input: Array("\(name)\n".utf8)).end()
    let database: [Argument] = ["--database", Argument(place.database)]
    _ = try place.start(["merge", "-"] + database, input: outcome.output).end()
    let object = Argument(stringLiteral: name)
    for arguments in [
      ["run", object], ["verify", object], ["plan", object], ["write-tags", "replaygain", object, "--yes"],
    ] as [[Argument]] {
      let outcome = try place.start(arguments + database).end()
      #expect(
        outcome.status != 0 && (outcome.errors + outcome.text).contains("is an object"),
        "\(arguments): \(outcome.errors)\(outcome.text)")
    }
    for format in ["rekordbox", "checksums"] as [Argument] {
      let exported = try place.start(["export", format, "--output", "-"] + database).end()
      #expect(
        exported.status == 1 && exported.text.isEmpty && exported.errors.contains("No track matches"), "\(exported)")
    }
    let playlist = try place.start(["export", "m3u8", "--output", Argument(place.folder.file("x.m3u8"))] + database)
      .end()
    #expect(playlist.status == 0, "\(playlist.errors)")
    #expect(try String(contentsOfFile: place.folder.file("x.m3u8").string, encoding: .utf8).contains("\n\(name)\n"))
  }

  @Test func aKilledWorkerLeavesNothingForLong() throws {
    let place = try Workplace()
    let server = try ScriptedServer { request in
      request.target == "/slow.wav"
        ? [.answer(200, [:], [1, 2, 3], length: 1_000_000), .pause(30)] : [.answer(200, [:], Audio.wav(1))]
    }
    let host = "http://127.0.0.1:\(server.port)"
    let worker = try place.start(Self.fingerprint, input: Array("\(host)/slow.wav\n".utf8))
    #expect(waitUntil { (try? Self.leftovers(place).isEmpty) == false })
    worker.send(SIGKILL)
    _ = worker.end()
    #expect(try Self.leftovers(place).count == 1)
    _ = try Self.answers(place, ["\(host)/a.wav"])
    #expect(try Self.leftovers(place).isEmpty)
    // A worker that must end does not wait for a server.
    let asked = try place.start(Self.fingerprint, input: Array("\(host)/slow.wav\n".utf8))
    #expect(waitUntil { (try? Self.leftovers(place).isEmpty) == false })
    asked.send(SIGTERM)
    #expect(asked.end(within: .seconds(20)).status == 143)
    #expect(try Self.leftovers(place).isEmpty)
  }

  @Test func aMissingProgramIsNamed() throws {
    let place = try Workplace()
    let (answers, _) = try Self.answers(place, ["http://127.0.0.1:9/a.wav"], environment: ["PATH": place.home.string])
    #expect(answers[0]["error"]["code"] == "no_curl")
    #expect(answers[0]["error"]["message"].textValue.contains("apt install curl"))
  }
}
