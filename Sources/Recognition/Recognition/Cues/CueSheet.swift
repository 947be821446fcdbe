/// The tracks that play in a mix, a radio recording or any other long file, with their times.
public struct CueSheet: Codable, Hashable, Sendable {
  /// A track that plays in the file.
  public struct Cue: Codable, Hashable, Sendable {
    /// Start in the file, in seconds; accurate to about one second at a cut and about four at a fade.
    public var start: Double
    public var end: Double
    public var match: MatchedMediaItem
    /// Other references with the same recording.
    public var alternatives: [MatchedMediaItem]
    /// Playback speed: seconds of the reference per second of the file.
    public var speed: Double
    /// Highest confidence among all windows.
    public var confidence: Double

    /// Creates a cue from a match and the part of the query in which it is heard.
    public init(_ match: SignatureMatch) {
      self.init(
        start: match.queryStart + match.heard.lowerBound, end: match.queryStart + match.heard.upperBound,
        match: match.best, alternatives: Array(match.mediaItems.dropFirst()), speed: match.best.speed,
        confidence: match.best.confidence)
      self.match.matchOffset += match.heard.lowerBound * match.best.speed
    }

    init(
      start: Double, end: Double, match: MatchedMediaItem, alternatives: [MatchedMediaItem], speed: Double,
      confidence: Double
    ) {
      self.start = start
      self.end = end
      self.match = match
      self.alternatives = alternatives
      self.speed = speed
      self.confidence = confidence
    }

    enum CodingKeys: String, CodingKey {
      case match, alternatives, speed, confidence
      case start = "start_s"
      case end = "end_s"
    }
  }

  public var cues: [Cue]
  /// Duration of the file, in seconds.
  public var duration: Double

  enum CodingKeys: String, CodingKey {
    case cues
    case duration = "duration_s"
  }

  public init(cues: [Cue], duration: Double) {
    self.cues = cues
    self.duration = duration
  }
}
