public import Analysis
public import System
public import SystemPackage
public import Text

/// All that is known of one file: what the store keeps and reports show. But for `analyzed` it holds nothing that depends
/// on when or in which run a file was analyzed, so equal findings give equal records.
public struct FileRecord: Hashable, Sendable {
  public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
    case ok, partial, failed, skipped
  }

  /// Why an analyzer left no finding.
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

  /// A landmark signature without its data.
  public struct Signature: Hashable, Sendable {
    public var version: Int
    public var landmarkCount: Int

    public init(version: Int, landmarkCount: Int) {
      self.version = version
      self.landmarkCount = landmarkCount
    }
  }

  /// Absolute.
  public var path: FilePath
  /// `nil` if it never was.
  public var analyzed: Timestamp?
  public var status: Status
  /// Why the status is not `ok`.
  public var problem: Problem?
  public var remarks: [Problem]
  public var contentID: ContentID?
  public var sizeBytes: Int64?
  public var modified: Timestamp?
  public var format: AudioFormat?
  public var tags: TagFinding?
  /// What counts: what was found, or what a person has made of it. `beats`, `downbeats` and `onsets` are empty where beats
  /// were not asked for.
  public var tempo: TempoFinding?
  /// Not `nil` if a person has set the tempo.
  public var tempoCorrection: TempoCorrection?
  public var fingerprint: FingerprintFinding?
  public var signature: Signature?
  /// Findings of analyzers without a field of their own, by analyzer id.
  public var findings: [String: JSONValue]
  /// The analyzers whose outcomes this record shows, ascending by id.
  public var analyzers: [AnalyzerIdentity]
  /// Ascending by analyzer id.
  public var analyzerProblems: [AnalyzerProblem]
  /// The file was not there any more when its folder was last scanned; the record is what was known before.
  public var isVanished: Bool

  public init(
    path: FilePath, analyzed: Timestamp? = nil, status: Status, problem: Problem? = nil, remarks: [Problem] = [],
    contentID: ContentID? = nil,
    sizeBytes: Int64? = nil, modified: Timestamp? = nil, format: AudioFormat? = nil, tags: TagFinding? = nil,
    tempo: TempoFinding? = nil, fingerprint: FingerprintFinding? = nil, signature: Signature? = nil,
    findings: [String: JSONValue] = [:], analyzers: [AnalyzerIdentity] = [],
    analyzerProblems: [AnalyzerProblem] = [], isVanished: Bool = false
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
    self.tags = tags
    self.tempo = tempo
    self.fingerprint = fingerprint
    self.signature = signature
    self.findings = findings
    self.analyzers = analyzers
    self.analyzerProblems = analyzerProblems
    self.isVanished = isVanished
  }
}

/// The analyzers whose findings have fields of their own in stores and reports. What any other analyzer finds is kept as
/// JSON under its id, whatever its type.
public enum KnownAnalyzer {
  /// A `TagFinding`.
  public static let tags = "tags"
  /// A `TempoFinding`.
  public static let tempo = "tempo"
  /// A `FingerprintFinding`.
  public static let chromaprint = "chromaprint"
  /// A `SignatureFinding`.
  public static let signature = "signature"

  public static let all: Set<String> = [tags, tempo, chromaprint, signature]
}

extension FileRecord {
  /// The record of an analysis that need not be stored, for a report on files one by one. What could not be made again
  /// because the audio was known (`reusesKnownAudio`) is not in it.
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
    switch (analyzer, finding) {
    case (KnownAnalyzer.tags, let finding as TagFinding): tags = finding
    case (KnownAnalyzer.tempo, let finding as TempoFinding): tempo = finding
    case (KnownAnalyzer.chromaprint, let finding as FingerprintFinding): fingerprint = finding
    case (KnownAnalyzer.signature, let finding as SignatureFinding):
      signature = Signature(version: finding.version, landmarkCount: finding.landmarkCount)
    default: findings[analyzer] = try JSONValue(encoding: finding)
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
