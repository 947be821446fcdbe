/// The musical key of a track, its tuning, and where the key changes.
public struct KeyFinding: DeclaredFinding {
  public struct Candidate: DeclaredRecord {
    /// The name of a key, such as `A minor`.
    public var key: String
    /// The probability, from 0 to 1.
    public var probability: Double

    public init(key: String, probability: Double) {
      self.key = key
      self.probability = probability
    }

    public init() { self.init(key: "", probability: 0) }

    public static let summary = "A candidate key."
    public static let form = RecordType.Form.tuple
    public static let fields: [FindingField<Candidate>] = [
      .field("key", \.key, "Tonic and mode."),
      .field("probability", \.probability, "Probability that this is the key, 0 to 1."),
    ]
  }

  /// A section in which the key is `key`, starting at `startSeconds`.
  public struct Section: DeclaredRecord {
    public var startSeconds: Double
    /// The name of a key, such as `A minor`.
    public var key: String

    public init(startSeconds: Double, key: String) {
      self.startSeconds = startSeconds
      self.key = key
    }

    public init() { self.init(startSeconds: 0, key: "") }

    public static let summary = "A stretch of one key."
    public static let form = RecordType.Form.tuple
    public static let fields: [FindingField<Section>] = [
      .field(
        "start_s", \.startSeconds, "Start of the stretch in seconds from the start of the audio, accurate to about 4 s."
      ),
      .field("key", \.key, "Tonic and mode."),
    ]
  }

  /// The tonic, such as `C`, `Db` or `F#`; `nil` if there is no key, in which case `reason` says why.
  public var tonic: String?
  /// `major` or `minor`.
  public var mode: String?
  /// The Camelot code: `8B` is C major, `8A` is A minor.
  public var camelot: String?
  /// The Open Key code: `1d` is C major, `1m` is A minor.
  public var openKey: String?
  /// The probability that both tonic and mode are correct, from 0 to 1.
  public var confidence: Double
  /// Candidates, best first.
  public var candidates: [Candidate]
  /// The sections; empty if there is no key. There is only one unless the key changes for half a minute or longer.
  public var map: [Section]
  /// Frequency of the A above middle C in Hz; `nil` if the audio has no clear pitch.
  public var tuningHertz: Double?
  /// Tuning in cents relative to 440 Hz, from -50 to 50; `nil` if `tuningHertz` is.
  public var tuningCents: Double?
  /// A code for programs: `too_short`, `silence` or `no_key`; `nil` if there is a key.
  public var reason: String?

  public init(
    key: MusicalKey?, confidence: Double, candidates: [Candidate], map: [Section], tuningHertz: Double? = nil,
    tuningCents: Double? = nil, reason: String? = nil
  ) {
    tonic = key?.tonic
    mode = key?.mode.rawValue
    camelot = key?.camelot
    openKey = key?.openKey
    self.confidence = confidence
    self.candidates = candidates
    self.map = map
    self.tuningHertz = tuningHertz
    self.tuningCents = tuningCents
    self.reason = reason
  }

  public init() { self.init(key: nil, confidence: 0, candidates: [], map: []) }

  public static func none(reason: String, tuningHertz: Double? = nil, tuningCents: Double? = nil) -> KeyFinding {
    KeyFinding(
      key: nil, confidence: 0, candidates: [], map: [], tuningHertz: tuningHertz, tuningCents: tuningCents,
      reason: reason)
  }
}
