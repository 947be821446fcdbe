@testable import Landmarks
@testable import Recognition

/// What servers of catalogs say to each other. The first byte says whether the rest is a question to one, or what one
/// answers to every question.
struct CatalogPartTarget: FuzzTarget {
  static let name = "catalog-parts"

  private struct Stranger: CatalogPart {
    let name = "stranger"
    /// Without its magic and its checksum, which this adds.
    let answer: [UInt8]

    func ask(_ question: [UInt8]) -> PartReply {
      PartReply { () throws(PartFailure) in CatalogPartTarget.sealed("NCA2", answer, answering: question) }
    }
  }

  private static let clip = RecognitionQuery(madeUpSignature(seed: 4, seconds: 3))
  private static let stages = Matcher.Stage.Name.allCases

  private static func makeSession() throws -> RecognitionSession {
    var catalog = CustomCatalog()
    try catalog.addReferenceSignature(madeUpSignature(seed: 4, seconds: 20), representing: [MediaItem(title: "A")])
    return try RecognitionSession(catalog: catalog)
  }

  static func seeds() throws -> [[UInt8]] {
    let session = try makeSession()
    var questions = [PartQuestion.size] + stages.map { .places(PlaceSearch(clip, $0, postingCount: 1000)) }
    let places = try session.answer(toPart: questions[1].bytes)
    if case .places(let found) = try PartAnswer.read(places, to: questions[1].bytes).answer {
      questions.append(.tracks(found.places.map(\.name)))
    }
    return try questions.flatMap { [[0] + inner($0.bytes), [1] + inner(try session.answer(toPart: $0.bytes))] }
  }

  /// A question or an answer without its magic and its checksum: no mutation would get past these.
  private static func inner(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst(4).dropLast(16)) }

  private static func sealed(_ magic: String, _ inner: [UInt8], answering question: [UInt8] = []) -> [UInt8] {
    var writer = PartBytesWriter(magic: PartMagic(magic, name: ""))
    for byte in inner { writer.append(byte) }
    return writer.sealed(answering: question)
  }

  private let session: RecognitionSession

  init() throws { session = try Self.makeSession() }

  func run(_ bytes: [UInt8]) throws {
    let body = Array(bytes.dropFirst())
    if bytes.first ?? 0 == 0 {
      let bytes = Self.sealed("NCQ2", body)
      let question = try PartQuestion(bytes: bytes)
      require(try PartQuestion(bytes: question.bytes).bytes == question.bytes, "a question is written as it was read")
      _ = try PartAnswer.read(session.answer(toPart: bytes), to: bytes)
    } else {
      let asking = try RecognitionSession(catalog: session.catalog, parts: [Stranger(answer: body)])
      _ = asking.match(Self.clip)
      _ = try PartAnswer.read(Self.sealed("NCA2", body), to: [])
    }
  }
}
