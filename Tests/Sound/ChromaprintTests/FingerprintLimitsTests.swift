import Analysis
import AnalysisTesting
import SystemPackage
import Testing

@testable import Chromaprint

@Suite(.bounded) struct FingerprintLimitsTests {
  private static func items(_ count: Int, seed: UInt64 = 1) -> [UInt32] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt32(truncatingIfNeeded: random.next()) }
  }

  /// Flips a number of bits, one in each item, then another in each, from the lowest on.
  private func flipped(_ items: [UInt32], bits: Int) -> [UInt32] {
    var changed = items
    for bit in 0..<bits { changed[bit % items.count] ^= 1 << UInt32(bit / items.count) }
    return changed
  }

  private func isSame(_ first: some Sequence<UInt32>, _ second: some Sequence<UInt32>) -> Bool {
    let (one, other) = (Fingerprint(items: Array(first)), Fingerprint(items: Array(second)))
    let isSame = one.isOfSameRecording(as: other)
    #expect(other.isOfSameRecording(as: one) == isSame)
    return isSame
  }

  @Test func recordingsOverlapAndAgree() {
    let items = Self.items(200)
    #expect(isSame(items[..<60], items[..<60]) && !isSame(items[..<59], items[..<59]))
    #expect(isSame(items, items[..<60]))
    // Two seconds apart at most.
    #expect(isSame(items, items[16...]) && !isSame(items, items[17...]))
    #expect(isSame(items[..<76], items[16...]) && !isSame(items[..<75], items[16...]))
    // Less than 12% of the bits differ.
    let hundred = Array(items[..<100])
    #expect(isSame(hundred, flipped(hundred, bits: 383)) && !isSame(hundred, flipped(hundred, bits: 384)))
    #expect(Fingerprint(items: hundred).count == 100)
  }

  private func similarity(_ first: [UInt32], _ second: [UInt32]) -> Double {
    Fingerprint(items: first).similarity(to: Fingerprint(items: second))
  }

  @Test func similarityIsAgreementTimesOverlap() {
    let items = Self.items(200)
    let hundred = Array(items[..<100])
    #expect(abs(similarity(hundred, flipped(hundred, bits: 320)) - 0.8) < 1e-9)
    #expect(abs(similarity(hundred, flipped(hundred, bits: 1_500)) - 0.0625) < 1e-9)
    #expect(abs(similarity(hundred, Array(items[50..<150])) - 0.5) < 1e-9)
    #expect(abs(similarity(Array(items[50..<150]), hundred) - 0.5) < 1e-9)
    #expect(abs(similarity(Array(items[20..<80]), items) - 1) < 1e-9)
    #expect(
      abs(similarity(hundred, Array(items[60..<160])) - 0.4) < 1e-9 && similarity(hundred, Array(items[61..<161])) == 0)
    #expect(similarity(Array(items[..<40]), items) == 1 && similarity(Array(items[..<39]), items) == 0)
    // The upper halves are the same, and all other bits differ.
    #expect(similarity(hundred, hundred.map { $0 ^ 0xFFFF }) == 0)
    #expect(similarity(hundred, Array(hundred[..<10]) + hundred[10...].map { ~$0 }) == 0)
  }

  /// Upper halves of items that occur often say nothing about the position.
  @Test(arguments: [(24, true), (25, false)]) func commonItems(count: Int, isFound: Bool) {
    let common = (0..<count).map { 0xABCD_0000 | UInt32($0) }
    let first = common + Self.items(40, seed: 2).map { $0 & 0x7FFF_FFFF }
    let second = common + Self.items(40, seed: 3).map { $0 | 0xC000_0000 }.map { $0 & 0xDFFF_FFFF | 0x1000_0000 }
    #expect((similarity(first, second) > 0) == isFound)
  }

  // MARK: - Index

  /// One in eight items.
  private static func isListed(_ item: UInt32) -> Bool { (item &* 2_654_435_769) >> 16 % 8 == 0 }
  private static let listed: [UInt32] = Array((1..<2_000).filter(isListed).prefix(9))

  /// Items that very many fingerprints share are ignored.
  @Test(arguments: [(2_000, true), (2_001, false)]) func sharedItems(count: Int, isFound: Bool) {
    var index = FingerprintIndex()
    index.add((0..<count).map { (UInt32($0), Fingerprint(items: [Self.listed[0]])) })
    #expect(index.candidates(for: Fingerprint(items: [Self.listed[0]]), limit: 3) == (isFound ? [0, 1, 2] : []))
  }

  private func add(_ fingerprints: [(UInt32, [UInt32])], to index: inout FingerprintIndex) {
    index.add(fingerprints.map { ($0.0, Fingerprint(items: $0.1)) })
  }

  @Test func candidatesHaveMostItemsInCommon() throws {
    var index = FingerprintIndex()
    let items = Self.listed
    add(
      [
        (7, Array(items[..<2])), (3, Array(items[..<5])), (9, Array(items[3..<5])),
        (1, [items[8], items[8], items[8]]),
      ],
      to: &index)
    #expect(index.candidates(for: Fingerprint(items: items), limit: 9) == [3, 7, 9, 1])
    #expect(index.candidates(for: Fingerprint(items: items), limit: 2) == [3, 7])
    #expect(index.candidates(for: Fingerprint(items: [items[4]]), limit: 9) == [3, 9])
    // Items that are not listed are not found.
    let other = try #require((1..<2_000 as Range<UInt32>).first { !Self.isListed($0) })
    add([(4, [other])], to: &index)
    #expect(index.candidates(for: Fingerprint(items: [other]), limit: 9) == [])
    // Later additions are found as well, and the size grows.
    let size = index.size
    for number in 10..<40 as Range<UInt32> { add([(number, [items[8]])], to: &index) }
    #expect(index.candidates(for: Fingerprint(items: [items[8]]), limit: 99) == [1] + Array(10..<40))
    #expect(index.size > size && size >= 80)
  }

  @Test func theLargestItemAndNumber() {
    #expect(Self.isListed(.max))
    var index = FingerprintIndex()
    add([(.max, [.max]), (0, [.max, .max - 1])], to: &index)
    #expect(index.candidates(for: Fingerprint(items: [.max]), limit: 9) == [0, .max])
    add([(5, [0])], to: &index)
    #expect(index.candidates(for: Fingerprint(items: [0]), limit: 9) == [5])
  }
}

