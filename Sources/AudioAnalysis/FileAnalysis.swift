/// Everything that one analysis of one file leaves behind; the pipeline hands it to the store.
public struct FileAnalysis: Sendable, Codable {
  public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
    case ok
    /// Something was analyzed, but not the whole file; `problem` says what stopped it.
    case partial
    /// No audio could be decoded; tags may still have been read.
    case failed
  }

  public var status: Status
  /// Why the status is not `ok`.
  public var problem: Problem?
  /// What a person should know although nothing failed: samples that were not finite, a length that was a lie.
  public var remarks: [Problem]
  /// Identifies the encoded audio without its tags; `nil` if no audio was found.
  public var contentID: ContentID?
  public var format: AudioFormat?
  /// True if the audio turned out to be `contentID` known before, so that outcomes for audio feeds were not made again.
  public var reusesKnownAudio: Bool
  /// One for each analyzer that ran.
  public var outcomes: [AnalyzerOutcome]
  /// Not `nil` if the file cost the process that was at it.
  public var workerLoss: WorkerLoss?

  public init(
    status: Status, problem: Problem? = nil, remarks: [Problem] = [], contentID: ContentID? = nil,
    format: AudioFormat? = nil, reusesKnownAudio: Bool = false, outcomes: [AnalyzerOutcome] = [],
    workerLoss: WorkerLoss? = nil
  ) {
    self.status = status
    self.problem = problem
    self.remarks = remarks
    self.contentID = contentID
    self.format = format
    self.reusesKnownAudio = reusesKnownAudio
    self.outcomes = outcomes
    self.workerLoss = workerLoss
  }

  private enum CodingKeys: String, CodingKey {
    case status, problem, remarks, format, outcomes
    case contentID = "content_id"
    case reusesKnownAudio = "reuses_known_audio"
    case workerLoss = "worker_loss"
  }
}

/// Something to tell a person about a file: a code for machines and a sentence for readers.
public struct Problem: Codable, Hashable, Sendable {
  /// Where it happened.
  public enum Stage: String, Codable, Hashable, Sendable, CaseIterable {
    case scan, open, decode, analyze, store
  }

  public var stage: Stage
  /// snake_case, never renamed; decoding uses `DecodeError.Code`.
  public var code: String
  /// One sentence, without the file's name.
  public var message: String

  public init(stage: Stage, code: String, message: String) {
    self.stage = stage
    self.code = code
    self.message = message
  }
}

extension Problem {
  /// The code of an analysis that its time limit has ended.
  public static let timeLimit = "time_limit"
  /// The code of an analysis that was ended because nothing went on any more.
  public static let noProgress = "no_progress"

  private static let circumstances: Set<String> = [
    timeLimit, noProgress, "worker_crashed", "worker_failed", "changed_while_reading", "vanished_while_reading",
  ]

  /// Whether this may lie in the circumstances (a slow disk, a machine short of memory) and not in the file, so that it must
  /// not stand in the way of a result from elsewhere.
  public var mayBeCircumstances: Bool {
    Self.circumstances.contains(code) || DecodeError.Code(rawValue: code)?.isTransient == true
  }
}
