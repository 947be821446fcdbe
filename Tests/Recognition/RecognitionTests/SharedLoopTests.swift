import AnalysisTesting
import Landmarks
import Testing

@testable import Recognition

/// Tracks made of the same loop, each with its own lead.
@Suite(.bounded) struct SharedLoopTests {
  private static let seconds = 24.0
  private static let loop = Music.piece(seed: 500, seconds: 4)

  private static func track(_ seed: UInt64) -> [Float] {
    var samples = Music.piece(seed: 600 + seed, seconds: seconds)
    for index in samples.indices { samples[index] += loop[index % loop.count] }
    return samples
  }

  private static let catalog: CustomCatalog = {
    var catalog = CustomCatalog()
    for seed in UInt64(1)...4 {
      let signature = Catalogs.signature(of: track(seed))
      try? catalog.add(ReferenceSignature(identifier: "track-\(seed)", signature: signature, items: []))
    }
    return catalog
  }()

  @Test(arguments: UInt64(1)...4) func theRightTrackIsFound(seed: UInt64) throws {
    let clip = Array(Self.track(seed)[48_000..<128_000])
    let best = try #require(
      try RecognitionSession(catalog: Self.catalog).match(Catalogs.query(Array(clip))).match?.best)
    #expect(best.referenceIdentifier == "track-\(seed)")
    #expect(abs(best.matchOffset - 6) < 0.05)
    #expect(try RecognitionSession(catalog: Self.catalog).match(Catalogs.query(clip)).matches.count == 1)
  }

  @Test(arguments: UInt64(5)...8) func anotherTrackOfTheSameLoopIsNotTakenForIt(seed: UInt64) throws {
    let session = try RecognitionSession(catalog: Self.catalog)
    for length in [3, 10] {
      let clip = Array(Self.track(seed)[40_000..<40_000 + length * 8000])
      #expect(session.match(Catalogs.query(clip)).match == nil)
    }
  }

  @Test func whatTwoTracksShareIsTakenForNeither() throws {
    let passage = Music.piece(seed: 700, seconds: 6)
    var catalog = CustomCatalog()
    for seed in UInt64(1)...2 {
      let samples =
        Music.piece(seed: 700 + seed, seconds: 20) + passage + Music.piece(seed: 710 + seed, seconds: 20)
      try catalog.add(
        ReferenceSignature(identifier: "track-\(seed)", signature: Catalogs.signature(of: samples), items: []))
    }
    let session = try RecognitionSession(catalog: catalog)
    #expect(session.match(Catalogs.query(Array(passage[8_000..<40_000]))).match == nil)
    // With enough of its own material, the track is unambiguous.
    let clip = passage.suffix(24_000) + Music.piece(seed: 711, seconds: 20).prefix(56_000)
    #expect(session.match(Catalogs.query(Array(clip))).match?.best.referenceIdentifier == "track-1")
  }
}
