import Analysis
import AnalysisTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

@testable import DuplicateTasks

/// Pairs that are derived from others, and differences in words.
@Suite(.bounded) struct DuplicateTextTests {
  private static let ids = (0..<3).map { ContentID(hashing: [UInt8($0)]) }

  private static func pair(
    _ relation: String, _ stretches: [[Double]], from first: Int = 0, to second: Int = 1, basis: String = "signature",
    coverage: Double = 0.5, agreement: Double = 0.5, speed: Double = 1
  ) -> StoredPair {
    StoredPair(
      first: ids[first], second: ids[second], relation: relation, basis: basis, coverage: coverage,
      agreement: agreement, speed: speed, stretches: stretches)
  }

  // MARK: Pairs

  @Test func pairsAreSwapped() {
    let pair = Self.pair("cut", [[0, 10, 50, 60], [20, 30, 5, 15]], coverage: 0.25, agreement: 0.75, speed: 0.5)
    let reversed = pair.reversed
    #expect(reversed.first == Self.ids[1] && reversed.second == Self.ids[0] && reversed.speed == 2)
    #expect(reversed.stretches == [[5, 15, 20, 30], [50, 60, 0, 10]])
    #expect(reversed.coverage == 0.25 && reversed.agreement == 0.75 && reversed.relation == "cut")
  }

  @Test func relationsByCloseness() {
    let names = ["audio", "encoding", "cut", "edit", "speed", "part", "version", "other"]
    #expect(names.map { Self.pair($0, []).rank } == Array(0..<8))
  }

  @Test func pairsWithAThirdRecording() throws {
    func joined(_ one: [[Double]], _ other: [[Double]]) -> [[Double]]? {
      Self.pair("cut", one).joined(to: Self.pair("cut", other, from: 1, to: 2))?.stretches
    }
    #expect(joined([[0, 100, 10, 110]], [[50, 150, 0, 100]]) == [[40, 100, 0, 60]])
    #expect(joined([[50, 150, 0, 100]], [[0, 100, 10, 110]]) == [[50, 150, 10, 110]])
    // Another speed: half of the time, and twice.
    #expect(joined([[0, 50, 100, 200]], [[120, 160, 1_000, 1_080]]) == [[10, 30, 1_000, 1_080]])
    #expect(joined([[5, 55, 100, 200]], [[0, 400, 0, 100]]) == [[5, 55, 25, 50]])
    #expect(joined([[0, 60, 0, 60]], [[30, 60, 30, 60], [0, 20, 0, 20]]) == [[0, 20, 0, 20], [30, 60, 30, 60]])
    #expect(joined([[0, 10, 0, 10]], [[10, 20, 0, 10]]) == nil && joined([[0, 10, 0, 10]], []) == nil)
    #expect(joined([[0, 10, 0, 10]], [[9, 20, 0, 11]]) == [[9, 10, 0, 1]])
  }

