import AnalysisTesting
import Landmarks
import SystemPackage
import Testing

@testable import Recognition

@Suite(.bounded) struct SessionTests {
  @Test func queriesOutsideTheLimitsOfTheCatalogAreErrors() throws {
    var catalog = Catalogs.catalog
    catalog.minimumQueryDuration = 3
    catalog.maximumQueryDuration = 6
    let session = try RecognitionSession(catalog: catalog)
    func error(_ seconds: Double) -> CatalogError? {
      let result = session.match(Catalogs.references[1].signature.slice(from: 10, to: 10 + seconds))
      if case .error(let error) = result { return error }
      return nil
    }
    guard case .queryTooShort(let seconds, minimum: 3) = error(2.9), abs(seconds - 2.9) < 0.1 else {
      Issue.record("\(String(describing: error(2.9)))")
      return
    }
    guard case .queryTooLong(let seconds, maximum: 6) = error(6.5), abs(seconds - 6.5) < 0.1 else {
      Issue.record("\(String(describing: error(6.5)))")
      return
    }
    #expect(error(2)?.description.contains("at least 3") == true)
    #expect(error(5) == nil)
  }

  @Test func aReferenceIsNamedByItsSignature() throws {
    var catalog = CustomCatalog()
    let signature = Catalogs.references[0].signature
    let items = ["Song", "Episode"].map { MediaItem(title: $0) }
    try catalog.addReferenceSignature(signature, representing: [])
    try catalog.addReferenceSignature(signature, representing: items)
    #expect(catalog.count == 1)
    let match = try #require(try RecognitionSession(catalog: catalog).match(signature.slice(from: 4, to: 12)).match)
    #expect(match.mediaItems.map(\.item) == items)
    #expect(Set(match.mediaItems.map(\.referenceIdentifier)).count == 1)
    #expect(abs(match.best.referenceDuration - Catalogs.seconds) < 0.2)
  }

  @Test func whatIsAskedOfACatalogIsThere() throws {
    var catalog = Catalogs.catalog
    try catalog.seal()
    catalog.remove(["piece-2"])
    let late = ReferenceSignature(identifier: "late", signature: Catalogs.references[1].signature, items: [])
    try catalog.add(late)
    #expect(catalog.present(["piece-1", "piece-2", "late", "none"]) == ["piece-1", "late"])
    #expect(try catalog.reference("piece-3") == Catalogs.references[2])
    #expect(try catalog.reference("late") == late)
    #expect(try catalog.reference("piece-2") == nil)
    var entries: [CustomCatalog.Entry] = []
    catalog.forEachEntry { entries.append($0) }
    #expect(entries.count == catalog.count)
    #expect(entries.first?.items == Catalogs.references[0].items)
    #expect(entries.last?.identifier == "late")
    #expect(abs(catalog.information.duration - 9 * Catalogs.seconds) < 1)
  }

  @Test func tracksAreToldOfOnce() {
    var changes = TrackChanges()
    func told(_ references: String..., at start: Double) -> Bool {
      let items = references.map {
        MatchedMediaItem(
          item: MediaItem(), referenceIdentifier: $0, referenceDuration: 200, matchOffset: 0, elapsed: 12, speed: 1,
          frequencySkew: 0, confidence: 1)
      }
      let match = SignatureMatch(mediaItems: items, queryStart: start, queryDuration: 12, heard: 0..<12)
      return changes.next(.matches([match])).contains { $0.kind == .began }
    }
    #expect(told("a", at: 0))
    #expect(!told("a", at: 4))
    // Tracks may alternate during a fade.
    #expect(told("b", "twin", at: 8))
    #expect(!told("a", at: 12))
    #expect(!told("twin", at: 16))
    #expect(changes.next(.noMatch(queryStart: 20, queryDuration: 12)).isEmpty)
    #expect(!told("b", at: 40))
    #expect(told("a", at: 44))
    #expect(told("b", at: 80))
  }