@Suite(.bounded) struct FingerprintTextTests {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  private func base64(_ bytes: [UInt8]) -> String {
    var (text, bits, count) = ("", 0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | Int(byte), count + 8)
      while count >= 6 {
        count -= 6
        text.append(Self.alphabet[bits >> count & 63])
      }
      bits &= 1 << count - 1
    }
    if count > 0 { text.append(Self.alphabet[bits << (6 - count) & 63]) }
    return text
  }

  /// Packs numbers of a few bits, low bits first.
  private func packed(_ numbers: [Int], bits: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, number) in numbers.enumerated() {
      for bit in 0..<bits {
        let place = index * bits + bit
        if place / 8 == bytes.count { bytes.append(0) }
        if number >> bit & 1 == 1 { bytes[place / 8] |= 1 << UInt8(place % 8) }
      }
    }
    return bytes
  }

  private func text(count: Int, codes: [Int], rests: [Int] = []) -> String {
    base64(
      [1, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)] + packed(codes, bits: 3)
        + packed(rests, bits: 5))
  }

  private func text(of items: [UInt32]) -> String {
    var (codes, rests, last): ([Int], [Int], UInt32) = ([], [], 0)
    for item in items {
      var before = -1
      for bit in 0..<32 where (item ^ last) >> UInt32(bit) & 1 == 1 {
        let distance = bit - before
        codes.append(min(distance, 7))
        if distance >= 7 { rests.append(distance - 7) }
        before = bit
      }
      codes.append(0)
      last = item
    }
    return text(count: items.count, codes: codes, rests: rests)
  }

  @Test func itemsComeBack() {
    var random = SplitMix64.fresh()
    for count in [0, 1, 2, 3, 7, 8, 50] {
      for sparse in [1, 3, 9] {
        let items = (0..<count).map { _ in
          (0..<sparse).reduce(UInt32.max) { mask, _ in mask & UInt32(truncatingIfNeeded: random.next()) }
        }
        #expect(FingerprintText.items(of: text(of: items)) == items)
      }
    }
    let single = (0..<32).map { UInt32(1) << UInt32($0) }
    #expect(FingerprintText.items(of: text(of: single)) == single)
    let many = [UInt32](repeating: 5, count: 65_536 + 258)
    #expect(FingerprintText.items(of: text(of: many)) == many)
  }

  @Test func thereAreThirtyTwoBits() {
    #expect(FingerprintText.items(of: text(count: 1, codes: [7, 0], rests: [25])) == [0x8000_0000])
    #expect(FingerprintText.items(of: text(count: 1, codes: [7, 0], rests: [26])) == nil)
    #expect(FingerprintText.items(of: text(count: 1, codes: [6, 6, 6, 6, 6, 2, 0])) != nil)
    #expect(FingerprintText.items(of: text(count: 1, codes: [6, 6, 6, 6, 6, 3, 0])) == nil)
  }

  @Test func endsAreComplete() {
    // Neither the zero at the end of an item nor the rest of a distance is missing.
    #expect(FingerprintText.items(of: text(count: 2, codes: [1, 0, 1, 0])) == [1, 0])
    #expect(FingerprintText.items(of: text(count: 3, codes: [1, 0, 1, 2, 1, 1, 1, 1])) == nil)
    #expect(FingerprintText.items(of: text(count: 1, codes: [7, 0], rests: [])) == nil)
    #expect(
      FingerprintText.items(of: text(count: 8, codes: [0, 0, 0, 0, 0, 0, 0, 0])) == [UInt32](repeating: 0, count: 8))
    #expect(FingerprintText.items(of: text(count: 9, codes: [0, 0, 0, 0, 0, 0, 0, 0])) == nil)
  }

  @Test func otherCharactersAreRefused() {
    let plain = text(of: [0xFFFF_FFFF, 0x1234_5678, 0])
    #expect(FingerprintText.items(of: plain) != nil)
    for character in ["+", "/", "=", " ", "@", "[", "`", "{", ":", ".", "ä"] {
      #expect(FingerprintText.items(of: plain.dropLast() + character) == nil, "\(character)")
    }
  }
}

