import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// A mistake in the command line ends with 64 and a message that says what is right.
@Suite(.bounded) struct UsageTests {
  struct Mistake: CustomTestStringConvertible, Sendable {
    var arguments: [Argument]
    var hint: String
    var environment: [String: String] = [:]

    init(_ arguments: Argument..., hint: String, environment: [String: String] = [:]) {
      self.arguments = arguments
      self.hint = hint
      self.environment = environment
    }

    var testDescription: String {
      arguments.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " ") + "\(environment)"
    }
  }

  @Test(arguments: [
    Mistake("library", "--pipeline", "fingerprnt", hint: "'fingerprint'"),
    Mistake("library", "--pipeline", "./none.yaml", hint: "none.yaml"),
    Mistake(
      "library", "--pipeline", "top.yaml", hint: "top.yaml:2:1: analysers: unknown key; did you mean 'analyzers'?"),
    Mistake("library", "--pipeline", "analyzer.yaml", hint: "analyzer.yaml:3:3: analyzers.chromaprnt"),
    Mistake("library", "--pipeline", "analyzer.yaml", hint: "'chromaprint'"),
    Mistake("library", "--pipeline", "setting.yaml", hint: "setting.yaml:3:5: analyzers.chromaprint.lenght_s"),
    Mistake("library", "--pipeline", "setting.yaml", hint: "'length_s'"),
    Mistake("library", "--pipeline", "syntax.yaml", hint: "syntax.yaml:3:1"),
    Mistake("library", "--only", "chromaprnt", hint: "'chromaprint'"),
    Mistake("library", "--jobs", "many", hint: "--jobs expects a whole number, not 'many'"),
    Mistake("library", "--jobs", "0", hint: "--jobs must be 1 to 1024"),
    Mistake("library", "-j", "-1", hint: "--jobs must be 1 to 1024, not -1"),
    Mistake("run", "-V", hint: "did you mean '--version'?"),
    Mistake("library", "--timeout", "soon", hint: "--timeout expects a time such as"),
    Mistake("library", "--time-budget", "0", hint: "--time-budget must be greater than zero"),
    Mistake("library", "--fail-on", "nevr", hint: "'never'"),
    Mistake("library", "--fail-on", "101%", hint: "--fail-on expects"),
    Mistake("library", "--progress", "bars", hint: "'bar'"),
    Mistake("library", "--nice", "20", hint: "--nice must be 0 to 19"),
    Mistake("library", "--wait-lock", "x", hint: "--wait-lock expects"),
    Mistake("library", "--report", "jsn", hint: "'json'"),
    Mistake("library", "--report", "json", "--include", "beat", hint: "'beats'"),
    Mistake("library", "--output", "-", hint: "exactly one --report"),
    Mistake("library", "--output", "", "--report", "json", hint: "--output expects a folder"),
    Mistake("", hint: "<path>"),
    Mistake("library", "--output", "-", "--report", "json", "--report", "csv", hint: "exactly one --report"),
    Mistake("library", "--jbos", "2", hint: "--jobs"),
    Mistake("library", "--from0", hint: "--files-from"),
    Mistake("library", "--files-from", "list", hint: "not both"),
    Mistake("library", "--json", hint: "--json"),
    Mistake(hint: "Name a folder"),
    Mistake("doctr", hint: "did you mean 'analyze doctor'?"),
    Mistake("reprot", "--report", "csv", hint: "did you mean 'analyze report'?"),
    Mistake("library", "--log-format", "jsno", hint: "'json'"),
    Mistake("library", hint: "ANALYZE_JOBS", environment: ["ANALYZE_JOBS": "two"]),
    Mistake("report", hint: "--report json"),
    Mistake("report", "--report", "xml", hint: "json"),
    Mistake("show", hint: "file"),
    Mistake("schema", "xml", hint: "json, ndjson, csv, duckdb, worker, match, listen"),
    Mistake("completions", "tcsh", hint: "bash, fish, zsh"),
    Mistake("match", hint: "<file>"),
    Mistake("match", "a.wav", "b.wav", "--cue", hint: "exactly one file"),
    Mistake("match", "a.wav", "--min-confidence", "2", hint: "must be 0.86 to 1"),
    Mistake("listen", "--format", "mp3", hint: "s16le or f32le"),
    Mistake("listen", "--rate", "0", hint: "--rate must be"),
    Mistake("catalog", "add", hint: "--items"),
    Mistake("catalog", "biuld", hint: "There is no command 'catalog biuld'; did you mean 'analyze catalog build'?"),
    Mistake("catalog", "xyzzy", hint: "valid here: build, add, remove"),
    Mistake("help", "serch", hint: "did you mean 'analyze search'?"),
    Mistake("help", "catalog", "biuld", hint: "did you mean 'analyze catalog build'?"),
    Mistake("update", hint: "did you mean 'analyze run'?"),
    Mistake("version", hint: "did you mean 'analyze --version'?"),
    Mistake("status", hint: "did you mean 'analyze doctor'?"),
    Mistake("tag", "library", hint: "did you mean 'analyze write-tags'?"),
    Mistake("search", "--added", "7d", hint: "Unknown option '--added'; did you mean '--added-since'?"),
    Mistake("search", "--bpm", "120,5..128", hint: "write 120.5..128 for a decimal"),
    Mistake("search", "--where", "bpm=>120", hint: "one of =, !=, <, <=, >, >= is expected"),
    Mistake("search", "--limit", "-1", hint: "--limit expects 1 to 10000000, not -1"),
    Mistake("search", "--limit", "many", hint: "--limit expects a whole number, not 'many'."),
    Mistake("search", "--limit", "1.5", hint: "--limit expects a whole number, not '1.5'."),
    Mistake("search", "--limit", "99999999999999999999", hint: "expects a whole number that is smaller, not '9"),
    Mistake("search", "--like", "-a.wav", hint: "needs an equals sign: --like=-a.wav"),
    Mistake("playlist", "--seed", "-1", hint: "--seed expects a whole number of at least 0, not '-1'."),
    Mistake("set", "library", "--bpm", "fast", hint: "--bpm expects a number, not 'fast'."),
    Mistake("worker", "a b.wav", hint: #"from standard input: printf '%s\n' 'a b.wav' | analyze worker"#),
    Mistake("listen", "a.wav", hint: "To recognize a file: analyze match a.wav"),
    Mistake("search", "--type", "song", hint: "tracks."),
    Mistake("set", "library", "--bpm", "128,5", hint: "a decimal has a point: 128.5."),
    Mistake("write-tags", "bpmm", "library", hint: "nor a file or folder; did you mean 'bpm'?"),
    Mistake("write-tags", "bpm", "nosuch.ogg", hint: "nor a file or folder.\n"),
    Mistake("duplicates", "library", "--keep", "library", hint: "Paths, filters"),
    Mistake("doctor", "--pipeline", hint: "--pipeline"),
  ])
  func mistakesAreNamed(mistake: Mistake) throws {
    let place = try Workplace()
    let definitions = [
      "top": "description: x\nanalysers:\n  tags:\n", "analyzer": "analyzers:\n  tags:\n  chromaprnt:\n",
      "setting": "analyzers:\n  chromaprint:\n    lenght_s: 10\n", "syntax": "analyzers:\n  tags: [\n",
    ]
    for (name, text) in definitions { try place.write(text, to: place.folder.file("\(name).yaml")) }
    let outcome = try place.start(mistake.arguments, environment: mistake.environment).end()
    #expect(outcome.status == 64)
    #expect(outcome.text == "")
    #expect(outcome.errors.contains(mistake.hint), "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("analyze: ") && !outcome.errors.contains("?."), "\(outcome.errors)")
    // Nothing was begun.
    #expect(!FileManager.default.fileExists(atPath: place.home.appending(".local").string))
  }

  /// A negative number after an option is its value, with and without an equals sign.
  @Test(
    arguments: [
      ["run", "--jobs"], ["run", "--memory-limit"], ["run", "--fetch-space"], ["run", "--nice"], ["run", "--verify"],
      ["run", "--timeout"], ["worker", "--jobs"], ["worker", "--shards"], ["verify", "--jobs"], ["verify", "--share"],
      ["search", "--limit"], ["search", "--offset"], ["similar", "a.wav", "--limit"], ["review", "--limit"],
      ["broken", "--limit"], ["playlist", "--tracks"], ["playlist", "--seed"], ["playlist", "--no-repeat-artist"],
      ["metronome", "--bpm=120", "--rate"], ["metronome", "--bpm"], ["waveform", "a.wav", "--bits"],
      ["listen", "--rate"], ["listen", "--channels"],
      ["serve", "--port"], ["plan", "--partitions"], ["set", "a.wav", "--bpm"],
      ["match", "a.wav", "--min-confidence"], ["merge", "a", "--wait-lock"],
    ] as [[Argument]])
  func negativeNumbersAreRefusedWithTheValidOnes(command: [Argument]) throws {
    let place = try Workplace()
    let option = String(decoding: command[command.count - 1].bytes, as: UTF8.self)
    let joined = try place.start(command.dropLast() + ["\(option)=-1"]).end()
    let separate = try place.start(command + ["-1"]).end()
    #expect(joined.status == 64 && separate.status == 64)
    #expect(joined.errors == separate.errors && joined.errors.contains(option), "\(separate.errors)")
    #expect(!joined.errors.contains("Missing") && !joined.errors.contains("is invalid"), "\(joined.errors)")
  }

  /// A message about a folder in place of a file names it and says so.
  @Test(
    arguments: [
      ["run", "--files-from"], ["plan", "--files-from"], ["plan", "--from-listing"], ["duplicates", "--import"],
      ["set", "--import"], ["catalog", "add", "a.wav", "--items"], ["run", "library", "--pipeline"],
      ["report", "--report", "json", "--output", "-", "--database"], ["backup"], ["show"],
    ] as [[Argument]])
  func foldersAreNotFiles(command: [Argument]) throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "folder.d/a.wav")
    _ = try place.run()
    let outcome = try place.start(
      command + ["library/folder.d"], environment: ["ANALYZE_DATABASE": place.database.string]
    ).end()
    #expect(outcome.status == 1 || outcome.status == 64)
    #expect(outcome.errors.contains("folder.d"), "\(outcome.errors)")
    #expect(outcome.errors.contains("is a folder") || outcome.errors.contains("Is a directory"), "\(outcome.errors)")
  }

  @Test func optionsMayStandBeforeAndAfterPaths() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.put(Audio.wav(2), as: "b.wav")
    let orders: [[Argument]] = [
      [
        "--jobs", "1", "library/a.wav", "library/b.wav", "--pipeline", "tags-only", "--report", "ndjson", "--output",
        "-",
      ],
      ["run", "library/a.wav", "--jobs=1", "--output=-", "--pipeline=tags-only", "library/b.wav", "--report=ndjson"],
      ["library/a.wav", "-j1", "--output", "-", "--report", "ndjson", "--pipeline", "tags-only", "library/b.wav"],
    ]
    for order in orders {
      let outcome = try place.start(order).end()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.lines.count == 2)
    }
  }

  // MARK: - Help

  private static let commands: [Argument] = [
    "run", "report", "show", "set", "match", "listen", "catalog", "schema", "doctor", "backup", "prune",
    "config", "completions", "worker", "merge",
  ]

  @Test func helpTellsOfEveryOption() throws {
    let place = try Workplace()
    let help = try place.analyze("--help")
    #expect(help.status == 0)
    #expect(help.errors == "")
    for command in Self.commands {
      let name = String(decoding: command.bytes, as: UTF8.self)
      #expect(help.text.contains("\n  \(name) "), "\(name)")
      let own = try place.analyze(command, "--help")
      #expect(own.status == 0)
      #expect(own.text.contains("USAGE: analyze \(name)"))
    }
    let run = try place.analyze("run", "--help").text
    for option in [
      "--report", "--output", "--database", "--pipeline", "--jobs", "--files-from", "--from0", "--only", "--force",
      "--retry-failed", "--dry-run", "--timeout", "--time-budget", "--nice", "--fail-on", "--progress", "--quiet",
      "--verbose", "--wait-lock", "--include", "--version", "--log-format", "--metrics",
    ] { #expect(run.contains(option), "\(option)") }
    // The help of the program itself leads to the options of a run.
    #expect(help.text.contains("analyze run --help"))
    #expect(try place.analyze("help", "run").text == run)
  }

  @Test func versionForPeopleAndForPrograms() throws {
    let place = try Workplace()
    let plain = try place.analyze("--version")
    #expect(plain.status == 0)
    #expect(plain.text.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    #expect(try place.analyze("-V").text == plain.text)
    for arguments: [Argument] in [["--version", "--json"], ["--json", "--version"], ["-V", "--json"]] {
      let json = try place.start(arguments).end()
      #expect(json.status == 0)
      #expect(json.lines.count == 1)
      let value = try JSONValue(parsing: json.output)
      #expect(value["version"].textValue + "\n" == plain.text)
      #expect(value["report_version"] == 1)
      #expect(value["analyzers"]["tags"].intValue ?? 0 > 0)
      #expect(value["analyzers"]["chromaprint"].intValue ?? 0 > 0)
      #expect(!value["libraries"].elements.isEmpty)
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func completionsKnowCommandsAndOptions(shell: String) throws {
    let place = try Workplace()
    let script = try place.analyze("completions", "\(shell)")
    #expect(script.status == 0)
    for command in Self.commands { #expect(script.text.contains(String(decoding: command.bytes, as: UTF8.self))) }
    for option in ["retry-failed", "time-budget", "database"] { #expect(script.text.contains(option)) }
    let file = place.folder.file("script")
    try place.write(script.output, to: file)
    if shell == "bash" {
      let check = try RunningProgram(
        ["-n", Argument(file)], of: "/bin/bash", environment: [:], workingFolder: place.folder.path
      ).end()
      #expect(check.status == 0, "\(check.errors)")
    }
  }
}