  @Test func qualitiesOfDerivedPairs() throws {
    func joined(_ one: StoredPair, _ other: StoredPair) throws -> StoredPair { try #require(one.joined(to: other)) }
    let stretch = [[0.0, 10, 0, 10]]
    let encoding = Self.pair("encoding", stretch, coverage: 0.25, agreement: 0.75, speed: 1.5)
    let cut = Self.pair("cut", stretch, from: 1, to: 2, basis: "fingerprint", speed: 1.25)
    let pair = try joined(encoding, cut)
    #expect(pair.relation == "cut" && pair.basis == "fingerprint" && pair.speed == 1.875)
    #expect(pair.coverage == 0.25 && pair.agreement == 0.5)
    #expect(pair.first == Self.ids[0] && pair.second == Self.ids[2])
    let other = try joined(cut, Self.pair("encoding", stretch, coverage: 0.75, agreement: 0.25))
    #expect(other.relation == "cut" && other.basis == "fingerprint" && other.coverage == 0.5 && other.agreement == 0.25)
    #expect(try joined(encoding, encoding).basis == "signature")
    #expect(try joined(encoding, Self.pair("encoding", stretch, basis: "fingerprint")).basis == "fingerprint")
  }

  // MARK: Texts

  @Test func sizes() {
    for (bytes, text) in [
      (0, "1 kB"), (1_499, "1 kB"), (1_500, "2 kB"), (999_999, "1000 kB"), (1_000_000, "1.0 MB"), (1_500_000, "1.5 MB"),
      (999_940_000, "999.9 MB"), (1_000_000_000, "1.0 GB"), (2_500_000_000, "2.5 GB"),
    ] as [(Int64, String)] { #expect(DuplicateText.size(bytes) == text) }
  }

  private static func file(
    _ relation: String?, _ stretches: [[Double]]? = nil, own: Double? = 100, kept: Double? = 100, speed: Double = 1,
    advice: DuplicateGroup.Advice = .review
  ) -> DuplicateGroup.File {
    var record = FileRecord(path: "/music/a.mp3", status: .ok)
    record.format = own.map {
      AudioFormat(
        container: "mp3", codec: "mp3", sampleRate: 44_100, channelCount: 2, bitRate: 128_400, isLossless: false,
        frameCount: Int64(44_100 * $0))
    }
    let pair = stretches.map { Self.pair(relation ?? "", $0, speed: speed) }
    return DuplicateGroup.File(
      record: record, advice: advice, relation: relation, pair: pair, keptDuration: kept, reasons: [])
  }

  private func difference(
    _ relation: String, _ stretches: [[Double]], own: Double = 100, kept: Double = 100, speed: Double = 1
  ) -> String? {
    DuplicateText.difference(of: Self.file(relation, stretches, own: own, kept: kept, speed: speed))
  }

  @Test func differences() {
    let whole = [[0.0, 100, 0, 100]]
    for (relation, text) in [
      ("audio", "the same audio"), ("encoding", "another encoding"), ("cut", "another cut"), ("edit", "another edit"),
      ("speed", "another speed"), ("part", "a part"), ("version", "another mix"),
    ] { #expect(difference(relation, whole) == text) }
    #expect(DuplicateText.difference(of: Self.file("cut", whole, advice: .keep)) == nil)
    #expect(DuplicateText.difference(of: Self.file(nil)) == "similar to others of the group")
    #expect(DuplicateText.difference(of: Self.file("audio")) == "the same audio")
    #expect(DuplicateText.difference(of: Self.file("cut")) == nil && difference("cut", []) == nil)
  }

  @Test func differencesAtTheEnds() {
    func cut(_ stretch: [Double], own: Double = 100, kept: Double = 100) -> String? {
      difference("cut", [stretch], own: own, kept: kept)
    }
    #expect(cut([0, 99.5, 0.5, 100], own: 99.5) == "another cut, 0.5 s missing at the start")
    #expect(cut([0, 99.625, 0.375, 100], own: 99.625) == "another cut")
    #expect(cut([2.25, 100, 0.25, 98], kept: 98) == "another cut, 2.0 s more at the start")
    #expect(cut([0, 90, 0, 90], own: 90) == "another cut, 10.0 s missing at the end")
    #expect(cut([0, 90, 0, 90], kept: 90) == "another cut, 10.0 s more at the end")
    #expect(cut([0, 98, 0, 98]) == "another cut" && cut([0, 97, 0, 99]) == "another cut, 2.0 s more at the end")
    #expect(cut([0, 99.5, 0, 99.5], own: 99.5) == "another cut, 0.5 s missing at the end")
    // Encodings have the same ends.
    #expect(difference("encoding", [[0, 90, 1, 90]], own: 90) == "another encoding")
  }

  @Test func differencesInTheMiddle() {
    func edit(_ first: [Double], _ second: [Double]) -> String? { difference("edit", [first, second]) }
    #expect(edit([0, 50, 0, 50], [50, 90, 60, 100]) == "another edit, 10.0 s missing at 50 s, 10.0 s more at the end")
    #expect(edit([0, 40, 0, 40], [45, 100, 40, 95]) == "another edit, 5.0 s more at 40 s, 5.0 s missing at the end")
    #expect(edit([0, 40, 0, 40], [40.375, 100, 40, 100]) == "another edit")
    #expect(edit([0, 40, 0, 40], [41, 100, 41.5, 100]) == "another edit, 0.5 s missing at 40 s")
  }

  @Test func differencesOfSpeed() {
    func speed(_ speed: Double) -> String? { difference("speed", [[0, 100, 0, 100]], speed: speed) }
    #expect(speed(0.95) == "another speed, 5.3% faster" && speed(1.05) == "another speed, 4.8% slower")
    #expect(speed(1.0025) == "another speed, 0.2% slower" && speed(1.0015) == "another speed")
    #expect(speed(0.9975) == "another speed, 0.3% faster" && speed(0.9985) == "another speed")
  }

  @Test func notes() {
    var file = Self.file("cut", [[0, 100, 0, 100]])
    #expect(DuplicateText.note(on: file) == "mp3 128 kbit/s 44100 Hz 1 min 40 s; another cut")
    file.reasons = ["lossless", "older file"]
    file.record.sizeBytes = 2_000_000
    #expect(
      DuplicateText.note(on: file)
        == "mp3 128 kbit/s 44100 Hz 1 min 40 s 2.0 MB; another cut; the kept one: lossless, older file")
    file.advice = .keep
    file.record.format?.isLossless = true
    #expect(DuplicateText.note(on: file) == "mp3 44100 Hz 1 min 40 s 2.0 MB; kept: lossless, older file")
    file.record.format = nil
    file.reasons = []
    #expect(DuplicateText.note(on: file) == "")
    #expect(DuplicateGroup.Advice.allCases.map { DuplicateText.title(of: $0) } == ["Keep", "Spare", "Listen first"])
  }

  @Test func pathsForAShell() {
    for (bytes, text) in [
      (Array("/a b".utf8), "'/a b'"), (Array("/it's".utf8), #"'/it'\''s'"#), (Array("/é~".utf8), "'/é~'"),
      ([47, 0xE9], #"$'/\351'"#), ([47, 9, 0x7F, 0x20, 0x7E], #"$'/\011\177 ~'"#),
      ([47, 1, 0x27, 0x5C], #"$'/\001\'\\'"#), (Array("/\u{200E}".utf8), #"$'/\342\200\216'"#),
    ] as [([UInt8], String)] { #expect(DuplicatePlan.quoted(FilePath(bytes: bytes)) == text) }
  }
}
