package import Platform
package import ResultStore
package import SystemPackage

/// A file that a run would analyze.
package struct PlannedFile: Hashable, Sendable {
  package var path: FilePath
  package var sizeBytes: Int64
  package var modified: Timestamp
  package var reason: PendingReason
  /// Ids of the analyzers to run; see `FileWork.missing`.
  package var missing: [String]
  /// Codec found by the last analysis.
  package var codec: String?
  /// Seconds of audio if known.
  package var duration: Double?
  /// Expected CPU time.
  package var expectedSeconds: Double
}

extension PendingReason {
  /// The stable name used in plans.
  var name: String {
    switch self {
    case .new: "new"
    case .changed: "changed"
    case .outdated: "outdated"
    case .retry: "retry"
    case .touched: "touched"
    }
  }
}
