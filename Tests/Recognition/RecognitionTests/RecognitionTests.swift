import AnalysisTesting
import Glibc
import Landmarks
import SystemPackage
import Testing

@testable import Recognition

@Suite(.bounded) struct RecognitionTests {
  private static func session() throws -> RecognitionSession { try RecognitionSession(catalog: Catalogs.catalog) }

  @Test(arguments: [(UInt64(2), 5.0), (7, 15.37), (9, 21.9)])
  func findsACleanClipAndItsPlace(seed: UInt64, offset: Double) throws {
    let query = Catalogs.query(Music.piece(seed: seed, seconds: 10, from: offset))
    let best = try #require(try Self.session().match(query).match?.best)
    #expect(best.referenceIdentifier == "piece-\(seed)")
    #expect(best.item.title == "Piece \(seed)")
    #expect(abs(best.matchOffset - offset) < 0.05)
    #expect(abs(best.speed - 1) < 0.005)
    #expect(best.frequencySkew == 0)
    #expect(best.confidence > 0.9)
  }

  /// Other music before and after the track.
  @Test(arguments: [(0.0, 12.0), (4, 12), (0, 7.5), (2.5, 10.5)])
  func saysInWhichPartOfTheClipTheTrackIsHeard(start: Double, end: Double) throws {
    let rate = Double(Music.sampleRate)
    let heard = Music.piece(seed: 7, seconds: end - start, from: 10)
    let other = Music.piece(seed: 300, seconds: 12)
    let clip = other.prefix(Int(start * rate)) + heard + other.dropFirst(Int(end * rate))
    let match = try #require(try Self.session().match(Catalogs.query(Array(clip))).match)
    #expect(match.best.referenceIdentifier == "piece-7")
    #expect(abs(match.heard.lowerBound - start) < 0.75 && abs(match.heard.upperBound - end) < 0.75, "\(match.heard)")
  }

  /// Two tracks in sequence, of similar length or one of them short, faded or cut.
  @Test(arguments: [0.5, 0.3, 0.7], [0.0, 2])
  func twoTracksOfOneClipAreBothFound(share: Double, fade: Double) throws {
    let rate = Double(Music.sampleRate)
    let joint = 20 * share
    let first = Music.piece(seed: 2, seconds: joint + fade / 2, from: 5)
    let second = Music.piece(seed: 7, seconds: 20 - joint + fade / 2, from: 3)
    var clip = first + [Float](repeating: 0, count: Int(20 * rate) - first.count)
    let start = clip.count - second.count
    for index in first.indices where index >= start { clip[index] *= Float(first.count - index) / Float(fade * rate) }
    for (index, value) in second.enumerated() {
      clip[start + index] += value * (start + index < first.count ? Float(index) / Float(fade * rate) : 1)
    }
    let matches = try Self.session().match(Catalogs.query(Music.noisy(clip, decibels: 15, seed: 3))).matches
    try #require(matches.map(\.best.referenceIdentifier) == ["piece-2", "piece-7"])
    let tolerance = 0.75 + fade / 2
    #expect(matches[0].heard.lowerBound < 0.1 && abs(matches[0].heard.upperBound - joint) < tolerance)
    #expect(abs(matches[1].heard.lowerBound - joint) < tolerance && matches[1].heard.upperBound > 19.8)
    #expect(abs(matches[0].best.matchOffset - 5) < 0.1)
    #expect(abs(matches[1].best.matchOffset - (3 - joint + fade / 2)) < 0.1)
  }

  /// Each alone for six seconds, and both for eight.
  @Test func twoTracksOneOverTheOtherAreBothFound() throws {
    let rate = Music.sampleRate
    var clip = Music.piece(seed: 3, seconds: 14, from: 10) + [Float](repeating: 0, count: 6 * rate)
    for (index, value) in Music.piece(seed: 8, seconds: 14, from: 4).enumerated() { clip[6 * rate + index] += value }
    let matches = try Self.session().match(Catalogs.query(clip)).matches
    try #require(matches.map(\.best.referenceIdentifier) == ["piece-3", "piece-8"])
    #expect(matches[0].heard.lowerBound < 0.1 && matches[1].heard.upperBound > 19.8)
    #expect(matches[0].heard.upperBound > 6 && matches[1].heard.lowerBound < 14)
  }

