public import Analysis
public import Foundation
public import LibraryScan
public import Platform
public import Records
public import SystemPackage
internal import Text

/// The settings of a run, in order of precedence: flags, the environment, the project file, the user's file, the
/// machine's file, the defaults.
///
/// ```swift
/// var settings = try Settings.load()
/// settings.set(Settings.jobs, to: 4, by: "--jobs")
/// let jobs = settings[Settings.jobs]
/// ```
public struct Settings: Sendable {
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

  /// A setting in the form in which `analyze config show` lists it.
  public struct Row: Hashable, Sendable {
    public var key: String
    public var value: String
    public var origin: Origin
    /// The line in an untrusted file that would set the value if the file were trusted.
    public var withheld: Origin?
    public var summary: String
  }

  private struct Stored {
    var value: any SettingValue
    var origin: Origin
  }

  public let folders: StandardFolders
  /// Messages for the user about environment variables that begin with `ANALYZE_` but are not settings.
  public private(set) var notices: [String] = []
  /// The project file, if there is one.
  public private(set) var project: ProjectFile?
  /// Settings in the project file that would apply if the file were trusted, with their origins.
  public private(set) var withheld: [String: Origin] = [:]
  /// `true` if the project file was trusted once, but it or the definition that it names has changed since.
  public private(set) var projectHasChanged = false
  private var stored: [String: Stored] = [:]

  /// Creates settings that consist only of defaults.
  public init(folders: StandardFolders) {
    self.folders = folders
  }

  public subscript<Value: SettingValue>(_ setting: Setting<Value>) -> Value {
    stored[setting.key]?.value as? Value ?? setting.standard(folders)
  }

  public func origin(of setting: some AnySetting) -> Origin {
    stored[setting.key]?.origin ?? .standard
  }

  /// Sets a value from the command line.
  ///
  /// - Parameter flag: The option as it was given.
  public mutating func set<Value: SettingValue>(_ setting: Setting<Value>, to value: Value, by flag: String) {
    stored[setting.key] = Stored(value: value, origin: .flag(flag))
  }

  /// The pipeline definition that the settings name.
  public func definition() throws(DefinitionError) -> PipelineDefinition {
    // The content that was checked for trust is used, because the file may have changed since then.
    if case .file(let path, _) = origin(of: Self.pipeline), path == project?.path, let found = project?.definition {
      return try found.get()
    }
    return try NamedPipelines(userFolder: folders.pipelines).definition(self[Self.pipeline].text)
  }

  /// All settings with their values and origins.
  public var rows: [Row] {
    Self.all.map { setting in
      let found = stored[setting.key]
      return Row(
        key: setting.key, value: (found?.value ?? setting.defaultValue(folders)).settingText,
        origin: found?.origin ?? .standard, withheld: withheld[setting.key], summary: setting.summary)
    }
  }
}

// MARK: - Reading

extension Settings {
  /// - Parameters:
  ///   - workingFolder: An absolute path.
  ///   - systemFolder: The folder of the machine's settings.
  /// - Throws: `DefinitionError` for an invalid file or variable.
  public static func load(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    workingFolder: FilePath = FilePath.currentFolder,
    systemFolder: FilePath = "/etc/nocturne"
  ) throws(DefinitionError) -> Settings {
    let folders = StandardFolders(environment: environment, system: systemFolder)
    var settings = Settings(folders: folders)
    try settings.read(folders.system.appending("config.yaml"))
    try settings.read(folders.configuration.appending("config.yaml"))
    if let path = ProjectFile.nearest(to: workingFolder) {
      settings.take(try ProjectFile(at: path, folders))
    }
    try settings.read(environment, in: SettingContext(folder: workingFolder, home: folders.home))
    return settings
  }

