/// The complete result of analyzing one file, passed from the pipeline to the store.
public struct FileAnalysis: Sendable, Codable {
  public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
    case ok
    /// The file is damaged or was not analyzed to the end; `problem` says why.
    case partial
    /// No audio could be decoded; tags may still have been read.
    case failed
  }

  public var status: Status
  /// The reason the status is not `ok`.
  public var problem: Problem?
  /// Notes for people about files that did not fail, such as samples that are not finite or a wrong claimed duration.
  public var remarks: [Problem]
  /// Identifies the encoded audio, without tags; `nil` if no audio was found.
  public var contentID: ContentID?
  /// An id that is the same for intact files that decode to the same frames. `nil` if the file was not decoded and no
  /// other file with the same audio is known.
  public var decodingID: ContentID?
  public var format: AudioFormat?
  /// `true` if outcomes of audio analyzers that did not run again may be taken from any intact file with this
  /// `decodingID`.
  public var reusesKnownAudio: Bool
  /// Seconds of audio decoded for this analysis; `nil` if nothing had to be decoded.
  public var decodedDuration: Double?
  /// One outcome for each analyzer that ran.
  public var outcomes: [AnalyzerOutcome]
  public var workerLoss: WorkerLoss?
  /// The times of the stages; `nil` unless requested.
  public var stageTimes: StageTimes?
  /// The checksum; `nil` if the file could not be read to the end, or changed while it was being read.
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

/// A problem with a file, or a note about it: a code for programs and a sentence for people.
public struct Problem: Codable, Hashable, Sendable {
  public enum Stage: String, Codable, Hashable, Sendable, CaseIterable {
    case scan, open, decode, analyze
    /// Comparison of the file's bytes with an earlier checksum.
    case verify
  }

  public var stage: Stage
  /// A code in snake_case, which must never be renamed. Decoding uses `DecodeError.Code`.
  public var code: String
  /// One sentence, without the file name.
  public var message: String

  public init(stage: Stage, code: String, message: String) {
    self.stage = stage
    self.code = code
    self.message = message
  }
}

extension Problem {
  /// The code for a file whose bytes changed although its size and times did not.
  public static let changedSilently = "changed_silently"
  /// The code for an analysis that exceeded its time limit.
  public static let timeLimit = "time_limit"
  /// The code for an analysis that was stopped because it made no progress.
  public static let noProgress = "no_progress"

  /// The codes for files that changed or vanished while being read. The next run analyzes them again if they still
  /// exist.
  public static let movingTargets: Set<String> = ["changed_while_reading", "vanished_while_reading"]

  private static let circumstances = movingTargets.union([timeLimit, noProgress, "worker_crashed", "worker_failed"])

  /// `true` if the cause may be the circumstances (a slow disk, a machine short of memory) rather than the file. Such a
  /// problem must not take precedence over another result for the file.
  public var mayBeTransient: Bool {
    Self.circumstances.contains(code) || DecodeError.Code(rawValue: code)?.isTransient == true
  }
}
