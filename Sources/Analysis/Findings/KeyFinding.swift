/// The musical key of a track, its tuning, and where the key changes.
public struct KeyFinding: AnalysisFinding {
  public enum Mode: String, Codable, Hashable, Sendable {
    case major, minor
  }

  /// One key in the names that people use.
  public struct Name: Codable, Hashable, Sendable {
    /// `C`, `Db`, `F#`: as key signatures with the fewest accidentals have it.
    public var tonic: String
    public var mode: Mode
    /// The wheel of Mixed In Key: `8B` is C major, `8A` is A minor.
    public var camelot: String
    /// The same wheel from C on: `1d` is C major, `1m` is A minor.
    public var openKey: String

    /// - Parameter pitchClass: of the tonic, 0 to 11, C being 0.
    public init(pitchClass: Int, mode: Mode) {
      let names =
        mode == .major
        ? ["C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"]
        : ["C", "C#", "D", "Eb", "E", "F", "F#", "G", "G#", "A", "Bb", "B"]
      tonic = names[pitchClass]
      self.mode = mode
      // Fifths above the major key that has the same notes; fifths above C.
      let fifths = (mode == .major ? pitchClass : pitchClass + 3) * 7 % 12
      camelot = "\((fifths + 7) % 12 + 1)\(mode == .major ? "B" : "A")"
      openKey = "\(fifths + 1)\(mode == .major ? "d" : "m")"
    }

    enum CodingKeys: String, CodingKey {
      case tonic, mode, camelot
      case openKey = "open_key"
    }
  }

  public struct Candidate: Codable, Hashable, Sendable {
    public var key: Name
    /// 0 to 1.
    public var probability: Double

    public init(key: Name, probability: Double) {
      self.key = key
      self.probability = probability
    }
  }

  /// From `startSeconds` on, the key is `key`.
  public struct Section: Codable, Hashable, Sendable {
    public var startSeconds: Double
    public var key: Name

    public init(startSeconds: Double, key: Name) {
      self.startSeconds = startSeconds
      self.key = key
    }

    enum CodingKeys: String, CodingKey {
      case key
      case startSeconds = "start_s"
    }
  }

  /// The key that reigns longest; `nil` when there is none, and then `reason` says why.
  public var key: Name?
  /// 0 to 1: the probability that `key` is right.
  public var confidence: Double
  /// The likeliest, best first.
  public var candidates: [Candidate]
  /// At most a few for a track, to 4 s or so; more than one only where the key changes for half a minute or longer.
  public var map: [Section]
  /// Hz of the A above middle C; `nil` where the sound has no clear pitch.
  public var tuningHertz: Double?
  /// The same in cents above 440 Hz, -50 to 50.
  public var tuningCents: Double?
  /// Machine-readable: `too_short`, `silence`, `no_key`; `nil` when there is a key.
  public var reason: String?

  public init(
    key: Name?, confidence: Double, candidates: [Candidate], map: [Section], tuningHertz: Double? = nil,
    tuningCents: Double? = nil, reason: String? = nil
  ) {
    self.key = key
    self.confidence = confidence
    self.candidates = candidates
    self.map = map
    self.tuningHertz = tuningHertz
    self.tuningCents = tuningCents
    self.reason = reason
  }

  public static func none(reason: String, tuningHertz: Double? = nil, tuningCents: Double? = nil) -> KeyFinding {
    KeyFinding(
      key: nil, confidence: 0, candidates: [], map: [], tuningHertz: tuningHertz, tuningCents: tuningCents,
      reason: reason)
  }

  enum CodingKeys: String, CodingKey {
    case key, confidence, candidates, map, reason
    case tuningHertz = "tuning_hz"
    case tuningCents = "tuning_cents"
  }
}
