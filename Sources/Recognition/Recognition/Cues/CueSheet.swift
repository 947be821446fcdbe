/// The tracks that play in a mix, a radio recording or any other long file, with their times.
public struct CueSheet: Codable, Hashable, Sendable {
  /// One track playing.
  public struct Cue: Codable, Hashable, Sendable {
    /// Seconds from the start of the file: to within a second or so where a track is cut in, to within some four where it
    /// is faded.
    public var start: Double
    public var end: Double
    public var match: MatchedMediaItem
    /// Other references that hold the same recording.
    public var alternatives: [MatchedMediaItem]
    /// Seconds of the reference that go by in one second of the file.
    public var speed: Double
    /// The highest confidence of all windows.
    public var confidence: Double

    /// A match, over the part of the query in which it is heard.
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
  /// Seconds of the file.
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
