internal import AudioAnalysis
public import Foundation
public import LibraryScan
public import SystemPackage

/// The settings of a run, from where people left them: flags before the environment, before the file of the project,
/// before that of the user, before that of the machine, before the defaults.
///
/// ```swift
/// var settings = try Settings.load()
/// settings.set(Settings.jobs, to: 4, by: "--jobs")
/// let jobs = settings[Settings.jobs]
/// ```
public struct Settings: Sendable {
  /// Where a value comes from.
  public enum Origin: Hashable, Sendable, CustomStringConvertible {
    case standard
    case file(FilePath, line: Int?)
    case environment(String)
    case flag(String)

    public var description: String {
      switch self {
      case .standard: "default"
      case .file(let path, let line): line.map { "\(path):\($0)" } ?? path.string
      case .environment(let name): "environment \(name)"
      case .flag(let name): "option \(name)"
      }
    }
  }

  /// A setting as `analyze config show` lists it.
  public struct Row: Hashable, Sendable {
    public var key: String
    public var value: String
    public var origin: Origin
    public var summary: String
  }

  private struct Stored {
    var value: any SettingValue
    var origin: Origin
  }

  public let folders: StandardFolders
  /// What a person should know about how the settings were found.
  public private(set) var notices: [String] = []
  private var stored: [String: Stored] = [:]

  /// Nothing but defaults.
  public init(folders: StandardFolders) {
    self.folders = folders
  }

  public subscript<Value: SettingValue>(_ setting: Setting<Value>) -> Value {
    stored[setting.key]?.value as? Value ?? setting.standard(folders)
  }

  public func origin(of setting: some AnySetting) -> Origin {
    stored[setting.key]?.origin ?? .standard
  }

  /// Takes a value from the command line.
  ///
  /// - Parameter flag: The option, as it was given.
  public mutating func set<Value: SettingValue>(_ setting: Setting<Value>, to value: Value, by flag: String) {
    stored[setting.key] = Stored(value: value, origin: .flag(flag))
  }

  /// All settings with their values and where these come from.
  public var rows: [Row] {
    Self.all.map { setting in
      let found = stored[setting.key]
      return Row(
        key: setting.key, value: (found?.value ?? setting.defaultValue(folders)).settingText,
        origin: found?.origin ?? .standard, summary: setting.summary)
    }
  }
}

// MARK: - Reading

extension Settings {
  /// The name of the file of a project, in the working folder or the nearest folder above that has one.
  public static let projectFileName = ".nocturne.yaml"

  /// - Parameters:
  ///   - workingFolder: Absolute.
  ///   - systemFolder: Of the machine's settings.
  /// - Throws: `DefinitionError` for a file or variable that cannot be understood.
  public static func load(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    workingFolder: FilePath = FilePath(FileManager.default.currentDirectoryPath),
    systemFolder: FilePath = "/etc/nocturne"
  ) throws(DefinitionError) -> Settings {
    let folders = StandardFolders(environment: environment, system: systemFolder)
    var settings = Settings(folders: folders)
    try settings.read(folders.system.appending("config.yaml"))
    try settings.read(folders.configuration.appending("config.yaml"))
    if let project = settings.projectFile(from: workingFolder) { try settings.read(project) }
    try settings.read(environment, in: SettingContext(folder: workingFolder, home: folders.home))
    return settings
  }

  private mutating func read(_ file: FilePath) throws(DefinitionError) {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(file)
    } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
      return
    } catch {
      throw DefinitionError(source: file.string, problem: "cannot be read: \(error)")
    }
    let text = try YAMLText(bytes, source: file.string)
    guard let root = text.root else { return }
    guard case .mapping(let entries) = root.content else {
      if case .scalar(.null) = root.content { return }
      throw DefinitionError(
        source: file.string, position: root.position, problem: "expects a mapping of settings, not \(root.kind)")
    }
    let context = SettingContext(folder: file.removingLastComponent(), home: folders.home)
    for entry in entries {
      guard let setting = Self.all.first(where: { $0.key == entry.key }) else {
        let hint = Suggestion.hint(for: entry.key, in: Self.all.map(\.key))
        throw DefinitionError(
          source: file.string, position: entry.position, key: entry.key, problem: "unknown setting; \(hint)")
      }
      do {
        stored[entry.key] = Stored(
          value: try setting.value(SettingNode(node: entry.value), in: context),
          origin: .file(file, line: entry.position?.line))
      } catch {
        throw DefinitionError(
          source: file.string, position: entry.value.position, key: entry.key,
          problem: (error as? ConfigurationError)?.problem ?? "\(error)")
      }
    }
  }

  private mutating func read(_ environment: [String: String], in context: SettingContext) throws(DefinitionError) {
    for setting in Self.all {
      // An empty variable is how people switch one off.
      guard let text = environment[setting.environmentName], !text.isEmpty else { continue }
      do {
        stored[setting.key] = Stored(
          value: try setting.value(text, in: context), origin: .environment(setting.environmentName))
      } catch {
        throw DefinitionError(
          source: "environment", key: setting.environmentName,
          problem: (error as? ConfigurationError)?.problem ?? "\(error)")
      }
    }
    let known = Self.all.map(\.environmentName)
    for name in environment.keys.sorted() where name.hasPrefix("ANALYZE_") && !known.contains(name) {
      notices.append("the variable \(name) is not a setting; \(Suggestion.hint(for: name, in: known))")
    }
  }

  /// The project's file, unless it is somebody else's: settings can name programs to run.
  private mutating func projectFile(from folder: FilePath) -> FilePath? {
    var folder = folder
    repeat {
      let file = folder.appending(Self.projectFileName)
      if let attributes = try? FileManager.default.attributesOfItem(atPath: file.string) {
        let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
        if owner == geteuid() || owner == 0 { return file }
        notices.append("\(file) is not read: it belongs to another user")
        return nil
      }
    } while folder.removeLastComponent()
    return nil
  }
}

