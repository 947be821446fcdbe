import AnalysisTesting
import Foundation
import LibraryScan
import Platform
import Records
import SystemPackage
import Testing

@testable import Pipeline

/// The defaults and limits of settings, and the values that projects may set without trust.
@Suite(.bounded) struct SettingLimitsTests {
  private static let context = SettingContext(folder: "/projects", home: "/people/me")

  let root: TemporaryDirectory
  let folders: StandardFolders
  let path: FilePath

  init() throws {
    root = try TemporaryDirectory()
    let home = root.file("home")
    folders = StandardFolders(environment: ["HOME": home.string], system: root.file("etc"))
    path = home.appending(ProjectFile.name)
    try FileManager.default.createDirectory(atPath: home.string, withIntermediateDirectories: true)
  }

  /// The settings of a project file that is not trusted.
  private func project(_ yaml: String) throws -> Settings {
    try root.write(Array(yaml.utf8), as: "home/.nocturne.yaml")
    return try Settings.load(
      environment: ["HOME": folders.home.string], workingFolder: folders.home, systemFolder: folders.system)
  }

  private static func value(_ text: String, of setting: any AnySetting) -> String? {
    (try? setting.value(text, in: context))?.settingText
  }

  // MARK: - Defaults

  /// A changed default changes the runs of everyone who has not set the value.
  @Test(
    arguments: [
      ("library", "none"), ("report", "none"), ("include", "none"), ("csv_guard_formulas", "true"),
      ("pipeline", "default"), ("isolation", "process"), ("memory_limit_mb", "400"), ("timeout", "none"),
      ("time_budget", "none"), ("nice", "0"), ("fail_on", "new"), ("progress", "auto"), ("log_format", "auto"),
      ("metrics", "none"), ("wait_lock", "0s"), ("retry_failed", "false"), ("follow_links", "true"),
      ("serve_links_outside", "false"), ("one_file_system", "false"), ("ignore_ctime", "false"), ("hidden", "false"),
      ("all_files", "false"), ("extensions", "none"), ("quiet_period", "0s"), ("verify", "none"), ("checksums", "none"),
      ("catalog_servers", "none"), ("catalog_tokens", "none"), ("fetch_space_mb", "4096"), ("fetch_silence", "1m"),
    ])
  func defaults(key: String, value: String) throws {
    let setting = try #require(Settings.all.first { $0.key == key })
    #expect(setting.defaultValue(folders).settingText == value)
  }

  @Test func theJobsAreTheProcessorsByDefault() {
    #expect(Settings(folders: folders)[Settings.jobs] == ProcessInfo.processInfo.activeProcessorCount)
  }

  @Test func theWalkFollowsTheDefaults() {
    let walk = Settings(folders: folders).walk
    #expect(walk == LibraryWalker.Options())
    #expect(walk.followsLinks && !walk.staysOnFileSystem && !walk.candidates.acceptsHidden)
    #expect(!walk.candidates.acceptsUnknownKinds)
  }

  // MARK: - Limits

