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
  /// Other catalogs that are searched together with `catalog`.
  package var otherCatalogs: [FilePath] = []
  /// Catalogs on other servers that are searched together with the local catalogs.
  package var catalogParts: [any CatalogPart] = []
  /// Number of threads that read the store. The same number of threads reads files.
  package var threadCount = 4
  /// Number of covers created at a time. If there are several processors, one stays free for requests that take
  /// milliseconds.
  package var coverThreadCount = min(4, max(1, ProcessInfo.processInfo.activeProcessorCount - 1))
  /// Maximum number of requests waiting in each lane. Clients with further requests are told to come back later.
  package var maximumWaiting = 256
  /// Maximum time for which a change to the store waits while another program has locked the store.
  package var writeTimeout = Duration.seconds(5)

  /// `true` to serve files behind links that lead out of the folders of the library.
  package var servesLinksOutside = false

  /// The command line of a process that creates a cover; empty to disable covers.
  package var coverCommand: [String] = []
  /// Time limit for a process that creates a cover. A large picture takes about a second.
  package var coverTimeout = Duration.seconds(10)
  /// Number of threads that match live sessions. The same number of threads decodes and matches uploads.
  package var recognitionThreadCount = 2
  /// Maximum number of live sessions at a time. Clients that want more are told to come back later.
  package var maximumSessionCount = 200
  /// The command line of a `DecodingWorker`, without its limits.
  package var decoder: [String] = []
  /// Options of the folder watch; `nil` if no folders are watched, so that new files wait for runs started elsewhere.
  package var watch: WatchOptions?
  /// Analyzes single files for requests.
  package var fileAnalysis: SingleFileAnalysis

  package init(catalog: FilePath, fileAnalysis: SingleFileAnalysis) {
    self.catalog = catalog
    self.fileAnalysis = fileAnalysis
  }
}
