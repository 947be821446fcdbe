import AnalysisTesting
import Landmarks
import Testing

@testable import Recognition

/// Beginnings, continuations and ends of the tracks of a stream or of a long recording.
@Suite(.bounded) struct TrackProgressTests {
  private static func match(
    _ reference: String = "a", at start: Double = 0, duration: Double = 12, heard: Range<Double> = 0..<12,
    offset: Double = 50, confidence: Double = 0.9, length: Double = 200, speed: Double = 1, others: [String] = []
  ) -> SignatureMatch {
    SignatureMatch(
      mediaItems: ([reference] + others).map {
        MatchedMediaItem(
          item: MediaItem(), referenceIdentifier: $0, referenceDuration: length, matchOffset: offset,
          elapsed: duration, speed: speed, frequencySkew: 0, confidence: confidence)
      }, queryStart: start, queryDuration: duration, heard: heard)
  }

  @Test(arguments: [
    // Eight seconds are enough, however sure the match is.
    (12.0, 0.0..<8.0, 0.87, true), (12, 0..<7.9, 0.87, false),
    // Five seconds of a clear match.
    (12, 4..<9, 0.99, true), (12, 4..<8.9, 0.99, false), (12, 4..<9, 0.989, false),
    // The whole of a short window, less 15%.
    (3, 0..<2.6, 0.99, true), (3, 0..<2.5, 0.99, false), (3, 0..<3, 0.989, false),
  ])
  func oneMatchIsSufficient(duration: Double, heard: Range<Double>, confidence: Double, isSufficient: Bool) {
    let match = Self.match(duration: duration, heard: heard, confidence: confidence)
    #expect(Detection(match).isEstablished == isSufficient)
    var detection = Detection(Self.match(at: -40, heard: 0..<1))
    #expect(!detection.isEstablished)
    detection.extend(with: match)
    #expect(detection.isEstablished == isSufficient)
    // It stays so.
    detection.extend(with: Self.match(at: 90, heard: 0..<1, offset: 3))
    #expect(detection.isEstablished == isSufficient)
  }

  /// The same track after a gap of less than 16 seconds; another name for it only at the same time and in step.
  @Test func aTrackContinues() {
    let detection = Detection(Self.match(at: 10, heard: 2..<10, offset: 50, speed: 1.5, others: ["b"]))
    #expect(detection.start == 12 && detection.end == 20)
    #expect(detection.continues(in: Self.match("b", at: 30, heard: 5.9..<9, offset: 0)))
    #expect(!detection.continues(in: Self.match("b", at: 30, heard: 6..<9, offset: 0)))
    #expect(detection.continues(in: Self.match("c", at: 30, heard: 0..<9, offset: 0, others: ["a"])))
    // Four seconds later, six seconds further into the track.
    for (start, offset, continues) in [
      (14.0, 56.24, true), (14, 56.26, false), (14, 55.76, true), (14, 55.74, false), (19.9, 64.85, true),
      (20, 65, false),
    ] {
      #expect(detection.continues(in: Self.match("c", at: start, offset: offset)) == continues, "\(start) \(offset)")
    }
    var extended = detection
    extended.extend(with: Self.match("c", at: 14, heard: 1..<11, offset: 56))
    #expect(extended.start == 12 && extended.end == 25)
    #expect(extended.continues(in: Self.match("b", at: 40, offset: 0)))
    #expect(extended.continues(in: Self.match("c", at: 40, offset: 0)))
  }

  /// Two windows in step establish a track that neither would alone.
  @Test(arguments: [(54.2, true), (54.3, false)]) func windowsInStepAreEnough(offset: Double, isEstablished: Bool) {
    var detection = Detection(Self.match(heard: 0..<6))
    detection.extend(with: Self.match(at: 4, heard: 0..<6, offset: offset))
    #expect(detection.isEstablished == isEstablished)
  }

  /// Played to two seconds before its end.
  @Test func aTrackIsComplete() {
    // The end is heard twelve seconds into the window.
    #expect(Detection(Self.match(at: 7, offset: 100, length: 113.9)).isComplete)
    #expect(!Detection(Self.match(at: 7, offset: 100, length: 114)).isComplete)
    #expect(Detection(Self.match(at: 7, offset: 100, length: 119.9, speed: 1.5)).isComplete)
    #expect(!Detection(Self.match(at: 7, heard: 0..<11, offset: 100, length: 113.9)).isComplete)
  }

  // MARK: Cue sheets

  private static func cues(_ results: [RecognitionSession.Result]) -> [CueSheet.Cue] {
    var collector = CueCollector()
    for result in results { collector.add(result) }
    return collector.finish()
  }

