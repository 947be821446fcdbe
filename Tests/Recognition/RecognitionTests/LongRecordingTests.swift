import AnalysisTesting
import Testing

@testable import Recognition

/// Recordings that are longer than a clip: the reported tracks are heard for three seconds or more.
@Suite(.bounded) struct LongRecordingTests {
  private static func session() throws -> RecognitionSession { try RecognitionSession(catalog: Catalogs.catalog) }

  private static func cueSheet(_ samples: [Float]) throws -> CueSheet {
    var matcher = try RecordingMatcher(session(), sampleRate: Music.sampleRate)
    matcher.append(samples.span)
    return try matcher.finish().sheet
  }

  private static func changes(_ samples: [Float]) throws -> [TrackChanges.Change] {
    let session = try session()
    var changes = TrackChanges()
    let results = session.match(streaming: samples.span, sampleRate: Music.sampleRate) + session.matchEndOfStream()
    return results.flatMap { changes.next($0) } + changes.finish()
  }

  /// Audio that resembles 1.5 s of a track, above all its start, is a jingle or a chance match.
  @Test(arguments: [UInt64(4), 5]) func aMomentIsNoTrackOfALongRecording(seed: UInt64) throws {
    let before = Music.piece(seed: 400 + seed, seconds: 10)
    let moment = Music.piece(seed: seed, seconds: 1.5)
    // In a clip, it matches, and so it does in the window that ends after it.
    let match = try #require(try Self.session().match(Catalogs.query(before + moment)).match)
    #expect(match.best.referenceIdentifier == "piece-\(seed)" && match.heardDuration < 2)
    let recording =
      Music.piece(seed: 440 + seed, seconds: 12.4) + before + moment + Music.piece(seed: 420 + seed, seconds: 12)
    #expect(try Self.cueSheet(recording).cues.map(\.match.referenceIdentifier) == [])
    #expect(try Self.changes(recording).isEmpty)
  }

  @Test(arguments: [(UInt64(1), 0.0), (6, 9)])
  func twoSecondsAreAClip(seed: UInt64, offset: Double) throws {
    let clip = Music.piece(seed: seed, seconds: 2.1, from: offset)
    #expect(try Self.session().match(Catalogs.query(clip)).match?.best.referenceIdentifier == "piece-\(seed)")
  }

  @Test func mostClipsOfTwoSecondsAreFound() throws {
    let session = try Self.session()
    var missed: [String] = []
    for seed in UInt64(1)...9 {
      for offset in stride(from: 0, to: 18, by: 2.3) {
        let match = session.match(Catalogs.query(Music.piece(seed: seed, seconds: 2.1, from: offset))).match
        if match?.best.referenceIdentifier != "piece-\(seed)" { missed.append("\(seed) from \(offset)") }
      }
    }
    #expect(missed.count <= 5, "of 72: \(missed)")
  }

  @Test(arguments: [(UInt64(2), 0.0), (6, 9)])
  func sevenSecondsAreATrackOfALongRecording(seed: UInt64, offset: Double) throws {
    let recording =
      Music.piece(seed: 400 + seed, seconds: 21.3) + Music.piece(seed: seed, seconds: 7, from: offset)
      + Music.piece(seed: 420 + seed, seconds: 12)
    let cues = try Self.cueSheet(recording).cues
    #expect(cues.map(\.match.referenceIdentifier) == ["piece-\(seed)"])
    for cue in cues { #expect(abs(cue.start - 21.3) < 1 && abs(cue.end - 28.3) < 1, "\(cue.start) to \(cue.end)") }
    #expect(try Self.changes(recording).map(\.kind) == [.began, .ended])
  }

  /// A shared sample is reported by one window and not by the next; a track is in both, in step.
  @Test func oneWindowIsNotEnough() {
    func cues(_ answers: [(start: Double, offset: Double, heard: Range<Double>, confidence: Double)]) -> Int {
      var collector = CueCollector()
      for answer in answers {
        let item = MatchedMediaItem(
          item: MediaItem(), referenceIdentifier: "a", referenceDuration: 200, matchOffset: answer.offset, elapsed: 12,
          speed: 1, frequencySkew: 0, confidence: answer.confidence)
        let match = SignatureMatch(
          mediaItems: [item], queryStart: answer.start, queryDuration: 12, heard: answer.heard)
        collector.add(.matches([match]))
      }
      return collector.finish().count
    }
    #expect(cues([(20, 50, 5..<10.8, 0.98)]) == 0)
    #expect(cues([(20, 50, 5..<10.8, 0.98), (24, 71, 1..<6.8, 0.98)]) == 0)
    #expect(cues([(20, 50, 5..<10.8, 0.98), (24, 54, 1..<6.8, 0.98)]) == 1)
    #expect(cues([(20, 50, 5..<10.8, 0.999)]) == 1)
    #expect(cues([(20, 50, 2..<10.8, 0.9)]) == 1)
    // It is the whole recording.
    #expect(cues([(0, 50, 0..<12, 0.9)]) == 1)
  }
}