  /// The values at both ends of a range, and those just beyond.
  @Test(
    arguments: [
      ("jobs", ["1", "1024"], ["0", "1025", "-1"]),
      ("memory_limit_mb", ["0", "100", "1000000"], ["1", "99", "1000001", "-1"]),
      ("nice", ["0", "19"], ["-1", "20"]),
      ("fetch_space_mb", ["1", "1000000000"], ["0", "1000000001"]),
      ("timeout", ["none", "0.001s"], ["0", "0s"]), ("time_budget", ["none", "1s"], ["0"]),
      ("fetch_silence", ["0.001s"], ["0", "none"]),
      ("fail_on", ["0%", "0.5%", "5%", "100%", "never", "new", "any"], ["5", "-0.1%", "100.1%", "150%", "%", "some"]),
      ("verify", ["0.001%", "1%", "100%", "none"], ["0%", "-1%", "100.1%", "150%", "2", ""]),
      ("quiet_period", ["0s", "366d"], ["366d1s", "400d", "-1"]),
      ("pipeline", ["tags-only"], [""]),
      ("metrics", ["/m", "/a\u{1}b", "none"], ["", "/a\0b"]),
    ])
  func limits(key: String, accepted: [String], refused: [String]) throws {
    let setting = try #require(Settings.all.first { $0.key == key })
    for text in accepted { #expect(Self.value(text, of: setting) == text) }
    for text in refused { #expect(Self.value(text, of: setting) == nil, "\(text.debugDescription)") }
  }

  /// A list in a list is explained as such, even before another mistake.
  @Test func theFirstMistakeOfAListIsExplained() throws {
    let error = try #require(throws: DefinitionError.self) { try project("report: [json, [csv], ndjsn]") }
    #expect(error.problem == "expects a list, each one of json, ndjson, csv, html, not a list in a list")
    #expect(try project("report: [json, csv]")[Settings.report] == [.json, .csv])
    #expect(try project("timeout: none\ntime_budget: none").withheld.keys.sorted() == ["timeout"])
  }

  // MARK: - Notation

  @Test(arguments: [
    ("true", true), ("yes", true), ("on", true), ("1", true), ("YES", true), ("false", false), ("no", false),
    ("off", false), ("0", false), ("Off", false), ("2", nil), ("", nil),
  ])
  func switches(text: String, value: Bool?) {
    #expect(Bool(setting: text, in: Self.context) == value)
    if let value { #expect(value.settingText == (value ? "true" : "false")) }
  }

  @Test(arguments: [
    ("~", "/people/me"), ("~/", "/people/me"), ("~/a", "/people/me/a"), ("~a", "/projects/~a"), ("a", "/projects/a"),
    ("/a/../b", "/b"), ("a/~", "/projects/a/~"), ("..", "/"),
  ])
  func paths(text: String, path: FilePath) {
    #expect(FilePath(setting: text, in: Self.context) == path)
  }

  @Test func anEmptyPathHasAnEmptyText() {
    #expect(FilePath("").settingText == "")
    #expect(FilePath("/a").settingText == "/a")
    #expect(FilePath("/a ").settingText == "/a /")
  }

  @Test(arguments: [
    ("tags-only", false), ("default", false), ("yaml", false), ("a/b", true), ("a.yaml", true), ("a.yml", true),
    ("/a/b.yaml", true), ("a.yaml.txt", false),
  ])
  func pipelinesAreNamesOrPaths(text: String, isPath: Bool) throws {
    #expect(PipelineReference(text).isPath == isPath)
    let reference = try #require(PipelineReference(setting: text, in: Self.context))
    #expect(reference.text == (isPath ? FilePath("/projects").pushing(FilePath(text)).string : text))
  }

  @Test(arguments: [
    (500, "0.5s"), (1_500, "1.5s"), (61_000, "1m1s"), (60_250, "1m0.25s"), (90_500, "1m30.5s"), (3_601_000, "1h1s"),
    (1_000, "1s"), (172_800_000, "2d"),
  ])
  func timesAreShownWithTheirFractions(milliseconds: Int, text: String) {
    #expect(Duration.milliseconds(milliseconds).settingText == text)
    #expect(Duration(setting: text, in: Self.context) == .milliseconds(milliseconds))
  }

  @Test func noneStandsForNoValue() {
    #expect(Duration?(setting: "none", in: Self.context) == .some(.none))
    #expect(Duration?(setting: "5m", in: Self.context) == .some(.seconds(300)))
    #expect(Duration?(setting: "nothing", in: Self.context) == .none)
    #expect(Duration?.none.settingText == "none")
  }

  @Test func percentagesHaveNoUselessDecimals() throws {
    #expect(FailurePolicy.percent(5).settingText == "5%")
    #expect(FailurePolicy.percent(2.5).settingText == "2.5%")
    #expect(FailurePolicy.percent(0).settingText == "0%")
    #expect(try #require(LibraryShare(setting: "2%", in: Self.context)).fraction == 0.02)
    #expect(try #require(LibraryShare(setting: "100%", in: Self.context)).fraction == 1)
  }

  // MARK: - Trust

  /// The largest value of each setting that needs no trust, and the smallest that needs it.
  @Test(arguments: [
    ("memory_limit_mb", ["100", "400"], ["0", "401", "1000000"]), ("fetch_space_mb", ["1", "4096"], ["4097"]),
    ("isolation", ["process"], ["none"]), ("csv_guard_formulas", ["true"], ["false"]),
    ("serve_links_outside", ["false"], ["true"]),
    (
      "jobs", ["1", "\(max(16, ProcessInfo.processInfo.activeProcessorCount))"],
      ["\(max(16, ProcessInfo.processInfo.activeProcessorCount) + 1)"]
    ),
  ])
  func valuesThatNeedTrust(key: String, harmless: [String], ill: [String]) throws {
    for (values, isWithheld) in [(harmless, false), (ill, true)] {
      for value in values {
        let settings = try project("\(key): \(value)")
        #expect(settings.withheld.keys.sorted() == (isWithheld ? [key] : []), "\(value)")
        let row = try #require(settings.rows.first { $0.key == key })
        #expect((row.origin == .standard) == isWithheld, "\(value)")
      }
    }
  }

  /// A definition that cannot be read runs nothing; the error comes once it is needed.
  @Test func aPipelineThatIsMissingNeedsNoTrust() throws {
    let settings = try project("pipeline: ./gone.yaml")
    #expect(settings.withheld.isEmpty)
    #expect(settings.project?.programs == [])
    let error = #expect(throws: DefinitionError.self) { try settings.definition() }
    #expect(error?.problem == "cannot be read: No such file or directory")
  }

  @Test func aValueOfAnotherTypeNeedsTrust() throws {
    let file = try #require(try project("jobs: 1").project)
    #expect(Settings.jobs.needsTrust("1", in: file))
    #expect(!Settings.jobs.needsTrust(1, in: file))
  }

  private func notes() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folders.state.appending("trusted").string)
  }

  /// Trust that cannot be noted is an error, and leaves nothing behind.
  @Test func trustThatCannotBeNotedLeavesNoFile() throws {
    let file = try #require(try project("database: x.sqlite").project)
    let projects = TrustedProjects(folders)
    try projects.trust(file)
    #expect(projects.verdict(on: file) == .trusted)
    let names = try notes()
    let note = folders.state.appending("trusted/\(try #require(names.first))")
    try FileManager.default.removeItem(atPath: note.string)
    try FileManager.default.createDirectory(atPath: note.string, withIntermediateDirectories: false)
    #expect(throws: Errno.self) { try projects.trust(file) }
    #expect(try notes() == names)
    #expect(projects.verdict(on: file) == .unknown)
  }

  /// A note that others could have written counts for nothing.
  @Test(arguments: [(0o600, true), (0o644, true), (0o620, false), (0o602, false)] as [(mode_t, Bool)])
  func notesThatOthersMayWriteDoNotCount(mode: mode_t, isTrusted: Bool) throws {
    let file = try #require(try project("database: x.sqlite").project)
    let projects = TrustedProjects(folders)
    try projects.trust(file)
    #expect(chmod(folders.state.appending("trusted/\(try #require(try notes().first))").string, mode) == 0)
    #expect(projects.verdict(on: file) == (isTrusted ? .trusted : .unknown))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func notesOfOthersDoNotCount() throws {
    let file = try #require(try project("database: x.sqlite").project)
    let projects = TrustedProjects(folders)
    try projects.trust(file)
    #expect(chown(folders.state.appending("trusted/\(try #require(try notes().first))").string, 12345, 12345) == 0)
    #expect(projects.verdict(on: file) == .unknown)
  }
}
