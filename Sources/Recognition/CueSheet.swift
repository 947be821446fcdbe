public import SystemPackage

/// Which tracks play when, in a mix, a radio recording or any other long file.
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
    public init(_ match: Match) {
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

  /// Goes through a file once, in constant memory but for the cues.
  /// - Throws: `DecodeError` if nothing can be decoded, `CatalogError` if the catalog cannot be used.
  public init(ofFile path: FilePath, in catalog: CustomCatalog) throws {
    var catalog = catalog
    try catalog.seal()
    var matcher = CatalogMatcher(catalog)
    var source = try MonoSource(path: path)
    let rate = source.sampleRate
    var stream = StreamingMatcher(sampleRate: rate)
    var collector = CueCollector()
    var frameCount = 0
    while let frames = source.next() {
      frameCount += frames.count
      for result in stream.append(frames.span, with: &matcher) { collector.add(result) }
    }
    for result in stream.finish(with: &matcher) { collector.add(result) }
    duration = Double(frameCount) / Double(rate)
    cues = collector.finish()
    for index in cues.indices { cues[index].end = min(cues[index].end, duration) }
  }
}

/// Joins the matches of overlapping windows into cues.
struct CueCollector {
  fileprivate struct Open {
    var cue: CueSheet.Cue
    let first: Match
    var hearing: Hearing
  }

  private var finished: [CueSheet.Cue] = []
  /// Tracks that may go on: several where one fades into the next.
  private var open: [Open] = []

  mutating func add(_ result: SessionResult) {
    for match in result.matches {
      if let index = open.firstIndex(where: { $0.hearing.goesOn(in: match) }) {
        open[index].extend(with: match)
      } else {
        open.append(Open(cue: CueSheet.Cue(match), first: match, hearing: Hearing(match)))
      }
    }
    if let now = result.end { close { now > $0.hearing.end + Hearing.patience + StreamingMatcher.window } }
  }

  mutating func finish() -> [CueSheet.Cue] {
    close { _ in true }
    return finished.sorted { $0.start < $1.start }
  }

  private mutating func close(_ isOver: (Open) -> Bool) {
    finished += open.filter(isOver).map(\.cue)
    open.removeAll(where: isOver)
  }
}

extension CueCollector.Open {
  mutating func extend(with match: Match) {
    cue.end = match.queryStart + match.heard.upperBound
    if match.best.confidence > cue.confidence {
      cue.confidence = match.best.confidence
      cue.match = match.best
      cue.alternatives = Array(match.mediaItems.dropFirst())
      // Tell where the track stood when the cue began, not the window.
      cue.match.matchOffset -= (match.queryStart - cue.start) * match.best.speed
    }
    // Over a long stretch the two ends tell the speed better than one window, unless the track was repeated or cut.
    let time = match.queryStart - first.queryStart
    let travelled = (match.best.matchOffset - first.best.matchOffset) / max(time, 1)
    if time >= 8, abs(travelled - match.best.speed) < 0.02 { cue.speed = travelled }
    hearing.extend(with: match)
  }
}
