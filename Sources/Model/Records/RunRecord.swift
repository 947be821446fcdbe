public import Analysis
public import Platform
public import SystemPackage
public import Text

/// The numbers of files in one run, by outcome. Each file counts once, so the numbers add up to `seen`.
public struct RunTotals: Codable, Hashable, Sendable {
  /// Files analyzed in this run without problems.
  public var analyzed: Int
  /// Files analyzed in this run, but damaged or not analyzed to the end.
  public var partial: Int
  /// Unchanged files, for which nothing had to be done; includes files known to be damaged.
  public var cached: Int
  /// Files that failed in this run, or are known to fail and were not tried again.
  public var failed: Int
  public var skipped: Int
  /// Files that have vanished since the last run.
  public var vanished: Int

  public var seen: Int { analyzed + partial + cached + failed + skipped + vanished }

  public init(
    analyzed: Int = 0, partial: Int = 0, cached: Int = 0, failed: Int = 0, skipped: Int = 0, vanished: Int = 0
  ) {
    self.analyzed = analyzed
    self.partial = partial
    self.cached = cached
    self.failed = failed
    self.skipped = skipped
    self.vanished = vanished
  }
}

public struct RunRecord: Hashable, Sendable {
  public enum State: String, Codable, Hashable, Sendable, CaseIterable {
    case running
    /// The run processed all files.
    case finished
    /// The run was told to stop before it had processed all files; completed work is stored.
    case interrupted
    /// The run was stopped by an error that affected more than one file.
    case failed
    /// The run ended without notice, for example because it was killed or the power failed. The next run detects this.
    case died
  }

  /// A file or folder given to the run.
  public struct Root: Hashable, Sendable {
    public enum Condition: String, Codable, Hashable, Sendable, CaseIterable {
      case scanned
      /// The root was missing; nothing below it was marked as vanished.
      case missing
      /// The root existed, but contained no audio files; nothing below it was marked as vanished.
      case empty
      /// The root could not be read completely; nothing below it was marked as vanished.
      case unreadable
    }

    public var path: FilePath
    public var condition: Condition

    public init(path: FilePath, condition: Condition) {
      self.path = path
      self.condition = condition
    }
  }

  public var id: Int64
  public var started: Timestamp
  /// The end of the run; `nil` while it is in progress, or if it died.
  public var finished: Timestamp?
  public var state: State
  public var exitStatus: Int?
  public var programVersion: String
  public var pipeline: String
  /// The resolved configuration.
  public var configuration: JSONValue
  public var configurationDigest: String
  public var analyzers: [AnalyzerIdentity]
  public var roots: [Root]
  public var totals: RunTotals
  /// Files in `totals.failed` that were not known to fail before.
  public var newlyFailed: Int
  /// Damaged files in `totals.partial` that were known neither as damaged nor as failing before.
  public var newlyDamaged: Int
  /// Number of files that were found but left for the next run, because this run ended early. They are not part of the
  /// totals.
  public var pending: Int

  public init(
    id: Int64, started: Timestamp, finished: Timestamp? = nil, state: State, exitStatus: Int? = nil,
    programVersion: String, pipeline: String, configuration: JSONValue, configurationDigest: String,
    analyzers: [AnalyzerIdentity], roots: [Root], totals: RunTotals = RunTotals(), newlyFailed: Int = 0,
    newlyDamaged: Int = 0, pending: Int = 0
  ) {
    self.id = id
    self.started = started
    self.finished = finished
    self.state = state
    self.exitStatus = exitStatus
    self.programVersion = programVersion
    self.pipeline = pipeline
    self.configuration = configuration
    self.configurationDigest = configurationDigest
    self.analyzers = analyzers
    self.roots = roots
    self.totals = totals
    self.newlyFailed = newlyFailed
    self.newlyDamaged = newlyDamaged
    self.pending = pending
  }
}

/// A summary of a run, for the history of the library.
public struct RunOutline: Hashable, Sendable {
  public var id: Int64
  public var started: Timestamp
  /// The end of the run; `nil` while it is in progress, or if it died.
  public var finished: Timestamp?
  public var state: RunRecord.State
  /// A digest that is the same for all runs that analyze in the same way.
  public var configurationDigest: String

  public init(
    id: Int64, started: Timestamp, finished: Timestamp?, state: RunRecord.State, configurationDigest: String
  ) {
    self.id = id
    self.started = started
    self.finished = finished
    self.state = state
    self.configurationDigest = configurationDigest
  }
}
