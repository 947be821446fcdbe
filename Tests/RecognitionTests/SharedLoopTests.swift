import Fingerprinting
import Testing

@testable import Recognition

/// Tracks made of the same loop, each with a lead of its own.
@Suite struct SharedLoopTests {
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
      try? catalog.add(Reference(identifier: "track-\(seed)", signature: signature, items: []))
    }
    return catalog
  }()

  @Test(arguments: UInt64(1)...4) func theRightTrackIsFound(seed: UInt64) throws {
    let clip = Array(Self.track(seed)[48_000..<128_000])
    let best = try #require(try Session(catalog: Self.catalog).match(Catalogs.query(clip)).match?.best)
    #expect(best.referenceIdentifier == "track-\(seed)")
    #expect(abs(best.matchOffset - 6) < 0.05)
  }

  @Test(arguments: UInt64(5)...8) func anotherTrackOfTheSameLoopIsNotTakenForIt(seed: UInt64) throws {
    let session = try Session(catalog: Self.catalog)
    for length in [3, 10] {
      let clip = Array(Self.track(seed)[40_000..<40_000 + length * 8000])
      #expect(session.match(Catalogs.query(clip)).match == nil)
    }
  }
}
