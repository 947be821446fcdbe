/// Generates the cue sheet of audio that arrives in buffers: a mix, a radio recording or any other long recording.
///
///     var generator = try CueSheetGenerator(catalog: catalog, sampleRate: 44_100)
///     while let frames = nextFrames() { generator.append(frames.span) }
///     for cue in generator.cueSheet().cues { print(cue.start, cue.match.item.title ?? "?") }
///
/// Apart from the cues themselves, memory use does not grow with the duration of the audio.
public struct CueSheetGenerator: PCMReceiver, ~Copyable {
  public let sampleRate: Int
  private var matcher: CatalogMatcher
  private var stream: StreamingMatcher
  private var collector = CueCollector()
  private var frameCount = 0

  /// - Parameters:
  ///   - catalog: The catalog to search.
  ///   - sampleRate: Sample rate of the buffers in Hz, greater than zero.
  public init(catalog: CustomCatalog, sampleRate: Int) throws(CatalogError) {
    try self.init(catalog: catalog, parts: [], sampleRate: sampleRate)
  }

  /// - Parameter parts: Remote catalogs that are matched together with `catalog`.
  init(catalog: CustomCatalog, parts: [any CatalogPart], sampleRate: Int) throws(CatalogError) {
    self.sampleRate = sampleRate
    matcher = CatalogMatcher(try catalog.sealed(), parts: parts)
    stream = StreamingMatcher(sampleRate: sampleRate)
  }

  /// Appends the next frames of one channel. Matching happens in this call, every four seconds of audio, and takes
  /// milliseconds.
  public mutating func append(_ frames: Span<Float>) {
    frameCount += frames.count
    for result in stream.append(frames, with: &matcher) { collector.add(result) }
  }

  /// Returns the remote catalogs that have failed to answer since the last call, and the segments of the catalog that
  /// cannot be read.
  mutating func takeMissingCatalogs() -> [MissingCatalog] { matcher.takeMissing() }

  /// Completes the cue sheet. The generator must not be used afterwards.
  public mutating func cueSheet() -> CueSheet {
    for result in stream.finish(with: &matcher) { collector.add(result) }
    let duration = Double(frameCount) / Double(sampleRate)
    var cues = collector.finish()
    for index in cues.indices { cues[index].end = min(cues[index].end, duration) }
    return CueSheet(cues: cues, duration: duration)
  }
}

/// Joins the matches of overlapping windows into cues.
struct CueCollector {
  fileprivate struct Open {
    var cue: CueSheet.Cue
    let first: SignatureMatch
    var detection: Detection
  }

  private var finished: [CueSheet.Cue] = []
  /// Tracks that may continue. There can be several during a crossfade.
  private var open: [Open] = []

  mutating func add(_ result: RecognitionSession.Result) {
    for match in result.matches {
      if let index = open.firstIndex(where: { $0.detection.continues(in: match) }) {
        open[index].extend(with: match)
      } else {
        open.append(Open(cue: CueSheet.Cue(match), first: match, detection: Detection(match)))
      }
    }
    if let now = result.end { close { now > $0.detection.end + Detection.maxGap + StreamingMatcher.window } }
  }

  mutating func finish() -> [CueSheet.Cue] {
    close { _ in true }
    return finished.sorted { $0.start < $1.start }
  }

  private mutating func close(_ isOver: (Open) -> Bool) {
    finished += open.filter { isOver($0) && $0.detection.isEstablished }.map(\.cue)
    open.removeAll(where: isOver)
  }
}

extension CueCollector.Open {
  mutating func extend(with match: SignatureMatch) {
    cue.end = match.queryStart + match.heard.upperBound
    if match.best.confidence > cue.confidence {
      cue.confidence = match.best.confidence
      cue.match = match.best
      cue.alternatives = Array(match.mediaItems.dropFirst())
      // `matchOffset` refers to the start of the cue instead of the start of the window.
      cue.match.matchOffset -= (match.queryStart - cue.start) * match.best.speed
    }
    // Over a long stretch, the two ends give a more precise speed than a single window does, unless the track was
    // looped or cut.
    let time = match.queryStart - first.queryStart
    let travelled = (match.best.matchOffset - first.best.matchOffset) / max(time, 1)
    if time >= 8, abs(travelled - match.best.speed) < 0.02 { cue.speed = travelled }
    detection.extend(with: match)
  }
}
