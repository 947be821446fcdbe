import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

@testable import Pipeline

/// Runs a shell script as an analyzer over one file.
private func run(
  _ script: String, input: String = "path", timeout: Double = 20, path: FilePath = "/music/a b.wav",
  pcm: [[Float]] = []
) throws -> JSONValue {
  let settings: [String: JSONValue] = [
    "command": ["/bin/sh", "-c", .string(script), "sh"], "input": .string(input), "timeout_s": .number(timeout),
  ]
  let analyzer = try ExecAnalyzer(id: "probe", ExecAnalyzer.Configuration(merging: settings))
  var session = try analyzer.plugin(resampler: "soxr").makeSession(for: AudioFile(path: path))
  return try feed(&session, pcm)
}

private func feed(_ session: inout any AnalysisSession, _ pcm: [[Float]]) throws -> JSONValue {
  var index: Int64 = 0
  for block in pcm where session.wantsMore {
    try session.consume(block.span, at: index)
    index += Int64(block.count)
  }
  return try #require(try session.finish() as? JSONFinding).value
}

private func failure(_ body: () throws -> JSONValue) -> String {
  do {
    return "no failure but \(try body())"
  } catch AnalysisError.failed(let reason) {
    return reason
  } catch {
    return "another error: \(error)"
  }
}

@Suite(.bounded) struct `Programs that behave` {
  @Test func `get the path as their last argument`() throws {
    #expect(try run(#"printf '{"path":"%s","count":%d}' "$1" $#"#) == ["path": "/music/a b.wav", "count": 1])
  }

  @Test func `get the path in place of its placeholder`() throws {
    let configuration = try ExecAnalyzer.Configuration(merging: [
      "command": ["/bin/sh", "-c", #"printf '{"args":"%s"}' "$*""#, "sh", "--file={path}", "x"]
    ])
    var session = try ExecAnalyzer(id: "probe", configuration).plugin(resampler: "soxr")
      .makeSession(for: AudioFile(path: "-odd name"))
    #expect(try feed(&session, []) == ["args": "--file=./-odd name x"])
  }

  @Test func `get names that are not UTF-8 byte by byte`() throws {
    let path = [0x2F, 0xFF, 0xFE, 0x0A, 0].map { CChar(truncatingIfNeeded: $0) }.withUnsafeBufferPointer {
      FilePath(platformString: $0.baseAddress!)
    }
    let script = #"printf '{"hex":"%s"}' "$(printf %s "$1" | od -An -tx1 | tr -d ' \n')""#
    #expect(try run(script, path: path) == ["hex": "2ffffe0a"])
  }

  @Test func `get the audio as floats`() throws {
    let blocks = [[Float](repeating: 0.25, count: 16_384), [-1, 0.5], [Float](repeating: 0.125, count: 100_000)]
    let script = """
      python3 -c 'import sys, array, json
      a = array.array("f", sys.stdin.buffer.read())
      print(json.dumps({"count": len(a), "sum": sum(a)}))'
      """
    #expect(try run(script, input: "pcm", pcm: blocks) == ["count": 116_386, "sum": .number(16_595.5)])
  }

  @Test func `may close their input early`() throws {
    let many = [[Float]](repeating: [Float](repeating: 0, count: 50_000), count: 20)
    #expect(try run(#"head -c 8 >/dev/null; exec 0<&-; echo '{"ok": true}'"#, input: "pcm", pcm: many) == ["ok": true])
    #expect(try run(#"echo '{"ok": 1}'"#, input: "pcm", pcm: many) == ["ok": 1])
  }

  @Test func `may print a lot before they read`() throws {
    let script = #"printf '{"x":"'; head -c 3000000 /dev/zero | tr '\0' x; cat >/dev/null; echo '"}'"#
    let found = try run(script, input: "pcm", pcm: [[Float](repeating: 0, count: 400_000)])
    guard case .object(let object) = found, case .string(let text) = object["x"] else {
      Issue.record("\(found)")
      return
    }
    #expect(text.count == 3_000_000)
  }

  @Test func `may print anything on standard error`() throws {
    #expect(try run(#"head -c 2000000 /dev/zero | tr '\0' '\n' >&2; echo '{}'"#) == [:])
  }

  @Test func `start with default signals and no other descriptors`() throws {
    let open = try FileDescriptor.open("/dev/null", .readOnly)
    defer { try? open.close() }
    let script = """
      ignored=$(awk '/SigIgn/ {print $2}' /proc/$$/status)
      exec python3 -c '
      import json, os, sys
      def is_open(fd):
          try: os.fstat(fd)
          except OSError: return False
          return True
      # Signals 32 and 33 belong to the C library.
      print(json.dumps({"descriptors": list(filter(is_open, range(1000))), "leads_group": os.getpgrp() == os.getpid(),
                        "ignored": int(sys.argv[1], 16) & 0x7fffffff}))' $ignored
      """
    #expect(try run(script) == ["descriptors": [0, 1, 2], "leads_group": true, "ignored": 0])
  }
}

@Suite(.bounded) struct `Programs that misbehave` {
  @Test func `fail with the last line of standard error`() {
    #expect(
      failure { try run("echo one >&2; echo 'model not found' >&2; echo >&2; exit 3") }
        == "/bin/sh ended with status 3: model not found")
    #expect(failure { try run("exit 4") } == "/bin/sh ended with status 4.")
  }

