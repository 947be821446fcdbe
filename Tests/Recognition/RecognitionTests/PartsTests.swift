import AnalysisTesting
import Landmarks
import Synchronization
import Testing

@testable import Recognition

/// A catalog divided into parts gives the same results as a whole one.
@Suite(.bounded) struct PartsTests {
  /// A part in the same process.
  private final class NearPart: CatalogPart {
    let name = "http://part.example:8642"
    private let session: RecognitionSession
    private let change: @Sendable (_ question: [UInt8], _ answer: [UInt8]) -> [UInt8]

    init(
      _ references: some Sequence<ReferenceSignature>,
      change: @escaping @Sendable (_ question: [UInt8], _ answer: [UInt8]) -> [UInt8] = { $1 }
    ) throws {
      session = try RecognitionSession(catalog: PartsTests.catalog(references))
      self.change = change
    }

    func ask(_ question: [UInt8]) -> PartReply {
      PartReply { [self] () throws(PartFailure) in change(question, try session.answer(toPart: question)) }
    }
  }

  private struct DeadPart: CatalogPart {
    var name = "http://gone.example:8642"
    func ask(_ question: [UInt8]) -> PartReply {
      PartReply { () throws(PartFailure) in throw PartFailure("no connection (Connection refused)") }
    }
  }

  private static func catalog(_ references: some Sequence<ReferenceSignature>) throws -> CustomCatalog {
    var catalog = CustomCatalog()
    for reference in references { try catalog.add(reference) }
    return catalog
  }

  private static let whole = try? RecognitionSession(catalog: Catalogs.catalog)

  /// Three pieces in the local catalog, three in each of two parts.
  private static func divided() throws -> RecognitionSession {
    let references = Catalogs.references
    return try RecognitionSession(
      catalog: catalog(references[..<3]), parts: [NearPart(references[3..<6]), NearPart(references[6...])])
  }

  /// Clips: clean, in noise, at another speed; of one piece, of none, and of two in sequence.
  private static let clips: [[Float]] = {
    var clips: [[Float]] = []
    for seed in Catalogs.seeds {
      clips.append(Music.piece(seed: seed, seconds: 8, from: 7))
      clips.append(Music.noisy(Music.piece(seed: seed, seconds: 10, from: 5), decibels: -3, seed: seed))
      clips.append(Music.piece(seed: seed, seconds: 10, speed: 1.035, from: 12))
      clips.append(Music.piece(seed: 500 + seed, seconds: 6))
    }
    clips.append(Music.piece(seed: 2, seconds: 7, from: 20) + Music.piece(seed: 8, seconds: 7))
    return clips
  }()

  private static func text(_ matches: [SignatureMatch]) -> [String] {
    matches.map { match in
      let items = match.mediaItems.map { "\($0.referenceIdentifier) \($0.item.title ?? "-")" }
      let place = [match.best.matchOffset, match.heard.lowerBound, match.heard.upperBound].map {
        Int(($0 * 10).rounded())
      }
      return "\(items) \(place)"
    }
  }

  @Test func answersAreThoseOfOneCatalog() throws {
    let whole = try #require(Self.whole)
    let divided = try Self.divided()
    for (number, clip) in Self.clips.enumerated() {
      let query = Catalogs.query(clip)
      let expected = whole.match(query).matches
      let found = divided.match(query).matches
      #expect(Self.text(found) == Self.text(expected), "clip \(number)")
      for (first, second) in zip(expected, found) {
        #expect(abs(first.best.confidence - second.best.confidence) < 0.02, "clip \(number)")
        #expect(first.best.referenceDuration == second.best.referenceDuration)
      }
    }
    #expect(divided.takeMissingCatalogs().isEmpty)
  }

  @Test func allPiecesMayBeElsewhere() throws {
    let session = try RecognitionSession(catalog: CustomCatalog(), parts: [NearPart(Catalogs.references)])
    let match = try #require(session.match(Catalogs.query(Music.piece(seed: 5, seconds: 8, from: 9))).match)
    #expect(match.best.referenceIdentifier == "piece-5" && abs(match.best.matchOffset - 9) < 0.1)
  }

