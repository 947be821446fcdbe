package import AnalysisEngine
package import AnalysisTasks
internal import Foundation
package import Recognition
package import Serving
package import SystemPackage

/// The options of `analyze serve`.
package struct ServerOptions: Sendable {
  package var serving = ServingOptions()
  /// The catalog of recordings; it need not be there.
  package var catalog: FilePath
  /// Catalogs that are asked together with it.
  package var otherCatalogs: [FilePath] = []
  /// Catalogs of other servers that are asked together with these.
  package var catalogParts: [any CatalogPart] = []
  /// Threads that read the store; as many read files.
  package var threadCount = 4
  /// Covers that are made at a time. One processor is left for what answers in milliseconds.
  package var coverThreadCount = min(4, max(1, ProcessInfo.processInfo.activeProcessorCount - 1))
  /// Pieces of work that may wait in each lane; those who ask for more are told to come back later.
  package var maximumWaiting = 256
  /// How long a change of the store waits while another program has it locked.
  package var writePatience = Duration.seconds(5)

  /// The command that starts a process that makes a cover; empty for no covers.
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
  /// Reads files for requests.
  package var fileAnalysis: SingleFileAnalysis

  package init(catalog: FilePath, fileAnalysis: SingleFileAnalysis) {
    self.catalog = catalog
    self.fileAnalysis = fileAnalysis
  }
}
