package import Platform
package import ResultStore
package import SystemPackage

/// A file that a run would analyze.
package struct PlannedFile: Hashable, Sendable {
  package var path: FilePath
  package var sizeBytes: Int64
  package var modified: Timestamp
  package var reason: PendingReason
  /// The ids of the analyzers to run; see `FileWork.missing`.
  package var missing: [String]
  /// The codec that the last analysis found.
  package var codec: String?
  /// The duration of the audio in seconds; `nil` if unknown.
  package var duration: Double?
  /// The expected CPU time in seconds.
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