  @Test func aTrackThatSeveralHaveIsReportedOnce() throws {
    let all = Catalogs.references
    let session = try RecognitionSession(
      catalog: Self.catalog(all[..<5]), parts: [NearPart(all[3..<7]), NearPart(all[4...])])
    let match = try #require(session.match(Catalogs.query(Music.piece(seed: 5, seconds: 8, from: 9))).match)
    #expect(match.mediaItems.map(\.referenceIdentifier) == ["piece-5"])
    let joined = try RecognitionSession(
      catalog: CustomCatalog(joining: [Self.catalog(all[..<5]), Self.catalog(all[2...])]))
    #expect(
      joined.match(Catalogs.query(Music.piece(seed: 4, seconds: 8, from: 3))).match?.mediaItems.map(
        \.referenceIdentifier) == ["piece-4"])
  }

  @Test func aPartThatIsDownIsNamedAndTheOthersAnswer() throws {
    let session = try RecognitionSession(
      catalog: Self.catalog(Catalogs.references[..<3]), parts: [DeadPart(), NearPart(Catalogs.references[3...])])
    for seed in [UInt64(1), 7] {
      let result = session.match(Catalogs.query(Music.piece(seed: seed, seconds: 8, from: 4)))
      #expect(result.match?.best.referenceIdentifier == "piece-\(seed)")
      #expect(
        session.takeMissingCatalogs() == [
          MissingCatalog(name: "http://gone.example:8642", reason: "no connection (Connection refused)")
        ])
    }
    #expect(session.takeMissingCatalogs().isEmpty)
  }

  /// Another program may serve the address, or a proxy with its own page.
  @Test(arguments: 0..<6) func nonsenseIsAPartThatIsDown(kind: Int) throws {
    let part = try NearPart(Catalogs.references[3...]) { question, answer in
      switch kind {
      case 0: []
      case 1: Array("<html>".utf8)
      case 2: Array(answer.dropLast(3))
      case 3: answer.map { ~$0 }
      // An answer of another kind than requested.
      case 4: PartAnswer.tracks([]).bytes(to: question, postingCount: 10)
      default: PartAnswer.size.bytes(to: question, postingCount: 10)
      }
    }
    let session = try RecognitionSession(catalog: Self.catalog(Catalogs.references[..<3]), parts: [part])
    let result = session.match(Catalogs.query(Music.piece(seed: 2, seconds: 8, from: 4)))
    #expect(result.match?.best.referenceIdentifier == "piece-2")
    #expect(session.takeMissingCatalogs().map(\.name) == [part.name])
  }

  /// Every second answer has flipped bits, anywhere or in its first bytes. Nothing wrong is found, and each query with such
  /// an answer is reported.
  @Test func flippedBitsAreAPartThatIsDown() throws {
    let random = Mutex(SplitMix64.fresh())
    let flips = Atomic(0)
    let part = try NearPart(Catalogs.references[3...]) { _, answer in
      random.withLock { random in
        guard Bool.random(using: &random) else { return answer }
        flips.add(1, ordering: .relaxed)
        var answer = answer
        let end = Bool.random(using: &random) ? min(13, answer.count) : answer.count
        let bits = [1, 1, 3, 20].randomElement(using: &random) ?? 1
        var flipped: Set<Int> = []
        while flipped.count < bits { flipped.insert(Int.random(in: 0..<end * 8, using: &random)) }
        for bit in flipped { answer[bit / 8] ^= 1 << (bit % 8) }
        return answer
      }
    }
    let session = try RecognitionSession(catalog: Self.catalog(Catalogs.references[..<3]), parts: [part])
    let query = Catalogs.query(Music.piece(seed: 7, seconds: 4, from: 4))
    var matchCount = 0
    for _ in 0..<300 {
      let before = flips.load(ordering: .relaxed)
      let match = session.match(query).match
      let isFlipped = flips.load(ordering: .relaxed) > before
      #expect(session.takeMissingCatalogs().map(\.name) == (isFlipped ? [part.name] : []))
      if let match {
        #expect(match.best.referenceIdentifier == "piece-7")
        matchCount += 1
      } else {
        #expect(isFlipped)
      }
    }
    #expect(matchCount > 0)
  }

  /// 10,000 answers of all kinds: none is taken for another.
  @Test func noFlippedBitPasses() throws {
    var random = SplitMix64.fresh()
    let session = try RecognitionSession(catalog: Catalogs.catalog)
    let names = try Self.places(session).places.map(\.name)
    let query = Catalogs.query(Music.piece(seed: 3, seconds: 4, from: 4))
    let questions = [.size, .places(PlaceSearch(query, .likely, postingCount: 0)), PartQuestion.tracks(names)].map(
      \.bytes)
    let answers = try questions.map { try session.answer(toPart: $0) }
    for number in 0..<10_000 {
      var (question, answer) = (questions[number % 3], answers[number % 3])
      // Half of the mistakes are near the start, where the counts are.
      let end = Bool.random(using: &random) ? min(13, answer.count) : answer.count
      for _ in 0..<([1, 1, 3, 21].randomElement(using: &random) ?? 1) {
        answer[Int.random(in: 0..<end, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      guard answer != answers[number % 3] else { continue }
      #expect(throws: PartFailure.self) { try PartAnswer.read(answer, to: question) }
      // The answer to another question, and a question that was changed on its way.
      #expect(throws: PartFailure.self) { try PartAnswer.read(answers[number % 3], to: questions[(number + 1) % 3]) }
      question[Int.random(in: 0..<question.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      #expect(throws: PartFailure.self) { try session.answer(toPart: question) }
    }
  }

  @Test func otherVersionsAreNamed() throws {
    let session = try RecognitionSession(catalog: Catalogs.catalog)
    let question = PartQuestion.size.bytes
    let answer = try session.answer(toPart: question)
    for version in ["1", "3"] {
      let old = Array("NCQ\(version)".utf8) + question.dropFirst(4)
      #expect(throws: PartFailure("it is a catalog query of another version of Nocturne")) {
        try session.answer(toPart: old)
      }
      #expect(throws: PartFailure("it is an answer of a catalog of another version of Nocturne")) {
        try PartAnswer.read(Array("NCA\(version)".utf8) + answer.dropFirst(4), to: question)
      }
    }
  }

  /// A part that has lost a segment answers with the others, and says so.
  @Test func lossesOfAPartAreNamed() throws {
    var catalog = try Self.catalog(Catalogs.references[3...])
    catalog.losses = [MissingCatalog(name: "3.segment", reason: "missing", isUnreadable: true)]
    let question = PartQuestion.size.bytes
    let answer = try RecognitionSession(catalog: catalog).answer(toPart: question)
    #expect(try PartAnswer.read(answer, to: question).losses == catalog.losses)
  }

  /// A track removed between two questions is dropped, and no other takes its place.
  @Test func aPartMayChangeBetweenTwoQuestions() throws {
    let session = try RecognitionSession(catalog: Self.catalog(Catalogs.references))
    let names = try Self.places(session).places.map(\.name)
    try session.replaceCatalog(with: Self.catalog(Catalogs.references.reversed()))
    let question = PartQuestion.tracks(names).bytes
    let answer = try PartAnswer.read(session.answer(toPart: question), to: question).answer
    guard case .tracks(let tracks) = answer else { throw PartFailure("another kind") }
    for track in tracks {
      let digest = Catalogs.references.first { ReferenceRecord($0).bytes == track.record }?.identifier
      #expect(digest.map { CustomCatalog.digest(of: $0) } == track.name.digest)
    }
  }

  private static func places(_ session: RecognitionSession) throws -> FoundPlaces {
    let query = Catalogs.query(Music.piece(seed: 3, seconds: 6, from: 4))
    let question = PartQuestion.places(PlaceSearch(query, .likely, postingCount: 0)).bytes
    guard case .places(let places) = try PartAnswer.read(session.answer(toPart: question), to: question).answer else {
      throw PartFailure("another kind")
    }
    return places
  }

  @Test func questionsOfStrangersAreRefused() throws {
    let session = try RecognitionSession(catalog: Catalogs.catalog)
    let query = Catalogs.query(Music.piece(seed: 3, seconds: 3, from: 4))
    let questions = [
      PartQuestion.size, .places(PlaceSearch(query, .thorough, postingCount: 1 << 50)),
      .tracks(try Self.places(session).places.map(\.name)),
    ].map(\.bytes)
    var random = Music.Random(state: 7)
    for question in questions {
      _ = try session.answer(toPart: question)
      for length in [0, 3, 4, 8, 9, question.count - 1] where length < question.count {
        #expect(throws: PartFailure.self) { try session.answer(toPart: Array(question[..<length])) }
      }
      #expect(throws: PartFailure.self) { try session.answer(toPart: question + [0]) }
      for _ in 0..<60 {
        var changed = question
        for _ in 0..<3 { changed[Int.random(in: 0..<min(changed.count, 400), using: &random)] = random.next().byte }
        _ = try? session.answer(toPart: changed)
      }
    }
  }
}

extension UInt64 {
  fileprivate var byte: UInt8 { UInt8(truncatingIfNeeded: self) }
}
