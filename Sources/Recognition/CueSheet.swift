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

    /// A match of a clip, over all of the clip.
    public init(_ match: Match) {
      self.init(
        start: match.queryStart, end: match.queryStart + match.queryDuration, match: match.best,
        alternatives: Array(match.mediaItems.dropFirst()), speed: match.best.speed, confidence: match.best.confidence)
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
  private var finished: [CueSheet.Cue] = []
  private var open: CueSheet.Cue?
  /// The first match of the open cue, and all of them together.
  private var first: Match?
  private var hearing: Hearing?

  /// Seconds without a match after which a track counts as over.
  private static let patience = 16.0
  /// Seconds at the edge of a track in which there may be little to recognise it by: who hears it from so near to its edge
  /// hears all of it.
  private static let quietEdge = 1.5

  mutating func add(_ result: SessionResult) {
    guard let match = result.match else {
      if case .noMatch(let start, let duration) = result, let hearing, start + duration > hearing.end + Self.patience {
        close()
      }
      return
    }
    if let hearing, hearing.goesOn(in: match), match.queryStart - hearing.end < Self.patience {
      extend(with: match)
    } else {
      close()
      open(with: match)
    }
  }

  mutating func finish() -> [CueSheet.Cue] {
    close()
    return finished
  }

  private mutating func open(with match: Match) {
    let best = match.best
    let trackStart = match.queryStart - best.matchOffset / best.speed
    var start = match.queryStart + match.heard.lowerBound
    if start < trackStart + Self.quietEdge { start = max(match.queryStart, trackStart) }
    var cue = CueSheet.Cue(
      start: start, end: match.queryStart + match.heard.upperBound, match: best,
      alternatives: Array(match.mediaItems.dropFirst()), speed: best.speed, confidence: best.confidence)
    cue.match.matchOffset += (start - match.queryStart) * best.speed
    open = cue
    first = match
    hearing = Hearing(match)
  }

  private mutating func extend(with match: Match) {
    guard var cue = open, let first else { return }
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
    open = cue
    hearing?.extend(with: match)
  }

  private mutating func close() {
    if var open, let last = hearing?.last {
      let best = last.best
      let trackEnd = last.queryStart + (best.referenceDuration - best.matchOffset) / best.speed
      if open.end > trackEnd - Self.quietEdge { open.end = min(last.queryStart + last.queryDuration, trackEnd) }
      open.end = max(open.start, open.end)
      finished.append(open)
    }
    open = nil
    first = nil
    hearing = nil
  }
}
