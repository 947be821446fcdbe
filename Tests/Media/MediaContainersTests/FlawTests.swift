import AnalysisTesting
import Testing

@testable import MediaContainers

@Suite(.bounded) struct FlawTests {
  /// Gaps alone are told from damage; damage leaves gaps, so both together are damage.
  @Test(
    arguments: [
      (0, 0, nil), (1, 0, "Blocks are missing, repeated or out of order in 1 place."),
      (2, 0, "Blocks are missing, repeated or out of order in 2 places."),
      (0, 1, "Blocks are damaged or not where they should be in 1 place."),
      (0, 2, "Blocks are damaged or not where they should be in 2 places."),
      (1, 1, "Blocks are damaged or not where they should be in 2 places."),
    ] as [(Int, Int, String?)])
  func disorderAndDamage(missing: Int, damaged: Int, sentence: String?) {
    let flaw = ContainerExtent.Flaw.disordered("Blocks", missing: missing, damaged: damaged)
    #expect(flaw == sentence.map { .disordered($0) })
  }

  /// - Returns: A WavPack block of 32 bytes and some data for the samples from `first` on.
  private func block(_ first: UInt32, total: UInt32 = 400) -> [UInt8] {
    func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    return Array("wvpk".utf8) + word(24 + 16) + [0x10, 4, 0, 0] + word(total) + word(first) + word(100)
      + word(0x1800) + word(0) + [UInt8](repeating: 7, count: 16)
  }

  private func flaw(_ bytes: [UInt8]) throws -> ContainerExtent.Flaw? {
    try ContainerExtent(of: .wavPack, in: ByteSource(bytes), at: 0, before: bytes.count).flaw
  }

  @Test func wavPackTellsGapsFromDamage() throws {
    let blocks = [0, 100, 200, 300].map { block($0) }
    #expect(try flaw(blocks.flatMap(\.self)) == nil)
    let missing = try flaw(blocks[0] + blocks[1] + blocks[3])
    #expect(missing == .disordered("WavPack blocks are missing, repeated or out of order in 1 place."))
    var broken = blocks
    broken[2][0] = 0
    // The block is not recognized, so there is junk, and a gap after it.
    let damaged = try flaw(broken.flatMap(\.self))
    #expect(damaged == .disordered("WavPack blocks are damaged or not where they should be in 2 places."))
    let junk = try flaw(blocks[0] + [1, 2, 3] + blocks[1] + blocks[2] + blocks[3])
    #expect(junk == .disordered("WavPack blocks are damaged or not where they should be in 1 place."))
    #expect(
      try flaw(blocks[0] + blocks[1])
        == .cutOff("The header claims 400 samples, but the blocks hold 200: the file was cut off."))
  }

  /// Both sides of the end of the file.
  @Test func claimsBeyondTheEndAreCuts() {
    var extent = ContainerExtent()
    extent.claim(end: 100, before: 100, "TEST")
    #expect(extent.end == 100 && extent.flaw == nil)
    extent.claim(end: 101, before: 100, "TEST")
    #expect(extent.end == 100)
    #expect(extent.flaw == .cutOff("The TEST file ends 1 bytes before the end that its header claims."))
  }
}