  /// A mash-up with both tracks all the time, the second equally loud, 3 dB lower, or faster.
  @Test(arguments: [(Float(1), 1.0), (0.7, 1), (1, 1.03)])
  func twoTracksThatSoundAllTheTimeAreBothFound(gain: Float, speed: Double) throws {
    var clip = Music.piece(seed: 3, seconds: 10, from: 10)
    let second = Music.piece(seed: 8, seconds: 10, speed: speed, from: 4)
    for index in clip.indices { clip[index] += gain * second[index] }
    let matches = try Self.session().match(Catalogs.query(clip)).matches
    try #require(Set(matches.map(\.best.referenceIdentifier)) == ["piece-3", "piece-8"])
    for match in matches {
      let isFirst = match.best.referenceIdentifier == "piece-3"
      #expect(abs(match.best.matchOffset - (isFirst ? 10 : 4)) < 0.1)
      #expect(abs(match.best.speed - (isFirst ? 1 : speed)) < 0.005)
      #expect(match.heardDuration > 8, "\(match.heard)")
    }
  }

  /// Each track of the mash-up is in the catalog twice.
  @Test func copiesAreNoFurtherTracksOfAMashUp() throws {
    var catalog = CustomCatalog()
    for reference in Catalogs.references {
      for copy in ["", "-copy"] {
        try catalog.add(
          ReferenceSignature(identifier: reference.identifier + copy, signature: reference.signature, items: []))
      }
    }
    let both = zip(Music.piece(seed: 3, seconds: 10, from: 10), Music.piece(seed: 8, seconds: 10, from: 4)).map {
      $0 + $1
    }
    let matches = try RecognitionSession(catalog: catalog).match(Catalogs.query(both)).matches
    #expect(matches.count == 2)
    #expect(
      Set(matches.map { Set($0.mediaItems.map(\.referenceIdentifier)) }) == [
        ["piece-3", "piece-3-copy"], ["piece-8", "piece-8-copy"],
      ])
  }

  /// A known track with one that is not in the catalog, and two unknown ones.
  @Test func onlyKnownTracksOfAMashUpAreTold() throws {
    let unknown = Music.piece(seed: 300, seconds: 10)
    let known = zip(unknown, Music.piece(seed: 5, seconds: 10, from: 7)).map { $0 + $1 }
    let neither = zip(unknown, Music.piece(seed: 301, seconds: 10)).map { $0 + $1 }
    let session = try Self.session()
    #expect(session.match(Catalogs.query(known)).matches.map(\.best.referenceIdentifier) == ["piece-5"])
    #expect(session.match(Catalogs.query(neither)).matches.isEmpty)
  }

  /// Digital silence before, within and after the track.
  @Test func aTrackIsHeardWhereThereIsSound() throws {
    let rate = Music.sampleRate
    let silence = [Float](repeating: 0, count: 5 * rate)
    let music = Music.piece(seed: 6, seconds: 10, from: 8)
    let match = try #require(try Self.session().match(Catalogs.query(silence + music + silence + silence)).match)
    #expect(abs(match.heard.lowerBound - 5) < 0.2 && abs(match.heard.upperBound - 15) < 0.2, "\(match.heard)")
    #expect(abs(match.best.matchOffset - 3) < 0.1)
    // The track is paused and continues at the same place.
    let later = Music.piece(seed: 6, seconds: 8, from: 18)
    let matches = try Self.session().match(Catalogs.query(music + silence + later)).matches
    #expect(matches.allSatisfy { $0.best.referenceIdentifier == "piece-6" })
    #expect(abs((matches.first?.heard.lowerBound ?? 9) - 0) < 0.2, "\(matches.map(\.heard))")
    #expect(abs((matches.last?.heard.upperBound ?? 0) - 23) < 0.2, "\(matches.map(\.heard))")
    #expect(matches.count == 2 && abs(matches[0].heard.upperBound - 10) < 0.2)
  }

  /// Mains hum, organ chords and tones match no track, although some tracks contain such tones.
  @Test func steadySoundIsNoEvidence() throws {
    var catalog = Catalogs.catalog
    var random = Music.Random(state: 11)
    func tones(_ frequencies: [Double], seconds: Double, phase: Double = 0) -> [Float] {
      var samples = [Float](repeating: 0, count: Int(seconds * 8000))
      for index in samples.indices {
        let time = 2 * Double.pi * Double(index) / 8000
        for frequency in frequencies { samples[index] += Float(0.05 * sin(frequency * time + phase)) }
      }
      return samples
    }
    let hum = (5...40).map { 50.0 * Double($0) }
    // A track that is little more than a drone.
    let drone = Music.noisy(tones(hum, seconds: 30), decibels: 20, seed: 4)
    try catalog.add(ReferenceSignature(identifier: "drone", signature: Catalogs.signature(of: drone), items: []))
    let session = try RecognitionSession(catalog: catalog)
    for _ in 0..<6 {
      let base: Double = Bool.random(using: &random) ? 50 : 60
      let first = Int.random(in: 1...6, using: &random)
      var harmonics: [Double] = []
      for number in first...Int(3800 / base) where Bool.random(using: &random) {
        harmonics.append(base * Double(number))
      }
      let clip = tones(harmonics, seconds: 10, phase: Double.random(in: 0...6, using: &random))
      #expect(session.match(Catalogs.query(clip)).matches.isEmpty)
      #expect(session.match(Catalogs.query(Music.noisy(clip, decibels: 25, seed: 9))).matches.isEmpty)
    }
    // Music is recognized in spite of it.
    let music = Music.piece(seed: 4, seconds: 10, from: 9)
    let both = zip(music, tones(hum, seconds: 10)).map { $0 + $1 }
    #expect(session.match(Catalogs.query(both)).match?.best.referenceIdentifier == "piece-4")
  }

  @Test(arguments: [0.89, 0.92, 0.96, 0.975, 1.01, 1.04, 1.08, 1.12])
  func findsAClipAtAnotherSpeed(speed: Double) throws {
    let query = Catalogs.query(Music.piece(seed: 5, seconds: 10, speed: speed, from: 12))
    let best = try #require(try Self.session().match(query).match?.best)
    #expect(best.referenceIdentifier == "piece-5")
    #expect(abs(best.speed - speed) < 0.01)
    #expect(abs(best.frequencySkew - (speed - 1)) < 0.015)
    #expect(abs(best.matchOffset - 12) < 0.15)
  }

  @Test(arguments: [10.0, 0, -5])
  func findsAClipInNoise(decibels: Double) throws {
    let clip = Music.noisy(Music.piece(seed: 9, seconds: 10, from: 8), decibels: decibels, seed: 77)
    let best = try #require(try Self.session().match(Catalogs.query(clip)).match?.best)
    #expect(best.referenceIdentifier == "piece-9")
    #expect(abs(best.matchOffset - 8) < 0.05)
  }

  @Test func unrelatedSoundIsNotRecognized() throws {
    let session = try Self.session()
    for seed in UInt64(100)..<106 {
      let clip = Music.piece(seed: seed, seconds: 8)
      #expect(session.match(Catalogs.query(clip)).match == nil)
      #expect(session.match(Catalogs.query(Music.noisy(clip, decibels: -30, seed: seed))).match == nil)
    }
    #expect(session.match(Catalogs.query([Float](repeating: 0, count: 80_000))).match == nil)
    #expect(session.match(Catalogs.query([Float](repeating: 0.5, count: 80_000))).match == nil)
  }

  @Test func aSignatureAloneIsRecognized() throws {
    let session = try Self.session()
    let slice = Catalogs.references[3].signature.slice(from: 15, to: 25)
    let best = try #require(session.match(slice).match?.best)
    #expect(best.referenceIdentifier == "piece-4")
    #expect(abs(best.matchOffset - 15) < 0.07)
  }

  @Test func anotherSampleRateMakesNoDifference() throws {
    // Repeating every sample is a poor resampling to 16 kHz, whose images lie above the range of signatures.
    let clip = Music.piece(seed: 6, seconds: 8, from: 3)
    var generator = RecognitionQueryGenerator(sampleRate: 16_000)
    let doubled = clip.flatMap { [$0, $0] }
    generator.append(doubled.span)
    let best = try #require(try Self.session().match(generator.query()).match?.best)
    #expect(best.referenceIdentifier == "piece-6")
    #expect(abs(best.matchOffset - 3) < 0.05)
  }

  @Test func copiesOfATrackDoNotStandInEachOthersWay() throws {
    var catalog = Catalogs.catalog
    let quieter = Music.noisy(Music.piece(seed: 8, seconds: Catalogs.seconds), decibels: 25, seed: 5).map { $0 * 0.4 }
    let copy = ReferenceSignature(identifier: "copy", signature: Catalogs.signature(of: quieter), items: [])
    try catalog.add(copy)
    let query = Catalogs.query(Music.noisy(Music.piece(seed: 8, seconds: 10, from: 11), decibels: 5, seed: 1))
    let match = try #require(try RecognitionSession(catalog: catalog).match(query).match)
    #expect(Set(match.mediaItems.map(\.referenceIdentifier)) == ["piece-8", "copy"])
  }

  @Test func durationsOutsideTheLimitsAreErrors() throws {
    let session = try Self.session()
    guard case .error(let short) = session.match(Catalogs.query(Music.piece(seed: 1, seconds: 1))) else {
      Issue.record("no error")
      return
    }
    #expect("\(short)".contains("at least"))
    guard case .error(let long) = session.match(Catalogs.query(Music.piece(seed: 1, seconds: 61))) else {
      Issue.record("no error")
      return
    }
    #expect("\(long)".contains("at most"))
  }

  @Test func mediaItemsApplyToTheirTimes() throws {
    var catalog = CustomCatalog()
    let intro = MediaItem(title: "Intro", timeRanges: [MediaItem.TimeRange(start: 0, end: 10)])
    let rest = MediaItem(title: "Rest", timeRanges: [MediaItem.TimeRange(start: 10, end: 32)])
    try catalog.addReferenceSignature(Catalogs.references[2].signature, representing: [intro, rest])
    let session = try RecognitionSession(catalog: catalog)
    let early = session.match(Catalogs.query(Music.piece(seed: 3, seconds: 8, from: 2))).match
    let late = session.match(Catalogs.query(Music.piece(seed: 3, seconds: 8, from: 20))).match
    #expect(early?.mediaItems.map(\.item.title) == ["Intro"])
    #expect(late?.mediaItems.map(\.item.title) == ["Rest"])
  }

  @Test func aStreamIsFollowedFromTrackToTrack() async throws {
    let session = try Self.session()
    let mix =
      Music.piece(seed: 2, seconds: 20, from: 10) + [Float](repeating: 0, count: 24_000)
      + Music.piece(seed: 8, seconds: 20, speed: 1.03, from: 5)
    for start in stride(from: 0, to: mix.count, by: 1600) {
      session.matchStreamingBuffer(
        mix.span.extracting(start..<min(mix.count, start + 1600)), sampleRate: 8000)
    }
    session.finishStreaming()
    var collector = CueCollector()
    var results: [RecognitionSession.Result] = []
    for await result in session.results { results.append(result) }
    for result in results { collector.add(result) }
    let cues = collector.finish()
    #expect(cues.map(\.match.referenceIdentifier) == ["piece-2", "piece-8"])
    #expect(abs(cues[0].start) < 1)
    #expect(abs(cues[1].start - 23) < 6)
    #expect(abs(cues[1].end - 43) < 4)
    #expect(abs(cues[1].speed - 1.03) < 0.01)
    #expect(abs(cues[0].match.matchOffset - 10) < 0.2)
    let first = try #require(results.first?.match)
    #expect(abs(first.best.predictedCurrentMatchOffset - 13) < 0.2)
  }
}
