/// Makes a cue sheet of audio that comes in buffers: of a mix, a radio recording or any other long sound.
///
///     var generator = try CueSheetGenerator(catalog: catalog, sampleRate: 44_100)
///     while let frames = nextFrames() { generator.append(frames.span) }
///     for cue in generator.cueSheet().cues { print(cue.start, cue.match.item.title ?? "?") }
///
/// Memory does not grow with the audio but for the cues.
public struct CueSheetGenerator: PCMReceiver, ~Copyable {
  public let sampleRate: Int
  private var matcher: CatalogMatcher
  private var stream: StreamingMatcher
  private var collector = CueCollector()
  private var frameCount = 0

  /// - Parameters:
  ///   - catalog: The catalog whose tracks are looked for.
  ///   - sampleRate: Frames per second of the buffers, greater than zero.
  public init(catalog: CustomCatalog, sampleRate: Int) throws(CatalogError) {
    try self.init(catalog: catalog, parts: [], sampleRate: sampleRate)
  }

  /// - Parameter parts: Catalogs elsewhere that are asked together with this one.
  init(catalog: CustomCatalog, parts: [any CatalogPart], sampleRate: Int) throws(CatalogError) {
    self.sampleRate = sampleRate
    matcher = CatalogMatcher(try catalog.sealed(), parts: parts)
    stream = StreamingMatcher(sampleRate: sampleRate)
  }

  /// Takes the next frames of one channel. Each four seconds of audio are matched at once, which takes milliseconds.
  public mutating func append(_ frames: Span<Float>) {
    frameCount += frames.count
    for result in stream.append(frames, with: &matcher) { collector.add(result) }
  }

  /// The catalogs elsewhere that have not answered since this was asked last.
  mutating func takeMissingCatalogs() -> [MissingCatalog] { matcher.takeMissing() }

  /// Ends the cue sheet. The generator is used up then.
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
    var hearing: Hearing
  }

  private var finished: [CueSheet.Cue] = []
  /// Tracks that may go on: several where one fades into the next.
  private var open: [Open] = []

  mutating func add(_ result: RecognitionSession.Result) {
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
    finished += open.filter { isOver($0) && $0.hearing.isEstablished }.map(\.cue)
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
