import Analysis
import AnalysisTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import DuplicateTasks

/// Rules for the file to keep.
@Suite(.bounded) struct KeepingTests {
  private static func record(
    _ path: FilePath = "/music/a.flac", isLossless: Bool = true, rate: Int = 44_100, depth: Int? = 16,
    bitRate: Int? = 128_000, _ change: (inout FileRecord) -> Void = { _ in }
  ) -> FileRecord {
    var record = FileRecord(path: path, status: .ok)
    record.format = AudioFormat(
      container: "flac", codec: "flac", sampleRate: rate, channelCount: 2, bitDepth: depth, bitRate: bitRate,
      isLossless: isLossless)
    change(&record)
    return record
  }

  private func value(_ rule: KeepingRule, _ record: FileRecord, length: Double = 0, album: Int = 0) -> Double {
    rule.value(of: record, length: length, albumSize: album)
  }

  @Test func namesOfRules() {
    for name in KeepingRule.names where name != "under:FOLDER" { #expect(KeepingRule(name) != nil, "\(name)") }
    #expect(KeepingRule("newest") == .newest && KeepingRule("bitrate") == .bitRate && KeepingRule("oldest") == .oldest)
    #expect(KeepingRule("under:/a/../b/./c") == .under("/b/c") && KeepingRule("under:/") == .under("/"))
    #expect(KeepingRule("under:a") == nil && KeepingRule("under:") == nil && KeepingRule("Newest") == nil)
    #expect(
      KeepingRule.order(preferring: [.newest, .cover]) == [
        .newest, .cover, .whole, .complete, .lossless, .rate, .bitRate, .album, .tags, .oldest,
      ])
    #expect(KeepingRule.order(preferring: []) == KeepingRule.standard)
  }

  @Test func valuesOfFiles() {
    let lossless = Self.record(rate: 48_000, depth: 24)
    let lossy = Self.record(isLossless: false, rate: 48_000, depth: nil)
    let bare = FileRecord(path: "/music/x", status: .partial)
    #expect(value(.whole, lossless) == 1 && value(.whole, bare) == 0)
    #expect(value(.complete, lossless, length: 7) == 7 && value(.album, lossless, album: 3) == 3)
    #expect(value(.lossless, lossless) == 1 && value(.lossless, lossy) == 0 && value(.lossless, bare) == 0)
    #expect(value(.rate, lossless) == 4_800_024 && value(.rate, Self.record(depth: nil)) == 4_410_000)
    #expect(value(.rate, lossy) == 4_410_000 && value(.rate, Self.record(isLossless: false, rate: 32_000)) == 3_200_000)
    #expect(value(.rate, bare) == 0)
    #expect(value(.bitRate, lossless) == 0 && value(.bitRate, lossy) == 128_000)
    #expect(value(.bitRate, Self.record(isLossless: false, bitRate: nil)) == 0 && value(.bitRate, bare) == 0)
    #expect(value(.under("/music"), lossless) == 1 && value(.under("/mus"), lossless) == 0)
  }

  @Test func valuesOfTagsAndTimes() {
    let tagged = Self.record {
      $0.tags = TagFinding(fields: ["title": ["T"], "isrc": ["I"], "comment": ["C"], "artist": ["A"]])
      $0.modified = Timestamp(nanoseconds: 7_500_000_000)
    }
    let covered = Self.record {
      $0.tags = TagFinding(fields: [:], pictures: [.init(type: "front cover", mime: "image/png", sizeBytes: 1)])
      $0.modified = Timestamp(nanoseconds: 9_000_000_000)
    }
    let bare = Self.record()
    #expect(value(.tags, tagged) == 3 && value(.tags, covered) == 0 && value(.tags, bare) == 0)
    #expect(value(.cover, covered) == 1 && value(.cover, tagged) == 0 && value(.cover, bare) == 0)
    #expect(value(.oldest, tagged) == -7 && value(.oldest, covered) == -9 && value(.oldest, bare) < -1e18)
    #expect(value(.newest, tagged) == 7 && value(.newest, covered) == 9 && value(.newest, bare) == 0)
  }

  /// A lossless copy of a lossy file counts as lossy.
  @Test func audioFromALossyCodec() {
    for (verdict, isLossless) in [("lossy", false), ("unsure", true), ("lossless", true)] {
      let record = Self.record { record in
        var origin = OriginFinding()
        origin.verdict = verdict
        record.findings[OriginFinding.self] = origin
      }
      #expect(record.isWholeAndLossless == isLossless && value(.lossless, record) == (isLossless ? 1 : 0))
    }
    #expect(Self.record().isWholeAndLossless && !Self.record(isLossless: false).isWholeAndLossless)
    #expect(!Self.record { $0.status = .partial }.isWholeAndLossless)
    #expect(!FileRecord(path: "/a", status: .ok).isWholeAndLossless)
  }

  @Test func tolerances() {
    let rules: [KeepingRule] = KeepingRule.standard + [.newest, .under("/")]
    #expect(rules.map(\.tolerance) == [0, 2, 0, 0, 8_000, 1, 1, 0, 0, 0, 0])
    #expect(rules.map(\.reason).count == Set(rules.map(\.reason)).count)
  }

  // MARK: Choices

  private func choice(
    _ candidates: [(path: FilePath, length: Double, isWanted: Bool)], _ rules: [KeepingRule]
  ) -> KeepingChoice {
    KeepingChoice(
      of: candidates.map {
        KeepingChoice.Candidate(
          record: Self.record($0.path), length: $0.length, albumSize: 0, isWanted: $0.isWanted)
      }, by: rules)
  }

  @Test func theFirstRuleThatDistinguishesFilesDecides() {
    let rules: [KeepingRule] = [.complete, .under("/b")]
    let near = choice([("/a/1", 102, false), ("/b/1", 100, false), ("/b/0", 99.9, false)], rules)
    #expect(near.best == 1 && near.reason(for: 1, over: 0) == "under /b")
    #expect(near.reason(for: 1, over: 2) == "first of equals" && near.reason(for: 0, over: 2) == "more complete")
    #expect(near.reason(for: 0, over: 1) == "first of equals")
    let far = choice([("/a/1", 102.1, false), ("/b/1", 100, false)], rules)
    #expect(far.best == 0 && far.reason(for: 0, over: 1) == "more complete")
    // Among equals, the first path is kept, whatever the order.
    #expect(choice([("/b", 1, false), ("/a", 1, false), ("/c", 1, false)], []).best == 1)
    #expect(choice([("/b", 1, false)], rules).best == 0)
  }

  @Test func aPersonsChoiceCountsFirst() {
    let one = choice([("/a", 300, false), ("/b", 100, true), ("/c", 200, false)], [.complete])
    #expect(one.best == 1 && one.reason(for: 1, over: 0) == "you chose it")
    let two = choice([("/a", 300, false), ("/b", 100, true), ("/c", 200, true)], [.complete])
    #expect(
      two.best == 2 && two.reason(for: 2, over: 1) == "more complete" && two.reason(for: 2, over: 0) == "you chose it")
    let none = choice([("/a", 300, false), ("/b", 100, false)], [.complete])
    #expect(none.reason(for: 0, over: 1) == "more complete" && none.reason(for: 1, over: 0) == "first of equals")
  }
}
