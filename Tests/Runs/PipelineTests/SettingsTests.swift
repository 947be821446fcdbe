import AnalysisTesting
import Foundation
import LibraryScan
import Platform
import Records
import SystemPackage
import Testing

@testable import Pipeline

@Suite(.bounded) struct SettingsTests {
  let root: TemporaryDirectory
  let work: FilePath
  let home: FilePath
  let system: FilePath

  init() throws {
    root = try TemporaryDirectory()
    home = root.file("home")
    work = home.appending("project/deep/er")
    system = root.file("etc")
    for folder in [work, home.appending(".config/nocturne"), system] {
      try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    }
  }

  private func write(_ text: String, _ path: String) throws {
    try root.write(Array(text.utf8), as: path)
  }

  private func load(_ environment: [String: String] = [:]) throws(DefinitionError) -> Settings {
    var environment = environment
    environment["HOME"] = home.string
    return try Settings.load(environment: environment, workingFolder: work, systemFolder: system)
  }

  @Test func defaultsFollowTheStandardFolders() throws {
    let settings = try load()
    #expect(settings[Settings.database] == home.appending(".local/share/nocturne/library.sqlite"))
    #expect(settings[Settings.output] == home.appending(".local/share/nocturne/reports"))
    #expect(settings[Settings.pipeline] == PipelineReference("default"))
    #expect(settings[Settings.jobs] >= 1)
    #expect(settings[Settings.timeout] == nil)
    #expect(settings.rows.allSatisfy { $0.origin == .standard })
    #expect(settings.notices.isEmpty)

    let moved = try load(["XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "relative/is/ignored"])
    #expect(moved[Settings.database] == "/data/nocturne/library.sqlite")
    #expect(moved.folders.configuration == home.appending(".config/nocturne"))
  }

  @Test func nearerPlacesWin() throws {
    try write("jobs: 1\nnice: 1\nquiet_period: 1\ntimeout: 1\ntime_budget: 1", "etc/config.yaml")
    try write("jobs: 2\nnice: 2\nquiet_period: 2\ntimeout: 2", "home/.config/nocturne/config.yaml")
    try write("# mine\njobs: 3\nnice: 3\nquiet_period: 3", "home/project/.nocturne.yaml")
    try trust()
    var settings = try load(["ANALYZE_JOBS": "4", "ANALYZE_NICE": "4", "ANALYZE_TIMEOUT": ""])
    settings.set(Settings.jobs, to: 5, by: "--jobs")

    #expect(settings[Settings.jobs] == 5)
    #expect(settings[Settings.nice] == 4)
    #expect(settings[Settings.quietPeriod] == .seconds(3))
    #expect(settings[Settings.timeout] == .seconds(2))
    #expect(settings[Settings.timeBudget] == .seconds(1))
    #expect(settings[Settings.hidden] == false)

    let origins = Dictionary(uniqueKeysWithValues: settings.rows.map { ($0.key, $0.origin.description) })
    #expect(origins["jobs"] == "option --jobs")
    #expect(origins["nice"] == "environment ANALYZE_NICE")
    #expect(origins["quiet_period"] == "\(home.appending("project/.nocturne.yaml")):4")
    #expect(origins["timeout"] == "\(home.appending(".config/nocturne/config.yaml")):4")
    #expect(origins["time_budget"] == "\(system.appending("config.yaml")):5")
    #expect(origins["hidden"] == "default")
  }

  @Test func theNearestProjectCounts() throws {
    try write("jobs: 7\nnice: 7", "home/.nocturne.yaml")
    try write("jobs: 3", "home/project/.nocturne.yaml")
    try trust()
    let settings = try load()
    #expect(settings[Settings.jobs] == 3)
    #expect(settings[Settings.nice] == 0)
  }

  private var project: FilePath { home.appending("project/.nocturne.yaml") }

  private func trust() throws {
    let folders = StandardFolders(environment: ["HOME": home.string], system: system)
    try TrustedProjects(folders).trust(try ProjectFile(at: project, folders))
  }

  /// A value of each setting that a malicious project file might set.
  static let ill: [String: String] = [
    "database": "x.sqlite", "catalog": "x", "output": "x", "metrics": "x.prom", "pipeline": "./x.yaml",
    "isolation": "none", "memory_limit_mb": "0", "fetch_space_mb": "5000", "timeout": "300d", "jobs": "1024",
    "fail_on": "never",
    "csv_guard_formulas": "false", "catalog_servers": "[http://evil.example:1]", "catalog_tokens": "x",
    "serve_links_outside": "true",
  ]
  static let harmless: [String: String] = [
    "library": "[.]", "report": "[json]", "include": "[beats]", "time_budget": "1h", "nice": "5", "progress": "none",
    "log_format": "json", "wait_lock": "1m", "retry_failed": "true", "follow_links": "false", "one_file_system": "true",
    "ignore_ctime": "true", "hidden": "true", "all_files": "true", "extensions": "[mod]", "quiet_period": "5m",
    "verify": "2%", "checksums": "[sha256]", "fetch_silence": "5s",
  ]

  @Test func aProjectSetsNothingThatCouldHurtUntilItIsTrusted() throws {
    #expect(Set(Self.ill.keys).union(Self.harmless.keys) == Set(Settings.all.map(\.key)))
    try write("analyzers:\n  tags:\nexec:\n  x:\n    command: [touch, pwned]\n", "home/project/x.yaml")
    let text = Self.ill.merging(Self.harmless) { $1 }.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }
    try write(text.joined(), "home/project/.nocturne.yaml")
    let settings = try load()
    #expect(Set(settings.withheld.keys) == Set(Self.ill.keys))
    for row in settings.rows {
      #expect((row.origin == .standard) == (Self.ill[row.key] != nil), "\(row.key)")
      #expect((row.withheld != nil) == (Self.ill[row.key] != nil), "\(row.key)")
    }
    #expect(settings.project?.programs == [["touch", "pwned"]])
    // The environment is the user's own.
    let others = try load(["ANALYZE_DATABASE": "/mine.sqlite"])
    #expect(others[Settings.database] == "/mine.sqlite" && others.withheld["database"] == nil)

    try trust()
    let trusted = try load()
    #expect(trusted.withheld.isEmpty && trusted[Settings.database] == home.appending("project/x.sqlite"))
    #expect(try trusted.definition().entries.count == 2)
    // A change of the file, or of the pipeline it names, revokes the trust.
    try write("analyzers:\n  tags:\nexec:\n  x:\n    command: [touch, more]\n", "home/project/x.yaml")
    #expect(try load().withheld.count == Self.ill.count && load().projectHasChanged)
    try trust()
    #expect(try load().withheld.isEmpty)
    try write(text.joined() + "#", "home/project/.nocturne.yaml")
    #expect(try load().withheld.count == Self.ill.count)
    try trust()
    let folders = StandardFolders(environment: ["HOME": home.string], system: system)
    #expect(try TrustedProjects(folders).untrust(project))
    #expect(try !TrustedProjects(folders).untrust(project))
    #expect(try load().withheld.count == Self.ill.count && !load().projectHasChanged)
  }

  @Test func harmlessValuesNeedNoTrust() throws {
    try write("analyzers:\n  tags:\n", "home/project/x.yaml")
    try write(
      "pipeline: ./x.yaml\njobs: 1\nisolation: process\nmemory_limit_mb: 200\n", "home/project/.nocturne.yaml")
    let settings = try load()
    #expect(settings.withheld.isEmpty && settings[Settings.jobs] == 1)
    // The content that was checked is the content that is used.
    try write("exec:\n  x:\n    command: [touch, pwned]\n", "home/project/x.yaml")
    #expect(try settings.definition().entries.map(\.id) == ["tags"])
    #expect(try Set(load().withheld.keys) == ["pipeline"])
    try FileManager.default.createDirectory(
      atPath: home.appending(".config/nocturne/pipelines").string, withIntermediateDirectories: true)
    // Project files may not start the user's own programs either.
    try write("exec:\n  x:\n    command: [shred]\n", "home/.config/nocturne/pipelines/own.yaml")
    for (name, count) in [("tags-only", 0), ("exec-example", 1), ("own", 1)] {
      try write("pipeline: \(name)\n", "home/project/.nocturne.yaml")
      #expect(try load().withheld.count == count, "\(name)")
    }
  }

  @Test func trustIsKeptForOnePlaceAndFromOthers() throws {
    try write("database: x.sqlite\n", "home/project/.nocturne.yaml")
    try trust()
    // A link to a trusted file is another file: its relative paths mean other places.
    let elsewhere = home.appending("elsewhere")
    try FileManager.default.createDirectory(atPath: elsewhere.string, withIntermediateDirectories: true)
    #expect(symlink(project.string, elsewhere.appending(".nocturne.yaml").string) == 0)
    #expect(symlink(home.appending("project").string, home.appending("other-name").string) == 0)
    func load(in folder: FilePath) throws -> Settings {
      try Settings.load(environment: ["HOME": home.string], workingFolder: folder, systemFolder: system)
    }
    #expect(try load(in: elsewhere).withheld.count == 1)
    #expect(try load(in: home.appending("other-name")).withheld.isEmpty)
    // No other user can read or write the notes.
    let notes = home.appending(".local/state/nocturne/trusted")
    let names = try FileManager.default.contentsOfDirectory(atPath: notes.string)
    #expect(names.count == 1)
    for (path, mode) in [(notes, 0o700), (notes.appending(names[0]), 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path.string)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
    #expect(chmod(notes.appending(names[0]).string, 0o666) == 0)
    #expect(try load(in: home.appending("project")).withheld.count == 1)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func filesOfOthersAreNotTrusted() throws {
    try write("database: /tmp/evil.sqlite\njobs: 1", "home/project/.nocturne.yaml")
    #expect(chown(project.string, 12345, 12345) == 0)
    let settings = try load()
    #expect(settings[Settings.jobs] == 1 && settings[Settings.database] != "/tmp/evil.sqlite")
    #expect(settings.withheld["database"] == .file(project, line: 1))
  }

  @Test func pathsAreRelativeToWhereTheyAreWritten() throws {
    try write(
      "library: [~/Music, ../more, /srv/music]\ndatabase: music.sqlite\npipeline: ./mine.yaml",
      "home/project/.nocturne.yaml")
    try trust()
    let settings = try load(["ANALYZE_OUTPUT": "out"])
    #expect(settings[Settings.library] == [home.appending("Music"), home.appending("more"), "/srv/music"])
    #expect(settings[Settings.database] == home.appending("project/music.sqlite"))
    #expect(settings[Settings.pipeline].text == home.appending("project/mine.yaml").string)
    #expect(settings[Settings.output] == work.appending("out"))
    let fromEnvironment = try load(["ANALYZE_LIBRARY": "/a b:~/c", "ANALYZE_REPORT": "json, csv"])
    #expect(fromEnvironment[Settings.library] == ["/a b", home.appending("c")])
    #expect(fromEnvironment[Settings.report] == [.json, .csv])
  }

  /// Invalid project files, with the error and its position.
  static let mistakes: [(yaml: String, message: String)] = [
    ("job: 2", ".nocturne.yaml:1:1: job: unknown setting; did you mean 'jobs'?"),
    ("jobs: two", ".nocturne.yaml:1:7: jobs: expects a whole number, not 'two'"),
    ("jobs: 0", ".nocturne.yaml:1:7: jobs: must be 1 to 1024, not 0"),
    ("jobs: 1.5", "jobs: expects a whole number, not '1.5'"),
    ("jobs:", "jobs: expects a whole number, not nothing"),
    ("jobs: [1]", "jobs: expects a whole number, not a list"),
    ("jobs: {a: 1}", "jobs: expects a whole number, not a mapping"),
    (
      "\nprogress: baar",
      ".nocturne.yaml:2:11: progress: expects one of auto, bar, plain, json, none, not 'baar'; did you mean 'bar'?"
    ),
    (
      "report: [json, ndjsn]",
      "report: expects a list, each one of json, ndjson, csv, html, not 'ndjsn'; did you mean 'ndjson'?"
    ),
    ("report: [[json]]", "report: expects a list, each one of json, ndjson, csv, html, not a list in a list"),
    ("fail_on: 101%", "fail_on: expects never, new, any or a percentage such as 5%, not '101%'"),
    ("timeout: 5 minutes", "timeout: expects a time such as 90, 90s, 15m, 5h or 1h30m, or none, not '5 minutes'"),
    ("timeout: 0", "timeout: must be greater than zero"),
    ("nice: -1", "nice: must be 0 to 19, not -1"),
    ("follow_links: perhaps", "follow_links: expects true or false, not 'perhaps'"),
    ("- jobs", "expects a mapping of settings, not a list"),
    ("jobs: 1\njobs: 2", "jobs: appears twice"),
    ("jobs: [", "is not YAML"),
  ]

  @Test(arguments: mistakes.indices)
  func mistakesAreExplained(index: Int) throws {
    let (yaml, message) = Self.mistakes[index]
    try write(yaml, "home/project/.nocturne.yaml")
    let error = try #require(throws: DefinitionError.self) { try load() }
    #expect(error.description.contains(message), "\(error)")
  }

  @Test func mistakesInTheEnvironmentAreExplained() throws {
    let error = try #require(throws: DefinitionError.self) { try load(["ANALYZE_JOBS": "many"]) }
    #expect(error.description == "environment: ANALYZE_JOBS: expects a whole number, not 'many'")
    // Variables of other programs may have the same prefix.
    let settings = try load(["ANALYZE_JOB": "2"])
    #expect(settings.notices == ["the variable ANALYZE_JOB is not a setting; did you mean 'ANALYZE_JOBS'?"])
  }

  @Test func emptyFilesSetNothing() throws {
    for text in ["", "# nothing\n", "---\n", "null"] {
      try write(text, "home/project/.nocturne.yaml")
      #expect(try load().rows.allSatisfy { $0.origin == .standard })
    }
  }

  @Test func everyDefaultCanBeWrittenAndReadBack() throws {
    var settings = try load()
    settings.set(Settings.report, to: [.json, .ndjson], by: "--report")
    settings.set(Settings.failOn, to: .percent(2.5), by: "--fail-on")
    settings.set(Settings.quietPeriod, to: .milliseconds(1500), by: "--quiet-period")
    let context = SettingContext(folder: work, home: home)
    for (setting, row) in zip(Settings.all, settings.rows) where !row.value.hasPrefix("none") {
      let value = try setting.value(row.value, in: context)
      #expect(value.settingText == row.value, "\(row.key)")
    }
  }

  @Test func keysAreDistinct() {
    let keys = Settings.all.map(\.key)
    #expect(Set(keys).count == keys.count)
    for key in keys { #expect(key.allSatisfy { $0.isLowercase || $0 == "_" }) }
  }

  @Test(
    arguments: [
      ("90", 90_000), ("90s", 90_000), ("1.5s", 1_500), ("15m", 900_000), ("5h", 18_000_000), ("1h30m", 5_400_000),
      ("2d", 172_800_000), ("0", 0), ("", nil), ("s", nil), ("5x", nil), ("1h30", nil), ("-5", nil), ("1e3", nil),
      ("1.2.3", nil),
      ("999999h", nil), ("nan", nil), ("٣", nil),
    ] as [(String, Int?)])
  func timesAreWrittenAsPeopleDo(text: String, milliseconds: Int?) {
    let context = SettingContext(folder: "/", home: "/")
    #expect(Duration(setting: text, in: context) == milliseconds.map { .milliseconds($0) })
  }

  @Test func aTrailingSeparatorAddsNoElement() throws {
    let context = SettingContext(folder: "/", home: "/")
    let list = try #require([String](setting: "mod , xm, ", in: context))
    #expect(list == ["mod", "xm"])
    #expect([String](setting: list.settingText, in: context) == list)
    #expect([FilePath](setting: "/a: ", in: context) == ["/a"])
  }

  @Test func pathsThatEndInASpaceReadBack() throws {
    let context = SettingContext(folder: "/", home: "/")
    let paths = try #require([FilePath](setting: "/music/odd /:/b", in: context))
    #expect(paths == ["/music/odd ", "/b"])
    #expect([FilePath](setting: paths.settingText, in: context) == paths)
  }

  @Test(arguments: [(90, "1m30s"), (3_600, "1h"), (93_784, "1d2h3m4s"), (0, "0s"), (60, "1m")])
  func timesAreShownShort(seconds: Int, text: String) {
    #expect(Duration.seconds(seconds).settingText == text)
  }

  @Test func theWalkFollowsTheSettings() throws {
    try write("extensions: [.MOD, xm]\nhidden: yes\nfollow_links: no\nquiet_period: 5m", "home/project/.nocturne.yaml")
    let walk = try load().walk
    #expect(walk.candidates.reasonToSkip(fileNamed: Array(".song.mod".utf8)) == nil)
    #expect(walk.candidates.reasonToSkip(fileNamed: Array("song.XM".utf8)) == nil)
    #expect(walk.candidates.reasonToSkip(fileNamed: Array("song.mp3".utf8)) == nil)
    #expect(walk.candidates.reasonToSkip(fileNamed: Array("song".utf8)) == .unknownKind)
    #expect(!walk.followsLinks)
    #expect(walk.quietPeriod == .seconds(300))
  }

  /// A file that is too long is rejected, not truncated.
  @Test func aFileThatIsTooLongIsNotReadInPart() throws {
    try write("jobs: 2\n" + String(repeating: "#\n", count: 1 << 19), ".nocturne.yaml")
    let error = #expect(throws: DefinitionError.self) {
      try ProjectFile(at: root.file(".nocturne.yaml"), StandardFolders(environment: [:]))
    }
    #expect(error?.problem == "cannot be read: File too large")
  }

  @Test func theDocumentationListsEverySetting() throws {
    let page = Repository.path("docs/configuration.md")
    let text = String(decoding: try SmallFile.read(page, limit: 1 << 20), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    // The table of settings is the one with four columns.
    let rows = lines.filter { $0.hasPrefix("| `") && $0.split(separator: " | ").count == 4 }
    let declared = Settings.all.map { "| `\($0.key)` | \($0.expectation) | \($0.summary) | \($0.trustText) |" }
    if ProcessInfo.processInfo.environment[Snapshots.variable] == "1" {
      let table = declared.joined(separator: "\n")
      let page = page.string
      try text.replacing(rows.joined(separator: "\n"), with: table).write(
        toFile: page, atomically: true, encoding: .utf8)
    } else {
      #expect(rows == declared, "NOCTURNE_RECORD=1 writes the table.")
    }
  }
}
