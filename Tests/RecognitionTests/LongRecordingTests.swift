import Testing

@testable import Recognition

/// Recordings that are longer than a clip: what is told of them is heard for three seconds or more.
@Suite struct LongRecordingTests {
  private static let rate = Double(Music.sampleRate)

  private static func session() throws -> RecognitionSession { try RecognitionSession(catalog: Catalogs.catalog) }

  /// Unknown music with some seconds of a track in it.
  private static func recording(_ seed: UInt64, from offset: Double, seconds: Double) -> [Float] {
    Music.piece(seed: 400 + seed, seconds: 21.3) + Music.piece(seed: seed, seconds: seconds, from: offset)
      + Music.piece(seed: 420 + seed, seconds: 21)
  }

  private static func cueSheet(_ samples: [Float]) throws -> CueSheet {
    var matcher = try RecordingMatcher(session(), sampleRate: Music.sampleRate)
    matcher.append(samples.span)
    return try matcher.cueSheet()
  }

  private static func changes(_ samples: [Float]) throws -> [TrackChanges.Change] {
    let session = try session()
    var changes = TrackChanges()
    let results = session.match(streaming: samples.span, sampleRate: Music.sampleRate) + session.matchEndOfStream()
    return results.flatMap { changes.next($0) } + changes.finish()
  }

  /// What sounds like two seconds of a track, its start above all, is a jingle or chance.
  @Test(arguments: [(UInt64(1), 0.0), (2, 0), (4, 0), (6, 9), (8, 14.5)])
  func twoSecondsAreNoTrackOfALongRecording(seed: UInt64, offset: Double) throws {
    let recording = Self.recording(seed, from: offset, seconds: 2)
    #expect(try Self.cueSheet(recording).cues.map(\.match.referenceIdentifier) == [])
    #expect(try Self.changes(recording).isEmpty)
    // Of a clip it is all there is.
    let clip = Music.piece(seed: seed, seconds: 2.1, from: offset)
    #expect(try Self.session().match(Catalogs.query(clip)).match?.best.referenceIdentifier == "piece-\(seed)")
  }

  @Test(arguments: [(UInt64(1), 0.0), (2, 0), (4, 0), (6, 9), (8, 14.5)])
  func sevenSecondsAreATrackOfALongRecording(seed: UInt64, offset: Double) throws {
    let recording = Self.recording(seed, from: offset, seconds: 7)
    let cues = try Self.cueSheet(recording).cues
    #expect(cues.map(\.match.referenceIdentifier) == ["piece-\(seed)"])
    for cue in cues {
      #expect(abs(cue.start - 21.3) < 1 && abs(cue.end - 28.3) < 1, "\(cue.start) to \(cue.end)")
    }
    #expect(try Self.changes(recording).map(\.kind) == [.began, .ended])
  }
}
