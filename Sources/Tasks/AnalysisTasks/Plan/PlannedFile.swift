package import Platform
package import ResultStore
package import SystemPackage

/// A file that a run would analyze.
package struct PlannedFile: Hashable, Sendable {
  package var path: FilePath
  package var sizeBytes: Int64
  package var modified: Timestamp
  package var reason: PendingReason
  /// Ids of analyzers; see `FileWork.missing`.
  package var missing: [String]
  /// As it was when it was analyzed last.
  package var codec: String?
  /// Seconds of audio, if they are known.
  package var duration: Double?
  /// Of one processor.
  package var expectedSeconds: Double
}

extension PendingReason {
  /// In plans; never renamed.
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
