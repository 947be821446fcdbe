public import AudioAnalysis
public import SystemPackage

/// A file that waits for analysis, with all that is known which may save work.
public struct PendingFile: Sendable {
  public var fileID: Int64
  public var path: FilePath
  public var device: UInt64
  public var inode: UInt64
  public var sizeBytes: Int64
  public var modified: Timestamp
  public var reason: PendingReason
  /// The status of the last analysis; `nil` if there was none.
  public var status: FileAnalysis.Status?
  /// Analyzers of which this very file has an outcome. They are current only if the file has not changed.
  public var known: [KnownAudio.Outcome]
  /// Files (this one first, vanished ones included) that may hold the same audio: of this size, or this file before it
  /// changed. At most a handful; `ResultStore.knownAudio(contentID:)` finds any other.
  public var knownAudio: [KnownAudio]
  /// How many earlier runs took this file and died before it was finished.
  public var unfinishedAttempts: Int
}

/// Audio that was analyzed before.
public struct KnownAudio: Hashable, Sendable {
  public struct Outcome: Hashable, Sendable {
    public var identity: AnalyzerIdentity
    public var readsAudio: Bool
    /// The analyzer failed.
    public var isFailure: Bool
  }

  public var fileID: Int64
  public var contentID: ContentID
  public var status: FileAnalysis.Status
  public var problem: Problem?
  public var remarks: [Problem]
  public var format: AudioFormat?
  public var outcomes: [Outcome]
}

/// The files of one run that wait for analysis: new ones first, then changed, outdated and formerly failed ones; last, those
/// that were being worked on when a run died. Within each group in order of paths.
///
/// Calls may come from any thread, one after the other; each blocks until its transaction is done.
public final class PendingQueue: Sendable {
  init() { fatalError() }

  /// The next files, at most `limit`; empty when none is left. A file is handed out once in a run. It is noted as taken, so
  /// that a later run knows if this one dies over it, until it is committed or released.
  public func next(limit: Int) throws(StoreError) -> [PendingFile] { fatalError() }

  /// Gives back files that were taken and not analyzed, when a run ends early: they are no suspects.
  public func release(_ fileIDs: [Int64]) throws(StoreError) { fatalError() }
}
