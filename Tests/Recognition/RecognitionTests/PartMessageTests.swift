import Analysis
import AnalysisTesting
import Landmarks
import Synchronization
import Testing

@testable import Recognition

/// Messages that a catalog accepts from another one: they may come from anybody.
@Suite(.bounded) struct PartMessageTests {
  /// A query of two columns with a valid checksum, whose fields can be changed.
  private struct Question {
    var version = UInt32(Signature.version)
    var kind: UInt8 = 1
    var stage: UInt8 = 0
    var postingCount: UInt64 = 9
    var columnCount = 2
    var peaks: [(column: UInt32, band: UInt16, strength: Float, columnOffset: Float, bandOffset: Float)] = []
    var changedValue: Int16 = 0
    var more: [UInt8] = []

    func read() throws(PartFailure) -> PlaceSearch {
      var writer = PartBytesWriter(magic: PartMagic("NCQ2", name: "a question"))
      writer.append(version)
      writer.append(kind)
      writer.append(stage)
      writer.append(postingCount)
      writer.append(UInt32(columnCount))
      writer.append(UInt32(peaks.count))
      for peak in peaks {
        writer.append(peak.column)
        writer.append(peak.band)
        writer.append(peak.strength)
        writer.append(peak.columnOffset)
        writer.append(peak.bandOffset)
      }
      if columnCount > 0 { writer.append(changedValue) }
      for _ in 1..<max(columnCount * 138, 1) { writer.append(Int16(0)) }
      for byte in more { writer.append(byte) }
      guard case .places(let search) = try PartQuestion(bytes: writer.sealed()) else {
        throw PartFailure("another kind")
      }
      return search
    }

    func problem(_ change: (inout Self) -> Void) -> String? {
      var question = self
      change(&question)
      do throws(PartFailure) {
        _ = try question.read()
        return nil
      } catch {
        return error.description
      }
    }
  }

  @Test func fieldsOfAQuestionAreRead() throws {
    var question = Question()
    question.stage = 4
    question.peaks = [(0, 137, 2.5, -1, 1), (1, 0, 0, 0.25, -0.5)]
    question.changedValue = -255
    let search = try question.read()
    #expect(search.stage == .thorough && search.postingCount == 9 && search.columnCount == 2)
    #expect(search.duration == 0.064)
    #expect(search.peaks.found.map(\.column) == [0, 1] && search.peaks.found.map(\.band) == [137, 0])
    #expect(search.peaks.found.map(\.strength) == [2.5, 0])
    #expect(search.peaks.found.map(\.columnOffset) == [-1, 0.25])
    #expect(search.peaks.found.map(\.bandOffset) == [1, -0.5])
    #expect(search.filter.values.min() == -255 && search.filter.values.count { $0 != 0 } == 1)
    question.postingCount = 1 << 40
    #expect(try question.read().postingCount == 1 << 40)
    question.postingCount = 1 << 40 + 1
    #expect(try question.read().postingCount == 1 << 40)
  }

