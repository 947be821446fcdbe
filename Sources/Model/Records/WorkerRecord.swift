public import Analysis
public import Platform

/// The result for one input line of `analyze worker`. Programs that start workers, such as a Spark job, read it, and
/// `analyze merge` stores it.
public struct WorkerRecord: Sendable {
  public static let schema = "nocturne.worker"
  public static let schemaVersion = 1

  public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
    case ok, partial, failed
    /// The analysis reached its time limit or made no progress. It may contain findings nevertheless.
    case timeout
    case skipped
  }

  /// The identity, size and times of the file when it was opened.
  public struct Stamp: Hashable, Sendable {
    public var device: UInt64
    public var inode: UInt64
    public var sizeBytes: Int64
    public var modified: Timestamp
    /// The status change time (`st_ctim`), which only the kernel sets.
    public var statusChanged: Timestamp
    /// The entity tag of an object, as the server wrote it; `nil` for a file.
    public var entityTag: String?

    public init(
      device: UInt64, inode: UInt64, sizeBytes: Int64, modified: Timestamp, statusChanged: Timestamp,
      entityTag: String? = nil
    ) {
      self.device = device
      self.inode = inode
      self.sizeBytes = sizeBytes
      self.modified = modified
      self.statusChanged = statusChanged
      self.entityTag = entityTag
    }
  }

  public struct Pipeline: Hashable, Sendable {
    public var name: String
    /// The digest of the resolved pipeline, as recorded in a run.
    public var digest: String
    public var decoderVersion: Int
    public var analyzers: [AnalyzerIdentity]
    /// The ids of the analyzers whose findings depend only on the encoded audio.
    public var audioReaders: Set<String>

    public init(
      name: String, digest: String, decoderVersion: Int, analyzers: [AnalyzerIdentity], audioReaders: Set<String>
    ) {
      self.name = name
      self.digest = digest
      self.decoderVersion = decoderVersion
      self.analyzers = analyzers
      self.audioReaders = audioReaders
    }
  }

  /// The key of the input line, or its path or URI if it contains no key.
  public var key: String
  public var status: Status
  /// The reason the status is not `ok`.
  public var problem: Problem?
  /// The record of the file; `nil` if the line did not name a file.
  public var file: FileRecord?
  /// The stamp of the file; `nil` if nothing was opened.
  public var stamp: Stamp?
  public var analyzed: Timestamp
  public var programVersion: String
  public var pipeline: Pipeline
  /// The analysis; `nil` if nothing was opened.
  public var analysis: FileAnalysis?

  public init(
    key: String, status: Status, problem: Problem? = nil, file: FileRecord? = nil, stamp: Stamp? = nil,
    analyzed: Timestamp = .now, programVersion: String, pipeline: Pipeline, analysis: FileAnalysis? = nil
  ) {
    self.key = key
    self.status = status
    self.problem = problem
    self.file = file
    self.stamp = stamp
    self.analyzed = analyzed
    self.programVersion = programVersion
    self.pipeline = pipeline
    self.analysis = analysis
  }
}

extension WorkerRecord.Status {
  public init(_ analysis: FileAnalysis) {
    let isTimeout = [Problem.timeLimit, Problem.noProgress].contains(analysis.problem?.code)
    self =
      switch analysis.status {
      case .ok: .ok
      case .partial: isTimeout ? .timeout : .partial
      case .failed: isTimeout ? .timeout : .failed
      }
  }
}