  private mutating func read(_ file: FilePath) throws(DefinitionError) {
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.definition(at: file)
    } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
      return
    } catch {
      throw DefinitionError(source: file.string, problem: "cannot be read: \(error)")
    }
    for (setting, value, line) in try Self.values(in: bytes, of: file, folders) {
      stored[setting.key] = Stored(value: value, origin: .file(file, line: line))
    }
  }

  /// Applies the settings of a project file, except those that need trust if the file is not trusted.
  private mutating func take(_ file: ProjectFile) {
    project = file
    let verdict = TrustedProjects(folders).verdict(on: file)
    for (setting, value, line) in file.values {
      let origin = Origin.file(file.path, line: line)
      if verdict == .trusted || !setting.needsTrust(value, in: file) {
        stored[setting.key] = Stored(value: value, origin: origin)
      } else {
        withheld[setting.key] = origin
        projectHasChanged = verdict == .changed
      }
    }
  }

  /// Returns the settings in a file, in file order.
  static func values(
    in bytes: [UInt8], of file: FilePath, _ folders: StandardFolders
  ) throws(DefinitionError) -> [(setting: any AnySetting, value: any SettingValue, line: Int?)] {
    let text = try YAMLText(bytes, source: file.string)
    guard let root = text.root else { return [] }
    guard case .mapping(let entries) = root.content else {
      if case .scalar(.null) = root.content { return [] }
      throw DefinitionError(
        source: file.string, position: root.position, problem: "expects a mapping of settings, not \(root.kind)")
    }
    let context = SettingContext(folder: file.removingLastComponent(), home: folders.home)
    var values: [(setting: any AnySetting, value: any SettingValue, line: Int?)] = []
    for entry in entries {
      guard let setting = Self.all.first(where: { $0.key == entry.key }) else {
        let hint = Suggestion.hint(for: entry.key, in: Self.all.map(\.key))
        throw DefinitionError(
          source: file.string, position: entry.position, key: entry.key, problem: "unknown setting; \(hint)")
      }
      do {
        values.append((setting, try setting.value(SettingNode(node: entry.value), in: context), entry.position?.line))
      } catch {
        throw DefinitionError(
          source: file.string, position: entry.value.position, key: entry.key,
          problem: (error as? ConfigurationError)?.problem ?? "\(error)")
      }
    }
    return values
  }

  private mutating func read(_ environment: [String: String], in context: SettingContext) throws(DefinitionError) {
    for setting in Self.all {
      // An empty variable counts as not set.
      guard let text = environment[setting.environmentName], !text.isEmpty else { continue }
      do {
        stored[setting.key] = Stored(
          value: try setting.value(text, in: context), origin: .environment(setting.environmentName))
        withheld[setting.key] = nil
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
}

// MARK: - The table

extension Settings {
  public static let library = Setting<[FilePath]>(
    "library", trust: .notNeeded, default: [], "folders and files to analyze when the command line names none")
  public static let database = Setting<FilePath>("database", trust: .needed, "the database of results") {
    $0.database
  }
  public static let catalog = Setting<FilePath>(
    "catalog", trust: .needed, "the catalog: a folder, or a file made by catalog export"
  ) {
    $0.data.appending("catalog")
  }
  public static let catalogServers = Setting<[ServerAddress]>(
    "catalog_servers", trust: .needed, default: [],
    "servers (http://host:port) whose catalogs match, listen and serve also search")
  public static let catalogTokens = Setting<FilePath?>(
    "catalog_tokens", trust: .needed, default: nil,
    "a file with the tokens of these servers: a line for each, http://host:port and the token")
  public static let output = Setting<FilePath>("output", trust: .needed, "the folder for reports") {
    $0.data.appending("reports")
  }
  public static let report = Setting<[ReportFormat]>(
    "report", trust: .notNeeded, default: [], "reports to write")
  public static let include = Setting<[ReportExtra]>(
    "include", trust: .notNeeded, default: [], "add to reports")
  public static let csvGuardFormulas = Setting<Bool>(
    "csv_guard_formulas", trust: .neededFor("false") { isGuarded, _ in !isGuarded }, default: true,
    "CSV: put an apostrophe before text that a spreadsheet runs as a formula")
  public static let pipeline = Setting<PipelineReference>(
    "pipeline", trust: .neededFor("one that runs programs") { _, project in project.runsPrograms },
    default: PipelineReference("default"), "the pipeline: a name, or the path of a definition (default: default)")
  public static let jobs = Setting<Int>(
    "jobs",
    trust: .neededFor("more than 16 and more than the processors") { jobs, _ in
      jobs > max(16, ProcessInfo.processInfo.activeProcessorCount)
    },
    default: ProcessInfo.processInfo.activeProcessorCount,
    "files analyzed at the same time (default: one per processor)",
    objection: { (1...1024).contains($0) ? nil : "must be 1 to 1024, not \($0)" })
  public static let isolation = Setting<IsolationChoice>(
    "isolation", trust: .neededFor("none") { isolation, _ in isolation == .none }, default: .process,
    "where files are analyzed: process (worker processes) or none")
  public static let memoryLimit = Setting<Int>(
    "memory_limit_mb", trust: .neededFor("more than 400, or 0") { limit, _ in limit == 0 || limit > 400 }, default: 400,
    "memory of a worker process; 0 for no limit (default: 400)",
    objection: { $0 == 0 || (100...1_000_000).contains($0) ? nil : "must be 0 (no limit) or 100 to 1000000, not \($0)" }
  )
  public static let timeout = Setting<Duration?>(
    "timeout", trust: .needed, default: nil, "processor time one file may take (default: depends on its duration)",
    objection: isPositive)
  public static let timeBudget = Setting<Duration?>(
    "time_budget", trust: .notNeeded, default: nil, "how long a run may take; the next one continues",
    objection: isPositive)
  public static let nice = Setting<Int>(
    "nice", trust: .notNeeded, default: 0,
    "lower the priority, 0 to 19; above 0, the disk is read only when idle",
    objection: { (0...19).contains($0) ? nil : "must be 0 to 19, not \($0)" })
  public static let failOn = Setting<FailurePolicy>(
    "fail_on", trust: .needed, default: .new, "when bad files make the exit status 3: never, new (default), any or 5%")
  public static let progress = Setting<ProgressStyle>(
    "progress", trust: .notNeeded, default: .auto, "how a run shows its progress")
  public static let logFormat = Setting<LogFormat>(
    "log_format", trust: .notNeeded, default: .auto, "format of messages")
  public static let metrics = Setting<FilePath?>(
    "metrics", trust: .needed, default: nil,
    "a file for metrics of the run, for the textfile collector of Prometheus")
  public static let waitLock = Setting<Duration>(
    "wait_lock", trust: .notNeeded, default: .zero, "how long to wait for another run on the same database")
  public static let retryFailed = Setting<Bool>(
    "retry_failed", trust: .notNeeded, default: false, "retry files that failed before, even if they did not change")
  public static let followLinks = Setting<Bool>(
    "follow_links", trust: .notNeeded, default: true, "follow symbolic links in the library")
  public static let serveLinksOutside = Setting<Bool>(
    "serve_links_outside", trust: .neededFor("true") { isServed, _ in isServed }, default: false,
    "serve: play files behind links that lead out of the folders of the library")
  public static let oneFileSystem = Setting<Bool>(
    "one_file_system", trust: .notNeeded, default: false, "leave out other file systems mounted in the library")
  public static let ignoreCtime = Setting<Bool>(
    "ignore_ctime", trust: .notNeeded, default: false,
    "do not analyze files again when only their status change time (ctime) differs")
  public static let hidden = Setting<Bool>(
    "hidden", trust: .notNeeded, default: false, "include files and folders whose names start with a dot")
  public static let allFiles = Setting<Bool>(
    "all_files", trust: .notNeeded, default: false, "include files with an unknown extension or none")
  public static let extensions = Setting<[String]>(
    "extensions", trust: .notNeeded, default: [], "additional extensions of audio files")
  public static let quietPeriod = Setting<Duration>(
    "quiet_period", trust: .notNeeded, default: .zero, "files changed this recently wait for the next run")

  public static let verify = Setting<LibraryShare?>(
    "verify", trust: .notNeeded, default: nil,
    "the part of the library that a run reads again to find silent changes, such as 2% (none: nothing)")
  public static let checksums = Setting<[FileChecksum.Kind]>(
    "checksums", trust: .notNeeded, default: [], "checksums of files to keep besides XXH3: sha256, md5")

  public static let fetchSpace = Setting<Int>(
    "fetch_space_mb", trust: .neededFor("more than 4096") { space, _ in space > 4096 }, default: 4096,
    "temporary space for objects that are fetched, in TMPDIR (default: 4096)",
    objection: { (1...1_000_000_000).contains($0) ? nil : "must be 1 to 1000000000, not \($0)" })
  public static let fetchSilence = Setting<Duration>(
    "fetch_silence", trust: .notNeeded, default: .seconds(60), "how long a server of objects may be silent",
    objection: isPositive)

  public static let all: [any AnySetting] = [
    library, database, catalog, catalogServers, catalogTokens, output, report, include, csvGuardFormulas, pipeline,
    jobs, isolation, memoryLimit, timeout, timeBudget, nice, failOn, progress, logFormat, metrics, waitLock,
    retryFailed, followLinks, serveLinksOutside, oneFileSystem, ignoreCtime, hidden, allFiles, extensions, quietPeriod,
    verify, checksums,
    fetchSpace, fetchSilence,
  ]

  @Sendable private static func isPositive(_ time: Duration?) -> String? {
    time.map { $0 > .zero } ?? true ? nil : "must be greater than zero"
  }

  /// The options for walking the library.
  public var walk: LibraryWalker.Options {
    var rule = CandidateRule(acceptsUnknownKinds: self[Self.allFiles], acceptsHidden: self[Self.hidden])
    for word in self[Self.extensions] {
      rule.audioExtensions.insert((word.hasPrefix(".") ? String(word.dropFirst()) : word).lowercased())
    }
    return LibraryWalker.Options(
      candidates: rule, followsLinks: self[Self.followLinks],
      staysOnFileSystem: self[Self.oneFileSystem], quietPeriod: self[Self.quietPeriod])
  }
}
