public import Analysis
public import Platform
public import SystemPackage
public import Text

/// Everything known about one file: what the store keeps, and what reports show. Except for `analyzed` and `runs`,
/// nothing depends on when or in which run a file was analyzed, so equal findings result in equal records.
public struct FileRecord: Hashable, Sendable {
  public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
    case ok, partial, failed, skipped
  }

  /// The reason an analyzer left no finding.
  public struct AnalyzerProblem: Hashable, Sendable {
    public enum Outcome: String, Codable, Hashable, Sendable, CaseIterable {
      case notApplicable = "not_applicable"
      case failed
    }

    public var analyzer: String
    public var outcome: Outcome
    /// One sentence.
    public var message: String

    public init(analyzer: String, outcome: Outcome, message: String) {
      self.analyzer = analyzer
      self.outcome = outcome
      self.message = message
    }
  }

  /// The runs in which the file was first seen, was last analyzed, vanished, or failed.
  public struct Runs: Hashable, Sendable {
    public var firstSeen: Int64
    /// The start of the run `firstSeen`.
    public var added: Timestamp?
    /// The last run that analyzed the file; `nil` if none did.
    public var analyzed: Int64?
    public var vanished: Int64?
    /// The first run, since the file was last intact, in which it failed or was found damaged.
    public var firstFailed: Int64?

    public init(
      firstSeen: Int64, added: Timestamp? = nil, analyzed: Int64? = nil, vanished: Int64? = nil,
      firstFailed: Int64? = nil
    ) {
      self.firstSeen = firstSeen
      self.added = added
      self.analyzed = analyzed
      self.vanished = vanished
      self.firstFailed = firstFailed
    }
  }

  /// An absolute path, or the name of an object (`FilePath.isObject`).
  public var path: FilePath
  /// The time of the analysis; `nil` if the file was never analyzed.
  public var analyzed: Timestamp?
  public var status: Status
  /// The reason the status is not `ok`.
  public var problem: Problem?
  public var remarks: [Problem]
  public var contentID: ContentID?
  public var sizeBytes: Int64?
  public var modified: Timestamp?
  public var format: AudioFormat?
  /// The declared findings. The tempo is the one in effect: as detected, or as corrected by a person. Long lists are
  /// empty unless requested.
  public var findings: FindingSet
  public var tempoCorrection: TempoCorrection?
  /// The findings without a declaration, by analyzer id.
  public var otherFindings: [String: JSONValue]
  /// The analyzers whose outcomes this record shows, sorted by id.
  public var analyzers: [AnalyzerIdentity]
  /// The problems of analyzers, sorted by analyzer id.
  public var analyzerProblems: [AnalyzerProblem]
  /// `true` if the file was missing when its folder was last scanned. The record shows what was known before.
  public var isVanished: Bool
  /// The runs; `nil` unless requested.
  public var runs: Runs?
  /// The checksum of the file when it was last intact; `nil` if it was not requested or is unknown.
  public var checksum: FileChecksum?

  public init(
    path: FilePath, analyzed: Timestamp? = nil, status: Status, problem: Problem? = nil, remarks: [Problem] = [],
    contentID: ContentID? = nil,
    sizeBytes: Int64? = nil, modified: Timestamp? = nil, format: AudioFormat? = nil, tags: TagFinding? = nil,
    analyzers: [AnalyzerIdentity] = [], analyzerProblems: [AnalyzerProblem] = [], isVanished: Bool = false
  ) {
    self.path = path
    self.analyzed = analyzed
    self.status = status
    self.problem = problem
    self.remarks = remarks
    self.contentID = contentID
    self.sizeBytes = sizeBytes
    self.modified = modified
    self.format = format
    findings = FindingSet()
    otherFindings = [:]
    self.analyzers = analyzers
    self.analyzerProblems = analyzerProblems
    self.isVanished = isVanished
    self.tags = tags
  }
}

extension FileRecord {
  public var tags: TagFinding? {
    get { findings[TagFinding.self] }
    set { findings[TagFinding.self] = newValue }
  }

  public var tempo: TempoFinding? {
    get { findings[TempoFinding.self] }
    set { findings[TempoFinding.self] = newValue }
  }

  public var fingerprint: FingerprintFinding? {
    get { findings[FingerprintFinding.self] }
    set { findings[FingerprintFinding.self] = newValue }
  }

  public var signature: SignatureFinding? {
    get { findings[SignatureFinding.self] }
    set { findings[SignatureFinding.self] = newValue }
  }

  /// The information about the file that a finding may need.
  public var context: FindingContext {
    FindingContext(format: format, isWhole: status == .ok, tempoCorrection: tempoCorrection)
  }
}

extension FileRecord {
  /// Creates a record from an analysis that need not be stored, for a report on individual files. The record lacks
  /// findings that were not computed again because the audio was known (`reusesKnownAudio`).
  public init(
    path: FilePath, sizeBytes: Int64?, modified: Timestamp?, analyzed: Timestamp? = nil, analysis: FileAnalysis
  ) {
    self.init(path: path, analyzed: analyzed, status: Status(analysis.status))
    self.sizeBytes = sizeBytes
    self.modified = modified
    problem = analysis.problem
    remarks = analysis.remarks
    contentID = analysis.contentID
    format = analysis.format
    for outcome in analysis.outcomes.sorted(by: { $0.analyzer.id < $1.analyzer.id }) {
      let id = outcome.analyzer.id
      analyzers.append(outcome.analyzer)
      switch outcome.result {
      case .finding(let finding):
        do {
          try add(finding, of: id)
        } catch {
          add(.failed, of: id, "The finding cannot be written as JSON: \(error).")
        }
      case .notApplicable(let message): add(.notApplicable, of: id, message)
      case .failed(let message): add(.failed, of: id, message)
      }
    }
  }

  private mutating func add(_ finding: any AnalysisFinding, of analyzer: String) throws {
    if let finding = finding as? any DeclaredFinding, type(of: finding).analyzer == analyzer {
      findings.append(finding)
    } else {
      otherFindings[analyzer] = try JSONValue(encoding: finding)
    }
  }

  private mutating func add(_ outcome: AnalyzerProblem.Outcome, of analyzer: String, _ message: String) {
    analyzerProblems.append(AnalyzerProblem(analyzer: analyzer, outcome: outcome, message: message))
  }
}

extension FileRecord.Status {
  public init(_ status: FileAnalysis.Status) {
    self =
      switch status {
      case .ok: .ok
      case .partial: .partial
      case .failed: .failed
      }
  }
}
