/// Tempo and beats of a track.
public struct TempoFinding: AnalysisFinding {
  public struct Candidate: Codable, Hashable, Sendable {
    public var bpm: Double
    /// Share of the evidence; the weights of all candidates add up to at most 1.
    public var weight: Double

    public init(bpm: Double, weight: Double) {
      self.bpm = bpm
      self.weight = weight
    }
  }

  /// One entry of the tempo map: from `startSeconds` on, the tempo is `bpm`.
  public struct Section: Codable, Hashable, Sendable {
    public var startSeconds: Double
    public var bpm: Double

    public init(startSeconds: Double, bpm: Double) {
      self.startSeconds = startSeconds
      self.bpm = bpm
    }

    enum CodingKeys: String, CodingKey {
      case bpm
      case startSeconds = "start_s"
    }
  }

  /// Beats per minute; `nil` when there is no tempo, and then `reason` says why.
  public var bpm: Double?
  /// 0 to 1: the probability that `bpm` is within 4% of the truth, octave included.
  public var confidence: Double
  /// Best first.
  public var candidates: [Candidate]
  /// One tempo throughout, within the error of measurement.
  public var isStable: Bool
  public var map: [Section]
  /// Seconds from the start of the audio, ascending.
  public var beats: [Double]
  /// Machine-readable: `too_short`, `silence`, `no_pulse`, …; `nil` when there is a tempo.
  public var reason: String?

  public init(
    bpm: Double?, confidence: Double, candidates: [Candidate], isStable: Bool, map: [Section], beats: [Double],
    reason: String? = nil
  ) {
    self.bpm = bpm
    self.confidence = confidence
    self.candidates = candidates
    self.isStable = isStable
    self.map = map
    self.beats = beats
    self.reason = reason
  }

  /// A track without a tempo.
  public static func none(reason: String) -> TempoFinding {
    TempoFinding(bpm: nil, confidence: 0, candidates: [], isStable: false, map: [], beats: [], reason: reason)
  }

  enum CodingKeys: String, CodingKey {
    case bpm, confidence, candidates, map, reason
    case isStable = "stable"
    case beats = "beats_s"
  }
}
