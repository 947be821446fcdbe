import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing
import Text

/// `analyze worker`, as an engine sees it: lines in, lines out.
@Suite(.bounded) struct WorkerTests {
  private static let fingerprint: [Argument] = ["worker", "--pipeline", "fingerprint"]

  // MARK: - Lines in, lines out

  @Test func everyKindOfLineHasItsAnswer() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "One"), as: "a b.wav")
    let latin = FilePath(bytes: Array("caf".utf8) + [0xE9] + Array(".wav".utf8))
    try place.put(Audio.wav(2), as: latin)
    let folder = place.library.string
    let lines: [(line: [UInt8], key: String)] =
      [
        "library/a b.wav", "\(folder)/a b.wav", "library/x/../a b.wav", "file://\(folder)/a%20b.wav",
        "FILE://localhost\(folder)/%61 b.wav", "file:\(folder)/a%20b.wav", "file://\(folder)/caf%E9.wav",
      ].map { (Array($0.utf8), $0) } + [
        (Array(#"{"key": "Über \u0031/7", "path": "library/a b.wav", "artist": 3}"#.utf8), "Über 1/7"),
        (Array(#"{"key": "", "uri": "file://\#(folder)/caf%E9.wav"}"#.utf8), ""),
        (Array(#" {"path": "library/a b.wav"}"#.utf8.dropFirst()), "library/a b.wav"),
        (Array("library/caf".utf8) + [0xE9] + Array(".wav".utf8), #"library/caf\xE9.wav"#),
      ]
    let outcome = try place.start(
      Self.fingerprint, input: Array(lines.map(\.line).joined(separator: [0x0A]))
    ).end()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let answers = try outcome.answers
    #expect(answers.map { $0["key"].textValue } == lines.map(\.key))
    for answer in answers {
      #expect(answer["schema"] == "nocturne.worker")
      #expect(answer["version"] == 1)
      #expect(answer["status"] == "ok", "\(answer["error"])")
      #expect(answer["error"] == .null)
      #expect(answer["file"]["status"] == "ok")
      #expect(answer["file"]["fingerprint"] != .null)
      #expect(answer["analysis"]["content_id"] == answer["file"]["id"])
      let isLatin = answer["key"].textValue == "" || answer["key"].textValue.contains("caf")
      #expect(answer["file"]["uri"].textValue == "file://\(folder)/" + (isLatin ? "caf%E9.wav" : "a%20b.wav"))
    }
    // No database was created.
    #expect(!FileManager.default.fileExists(atPath: place.home.appending(".local").string))
  }

  @Test func linesFollowTheSchema() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "One"), as: "a.wav")
    try place.put(Audio.junk, as: "b.mp3")
    let schema = try place.analyze("schema", "worker")
    #expect(schema.status == 0)
    let validator = try SchemaValidator(schema.text)
    let outcome = try place.start(
      ["worker", "--include", "beats"], input: Array("library/a.wav\nlibrary/b.mp3\nlibrary/c.jpg\n{}\nlibrary\n".utf8)
    ).end()
    #expect(outcome.lines.count == 5)
    for line in outcome.lines {
      #expect(validator.complaints(about: try JSONSerialization.jsonObject(with: Data(line.utf8))) == [])
    }
  }

  /// Answers that are longer than a pipe takes at once stay whole, as `xargs -P` and `>>` need it.
  @Test func workersThatAppendToOneFileKeepTheirLinesApart() throws {
    let place = try Workplace()
    for number in 1...4 {
      try place.put(Audio.wav(1, title: String(repeating: "\(number)", count: 60_000)), as: "\(number).wav")
    }
    let path = place.folder.file("answers.ndjson")
    let workers = try (1...4).map { number in
      let output = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .append, .closeOnExec], permissions: [.ownerReadWrite])
      defer { try? output.close() }
      return try place.start(
        ["worker", "--pipeline", "tags-only", "--from0"], environment: Workplace.threads,
        input: Array(Array(repeating: "library/\(number).wav", count: 100).joined(separator: "\0").utf8), output: output
      )
    }
    for worker in workers { #expect(worker.end().status == 0) }
    let lines = try String(contentsOfFile: path.string, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 400)
    for line in lines {
      let answer = try JSONValue(parsing: Array(line.utf8))
      #expect(answer["status"] == "ok" && line.utf8.count > 60_000)
    }
  }

  @Test func linesMayEndWithNUL() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a\nb.wav")
    let list = Array("library/a\nb.wav".utf8) + [0] + Array("library/none.wav".utf8)
    let answers = try place.start(Self.fingerprint + ["--from0"], input: list).end().answers
    #expect(answers.map { $0["key"] } == ["library/a\nb.wav", "library/none.wav"])
    #expect(answers.map { $0["status"] } == ["ok", "failed"])
  }

  @Test func linesThatNameNoAudioAreAnsweredToo() throws {
    let place = try Workplace()
    try place.put(Array("text".utf8), as: "cover.jpg")
    try place.put(Audio.junk, as: "junk.mp3")
    try place.put(Audio.wav(1), as: ".hidden.wav")
    let pipe = place.library.appending("pipe.wav")
    #expect(pipe.withPlatformString { mkfifo($0, 0o600) } == 0)
    try FileManager.default.createSymbolicLink(
      atPath: place.library.appending("link.wav").string, withDestinationPath: "nowhere.wav")
    let cases: [(line: String, status: String, code: String)] = [
      ("", "failed", "empty_line"), ("library/none.wav", "failed", "unreadable"),
      ("library/junk.mp3", "failed", "unknown_format"), ("library/cover.jpg", "skipped", "not_audio"),
      ("library/.hidden.wav", "skipped", "hidden"), ("library/pipe.wav", "skipped", "fifo"),
      ("/dev/null", "skipped", "device"), ("library/link.wav", "skipped", "dangling_link"),
      ("library", "skipped", "folder"), ("ftp://host/a.wav", "failed", "unsupported_scheme"),
      ("https://me:secret@example.org/?token=x", "failed", "bad_uri"), ("s3://bucket/a.jpg", "skipped", "not_audio"),
      ("file://nas/a.wav", "failed", "bad_uri"),
      ("file:///a%2", "failed", "bad_uri"), ("file:///a%00b", "failed", "bad_uri"),
      ("{\"path\": \"a\"", "failed", "bad_line"),
      ("{}", "failed", "bad_line"), ("{\"key\": 7, \"path\": \"a\"}", "failed", "bad_line"),
      ("{\"path\": \"a\", \"uri\": \"file:///a\"}", "failed", "bad_line"),
      ("{\"uri\": \"a\"}", "failed", "bad_uri"), ("{\"key\": \"k\", \"path\": \"\"}", "failed", "empty_line"),
      ("a\0b", "failed", "bad_line"), (String(repeating: "x", count: 200_000), "failed", "line_too_long"),
      (String(repeating: "y", count: 5_000), "skipped", "path_too_long"),
    ]
    let outcome = try place.start(
      Self.fingerprint, input: Array((cases.map(\.line).joined(separator: "\n") + "\n").utf8)
    ).end()
    #expect(outcome.status == 0)
    let answers = try outcome.answers
    #expect(answers.count == cases.count)
    for (answer, expected) in zip(answers, cases) {
      let comment = Comment(rawValue: "\(expected.line.prefix(60)): \(answer["error"])")
      #expect(answer["status"].textValue == expected.status, comment)
      #expect(answer["error"]["code"].textValue == expected.code, comment)
      #expect(!answer["error"]["message"].textValue.isEmpty, comment)
    }
  }

  /// An engine waits for an answer before it gives the next line.
  @Test(arguments: ["1", "3"]) func answersComeAtOnce(jobs: Argument) throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let pipe = try OpenPipe()
    let worker = try place.start(Self.fingerprint + ["--jobs", jobs], inputPipe: pipe.reading)
    for number in 1...3 {
      _ = try pipe.writing.writeAll("library/a.wav\n".utf8)
      #expect(waitUntil { worker.output.filter { $0 == 0x0A }.count == number })
    }
    #expect(!worker.hasEnded)
    try pipe.writing.close()
    let outcome = worker.end()
    #expect(outcome.status == 0)
    #expect(try outcome.answers.count == 3)
  }

  @Test func manyAtOnceAnswerEachLineOnce() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let keys = (0..<200).map { "key \($0)" }
    let lines = keys.enumerated().map { number, key in
      #"{"key": "\#(key)", "path": "library/\#(number % 10 == 0 ? "a" : "none").wav"}"#
    }
    let outcome = try place.start(
      Self.fingerprint + ["--jobs", "8", "--verbose"], input: Array(lines.joined(separator: "\n").utf8)
    ).end()
    #expect(try outcome.answers.map { $0["key"].textValue }.sorted() == keys.sorted())
    #expect(outcome.errors.contains("200 lines answered: 20 ok, 0 partial, 180 failed"))
  }

  // MARK: - Bad files, bad circumstances

  @Test func crashCostsOneFile() throws {
    let place = try Workplace()
    for name in ["a", "b", "c"] { try place.put(Audio.wav(1), as: "\(name).wav") }
    // The parent of the program is the process that analyzes.
    let pipeline = try place.makePipeline(script: #"case "$1" in *b.wav) kill -KILL $PPID;; esac; echo {}"#)
    let outcome = try place.start(
      ["worker", "--pipeline", pipeline],
      input: Array("library/a.wav\nlibrary/b.wav\nlibrary/c.wav\n".utf8)
    ).end()
    #expect(outcome.status == 0)
    let answers = try outcome.answers
    #expect(answers.map { $0["status"] } == ["ok", "failed", "ok"])
    #expect(answers[1]["error"]["code"] == "worker_crashed")
  }

  @Test func timeLimitIsToldFromOtherEnds() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Kept"), as: "a.wav")
    let outcome = try place.start(
      Self.fingerprint + ["--timeout", "0.001s"], input: Array("library/a.wav".utf8)
    ).end()
    #expect(outcome.status == 0)
    let answer = try #require(try outcome.answers.first)
    #expect(answer["status"] == "timeout")
    #expect(answer["error"]["code"] == "time_limit")
    #expect(answer["file"]["status"] == "partial")
    #expect(answer["file"]["tags"]["title"] == "Kept")
  }

  /// An engine that does not read keeps a worker waiting, but not from ending.
  @Test func workerEndsThoughNobodyReads() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let output = try OpenPipe.full()
    defer { try? output.close() }
    let reached = place.folder.file("reached").string
    let pipeline = try place.makePipeline(script: #"touch "\#(reached)"; echo {}"#)
    let worker = try place.start(
      ["worker", "--pipeline", pipeline], input: Array("library/a.wav\n".utf8), output: output.writing)
    #expect(waitUntil { FileManager.default.fileExists(atPath: reached) })
    worker.send(SIGTERM)
    #expect(worker.end().status == 143)
  }

  @Test func engineThatLeavesEndsTheWorker() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let input = try OpenPipe()
    let output = try OpenPipe()
    let worker = try place.start(
      Self.fingerprint + ["--jobs", "2"], inputPipe: input.reading, output: output.writing)
    try output.close()
    _ = try input.writing.writeAll("library/a.wav\n".utf8)
    // The input stays open: the worker ends because it cannot write its answer.
    let outcome = worker.end()
    #expect(outcome.status == 1)
    #expect(outcome.errors == "")
    try input.close()
  }

  @Test func inputThatCannotBeReadIsTheWorkersTrouble() throws {
    let place = try Workplace()
    let folder = try FileDescriptor.open(place.library, .readOnly, options: .closeOnExec)
    defer { try? folder.close() }
    let outcome = try place.start(Self.fingerprint, inputPipe: folder).end()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("cannot read the rest of the input"))
  }

  @Test(arguments: [SIGINT, SIGTERM]) func signalLetsFilesInProgressBeAnswered(signal: Int32) throws {
    let place = try Workplace()
    for name in ["a", "b", "c"] { try place.put(Audio.wav(1), as: "\(name).wav") }
    let folder = place.folder.path
    let pipeline = try place.makePipeline(
      script: """
        case "$1" in *b.wav) touch "\(folder)/reached"; while [ ! -e "\(folder)/gate" ]; do sleep 0.02; done;; esac;
        echo {}
        """)
    let pipe = try OpenPipe()
    _ = try pipe.writing.writeAll("library/a.wav\nlibrary/b.wav\nlibrary/c.wav\n".utf8)
    let worker = try place.start(
      ["worker", "--pipeline", pipeline], inputPipe: pipe.reading)
    #expect(waitUntil { FileManager.default.fileExists(atPath: "\(folder)/reached") })
    worker.send(signal)
    #expect(waitUntil { worker.errors.contains("stopping") })
    try place.write("", to: folder.appending("gate"))
    let outcome = worker.end()
    #expect(outcome.status == 128 + Int(signal))
    #expect(try outcome.answers.map { $0["key"] } == ["library/a.wav", "library/b.wav"])
    try pipe.close()
  }

  /// An engine may end its workers in any way: nothing keeps running, not even what programs of analyzers have started
  /// in a process group of its own (`set -m`).
  @Test func killedWorkerLeavesNothingRunning() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let ids = place.folder.file("ids")
    let pipeline = try place.makePipeline(
      script: #"set -m; sleep 600 & echo $PPID $$ $! > "\#(ids).new"; mv "\#(ids).new" "\#(ids)"; exec sleep 600"#)
    let worker = try place.start(
      ["worker", "--pipeline", pipeline], input: Array("library/a.wav".utf8))
    #expect(waitUntil { FileManager.default.fileExists(atPath: ids.string) })
    worker.send(SIGKILL)
    #expect(worker.end().status == -9)
    let processes = try String(contentsOfFile: ids.string, encoding: .utf8).split(whereSeparator: \.isWhitespace)
    #expect(processes.count == 3)
    for process in processes {
      // A process that has ended and waits for its parent has no command line any more.
      #expect(waitUntil { FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.isEmpty ?? true })
    }
  }

  // MARK: - Shards

  @Test func shardsPartTheLines() throws {
    let place = try Workplace()
    let keys = (0..<40).map { "/none/\($0).wav" }
    let input = Array(keys.joined(separator: "\n").utf8)
    var parts: [[String]] = []
    for index in 0..<4 {
      let outcome = try place.start(Self.fingerprint + ["--shard", "\(index)/4"], input: input).end()
      #expect(outcome.status == 0)
      parts.append(try outcome.answers.map { $0["key"].textValue })
    }
    #expect(parts.flatMap { $0 }.sorted() == keys.sorted())
    #expect(parts.allSatisfy { $0.count < 25 })

    // An array job tells its elements apart.
    let environments: [(String, [String: String])] = [
      ("4", ["JOB_COMPLETION_INDEX": "2"]), ("4", ["AWS_BATCH_JOB_ARRAY_INDEX": "2"]),
      ("auto", ["AWS_BATCH_JOB_ARRAY_INDEX": "2", "AWS_BATCH_JOB_ARRAY_SIZE": "4"]),
      ("4", ["SLURM_ARRAY_TASK_ID": "2"]),
      ("auto", ["SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "4"]),
      (
        "4",
        [
          "SLURM_ARRAY_TASK_ID": "14", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_STEP": "2",
          "SLURM_ARRAY_TASK_COUNT": "4",
        ]
      ),
    ]
    for (count, environment) in environments {
      let outcome = try place.start(
        Self.fingerprint + ["--shards", "\(count)"], environment: environment, input: input
      ).end()
      #expect(try outcome.answers.map { $0["key"].textValue } == parts[2], "\(environment)")
    }
  }

  @Test(
    arguments: [
      (["--shard", "4/4"], [:], "counted from 0"), (["--shard", "0"], [:], "K/N"), (["--shard=-1/4"], [:], "K/N"),
      (["--shard", "0/0"], [:], "at least one"), (["--shard", "0/4", "--shards", "4"], [:], "not both"),
      (["--shards", "4"], [:], "JOB_COMPLETION_INDEX"), (["--shards", "four"], [:], "auto"),
      (["--shards", "4"], ["JOB_COMPLETION_INDEX": "4"], "counted from 0"),
      (["--shards", "4"], ["JOB_COMPLETION_INDEX": "one"], "is not a number"),
      (["--shards", "auto"], ["JOB_COMPLETION_INDEX": "1"], "--shards N"),
      (["--shards", "4"], ["JOB_COMPLETION_INDEX": "1", "SLURM_ARRAY_TASK_ID": "1"], "several"),
      (
        ["--shards", "4"], ["SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MIN": "2", "SLURM_ARRAY_TASK_COUNT": "1"],
        "1 elements"
      ),
      (["--isolation", "some"], [:], "process"), (["--only", "tempo"], [:], "tempo"), (["file.wav"], [:], "file.wav"),
    ] as [([Argument], [String: String], String)])
  func mistakesAreNamed(arguments: [Argument], environment: [String: String], hint: String) throws {
    let place = try Workplace()
    let outcome = try place.start(Self.fingerprint + arguments, environment: environment, input: Array("a".utf8)).end()
    #expect(outcome.status == 64)
    #expect(outcome.text == "")
    #expect(outcome.errors.contains(hint), "\(outcome.errors)")
  }
}

extension Outcome {
  /// Lines of standard output as JSON.
  var answers: [JSONValue] {
    get throws { try lines.map { try JSONValue(parsing: Array($0.utf8)) } }
  }
}

/// A pipe whose ends no program inherits unless it is given one. The writing end does not block.
struct OpenPipe {
  let reading: FileDescriptor
  let writing: FileDescriptor

  init() throws {
    (reading, writing) = try FileDescriptor.pipe(nonBlocking: { $0.writeEnd })
  }

  private init(_ reading: Int32, _ writing: Int32) {
    self.reading = FileDescriptor(rawValue: reading)
    self.writing = FileDescriptor(rawValue: writing)
  }

  /// A pipe that takes nothing more, and makes writers wait.
  static func full() throws -> OpenPipe {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
    let pipe = OpenPipe(ends[0], ends[1])
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    for count in [4_096, 1] { while write(ends[1], [UInt8](repeating: 0x0A, count: count), count) > 0 {} }
    _ = fcntl(ends[1], F_SETFL, 0)
    return pipe
  }

  func close() throws {
    try reading.close()
    try writing.close()
  }
}
