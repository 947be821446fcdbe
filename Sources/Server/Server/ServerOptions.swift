package import AnalysisEngine
package import AnalysisTasks
internal import Foundation
package import Recognition
package import Serving
package import SystemPackage

/// The options of `analyze serve`.
package struct ServerOptions: Sendable {
  package var serving = ServingOptions()
  /// Path of the recognition catalog, which need not exist.
  package var catalog: FilePath
  /// Catalogs that are searched together with it.
  package var otherCatalogs: [FilePath] = []
  /// Catalogs of other servers that are searched together with these.
  package var catalogParts: [any CatalogPart] = []
  /// Threads that read the store, and as many that read files.
  package var threadCount = 4
  /// Covers made at a time. One processor stays free for requests that take milliseconds.
  package var coverThreadCount = min(4, max(1, ProcessInfo.processInfo.activeProcessorCount - 1))
  /// Requests that may wait in each lane; more are told to come back later.
  package var maximumWaiting = 256
  /// Time for which a change of the store waits while another program has it locked.
  package var writeTimeout = Duration.seconds(5)

  /// Serves files behind links that lead out of the folders of the library.
  package var servesLinksOutside = false

  /// The command line of a process that makes a cover; empty for no covers.
  package var coverCommand: [String] = []
  /// Time limit of such a process. A large picture takes a second.
  package var coverTimeout = Duration.seconds(10)
  /// Threads that match live sessions, and as many that decode and match uploads.
  package var recognitionThreadCount = 2
  /// Live sessions at a time; more are told to come back later.
  package var maximumSessionCount = 200
  /// The command line of a `DecodingWorker`, without its limits.
  package var decoder: [String] = []
  /// `nil` if no folders are watched, so new files wait for runs started elsewhere.
  package var watch: WatchOptions?
  /// Reads files for requests.
  package var fileAnalysis: SingleFileAnalysis

  package init(catalog: FilePath, fileAnalysis: SingleFileAnalysis) {
    self.catalog = catalog
    self.fileAnalysis = fileAnalysis
  }
}