  @Test func fieldsOfAQuestionHaveLimits() {
    let question = Question()
    #expect(question.problem { $0.stage = 7 } == nil)
    #expect(question.problem { $0.stage = 8 }?.contains("stage") == true)
    #expect(question.problem { $0.kind = 3 }?.contains("of a kind") == true)
    #expect(
      question.problem { $0.version = 2 } == "it contains signatures of version 2, and this catalog has version 1")
    #expect(question.problem { $0.more = [0] } == "there are extra bytes after its end")
    for (count, isValid) in [(0, false), (1, true), (2048, true), (2049, false)] {
      let problem = question.problem { $0.columnCount = count }
      #expect(problem == (isValid ? nil : "its query is empty or too long"))
    }
    for (value, isValid) in [(Int16(255), true), (256, false), (-255, true), (-256, false)] {
      #expect((question.problem { $0.changedValue = value } == nil) == isValid)
    }
    let outside = "it contains a peak outside its query"
    #expect(question.problem { $0.peaks = [(1, 137, 0, 1, -1), (1, 0, 0, -1, 1)] } == nil)
    #expect(question.problem { $0.peaks = [(2, 0, 1, 0, 0)] } == outside)
    #expect(question.problem { $0.peaks = [(1, 0, 1, 0, 0), (0, 0, 1, 0, 0)] } == outside)
    #expect(question.problem { $0.peaks = [(0, 138, 1, 0, 0)] } == outside)
    #expect(question.problem { $0.peaks = [(0, 0, -0.1, 0, 0)] } == outside)
    #expect(question.problem { $0.peaks = [(0, 0, 1, 1.1, 0)] } == outside)
    #expect(question.problem { $0.peaks = [(0, 0, 1, -1.1, 0)] } == outside)
    #expect(question.problem { $0.peaks = [(0, 0, 1, 0, 1.1)] } == outside)
    #expect(question.problem { $0.peaks = [(0, 0, 1, 0, -1.1)] } == outside)
    #expect(question.problem { $0.peaks = [(0, 0, .infinity, 0, 0)] }?.contains("not finite") == true)
    #expect(question.problem { $0.peaks = [(0, 0, 1, .nan, 0)] }?.contains("not finite") == true)
  }

  private static func names(_ count: Int) -> [PartTrackName] {
    (0..<count).map { PartTrackName(segment: $0 % 3, track: $0, digest: ContentID(high: 5, low: UInt64($0))) }
  }

  @Test(arguments: [0, 1, 64]) func tracksAreAskedFor(count: Int) throws {
    let names = Self.names(count)
    guard case .tracks(let read) = try PartQuestion(bytes: PartQuestion.tracks(names).bytes) else {
      throw PartFailure("another kind")
    }
    #expect(read == names)
  }

  @Test func tooManyTracksAreNotAskedForAtOnce() {
    #expect(throws: PartFailure("it asks for more than 64 tracks")) {
      try PartQuestion(bytes: PartQuestion.tracks(Self.names(65)).bytes)
    }
  }

  /// A question of another kind of message, one that is cut off, and one that claims more than it has.
  @Test func messagesAreNamedWhenTheyAreRefused() {
    func problem(_ bytes: [UInt8]) -> String {
      do throws(PartFailure) {
        _ = try PartQuestion(bytes: bytes)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(problem([]) == "it is not a catalog query")
    #expect(problem(Array("NCA2".utf8)) == "it is not a catalog query")
    #expect(problem(Array("NCQ9".utf8)) == "it is a catalog query of another version of Nocturne")
    #expect(problem(Array("NCQ2".utf8) + [UInt8](repeating: 0, count: 15)) == "it is truncated")
    #expect(problem(Array("NCQ2".utf8) + [UInt8](repeating: 0, count: 16)).contains("checksum"))
    var writer = PartBytesWriter(magic: PartMagic("NCQ2", name: ""))
    #expect(problem(writer.sealed()) == "it is truncated")
    writer.append(UInt32(1))
    writer.append(UInt8(2))
    writer.append(UInt32(1))
    #expect(problem(writer.sealed()) == "it is truncated")
    for _ in 0..<24 { writer.append(UInt8(0)) }
    #expect(problem(writer.sealed()) == "")
  }

  // MARK: Answers

  private static func place(
    slope: Float = 1, shift: Int = 0, center: Float = 5, z: Float = 3, number: Int = 0
  ) -> FoundPlaces.Place {
    FoundPlaces.Place(
      name: PartTrackName(segment: 1, track: number, digest: ContentID(high: 2, low: 3)), columnCount: 700,
      placement: MatchedFilter.Placement(center: center, slope: slope, shift: shift), z: z)
  }

  private static func read(_ answer: PartAnswer, postingCount: Int = 4) throws(PartFailure) -> PartAnswer.Envelope {
    try PartAnswer.read(answer.bytes(to: [1], postingCount: postingCount), to: [1])
  }

  @Test(arguments: [true, false]) func placesAreReadAsTheyWereWritten(hasReadAll: Bool) throws {
    let places = [
      Self.place(slope: 0.5, shift: 138, center: 4_294_967_040, z: -2),
      Self.place(slope: 2, shift: -138, center: -4_294_967_040),
    ]
    let envelope = try Self.read(.places(FoundPlaces(hasReadAll: hasReadAll, places: places)))
    guard case .places(let found) = envelope.answer else { throw PartFailure("another kind") }
    #expect(envelope.postingCount == 4 && envelope.losses.isEmpty && found.hasReadAll == hasReadAll)
    for (one, other) in zip(found.places, places) {
      #expect(one.name == other.name && one.columnCount == 700 && one.z == other.z)
      #expect(one.placement.center == other.placement.center && one.placement.slope == other.placement.slope)
      #expect(one.placement.shift == other.placement.shift)
    }
    #expect(found.places.count == 2)
  }

  @Test func placesThatCannotBeAreRefused() {
    for place in [
      Self.place(slope: 0.49), Self.place(slope: 2.01), Self.place(shift: 139), Self.place(shift: -139),
      Self.place(center: 5e9), Self.place(center: -5e9),
    ] {
      #expect(throws: PartFailure("it contains an invalid position")) {
        try Self.read(.places(FoundPlaces(hasReadAll: true, places: [place])))
      }
    }
    #expect(throws: PartFailure("it contains a number that is not finite")) {
      try Self.read(.places(FoundPlaces(hasReadAll: true, places: [Self.place(z: .nan)])))
    }
  }

  @Test func answersHaveLimits() throws {
    for (count, expected) in [(1 << 40, 1 << 40), (1 << 40 + 1, 1 << 40)] {
      #expect(try Self.read(.size, postingCount: count).postingCount == expected)
    }
    // A byte counts the losses.
    let losses = (0..<300).map { MissingCatalog(name: "\($0)", reason: "gone", isUnreadable: true) }
    let bytes = PartAnswer.size.bytes(to: [], postingCount: 0, losses: losses)
    #expect(try PartAnswer.read(bytes, to: []).losses == Array(losses[..<255]))
    for (more, problem) in [
      ([3], "it is an answer of a kind that this version of Nocturne does not know"),
      ([0, 0], "there are extra bytes after its end"), ([2, 9, 0, 0, 0], "it is truncated"),
      ([1, 1, 1, 0, 0], "it is truncated"),
    ] as [([UInt8], String)] {
      var writer = PartBytesWriter(magic: PartMagic("NCA2", name: ""))
      writer.append(UInt64(3))
      writer.append(UInt8(0))
      for byte in more { writer.append(byte) }
      #expect(throws: PartFailure(problem)) { try PartAnswer.read(writer.sealed(answering: [7]), to: [7]) }
    }
  }

  // MARK: Asking

  /// A part that answers as it is told, and counts what it is asked.
  private final class ScriptedPart: CatalogPart {
    let name: String
    let asked = Mutex<[String]>([])
    private let answer: @Sendable (PartQuestion) throws(PartFailure) -> PartAnswer

    init(_ name: String = "part", _ answer: @escaping @Sendable (PartQuestion) throws(PartFailure) -> PartAnswer) {
      (self.name, self.answer) = (name, answer)
    }

    func ask(_ question: [UInt8]) -> PartReply {
      PartReply { [self] () throws(PartFailure) in
        let read = try PartQuestion(bytes: question)
        let kind =
          switch read {
          case .size: "size"
          case .places: "places"
          case .tracks: "tracks"
          }
        asked.withLock { $0.append(kind) }
        let losses = [MissingCatalog(name: "1.segment", reason: "gone")]
        return try answer(read).bytes(to: question, postingCount: 1000, losses: losses)
      }
    }
  }

  private static let search: PlaceSearch = {
    let query = RecognitionQuery(Catalogs.references[0].signature.slice(from: 3, to: 6))
    return PlaceSearch(query, .likely, postingCount: 0)
  }()

  private static func takePlaces(_ parts: inout RemoteParts) -> (places: [RemoteParts.Place], hasReadAll: Bool) {
    var places: [RemoteParts.Place] = []
    let pending = parts.ask(.places(search))
    let hasReadAll = parts.takePlaces(pending, into: &places)
    return (places, hasReadAll)
  }

  /// Asked once; and again after a failure.
  @Test func sizesAreAskedForOnce() {
    let fails = Atomic(false)
    let part = ScriptedPart { (_) throws(PartFailure) in
      if fails.load(ordering: .relaxed) { throw PartFailure("down") }
      return .size
    }
    var parts = RemoteParts([part])
    #expect(parts.count == 1 && parts.postingCount == 0)
    parts.begin()
    parts.begin()
    #expect(parts.postingCount == 1000)
    #expect(part.asked.withLock { $0 } == ["size"])
    // Its losses are named after it, once.
    let losses = [MissingCatalog(name: "part: 1.segment", reason: "gone", isUnreadable: true)]
    #expect(parts.takeMissing() == losses)
    #expect(parts.takeMissing().isEmpty)
    // An answer of another kind is a failure, after which it is not asked until the next query.
    #expect(Self.takePlaces(&parts).hasReadAll)
    #expect(parts.postingCount == 0)
    #expect(
      parts.takeMissing() == losses + [
        MissingCatalog(name: "part", reason: "it sent an answer to a different query")
      ])
    #expect(parts.ask(.size).isEmpty)
    fails.store(true, ordering: .relaxed)
    parts.begin()
    #expect(parts.takeMissing() == [MissingCatalog(name: "part", reason: "down")])
    #expect(parts.ask(.size).isEmpty && parts.postingCount == 0)
    fails.store(false, ordering: .relaxed)
    parts.begin()
    #expect(parts.postingCount == 1000)
  }

  /// Tracks have the same number in all answers of a query; 200 of them are kept for the next one.
  @Test(arguments: [200, 201]) func tracksAreNumbered(count: Int) {
    let isLater = Atomic(false)
    let part = ScriptedPart { (_) throws(PartFailure) in
      let first = isLater.load(ordering: .relaxed) ? [8, 7, 8] : [7, 8, 7]
      let places = (first + Array(0..<count)).map { Self.place(number: $0) }
      return .places(FoundPlaces(hasReadAll: count == 200, places: places))
    }
    let empty = ScriptedPart { (_) throws(PartFailure) in .places(FoundPlaces(hasReadAll: true, places: [])) }
    var parts = RemoteParts([empty, part])
    for _ in 0..<2 {
      let (places, hasReadAll) = Self.takePlaces(&parts)
      #expect(hasReadAll == (count == 200))
      #expect(places.allSatisfy { $0.part == 1 && $0.z == 3 && $0.placement.center == 5 })
      #expect(places.prefix(6).map(\.track) == [0, 1, 0, 2, 3, 4])
      #expect(places.map(\.track).max() == count - 1)
      #expect(parts.columnCount(part: 1, track: count - 1) == 700)
    }
    parts.begin()
    // Numbers are given anew if there were too many.
    let pending = parts.ask(.places(Self.search), [0])
    var none: [RemoteParts.Place] = []
    #expect(parts.takePlaces(pending, into: &none) && none.isEmpty)
    isLater.store(true, ordering: .relaxed)
    let first = Self.takePlaces(&parts).places.prefix(3).map(\.track)
    #expect(first == (count == 200 ? [1, 0, 1] : [0, 1, 0]))
    #expect(!parts.has(part: 1, track: 0))
  }

  @Test func landmarksOfARemoteTrackAreThoseBetweenTheColumns() {
    let signature = Catalogs.references[1].signature
    let record = ReferenceRecord(identifier: "far", items: [MediaItem(title: "Far")])
    let part = ScriptedPart { (question) throws(PartFailure) in
      switch question {
      case .tracks(let names):
        .tracks(names.map { FoundTrack(name: $0, record: record.bytes, signature: signature.bytes) })
      default:
        .places(
          FoundPlaces(
            hasReadAll: true,
            places: [signature.columnCount, 5].enumerated().map { number, columnCount in
              var place = Self.place(number: number)
              place.columnCount = columnCount
              return place
            }))
      }
    }
    var parts = RemoteParts([part])
    _ = Self.takePlaces(&parts)
    #expect(parts.points(part: 0, track: 0, in: 0..<1000).isEmpty)
    parts.fetch([(0, 0), (0, 0), (0, 1)])
    parts.fetch([(0, 0)])
    // Both in one question; what is there is not asked for again.
    #expect(part.asked.withLock { $0 } == ["places", "tracks"])
    #expect(parts.has(part: 0, track: 0) && parts.record(part: 0, track: 0).identifier == "far")
    // The second is no longer as long as its place said.
    #expect(!parts.has(part: 0, track: 1))
    for columns in [0..<1000, 0..<1, 100..<101, 300..<700, 999..<5000, 5000..<6000] {
      #expect(
        Array(parts.points(part: 0, track: 0, in: columns))
          == signature.landmarks.filter { columns.contains($0.column) }.map(PackedLandmark.init))
    }
  }
}