  @Test func aCueBeginsWhereTheTrackIsHeard() {
    let match = Self.match(at: 20, heard: 3..<12, offset: 50, confidence: 0.95, speed: 1.1, others: ["b", "c"])
    let cue = CueSheet.Cue(match)
    #expect(cue.start == 23 && cue.end == 32 && cue.speed == 1.1 && cue.confidence == 0.95)
    #expect(abs(cue.match.matchOffset - 53.3) < 1e-9)
    #expect(cue.match.referenceIdentifier == "a")
    #expect(cue.alternatives.map(\.referenceIdentifier) == ["b", "c"])
  }

  /// The surest match of a track is that of its cue, with the offset at the cue's start.
  @Test func theSurestMatchCounts() throws {
    let cue = try #require(
      Self.cues([
        .matches([Self.match(at: 20, heard: 3..<12, offset: 50, confidence: 0.95)]),
        .matches([Self.match("b", at: 24, offset: 54, confidence: 0.95, others: ["a"])]),
        .matches([Self.match("c", at: 28, heard: 0..<9, offset: 58.1, confidence: 0.97, others: ["a", "d"])]),
        .matches([Self.match("e", at: 32, heard: 0..<6, offset: 62, confidence: 0.96, others: ["a"])]),
      ]).first)
    #expect(cue.start == 23 && cue.end == 38 && cue.confidence == 0.97)
    #expect(cue.match.referenceIdentifier == "c")
    #expect(cue.alternatives.map(\.referenceIdentifier) == ["a", "d"])
    #expect(abs(cue.match.matchOffset - 53.1) < 1e-9)
  }

  /// Eight seconds apart, two places give the speed, unless the track was looped or cut.
  @Test(arguments: [
    (8.0, 58.08, 1.01), (7.9, 57.979, 1), (8, 58.152, 1.019), (8, 58.168, 1), (8, 57.848, 0.981), (8, 57.832, 1),
    (12, 62.12, 1.01),
  ])
  func theEndsOfAStretchGiveItsSpeed(time: Double, offset: Double, speed: Double) throws {
    let results = [Self.match(), Self.match(at: time, offset: offset)].map {
      RecognitionSession.Result.matches([$0])
    }
    let cue = try #require(Self.cues(results).first)
    #expect(abs(cue.speed - speed) < 1e-6)
  }

  /// A cue stays open as long as the track may continue.
  @Test func aCueIsClosedLate() {
    let first = RecognitionSession.Result.matches([Self.match(heard: 0..<10)])
    let later = RecognitionSession.Result.matches([Self.match(at: 25.75, heard: 0..<9)])
    // 28 seconds after the end of the track.
    #expect(Self.cues([first, .noMatch(queryStart: 26, queryDuration: 12), later]).map(\.end) == [34.75])
    #expect(Self.cues([first, .noMatch(queryStart: 26.1, queryDuration: 12), later]).map(\.end) == [10, 34.75])
    #expect(Self.cues([first, .error(.tooLarge), later]).count == 1)
    // Only tracks that are established are in the sheet, in the order of their starts.
    let brief = Self.match("b", at: 3, heard: 0..<4)
    let early = Self.match("c", at: 1, heard: 0..<9)
    #expect(
      Self.cues([.matches([Self.match("d", at: 2)]), .matches([brief, early])]).map(\.match.referenceIdentifier) == [
        "c", "d",
      ])
  }

  // MARK: Changes

  private static func text(_ changes: [TrackChanges.Change]) -> [String] {
    changes.map { "\($0.kind) \($0.match.best.referenceIdentifier) \($0.start)–\($0.end)" }
  }

  private static func silence(until end: Double) -> RecognitionSession.Result {
    .noMatch(queryStart: end - 12, queryDuration: 12)
  }

  /// Sixteen seconds without it end a track, or six after it was played to its end.
  @Test(arguments: [(200.0, 16.0), (63, 6)]) func aTrackEndsAfterAPause(length: Double, pause: Double) {
    var changes = TrackChanges()
    #expect(Self.text(changes.next(.matches([Self.match(length: length)]))) == ["began a 0.0–12.0"])
    #expect(changes.next(Self.silence(until: 12 + pause - 0.1)).isEmpty)
    #expect(Self.text(changes.next(Self.silence(until: 12 + pause))) == ["ended a 0.0–12.0"])
    #expect(changes.next(Self.silence(until: 12 + pause)).isEmpty)
    #expect(changes.finish().isEmpty)
  }

  /// A track is over when another has begun after it, or at most two seconds before its end.
  @Test(arguments: [(10.25, true), (10, false)]) func theNextTrackEndsTheOneBefore(start: Double, isFollowed: Bool) {
    var changes = TrackChanges()
    _ = changes.next(.matches([Self.match()]))
    let next = changes.next(.matches([Self.match("b", at: start, offset: 120)]))
    let (ended, began) = (["ended a 0.0–12.0"], ["began b \(start)–\(start + 12)"])
    #expect(Self.text(next) == (isFollowed ? ended + began : began))
    let last = ["ended b \(start)–\(start + 12)"]
    #expect(Self.text(changes.finish()) == (isFollowed ? last : ended + last))
    #expect(changes.finish().isEmpty)
  }

  /// Windows that still contain the end of a track do not begin it again, but more of it does.
  @Test(arguments: [(14.0, false), (14.25, true)]) func anEndedTrackBeginsAgain(end: Double, begins: Bool) {
    var changes = TrackChanges()
    _ = changes.next(.matches([Self.match(length: 63)]))
    #expect(Self.text(changes.next(Self.silence(until: 18))) == ["ended a 0.0–12.0"])
    let again = Self.match(at: 2, heard: 1..<end - 2)
    #expect(Self.text(changes.next(.matches([again]))) == (begins ? ["began a 3.0–\(end)"] : []))
  }

  /// A brief track is neither begun nor ended, and does not end another one.
  @Test func aBriefTrackIsNotTold() {
    var changes = TrackChanges()
    _ = changes.next(.matches([Self.match(heard: 0..<9)]))
    #expect(changes.next(.matches([Self.match("b", at: 12, heard: 0..<4)])).isEmpty)
    #expect(Self.text(changes.next(Self.silence(until: 25))) == ["ended a 0.0–9.0"])
    #expect(changes.next(Self.silence(until: 60)).isEmpty)
    #expect(changes.finish().isEmpty)
  }

  // MARK: Windows

  /// After 3, 5, 8 and 12 seconds, and then every four, the last twelve seconds are looked up.
  @Test func windowsOfAStreamFollowEachOther() {
    var stream = StreamingMatcher(sampleRate: Music.sampleRate)
    let samples = [Float](repeating: 0, count: 21 * Music.sampleRate)
    let queries = stream.append(samples.span)
    let ends = queries.map { $0.start + $0.heard.duration }
    for (end, expected) in zip(ends, [3.0, 5, 8, 12, 16, 20]) { #expect(abs(end - expected) < 0.02) }
    #expect(ends.count == 6)
    for (query, start) in zip(queries, [0.0, 0, 0, 0, 4, 8]) { #expect(abs(query.start - start) < 0.02) }
  }

  /// The rest of a stream is looked up if it is more than a second, and two seconds at least.
  @Test(arguments: [(62, 0, 0), (63, 0, 1), (93, 0, 1), (281, 3, 0), (282, 3, 1), (406, 4, 0), (407, 4, 1)])
  func theRestOfAStreamIsLookedUp(columnCount: Int, before: Int, rest: Int) {
    var stream = StreamingMatcher(sampleRate: Music.sampleRate)
    let samples = [Float](repeating: 0, count: 256 * columnCount)
    let queries = stream.append(samples.span) + stream.finish()
    #expect(queries.count == before + rest)
    if rest > 0, let last = queries.last {
      #expect(abs(last.start + last.heard.duration - Double(columnCount) / LandmarkSpectrum.columnsPerSecond) < 0.001)
    }
  }
}

/// Frames that a receiver makes of interleaved samples.
@Suite(.bounded) struct InterleavedSamplesTests {
  private struct Recorder: PCMReceiver {
    let sampleRate = 8000
    var frames: [Float] = []

    mutating func append(_ span: Span<Float>) { for index in span.indices { frames.append(span[index]) } }
  }

  @Test func channelsAreAveraged() {
    var recorder = Recorder()
    let (stereo, mono, four): ([Float], [Float], [Float]) = (
      [1, 0, -0.25, 0.75, 0.5], [0.25, -1], [1, 2, 3, 4, 1, 1, 1, 1]
    )
    recorder.append(interleaved: stereo.span, channelCount: 2)
    #expect(recorder.frames == [0.5, 0.25])
    recorder.append(interleaved: mono.span, channelCount: 1)
    #expect(recorder.frames == [0.5, 0.25, 0.25, -1])
    recorder.append(interleaved: four.span, channelCount: 4)
    #expect(recorder.frames.suffix(2) == [2.5, 1])
  }

  @Test func wholeNumbersAreFractionsOfFullScale() {
    var recorder = Recorder()
    let (mono, stereo): ([Int16], [Int16]) = ([-32_768, 16_384, 1, 0], [16_384, 0, 8])
    recorder.append(interleaved: mono.span, channelCount: 1)
    #expect(recorder.frames == [-1, 0.5, 1 / 32_768, 0])
    recorder.append(interleaved: stereo.span, channelCount: 2)
    #expect(recorder.frames.suffix(1) == [0.25])
  }
}
