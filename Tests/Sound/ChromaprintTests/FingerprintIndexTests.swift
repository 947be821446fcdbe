import AnalysisTesting
import Testing

@testable import Chromaprint

@Suite(.bounded) struct FingerprintIndexTests {
  /// Items of about two minutes.
  private static func items(_ seed: UInt64, count: Int = 950) -> [UInt32] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt32(truncatingIfNeeded: random.next()) }
  }

  /// Flips some bits, as an encoder does.
  private static func noisy(_ items: [UInt32], share: UInt64) -> [UInt32] {
    var random = SplitMix64(seed: 99)
    return items.map { random.next() % 100 < share ? $0 ^ (1 << UInt32(random.next() % 32)) : $0 }
  }

  @Test func theSameFingerprintIsWhollySimilar() {
    let fingerprint = Fingerprint(items: Self.items(1))
    #expect(fingerprint.similarity(to: fingerprint) == 1)
  }

  @Test func anotherFingerprintIsNot() {
    #expect(Fingerprint(items: Self.items(1)).similarity(to: Fingerprint(items: Self.items(2))) < 0.1)
  }

  @Test(arguments: [0, 1, 80, 400])
  func whereItBeginsMakesLittleDifference(_ cut: Int) {
    let items = Self.items(1)
    let part = Fingerprint(items: Array(Self.noisy(items, share: 60)[cut...]))
    #expect(part.similarity(to: Fingerprint(items: items)) > 0.9)
    #expect(Fingerprint(items: items).similarity(to: part) > 0.9)
  }

  @Test func tooLittleSaysNothing() {
    let items = Self.items(1)
    #expect(Fingerprint(items: Array(items[..<20])).similarity(to: Fingerprint(items: items)) == 0)
    #expect(Fingerprint(items: []).similarity(to: Fingerprint(items: items)) == 0)
  }

  @Test func theRightOneIsTheFirstCandidate() {
    var index = FingerprintIndex()
    // Added in two steps: the second batch is listed separately.
    index.add((0..<200).map { (UInt32($0), Fingerprint(items: Self.items(UInt64($0)))) })
    index.add((200..<205).map { (UInt32($0), Fingerprint(items: Self.items(UInt64($0)))) })
    for number in [0, 77, 199, 202] {
      let clip = Self.noisy(Self.items(UInt64(number)), share: 50)[300..<600]
      #expect(index.candidates(for: Fingerprint(items: Array(clip)), limit: 5).first == UInt32(number))
    }
    #expect(index.candidates(for: Fingerprint(items: []), limit: 5).isEmpty)
  }
}
