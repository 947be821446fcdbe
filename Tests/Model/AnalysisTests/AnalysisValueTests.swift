import Analysis
import AnalysisTesting
import SystemPackage
import Testing
import Text

@Suite(.bounded) struct AnalysisValueTests {
  // MARK: Identifiers

  @Test(
    arguments: [
      (0, 0, "0000000000000000000000"), (0, 61, "000000000000000000000z"), (0, 62, "0000000000000000000010"),
      (1, 0, "00000000000LygHa16AHYG"), (.max, .max, "7n42DGM5Tflk9n8mt7Fhc7"),
      (0x99aa_06d3_0147_98d8, 0x6001_c324_468d_497f, "4fxWlHIYsfqk6R9EktAtwt"),
    ] as [(UInt64, UInt64, String)]) func identifiersAreBase62(high: UInt64, low: UInt64, text: String)
  {
    let id = ContentID(high: high, low: low)
    #expect(id.description == text && ContentID(text) == id)
    #expect((try? JSONValue(encoding: id)) == .string(text))
    #expect((try? JSONValue.string(text).decoded(as: ContentID.self)) == id)
    let bytes = (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 % 8))) }
    #expect(id.bigEndianBytes == bytes)
  }

  @Test(arguments: [
    "", "000000000000000000000", "00000000000000000000000", "7n42DGM5Tflk9n8mt7Fhc8", "zzzzzzzzzzzzzzzzzzzzzz",
    "80000000000000000000000", "8000000000000000000000", "00000000000000000000-0", "0000000000000000000 00",
  ]) func otherTextIsNoIdentifier(text: String) {
    #expect(ContentID(text) == nil)
    #expect(throws: DecodingError.self) { try JSONValue.string(text).decoded(as: ContentID.self) }
  }

  @Test func bytesAreHashed() {
    // As printed by `xxhsum -H2` for an empty file.
    #expect(ContentID(hashing: []) == ContentID(high: 0x99aa_06d3_0147_98d8, low: 0x6001_c324_468d_497f))
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 11) }
    for cut in [0, 1, 240, 241, 999, 1_000] {
      var hasher = ContentHasher()
      bytes[..<cut].withUnsafeBytes { hasher.update($0) }
      bytes[cut...].withUnsafeBytes { hasher.update($0) }
      let id = hasher.finish()
      #expect(id == ContentID(hashing: bytes))
    }
    #expect(ContentID(ofPath: "/a") == ContentID(hashing: Array("/a".utf8)))
  }

  @Test func checksumsAreReadBack() throws {
    let (whole, audio) = (ContentID(high: 1, low: 2), ContentID(high: 3, low: 4))
    for checksum in [
      FileChecksum(whole: whole, byteCount: 9),
      FileChecksum(whole: whole, byteCount: 9, audio: 3..<8, audioHash: audio, digests: [.sha256: [1, 2], .md5: [3]]),
      FileChecksum(whole: whole, byteCount: 9, audio: 3..<3, digests: [.md5: [3]]),
    ] { #expect(try JSONValue(encoding: checksum).decoded(as: FileChecksum.self) == checksum) }
    let value = try JSONValue(encoding: FileChecksum(whole: whole, byteCount: 9, audio: 3..<8, audioHash: audio))
    #expect(
      value == [
        "whole": .string(whole.description), "bytes": 9, "audio_start": 3, "audio_end": 8,
        "audio": .string(audio.description),
      ])
    let reversed: JSONValue = [
      "whole": .string(whole.description), "bytes": 9, "audio_start": 8, "audio_end": 3,
    ]
    #expect(try reversed.decoded(as: FileChecksum.self).audio == nil)
  }

  // MARK: Formats and times

  @Test(
    arguments: [
      (nil, nil, nil, 50, nil, false), (100, nil, nil, 50, 2, false), (nil, 200, nil, 50, 4, false),
      (nil, nil, 300, 50, 6, true), (100, 200, 300, 50, 2, false), (nil, 200, 300, 50, 4, false),
      (100, nil, nil, 0, nil, false), (100, nil, nil, 1, 100, false),
    ] as [(Int64?, Int64?, Int64?, Int, Double?, Bool)])
  func durations(decoded: Int64?, claimed: Int64?, estimated: Int64?, rate: Int, seconds: Double?, isEstimate: Bool) {
    let format = AudioFormat(
      container: "mp3", codec: "mp3", sampleRate: rate, channelCount: 2, isLossless: false, claimedFrameCount: claimed,
      estimatedFrameCount: estimated, frameCount: decoded)
    #expect(format.duration == seconds && format.durationIsEstimated == isEstimate)
  }

  @Test func stagesAddUp() throws {
    var times = StageTimes()
    #expect(times.isEmpty && times.total == 0)
    times.add(1, to: "a")
    times.add(2, to: "a")
    times.add(4, to: "b")
    var others = StageTimes()
    others.add(8, to: "b")
    others.add(16, to: "c")
    times.add(others)
    #expect(times.seconds == ["a": 3, "b": 12, "c": 16] && times.total == 31 && !times.isEmpty)
    let result = times.measure("d") { 5 }
    #expect(result == 5 && (times.seconds["d"] ?? -1) >= 0 && (times.seconds["d"] ?? 100) < 60)
    #expect(throws: AnalysisError.failed("x")) { try times.measure("e") { throw AnalysisError.failed("x") } }
    #expect(times.seconds["e"] != nil)
  }

  @Test func columnsHaveLayouts() {
    let layout = SpectrumLayout(sampleRate: 8_000, windowLength: 512, hop: 80)
    #expect(layout.binCount == 257 && layout.columnsPerSecond == 100)
    #expect(throws: Never.self) { try layout.check([Float](repeating: 0, count: 257).span) }
    #expect(throws: AnalysisError.failed("a column of 256 bins where 257 were expected")) {
      try layout.check([Float](repeating: 0, count: 256).span)
    }
    #expect(Feed.spectrum(layout).dependsOnResampler && !Feed.file.dependsOnResampler)
    for (rate, conversion, isDependent) in [
      (.native, .standard, false), (.hertz(8_000), .standard, true), (.hertz(8_000), .acoustID, false),
      (.native, .acoustID, false),
    ] as [(SampleLayout.Rate, SampleLayout.Conversion, Bool)] {
      let feed = Feed.samples(SampleLayout(rate: rate, conversion: conversion))
      #expect(feed.dependsOnResampler == isDependent)
    }
    #expect(SampleLayout(rate: .native).channels == .mono && SampleLayout(rate: .native).conversion == .standard)
  }

  @Test func causesMayPass() {
    for code in DecodeError.Code.allCases {
      let isTransient = [.unreadable, .readError].contains(code)
      #expect(code.isTransient == isTransient)
      #expect(Problem(stage: .open, code: code.rawValue, message: "").mayBeTransient == isTransient)
    }
    for code in [
      "changed_while_reading", "vanished_while_reading", "time_limit", "no_progress", "worker_crashed", "worker_failed",
    ] { #expect(Problem(stage: .decode, code: code, message: "").mayBeTransient) }
    for code in ["changed_silently", "other"] {
      #expect(!Problem(stage: .verify, code: code, message: "").mayBeTransient)
    }
    #expect(WorkerLoss(cause: .signal(9), stage: .open).signal == 9)
    #expect(WorkerLoss(cause: .exit(status: 9), stage: .open).signal == nil)
    #expect("\(ConfigurationError(key: "a.b", problem: "is odd"))" == "a.b: is odd")
  }

  // MARK: Beats

  @Test func beatsHaveTimes() throws {
    let timeline = try #require(BeatTimeline([1, 2, 4, 5, 6, 8]))
    #expect(timeline.range == 0...5)
    // Before and after the beats, the mean of four intervals continues: 5/4 and 6/4.
    for (position, time) in [
      (-2, -1.5), (-1, -0.25), (0, 1), (0.5, 1.5), (1, 2), (1.25, 2.5), (2, 4), (4.5, 7), (5, 8), (6, 9.5), (7, 11),
    ] as [(Double, Double)] {
      #expect(abs(timeline.time(at: position) - time) < 1e-12 && abs(timeline.position(at: time) - position) < 1e-12)
    }
    let short = try #require(BeatTimeline([1, 3]))
    #expect(short.time(at: -1) == -1 && short.time(at: 2) == 5 && short.position(at: 2) == 0.5)
    let many = try #require(BeatTimeline((0..<100).map { Double($0 * $0) }))
    for beat in 0..<100 { #expect(many.position(at: Double(beat * beat)) == Double(beat)) }
    for beats in [[], [1], [1, 1], [2, 1], [1, 2, 2]] as [[Double]] { #expect(BeatTimeline(beats) == nil) }
  }

  private func tempo(_ metre: String?, beats: Int = 12, downbeats: [Int]?) -> TempoFinding {
    TempoFinding(
      bpm: 60, confidence: 1, candidates: [], isStable: true, map: [], beats: (0..<beats).map { Double($0) },
      metre: metre, downbeats: downbeats.map { $0.map { Double($0) } })
  }

  @Test(
    arguments: [
      ("4/4", [1, 5, 9], 4), ("4/4", [1, 4, 8, 11], 3), ("4/4", [1], 4), ("12/8", [1], 4), ("6/8", [1], 6),
      ("7/8", [1], 2), ("7/4", [1], 7), ("4/4", [], nil), ("4/4", nil, nil), (nil, [1, 5], nil), ("0/4", [1], nil),
      ("x", [1], nil), ("4/4", [-5, 20], nil),
    ] as [(String?, [Int]?, Int?)]) func barsHaveALength(metre: String?, downbeats: [Int]?, length: Int?)
  {
    #expect(tempo(metre, downbeats: downbeats).beatsPerBar == length)
  }

  @Test func downbeatsHaveNumbers() {
    var finding = tempo("4/4", downbeats: [0, 4, 11, 12])
    #expect(finding.downbeatNumbers == [0, 4, 11])
    finding.downbeats = [-0.6, 0.4, 3.6]
    #expect(finding.downbeatNumbers == [0, 4])
    finding.beats = [1]
    #expect(finding.downbeatNumbers == [])
  }

  @Test(
    arguments: [
      ("12/8", nil, true), ("9/8", [0, 3], true), ("6/8", nil, true), ("6/8", [0, 2, 4], true),
      ("6/8", [0, 6], false), ("3/4", nil, false), (nil, nil, false),
    ] as [(String?, [Int]?, Bool)]) func beatsOfEighths(metre: String?, downbeats: [Int]?, isDotted: Bool)
  {
    #expect(tempo(metre, downbeats: downbeats).hasDottedBeats == isDotted)
  }

  // MARK: Tags

  @Test func valuesOfTagsHaveTypes() throws {
    func value(_ name: String, _ values: [String]) throws -> FieldValue {
      try #require(TagField.named(name)).value(values)
    }
    #expect(try value("artist", []) == .null && value("artist", ["A"]) == .texts(["A"]))
    #expect(try value("title", ["A", "B"]) == .text("A / B") && value("title", []) == .null)
    #expect(try value("date", ["1999", "2000"]) == .text("1999") && value("isrc", ["X"]) == .texts(["X"]))
    #expect(try value("track", ["7", "8"]) == .integer(7) && value("track", ["x"]) == .null)
    #expect(try value("rating", ["2.5"]) == .number(2.5) && value("rating", ["x"]) == .null)
    #expect(try value("compilation", ["1"]) == .boolean(true) && value("compilation", ["0"]) == .boolean(false))
    #expect(TagField.named("none") == nil && Set(TagField.all.map(\.name)).count == TagField.all.count)
    #expect(TagField.named("title")?.isList == false && TagField.named("artist")?.isList == true)
    let lists = TagField.all.filter(\.isList)
    #expect(lists.allSatisfy { if case .texts = $0.type { true } else { false } })
    if case .integer? = TagField.named("track")?.type {} else { Issue.record("no integer") }
    if case .boolean? = TagField.named("podcast")?.type {} else { Issue.record("no flag") }
  }

  @Test func keysHaveNamesAndNeighbors() {
    for key in MusicalKey.all {
      let names = [
        key.camelot, "0\(key.camelot)", key.openKey, "\(key)", "\(key)".uppercased(), key.camelot.lowercased(),
      ]
      #expect(names.allSatisfy { MusicalKey($0) == key })
      #expect(key.compatible.count == 4 && key.compatible.allSatisfy { $0.compatible.contains(key) })
      #expect(key.compatible[0] == key && key.compatible[1].mode != key.mode)
    }
    #expect(Set(MusicalKey.all).count == 24 && MusicalKey.all.first?.description == "C major")
    for (name, key) in [
      ("B#", "C major"), ("Fb min", "E minor"), ("D♭", "Db major"), ("c♯ maj", "Db major"), ("Cbm", "B minor"),
    ] {
      #expect(MusicalKey(name)?.description == key)
    }
    #expect(MusicalKey("8B")?.openKey == "1d" && MusicalKey("8A")?.openKey == "1m" && MusicalKey("G")?.camelot == "9B")
  }
}
