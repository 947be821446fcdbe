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
  /// Notes for people although nothing failed: samples that were not finite, a false length.
  public var remarks: [Problem]
  /// Identifies the encoded audio without its tags; `nil` if no audio was found.
  public var contentID: ContentID?
  /// Files that share it, and are whole, decode to the same frames; `nil` if neither this file was decoded nor another one
  /// stands for it.
  public var decodingID: ContentID?
  public var format: AudioFormat?
  /// True if outcomes for audio feeds that were not made again may be those of any whole file with this `decodingID`.
  public var reusesKnownAudio: Bool
  /// Seconds of audio that were decoded for this; `nil` if there was no need to decode.
  public var decodedDuration: Double?
  /// One for each analyzer that ran.
  public var outcomes: [AnalyzerOutcome]
  /// How the worker died on this file, if it did.
  public var workerLoss: WorkerLoss?
  /// `nil` unless it was asked for.
  public var stageTimes: StageTimes?
  /// `nil` if the file could not be read to its end, or changed meanwhile.
  public var checksum: FileChecksum?

  public init(
    status: Status, problem: Problem? = nil, remarks: [Problem] = [], contentID: ContentID? = nil,
    decodingID: ContentID? = nil, format: AudioFormat? = nil, reusesKnownAudio: Bool = false,
    decodedDuration: Double? = nil, outcomes: [AnalyzerOutcome] = [], workerLoss: WorkerLoss? = nil
  ) {
    self.status = status
    self.problem = problem
    self.remarks = remarks
    self.contentID = contentID
    self.decodingID = decodingID
    self.format = format
    self.reusesKnownAudio = reusesKnownAudio
    self.decodedDuration = decodedDuration
    self.outcomes = outcomes
    self.workerLoss = workerLoss
  }

  private enum CodingKeys: String, CodingKey {
    case status, problem, remarks, format, outcomes, checksum
    case contentID = "content_id"
    case decodingID = "decoding_id"
    case decodedDuration = "decoded_s"
    case reusesKnownAudio = "reuses_known_audio"
    case workerLoss = "worker_loss"
    case stageTimes = "profile"
  }
}

/// Something to tell a person about a file: a code for machines and a sentence for readers.
public struct Problem: Codable, Hashable, Sendable {
  /// The stage at which it happened.
  public enum Stage: String, Codable, Hashable, Sendable, CaseIterable {
    case scan, open, decode, analyze
    /// The bytes were compared with those of an earlier day.
    case verify
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
  /// The code of a file whose bytes have changed under the same size and times.
  public static let changedSilently = "changed_silently"
  /// The code of an analysis that its time limit has ended.
  public static let timeLimit = "time_limit"
  /// The code of an analysis that was ended because nothing went on any more.
  public static let noProgress = "no_progress"

  /// Codes of files that did not stay as they were while they were read: the next run takes what is there then.
  public static let movingTargets: Set<String> = ["changed_while_reading", "vanished_while_reading"]

  private static let circumstances = movingTargets.union([timeLimit, noProgress, "worker_crashed", "worker_failed"])

  /// Whether this may lie in the circumstances (a slow disk, a machine short of memory) and not in the file, so it must
  /// not stand in the way of a result from elsewhere.
  public var mayBeCircumstances: Bool {
    Self.circumstances.contains(code) || DecodeError.Code(rawValue: code)?.isTransient == true
  }
}
