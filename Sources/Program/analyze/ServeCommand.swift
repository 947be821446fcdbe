import AnalysisTasks
import ArgumentParser
import BuiltInAnalyzers
import Commands
import Foundation
import LibraryScan
import Pipeline
import Platform
internal import RecognitionTasks
import ResultStore
import Server
import Serving
import SystemPackage
import Text

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Commands.serve, abstract: "Serve the library and the catalog over HTTP, with an app",
    discussion: """
      Only programs on this machine can connect, unless --host says otherwise. Runs may be in progress: their results \
      appear at once. Audio files are only read.
      """)

  @Option(help: ArgumentHelp("Listen on this address", valueName: "address"))
  var host = ServingOptions.standardHost

  @Option(help: ArgumentHelp("Listen on this port; 0 for any free port", valueName: "port"))
  var port = ServingOptions.standardPort

  @Option(
    help: ArgumentHelp("Require a token from this file (a name and a token per line)", valueName: "file"))
  var tokenFile: PathArgument?

  @Option(help: ArgumentHelp("Also accept this host name, such as that of a reverse proxy", valueName: "host"))
  var name: [String] = []

  @Option(help: ArgumentHelp("Trust this proxy's X-Forwarded-For and X-Forwarded-Proto", valueName: "address"))
  var trustProxy: [String] = []

  @Option(help: ArgumentHelp("Let pages of this origin use the server", valueName: "origin"))
  var allowOrigin: [String] = []

  @Option(help: ArgumentHelp("Write a line of JSON for each request; - for standard output", valueName: "file"))
  var accessLog: OutputArgument?

  @Flag(help: "Analyze new files in the folders of the library as they appear")
  var watch = false

  @Argument(help: ArgumentHelp("With --watch: the folders (default: the setting library)", valueName: "path"))
  var paths: [PathArgument] = []

  @OptionGroup
  var catalogs: CatalogSourceArguments

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port expects 0 to 65535, not \(port).") }
    for proxy in trustProxy where NetworkRange(proxy) == nil {
      throw ValidationError("--trust-proxy expects an address such as 127.0.0.1 or 10.0.0.0/8, not \(proxy).")
    }
    for name in name where !ServedNames.isName(name) {
      throw ValidationError("--name expects a name without scheme and port, such as music.example.org, not \(name).")
    }
    for origin in allowOrigin where !ServedNames.isOrigin(origin) {
      throw ValidationError("--allow-origin expects an origin such as https://player.example.org, not \(origin).")
    }
    if !watch, !paths.isEmpty { throw ValidationError("Folders need --watch; the library is in the database.") }
    if let problem = ListeningRules.problem(with: servingOptions) { throw ValidationError(problem) }
  }

  private static func open(_ log: OutputArgument) throws -> AccessLog {
    switch log {
    case .standardOutput: return try AccessLog(nil)
    case .file(let argument):
      let path = argument.path
      do {
        return try AccessLog(path)
      } catch {
        throw CommandFailure(
          .fatal,
          "The access log “\(DisplayPath.text(of: path))” cannot be opened: \(error). Check its folder and permissions."
        )
      }
    }
  }

  private var servingOptions: ServingOptions {
    var options = ServingOptions()
    options.host = host
    options.port = port
    options.tokenFile = tokenFile?.path
    options.names = name
    options.trustedProxies = trustProxy.compactMap { NetworkRange($0) }
    options.allowedOrigins = allowOrigin
    return options
  }

  /// Opens the database. With `--watch`, creates it if it does not exist, as a run does. If no database is named and
  /// none exists, a server for named catalogs gets an empty one in a temporary folder, because recognition needs no
  /// database.
  private func store(_ settings: CommandSettings, in temporary: inout TemporaryFolder?) throws -> ResultStore {
    let database = try settings.database()
    guard watch else {
      guard database.fileKind == nil, !catalogs.isEmpty, settings.settings.origin(of: Settings.database) == .standard
      else { return try settings.openStore(.readWrite) }
      let folder = try TemporaryFolder()
      temporary = folder
      Log.write(
        .warning, "no_database",
        "There is no database \(printable(database.string)), so only recognition works: the library is empty, and changes "
          + "to it are lost when the server ends. To serve a library, run `analyze FOLDER`, then start the server again."
      )
      return try ResultStore(path: folder.file("empty.sqlite"), findings: BuiltInAnalyzers.findings)
    }
    try DatabaseFolder.prepare(for: database)
    return try ResultStore(path: database, findings: BuiltInAnalyzers.findings)
  }

  private func watchOptions(_ settings: CommandSettings) throws -> WatchOptions {
    let folders = paths.isEmpty ? settings[Settings.library] : paths.map(\.path)
    guard !folders.isEmpty else {
      throw CommandFailure(.usage, "Name the folders to watch: analyze serve --watch ~/Music")
    }
    for folder in folders {
      // A missing folder is accepted, because it may be on a drive that is mounted later.
      if let status = try? FileStatus(at: folder, followingLinks: true), status.kind != .folder {
        throw CommandFailure(.fatal, "\(printable(DisplayPath.text(of: folder))) is not a folder.")
      }
    }
    // The link `/proc/self/exe` refers to the running program, even if its file has been replaced.
    var options = WatchOptions(
      folders: folders,
      command: [
        "/proc/self/exe", "run", "--database", try settings.database().string, "--nice", "19", "--progress", "none",
        "--wait-lock", "1h", "--fail-on", "never", "--no-reports", "--allow-absent",
      ])
    options.candidates = settings.settings.walk.candidates
    options.quietPeriod = max(options.quietPeriod, settings[Settings.quietPeriod] + .seconds(1))
    return options
  }

  func run() async throws {
    try await reportingErrors {
      let settings = try CommandSettings(database)
      let sources = catalogs.catalogs(settings)
      // The first local catalog is the server's own: the server can change it, and it need not exist yet.
      var options = ServerOptions(
        catalog: sources.places.first ?? settings[Settings.catalog], fileAnalysis: settings.fileAnalysis)
      options.otherCatalogs = Array(sources.places.dropFirst())
      options.catalogParts = try sources.parts()
      options.serving = servingOptions
      options.serving.accessLog = try accessLog.map(Self.open)
      options.servesLinksOutside = settings[Settings.serveLinksOutside]
      options.coverCommand = Commands.coverProcess
      options.decoder = Commands.decodingProcess
      options.recognitionThreadCount = max(2, ProcessInfo.processInfo.activeProcessorCount)
      if watch { options.watch = try watchOptions(settings) }
      var temporary: TemporaryFolder?
      defer { withExtendedLifetime(temporary) {} }
      let services = try Services(store: store(settings, in: &temporary), options: options) { problem in
        Log.write(.error, "tokens", "\(problem) No client has access until then.")
      }
      let (stopping, stop) = AsyncStream.makeStream(of: Never.self)
      let signals = SignalHandling { _ in stop.finish() }
      try await NocturneServer(services, log: { Log.write($0) }).run { for await _ in stopping {} }
      if let status = signals.exitStatus { throw status.exitCode }
    }
  }
}