@Suite(.bounded) struct ChromaprintContextTests {
  private let samples = Signal.chords(sampleRate: 11_025, seconds: 8).mono.map { Int16($0 * 20_000) }

  @Test func wordsAreThoseOfTheText() throws {
    let context = try ChromaprintContext(sampleRate: 11_025)
    try context.feed(samples.span)
    let text = try #require(try context.finish())
    let items = try #require(FingerprintText.items(of: text))
    try context.restart()
    try context.feed(samples.span)
    #expect(try context.finishWithWords() == items && items.count > 20)
    try context.restart()
    #expect(try context.finish() == nil && context.finishWithWords() == [])
    #expect(context.delay > 0 && abs(context.delayMilliseconds - context.delay * 1_000 / 11_025) <= 1)
    #expect(!ChromaprintContext.libraryVersion.isEmpty)
  }

  /// Algorithms count from 1, as elsewhere. The text begins with the number that the library uses.
  @Test func algorithms() throws {
    func first(_ algorithm: Int) throws -> Character? {
      let context = try ChromaprintContext(algorithm: algorithm, sampleRate: 11_025)
      try context.feed(samples.span)
      return try context.finish()?.dropFirst().first
    }
    #expect(ChromaprintContext.standardAlgorithm == 2 && ChromaprintContext.algorithms == 1...5)
    #expect(try first(1) == "A" && first(2) == "Q" && first(3) == "g")
    #expect(throws: AnalysisError.self) { try ChromaprintContext(sampleRate: 5) }
  }

  /// Words are lost, but the audio goes on.
  @Test func wordsAreCleared() throws {
    func words(clears: Bool) throws -> [UInt32] {
      let context = try ChromaprintContext(sampleRate: 11_025)
      try context.feed(samples.span)
      if clears { try context.clear() }
      try context.feed(samples.span.extracting(0..<22_050))
      return try context.finishWithWords()
    }
    let (all, later) = (try words(clears: false), try words(clears: true))
    #expect(!later.isEmpty && later.count < all.count && later == all.suffix(later.count))
  }

  // MARK: - Lengths

  @Test(arguments: [(0.0, true), (3, true), (86_400, true), (2.99, false), (86_401, false), (.nan, false)])
  func lengths(seconds: Double, isAccepted: Bool) {
    var configuration = ChromaprintAnalyzer.Configuration()
    #expect(configuration.length == 120)
    configuration.length = seconds
    #expect(((try? ChromaprintAnalyzer(configuration)) != nil) == isAccepted)
  }

  /// Samples beyond 16 bits are limited, and samples beyond the length are left out.
  @Test func samplesAreLimited() throws {
    func finding(_ values: [Float], length: Double, cut: Int) throws -> FingerprintFinding {
      var configuration = ChromaprintAnalyzer.Configuration()
      configuration.length = length
      var session = try ChromaprintAnalyzer(configuration).makeSession(for: AudioFile(path: "/a"))
      for start in stride(from: 0, to: values.count, by: cut) {
        let block = Array(values[start..<min(start + cut, values.count)])
        try session.consume(block.span, at: Int64(start))
      }
      return try session.finish()
    }
    let loud = samples.map { 3 * Float($0) }
    let clipped = loud.map { max(-32_768, min(32_767, $0)) }
    let whole = try finding(loud, length: 0, cut: 5_000)
    #expect(try whole == finding(clipped, length: 0, cut: 999_999) && whole.duration == 8)
    let part = try finding(loud, length: 4, cut: 7_000)
    #expect(try part == finding(Array(loud.prefix(44_100)), length: 0, cut: 44_100))
    #expect(part.duration == 4 && part.value != whole.value)
  }
}