// MARK: - The table

extension Settings {
  public static let library = Setting<[FilePath]>(
    "library", default: [], "folders and files to analyze when the command line names none")
  public static let database = Setting<FilePath>("database", "the database of results") {
    $0.data.appending("library.sqlite")
  }
  public static let catalog = Setting<FilePath>("catalog", "the catalog of recordings to recognise") {
    $0.data.appending("catalog")
  }
  public static let output = Setting<FilePath>("output", "the folder for reports") { $0.data.appending("reports") }
  public static let report = Setting<[ReportChoice]>("report", default: [], "reports to write after a run")
  public static let include = Setting<[ReportExtra]>("include", default: [], "what else to have in reports")
  public static let csvGuardFormulas = Setting<Bool>(
    "csv_guard_formulas", default: false, "CSV: put an apostrophe before text that a spreadsheet runs as a formula")
  public static let pipeline = Setting<PipelineReference>(
    "pipeline", default: PipelineReference("default"), "the pipeline: a name, or the path of a definition")
  public static let jobs = Setting<Int>(
    "jobs", default: ProcessInfo.processInfo.activeProcessorCount, "files analyzed at the same time",
    objection: { (1...1024).contains($0) ? nil : "must be 1 to 1024, not \($0)" })
  public static let isolation = Setting<IsolationChoice>(
    "isolation", default: .process, "where files are analyzed: process (worker processes) or none")
  public static let memoryLimit = Setting<Int>(
    "memory_limit_mb", default: 400, "memory a worker process may use; a file that needs more fails",
    objection: { $0 == 0 || (100...1_000_000).contains($0) ? nil : "must be 0 (no limit) or 100 to 1000000, not \($0)" }
  )
  public static let timeout = Setting<Duration?>(
    "timeout", default: nil, "how long one file may take (none: by its size)", objection: isPositive)
  public static let timeBudget = Setting<Duration?>(
    "time_budget", default: nil, "how long a run may take; the next one goes on", objection: isPositive)
  public static let nice = Setting<Int>(
    "nice", default: 0, "lower priority, 0 to 19; more than 0 also reads the disk only while nobody else does",
    objection: { (0...19).contains($0) ? nil : "must be 0 to 19, not \($0)" })
  public static let failOn = Setting<FailurePolicy>(
    "fail_on", default: .new, "when failed and damaged files make the exit status 3")
  public static let progress = Setting<ProgressStyle>("progress", default: .auto, "how a run shows that it goes on")
  public static let logFormat = Setting<LogFormat>(
    "log_format", default: .auto, "how messages are written: for people, for programs, or for the journal of systemd")
  public static let metrics = Setting<FilePath?>(
    "metrics", default: nil, "a file for figures of the run, which Prometheus reads by its textfile collector")
  public static let waitLock = Setting<Duration>(
    "wait_lock", default: .zero, "how long to wait for another run on the same database")
  public static let retryFailed = Setting<Bool>("retry_failed", default: false, "try again what failed before")
  public static let followLinks = Setting<Bool>("follow_links", default: true, "follow symbolic links in the library")
  public static let oneFileSystem = Setting<Bool>(
    "one_file_system", default: false, "leave out other file systems mounted in the library")
  public static let ignoreCtime = Setting<Bool>(
    "ignore_ctime", default: false, "do not look into files of which only the time of change (ctime) is another")
  public static let hidden = Setting<Bool>(
    "hidden", default: false, "take files and folders whose names start with a dot")
  public static let allFiles = Setting<Bool>(
    "all_files", default: false, "take files whose extension says nothing about audio")
  public static let extensions = Setting<[String]>("extensions", default: [], "further extensions of audio files")
  public static let quietPeriod = Setting<Duration>(
    "quiet_period", default: .zero, "files changed within this time wait for the next run")

  /// Every setting there is.
  public static let all: [any AnySetting] = [
    library, database, catalog, output, report, include, csvGuardFormulas, pipeline, jobs, isolation, memoryLimit,
    timeout, timeBudget, nice, failOn, progress, logFormat, metrics, waitLock, retryFailed, followLinks, oneFileSystem,
    ignoreCtime, hidden, allFiles,
    extensions, quietPeriod,
  ]

  @Sendable private static func isPositive(_ time: Duration?) -> String? {
    time.map { $0 > .zero } ?? true ? nil : "must be more than nothing"
  }

  /// How the library is walked.
  public var walk: LibraryWalker.Options {
    var rule = CandidateRule(takesUnknownKinds: self[Self.allFiles], takesHidden: self[Self.hidden])
    for word in self[Self.extensions] {
      rule.audioExtensions.insert((word.hasPrefix(".") ? String(word.dropFirst()) : word).lowercased())
    }
    // Every name of a file with hard links stands in somebody's album; content ids save decoding it twice.
    return LibraryWalker.Options(
      candidates: rule, followsLinks: self[Self.followLinks], yieldsHardLinksOnce: false,
      staysOnFileSystem: self[Self.oneFileSystem], quietPeriod: self[Self.quietPeriod])
  }
}
