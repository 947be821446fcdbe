import Application
import ArgumentParser
import Foundation
import Pipeline
import Platform
import ResultStore
import Server

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the library and the catalog over HTTP, with an app",
    discussion: """
      Only programs on this machine can connect, unless --host says otherwise. Runs may go on meanwhile: what they store is \
      seen at once. The music is only read.
      """)

  @Option(help: ArgumentHelp("Take connections at this address", valueName: "address"))
  var host = ServerOptions.standardHost

  @Option(help: ArgumentHelp("Take connections at this port; 0 for any", valueName: "port"))
  var port = ServerOptions.standardPort

  @OptionGroup
  var catalog: CatalogArguments

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port expects 0 to 65535, not \(port).") }
  }

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(database)
      catalog.apply(to: &settings)
      var options = ServerOptions(catalog: settings[Settings.catalog])
      options.host = host
      options.port = port
      options.coverCommand = CoverProcessCommand.command
      options.decoder = DecodingProcessCommand.arguments
      options.recognitionThreadCount = max(2, ProcessInfo.processInfo.activeProcessorCount)
      options.timeLimit = settings.timeLimit
      options.isolation = { [settings] in settings.isolation($0, only: [], $1) }
      let services = try Services(store: settings.openStore(.readWrite), options: options)
      let (stopping, stop) = AsyncStream.makeStream(of: Never.self)
      let signals = SignalHandling { _ in stop.finish() }
      try await NocturneServer(services, log: { Log.write($0) }).run { for await _ in stopping {} }
      if let status = signals.exitStatus { throw status.exitCode }
    }
  }
}