  @Test func `fail when a signal ends them`() {
    #expect(failure { try run("kill -SEGV $$") }.contains("signal 11 (Segmentation fault)"))
  }

  @Test(arguments: ["", "hello", "[1]", "{} {}", #"{"a": NaN}"#, #"{"a": 1"#, "3"])
  func `fail when they do not print one JSON object`(output: String) {
    let reason = failure { try run("printf '%s' '\(output)'") }
    #expect(reason.contains("must print exactly one JSON object"), "\(reason)")
  }

  /// The thread sanitizer turns vfork into fork: the child cannot report why it could not become the program.
  @Test(.disabled(if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil, "needs vfork"))
  func `fail when they do not exist`() throws {
    let configuration = try ExecAnalyzer.Configuration(merging: ["command": ["no-such-program-here"]])
    let plugin = try ExecAnalyzer(id: "probe", configuration).plugin(resampler: "soxr")
    #expect(throws: AnalysisError.failed("no-such-program-here cannot be started: No such file or directory.")) {
      try plugin.makeSession(for: AudioFile(path: "/x"))
    }
  }

  @Test func `fail with what they printed`() {
    let printed = "/bin/sh must print exactly one JSON object, but printed"
    #expect(failure { try run(":") } == "\(printed) nothing.")
    #expect(failure { try run("printf hello") } == "\(printed) “hello” (5 bytes).")
    // Line breaks and control characters become spaces.
    #expect(failure { try run(#"printf 'a\nb\342\200\250c\td e'"#) } == "\(printed) “a b c d e” (11 bytes).")
    let long = String(repeating: "x", count: 61)
    #expect(failure { try run("printf \(long)") } == "\(printed) “\(long.dropLast())” (61 bytes).")
  }

  /// The reason has a limited length, and no control characters.
  @Test func `fail with a short reason`() {
    let long = String(repeating: "x", count: 301)
    #expect(failure { try run("echo \(long) >&2; exit 1") } == "/bin/sh ended with status 1: \(long.dropLast())")
    #expect(failure { try run(#"printf 'a\tb\033c d\n \n' >&2; exit 1"#) } == "/bin/sh ended with status 1: a b c d")
  }

  /// A program that opens the path itself may have read another file. Audio comes from the right one.
  @Test func `fail if their file was replaced meanwhile`() throws {
    let folder = try TemporaryDirectory()
    for (input, replaces, fails) in [("path", true, true), ("path", false, false), ("pcm", true, false)] {
      let path = try folder.write([1], as: "a.wav")
      let other = try folder.write([2], as: "b.wav")
      let open = try FileDescriptor.open(path, .readOnly)
      defer { try? open.close() }
      let command = replaces ? "mv '\(other)' '\(path)'; echo {}" : "echo {}"
      let settings: [String: JSONValue] = [
        "command": ["/bin/sh", "-c", .string(command)], "input": .string(input), "timeout_s": 20,
      ]
      var session = try ExecAnalyzer(id: "probe", ExecAnalyzer.Configuration(merging: settings))
        .plugin(resampler: "soxr").makeSession(
          for: AudioFile(path: path, openPath: FilePath("/proc/self/fd/\(open.rawValue)")))
      let expected =
        fails ? "Another file replaced this one while /bin/sh was running." : "no failure but \(JSONValue.object([:]))"
      #expect(failure { try feed(&session, []) } == expected)
    }
  }

  @Test func `are killed with their children at the timeout`() throws {
    let directory = try TemporaryDirectory()
    let script = "sleep 1000 & echo $! >'\(directory.file("pid"))'; echo waiting >&2; wait"
    #expect(
      failure { try run(script, timeout: 3.5) }
        == "/bin/sh kept the pipeline waiting for 3.5 s and was killed: waiting")
    let pid = try #require(
      Int32(
        String(contentsOfFile: directory.file("pid").string, encoding: .utf8)
          .trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(isGone(pid))
  }

  @Test func `leave nothing running after a good end`() throws {
    let found = try run(#"sleep 1000 & printf '{"pid":%d}' $!"#)
    guard case .object(let object) = found, case .integer(let pid) = object["pid"] else {
      Issue.record("\(found)")
      return
    }
    #expect(isGone(Int32(pid)))
  }

  @Test func `do not hang when they never read`() {
    let block = [Float](repeating: 0, count: 1 << 20)
    #expect(failure { try run("sleep 1000", input: "pcm", timeout: 0.3, pcm: [block]) }.contains("was killed"))
  }

  @Test func `do not hang when they print forever`() {
    #expect(failure { try run("yes") }.contains("printed more than 8 MiB"))
    #expect(failure { try run("yes error >&2", timeout: 3) }.contains("was killed: error"))
    #expect(failure { try run("exec >&- 2>&-; sleep 1000", timeout: 0.3) }.contains("was killed"))
  }

  @Test func `are killed when their session is dropped`() throws {
    let directory = try TemporaryDirectory()
    do {
      let configuration = try ExecAnalyzer.Configuration(merging: [
        "command": ["/bin/sh", "-c", .string("echo $$ >'\(directory.file("pid"))'; cat >/dev/null")], "input": "pcm",
      ])
      var session = try ExecAnalyzer(id: "probe", configuration).plugin(resampler: "soxr")
        .makeSession(for: AudioFile(path: "/x"))
      while (try? String(contentsOfFile: directory.file("pid").string, encoding: .utf8))?.contains("\n") != true {
        try session.consume([0].span, at: 0)
        usleep(2_000)
      }
    }
    let pid = try #require(
      Int32(
        String(contentsOfFile: directory.file("pid").string, encoding: .utf8)
          .trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(isGone(pid))
  }

  @Test func `do not disturb each other`() async throws {
    // If a pipe leaked into a program started meanwhile, `cat` would not see the end of its input until that program
    // ends.
    let counts = try await withThrowingTaskGroup(of: JSONValue.self) { group in
      for count in 1...24 {
        group.addTask {
          try run(
            #"printf '{"bytes":%d}' $(cat | wc -c)"#, input: "pcm", timeout: 60,
            pcm: [[Float](repeating: 0, count: count * 5_000)])
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(counts == Set((1...24).map { ["bytes": .integer($0 * 20_000)] }))
  }

  /// True if a process has ended, or is a zombie; waits a little for a kill to take effect.
  private func isGone(_ pid: Int32) -> Bool {
    for _ in 0..<6_000 {
      guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
      if status.split(separator: ")").last?.hasPrefix(" Z") == true { return true }
      usleep(10_000)
    }
    return false
  }
}

@Suite(.bounded) struct `Settings of exec analyzers` {
  @Test(
    arguments: [
      ([:], "command"), (["command": ["a"], "input": "stdin"], "input"),
      (["command": ["a"], "timeout_s": 0], "timeout_s"), (["command": ["a"], "sample_rate_hz": 7], "sample_rate_hz"),
      (["command": ["a"], "version": 0], "version"), (["command": "a"], "command"), (["comand": ["a"]], "comand"),
    ] as [([String: JSONValue], String)])
  func `are rejected with the wrong key`(settings: [String: JSONValue], key: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try ExecAnalyzer(id: "probe", ExecAnalyzer.Configuration(merging: settings))
    }
    #expect(error?.key == key)
  }

  @Test func `have these defaults`() {
    let configuration = ExecAnalyzer.Configuration()
    #expect(configuration.command.isEmpty && configuration.input == .path && configuration.version == 1)
    #expect(configuration.sampleRate == 22_050 && configuration.timeout == 300)
  }

  /// The limits themselves are valid.
  @Test(
    arguments: [
      ("sample_rate_hz", [1_000, 192_000], [999, 192_001]), ("timeout_s", [0.1, 86_400], [0.099, 86_400.1]),
      ("version", [1, 2], [0, -1]),
    ] as [(String, [JSONValue], [JSONValue])])
  func `have limits`(key: String, valid: [JSONValue], invalid: [JSONValue]) throws {
    func make(_ value: JSONValue) throws -> ExecAnalyzer {
      try ExecAnalyzer(id: "probe", ExecAnalyzer.Configuration(merging: ["command": ["a"], key: value]))
    }
    for value in valid { #expect(throws: Never.self) { try make(value) } }
    for value in invalid {
      let error = #expect(throws: ConfigurationError.self) { try make(value) }
      #expect(error?.key == key)
    }
  }

  @Test func `name a program without zero bytes`() {
    for command in [[""], ["a", "b\0"], []] as [JSONValue] {
      let error = #expect(throws: ConfigurationError.self) {
        try ExecAnalyzer(id: "probe", ExecAnalyzer.Configuration(merging: ["command": command]))
      }
      #expect(error?.key == "command")
    }
    #expect(throws: Never.self) {
      try ExecAnalyzer(id: "probe", ExecAnalyzer.Configuration(merging: ["command": ["a", "b\u{1}"]]))
    }
  }

  @Test func `name the choices`() {
    #expect(throws: ConfigurationError(key: "input", problem: "must be one of path, pcm, not stdin")) {
      try ExecAnalyzer.Configuration(merging: ["input": "stdin"])
    }
  }

  @Test func `shape the digest, except patience`() throws {
    func digest(_ settings: [String: JSONValue], resampler: String = "soxr") throws -> String {
      let all = settings.merging(["command": ["a"]]) { mine, _ in mine }
      return try ExecAnalyzer(id: "probe", ExecAnalyzer.Configuration(merging: all))
        .plugin(resampler: resampler).identity.digest
    }
    let standard = try digest([:])
    #expect(try digest(["timeout_s": 7]) == standard)
    #expect(try digest(["sample_rate_hz": 8_000]) == standard)
    #expect(try digest([:], resampler: "samplerate") == standard)
    #expect(try digest(["command": ["b"]]) != standard)
    let pcm = try digest(["input": "pcm"])
    #expect(try digest(["input": "pcm", "sample_rate_hz": 8_000]) != pcm)
    #expect(try digest(["input": "pcm"], resampler: "samplerate") != pcm)
  }
}
