public struct TempoFinding: DeclaredFinding {
  public struct Candidate: DeclaredRecord {
    public var bpm: Double
    /// The candidate's share of the evidence. The weights of all candidates add up to at most 1.
    public var weight: Double

    public init(bpm: Double, weight: Double) {
      self.bpm = bpm
      self.weight = weight
    }

    public init() { self.init(bpm: 0, weight: 0) }

    public static let summary = "A candidate tempo."
    public static let form = RecordType.Form.tuple
    public static let fields: [FindingField<Candidate>] = [
      .field("bpm", \.bpm, "Beats per minute."),
      .field("weight", \.weight, "Share of the evidence; all weights add up to at most 1."),
    ]
  }

  /// A section in which the tempo is `bpm`, starting at `startSeconds`.
  public struct Section: DeclaredRecord {
    public var startSeconds: Double
    public var bpm: Double

    public init(startSeconds: Double, bpm: Double) {
      self.startSeconds = startSeconds
      self.bpm = bpm
    }

    public init() { self.init(startSeconds: 0, bpm: 0) }

    public static let summary = "A stretch of one tempo."
    public static let form = RecordType.Form.tuple
    public static let fields: [FindingField<Section>] = [
      .field("start_s", \.startSeconds, "Seconds from the start of the audio."),
      .field("bpm", \.bpm, "Beats per minute."),
    ]
  }

  /// The onset strength over the course of the track, at a resolution suited to plotting.
  public struct OnsetSummary: DeclaredRecord {
    /// Seconds from one value to the next.
    public var stepSeconds: Double
    /// Mean onset strength in each step, from 0 to 1.
    public var values: [Double]

    public init(stepSeconds: Double, values: [Double]) {
      self.stepSeconds = stepSeconds
      self.values = values
    }

    public init() { self.init(stepSeconds: 1, values: []) }

    public static let summary = "Onset strength over the course of the track."
    public static let fields: [FindingField<OnsetSummary>] = [
      .field("step_s", \.stepSeconds, "Seconds from one value to the next."),
      .field("values", \.values, "Mean onset strength per step, 0 to 1.", column: "strengths"),
    ]
  }

  /// Beats per minute; `nil` if there is no tempo, in which case `reason` says why.
  public var bpm: Double?
  /// The probability, from 0 to 1, that `bpm` is within 4% of the true tempo, with the correct octave.
  public var confidence: Double
  /// The probability, from 0 to 1, that `bpm` has the correct octave, assuming that it is correct up to a factor of 2
  /// or 3.
  public var octaveConfidence: Double
  /// Candidates, best first.
  public var candidates: [Candidate]
  /// `true` if the tempo is the same throughout, within the measurement error.
  public var isStable: Bool
  public var map: [Section]
  /// Times of the beats in seconds from the start of the audio, ascending.
  public var beats: [Double]
  /// The meter: `4/4`, `3/4`, `6/8`, `9/8` or `12/8`, or any other if corrected by a person; `nil` if uncertain. In a
  /// meter of eighths, a beat is a dotted quarter note, unless a person has counted six beats to a bar of 6/8.
  public var metre: String?
  /// Times in seconds of the beats that begin a bar; `nil` if uncertain.
  public var downbeats: [Double]?
  public var onsets: OnsetSummary
  /// A code for programs: `too_short`, `silence` or `no_pulse`; `nil` if there is a tempo.
  public var reason: String?

  public init(
    bpm: Double?, confidence: Double, octaveConfidence: Double = 0, candidates: [Candidate], isStable: Bool,
    map: [Section], beats: [Double], metre: String? = nil, downbeats: [Double]? = nil,
    onsets: OnsetSummary = OnsetSummary(), reason: String? = nil
  ) {
    self.bpm = bpm
    self.confidence = confidence
    self.octaveConfidence = octaveConfidence
    self.candidates = candidates
    self.isStable = isStable
    self.map = map
    self.beats = beats
    self.metre = metre
    self.downbeats = downbeats
    self.onsets = onsets
    self.reason = reason
  }

  /// Creates the finding of a track without a tempo.
  public static func none(reason: String, onsets: OnsetSummary = OnsetSummary())
    -> TempoFinding
  {
    TempoFinding(
      bpm: nil, confidence: 0, candidates: [], isStable: false, map: [], beats: [], onsets: onsets, reason: reason)
  }

  public init() {
    self.init(bpm: nil, confidence: 0, candidates: [], isStable: false, map: [], beats: [])
  }
}
