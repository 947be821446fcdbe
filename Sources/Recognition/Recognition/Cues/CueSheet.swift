/// The tracks that are heard in a mix, a radio recording or any other long file, with their times.
public struct CueSheet: Codable, Hashable, Sendable {
  /// A track that is heard in the file.
  public struct Cue: Codable, Hashable, Sendable {
    /// Start of the cue, in seconds from the start of the file. It is accurate to about one second at a cut, and to
    /// about four seconds at a fade.
    public var start: Double
    public var end: Double
    public var match: MatchedMediaItem
    /// Other references to the same recording.
    public var alternatives: [MatchedMediaItem]
    /// Playback speed, in seconds of the reference per second of the file.
    public var speed: Double
    /// The highest confidence of any window.
    public var confidence: Double

    /// Creates a cue for the part of a match's query in which the track is heard.
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
  /// The duration of the file, in seconds.
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
