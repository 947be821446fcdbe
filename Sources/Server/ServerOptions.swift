package import AnalysisEngine
package import AnalysisTasks
internal import Foundation
package import Pipeline
package import SystemPackage

/// What `analyze serve` was told.
package struct ServerOptions: Sendable {
  /// A name or an address without a port, such as `127.0.0.1`, `::1` or `0.0.0.0`.
  package var host = ServerOptions.standardHost
  /// 0 lets the system choose one.
  package var port = ServerOptions.standardPort
  /// The catalog of recordings; it need not be there.
  package var catalog: FilePath
  /// A file with a token a line; without one, only clients on this machine are let in, and need none.
  package var tokenFile: FilePath?
  /// Other names under which clients may ask for this server, such as that of a reverse proxy.
  package var names: [String] = []
  /// Origins of pages from elsewhere that may use the server, such as `https://player.example.org`.
  package var allowedOrigins: [String] = []
  /// Reverse proxies whose headers `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
  package var trustedProxies: [NetworkRange] = []
  var connections = ConnectionLimits()
  /// Takes a line for each request.
  package var accessLog: AccessLog?
  /// Threads that read the store; as many read files.
  package var threadCount = 4
  /// Covers that are made at a time. One processor is left for what answers in milliseconds.
  package var coverThreadCount = min(4, max(1, ProcessInfo.processInfo.activeProcessorCount - 1))
  /// Pieces of work that may wait in each lane; those who ask for more are told to come back later.
  package var maximumWaiting = 256
  /// How long a change of the store waits while another program has it locked.
  package var writePatience = Duration.seconds(5)

  /// What starts a process that makes a cover; empty for no covers.
  package var coverCommand: [String] = []
  /// How long such a process may take. A large picture takes a second.
  package var coverPatience = Duration.seconds(10)
  /// Threads that listen to live sessions; as many decode and match uploads.
  package var recognitionThreadCount = 2
  /// Live sessions at a time; more are told to come back later.
  package var maximumSessionCount = 200
  /// The command line of a `DecodingWorker`, without its limits.
  package var decoder: [String] = []
  /// `nil`: what is new is left to runs that others start.
  package var watch: WatchOptions?
  /// How long a file may take that is read for a request.
  package var timeLimit = TimeLimit.standard
  /// Where such a file is read, by a plan that was made of all of a definition.
  package var isolation: @Sendable (PipelineDefinition, AnalysisPlan) -> LibraryRun.Isolation = { _, _ in .none }

  package static let standardHost = "127.0.0.1"
  package static let standardPort = 8642

  package init(catalog: FilePath) { self.catalog = catalog }
}