  /// The first windows of a stream are three and five seconds long.
  @Test func aShortFirstWindowTellsATrackOnlyIfItIsClear() {
    func told(_ windows: (seconds: Double, offset: Double, confidence: Double)...) -> [Bool] {
      var changes = TrackChanges()
      return windows.map { window in
        let item = MatchedMediaItem(
          item: MediaItem(), referenceIdentifier: "a", referenceDuration: 200, matchOffset: window.offset,
          elapsed: window.seconds, speed: 1, frequencySkew: 0, confidence: window.confidence)
        let match = SignatureMatch(
          mediaItems: [item], queryStart: 0, queryDuration: window.seconds, heard: 0..<window.seconds)
        return changes.next(.matches([match])).contains { $0.kind == .began }
      }
    }
    #expect(told((3, 20, 0.995)) == [true])
    #expect(told((3, 20, 0.95)) == [false])
    #expect(told((3, 20, 0.95), (5, 20, 0.95)) == [false, true])
    // At another place of the track, it may be a chance match again.
    #expect(told((3, 20, 0.95), (5, 60, 0.95), (8, 60, 0.95)) == [false, false, true])
    #expect(told((8, 20, 0.9)) == [true])
  }

  @Test func tracksHaveAnEnd() throws {
    var changes = TrackChanges()
    /// The changes for two tracks of 30 s, the first heard up to second 16 and the second from second 20 to 50.
    func told(_ now: Double) -> [String] {
      let matches = [("a", 0.0, 16.0), ("b", 20, 50)].compactMap { name, start, end -> SignatureMatch? in
        let (first, last) = (max(start, now - 12), min(end, now))
        guard last - first > 3 else { return nil }
        let item = MatchedMediaItem(
          item: MediaItem(), referenceIdentifier: name, referenceDuration: 30, matchOffset: now - 12 - start,
          elapsed: 12,
          speed: 1, frequencySkew: 0, confidence: 1)
        let part = first - now + 12..<last - now + 12
        return SignatureMatch(mediaItems: [item], queryStart: now - 12, queryDuration: 12, heard: part)
      }
      let result =
        matches.isEmpty ? .noMatch(queryStart: now - 12, queryDuration: 12) : RecognitionSession.Result.matches(matches)
      return changes.next(result).map { "\($0.kind) \($0.match.best.referenceIdentifier) \($0.start)–\($0.end)" }
    }
    #expect(told(12) == ["began a 0.0–12.0"])
    #expect(told(16) == [])
    #expect(told(20) == [])
    // Four seconds of another track may be a chance match.
    #expect(told(24) == [])
    // The second track has begun, so the first is over, although it was not played to its end.
    #expect(told(28) == ["ended a 0.0–16.0", "began b 20.0–28.0"])
    for now in stride(from: 32.0, through: 52, by: 4) { #expect(told(now) == []) }
    // Played to its end.
    #expect(told(56) == ["ended b 20.0–50.0"])
    #expect(told(60) == [])
    #expect(changes.finish().isEmpty)
    #expect(told(12) == ["began a 0.0–12.0"])
    #expect(changes.finish().map(\.kind) == [.ended])
  }

  @Test func copiesAreOneTrackOfACueSheet() {
    var collector = CueCollector()
    var changes = TrackChanges()
    var told = 0
    // Results that name different ones of very many copies, and then another track.
    for (number, reference) in ["copy-1", "copy-2", "copy-7", "copy-1", "other", "other"].enumerated() {
      let start = Double(4 * number)
      let item = MatchedMediaItem(
        item: MediaItem(), referenceIdentifier: reference, referenceDuration: 200,
        matchOffset: reference == "other" ? start + 3 : 50 + start, elapsed: 12, speed: 1, frequencySkew: 0,
        confidence: 0.9)
      let match = SignatureMatch(mediaItems: [item], queryStart: start, queryDuration: 12, heard: 0..<12)
      collector.add(.matches([match]))
      told += changes.next(.matches([match])).count { $0.kind == .began }
    }
    let cues = collector.finish()
    #expect(cues.map(\.match.referenceIdentifier) == ["copy-1", "other"])
    #expect(told == 2)
  }

  @Test func aStreamIsKeptForTwelveSecondsOnly() throws {
    var catalog = CustomCatalog()
    try catalog.add(Catalogs.references[0])
    try catalog.seal()
    var matcher = CatalogMatcher(catalog)
    var stream = StreamingMatcher(sampleRate: Music.sampleRate)
    let second = Music.piece(seed: 3, seconds: 1)
    let limit = Int((StreamingMatcher.window * LandmarkSpectrum.columnsPerSecond).rounded())
    var most = 0
    for _ in 0..<60 {
      _ = stream.append(second.span, with: &matcher)
      most = max(most, stream.keptColumnCount)
    }
    #expect(most == limit)
  }
}
