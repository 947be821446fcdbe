import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import SystemPackage
import Testing

@testable import Reporting

/// The parts of a page, without the page: numbers as text, columns, and the details of a track.
@Suite(.bounded) struct PageDataTests {
  // MARK: Texts

  @Test func numbersAsText() {
    for (value, text) in [
      (0, "0"), (999, "999"), (1_000, "1,000"), (999_999, "999,999"), (1_000_000, "1,000,000"), (-1, "−1"),
      (-1_234, "−1,234"), (100_001, "100,001"),
    ] { #expect(PageFormatter.number(value) == text) }
    #expect(PageFormatter.counted(0, "track") == "0 tracks" && PageFormatter.counted(1, "track") == "1 track")
    #expect(PageFormatter.counted(2, "track") == "2 tracks" && PageFormatter.counted(1_204, "file") == "1,204 files")
    #expect(
      PageFormatter.list([]) == "" && PageFormatter.list(["a"]) == "a" && PageFormatter.list(["a", "b"]) == "a and b")
    #expect(PageFormatter.list(["a", "b", "c"]) == "a, b and c")
    for (share, text) in [(-1, "0%"), (0, "0%"), (0.005, "0%"), (0.0199, "1%"), (0.5, "50%"), (1, "100%"), (7, "100%")]
    {
      #expect(PageFormatter.percent(share) == text)
    }
  }

  @Test(
    arguments: [
      (-5, "under 1 min", "under 1 s"), (0, "under 1 min", "under 1 s"), (0.4, "under 1 min", "under 1 s"),
      (0.6, "under 1 min", "1 s"), (29, "under 1 min", "29 s"), (31, "1 min", "31 s"), (59, "1 min", "59 s"),
      (60, "1 min", "1 min"), (61, "1 min", "1 min 1 s"), (200, "3 min", "3 min 20 s"), (3_540, "59 min", "59 min"),
      (3_599, "1 h", "59 min 59 s"), (3_600, "1 h", "1 h"), (3_660, "1 h 1 min", "1 h 1 min"),
      (7_200, "2 h", "2 h"), (359_940, "99 h 59 min", "99 h 59 min"), (360_000, "100 h", "100 h"),
      (3_601_000 * 1_800, "1,800,500 h", "1,800,500 h"), (1e12, "a very long time", "a very long time"),
      (9.99e11, "277,500,000 h", "277,500,000 h"), (.infinity, "a very long time", "a very long time"),
      (.nan, "a very long time", "a very long time"),
    ] as [(Double, String, String)]) func durations(seconds: Double, span: String, elapsed: String)
  {
    #expect(PageFormatter.span(seconds) == span && PageFormatter.elapsed(seconds) == elapsed)
  }

  @Test func localTimes() throws {
    let utc = try #require(TimeZone(secondsFromGMT: 0))
    func time(_ seconds: Int64, _ zone: TimeZone? = nil) -> LocalTime {
      LocalTime(Timestamp(nanoseconds: seconds * 1_000_000_000), in: zone ?? utc)
    }
    // 2026-11-22T05:02:00Z, a Sunday.
    let morning = time(1_795_323_720)
    #expect(morning.date == "2026-11-22" && morning.longDate == "November 22, 2026" && morning.hour == 5)
    #expect(morning.dayOfWeek == "Sunday" && morning.clock == "5:02 AM")
    for (hour, text) in [(0, "12:02 AM"), (11, "11:02 AM"), (12, "12:02 PM"), (13, "1:02 PM"), (23, "11:02 PM")] {
      #expect(time(1_795_323_720 + Int64(hour - 5) * 3_600).clock == text)
    }
    let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    for (index, day) in days.enumerated() { #expect(time(1_795_323_720 + Int64(index) * 86_400).dayOfWeek == day) }
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December",
    ]
    // The 15th of each month of 1970.
    for (index, start) in [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334].enumerated() {
      #expect(time(Int64(start + 14) * 86_400).monthAndDay == "\(months[index]) 15")
    }
    #expect(time(0, TimeZone(secondsFromGMT: -3_600)).date == "1969-12-31")
  }

  // MARK: Columns

  @Test(arguments: [1, 2, 3]) func packedNumbers(width: Int) {
    let most = 1 << (8 * width) - 2
    var column = PackedColumn(width: width, scale: 10, offset: -100)
    #expect(!column.hasValues)
    for value in [nil, .nan, .infinity, -10, -10.1, -9.9, 0, 0.04, 0.05, 1e9] as [Double?] { column.append(value) }
    #expect((0..<10).map { column[$0] } == [nil, nil, nil, 0, 0, 1, 100, 100, min(101, most), most])
    #expect(column.bytes.count == 10 * width && column.hasValues)
    var indexes = PackedColumn(width: width)
    for index in [nil, -1, 0, 1, most, most + 1, .max] as [Int?] { indexes.append(index: index) }
    #expect((0..<7).map { indexes[$0] } == [nil, 0, 0, 1, most, most, most])
    var none = PackedColumn(width: width)
    none.append(nil)
    none.append(index: nil)
    #expect(!none.hasValues)
    var down = PackedColumn(width: 2, scale: 100)
    for value in [0.29, 0.299, 0.9999] { down.append(value, rounding: .down) }
    #expect((0..<3).map { down[$0] } == [29, 29, 99])
  }

  @Test func writtenColumns() throws {
    func object(_ column: PackedColumn) throws -> [String: Any] {
      var json = ScriptJSON()
      column.write(to: &json)
      return try #require(try JSONSerialization.jsonObject(with: Data(json.takeBytes())) as? [String: Any])
    }
    var column = PackedColumn(width: 2, scale: 10, offset: -100)
    column.append(0)
    let whole = try object(column)
    #expect(whole["bytes"] as? Int == 2 && whole["scale"] as? Int == 10 && whole["offset"] as? Int == -100)
    #expect(whole["data"] as? String == Data([100, 0]).base64EncodedString() && whole.count == 4)
    #expect(Set(try object(PackedColumn(width: 1)).keys) == ["bytes", "data"])
    for (count, width) in [
      (0, 1), (254, 1), (255, 2), (65_534, 2), (65_535, 3), (16_777_214, 3), (16_777_215, 4),
    ] { #expect(PackedColumn.width(forCount: count) == width) }
  }

  @Test func orderOfNames() {
    func keys(_ texts: [String]) -> SortKeys { SortKeys(texts.map { Array($0.utf8) }) }
    let names = ["b", "Ä", "a10", "a9", "A1", "a01", "z", "Z", "", "a", "9", "10", "ab", "a/", "a:"]
    let order = keys(names).order.map { names[Int($0)] }
    #expect(order == ["", "9", "10", "Ä", "a", "a/", "A1", "a01", "a9", "a10", "a:", "ab", "b", "z", "Z"])
    #expect(keys(["b", "A", "a", "B", "c"]).ranks == [1, 0, 0, 1, 2] && keys([]).ranks == [])
    // Numbers of any length, of 255 digits and more.
    let long = [254, 255].map { String(repeating: "9", count: $0) }
    #expect(keys([long[1], long[0]]).order == [1, 0])
    #expect(keys(["a0", "a", "a00", "a1"]).ranks == [1, 0, 1, 2])
  }

  @Test func sharedTexts() {
    var column = DictionaryColumn()
    let texts: [String?] = ["b", nil, "a", "b", "b", "B", " a"]
    #expect(texts.map { column.append($0) } == [0, nil, 1, 0, 0, 2, 3])
    #expect(column.count == 7 && column.texts == ["b", "a", "B", " a"])
    #expect((0..<7).map { column.text($0) } == texts)
    let sorted = column.sorted()
    #expect(sorted.texts == [" a", "a", "b", "B"])
    #expect((0..<7).map { sorted.indexes[$0] } == [2, nil, 1, 2, 2, 3, 0])
    var folded = DictionaryColumn(isFolded: true)
    #expect(["Hip  Hop", "hip hop", " HIP HOP ", "hiphop"].map { folded.append($0) } == [0, 0, 0, 1])
    var plain = TextColumn()
    for text in ["ab", "", "c"] { plain.append(text.utf8) }
    #expect(plain.count == 3 && (0..<3).map { plain.text($0) } == ["ab", "", "c"])
  }

  @Test func jsonOfPages() throws {
    var json = ScriptJSON()
    json.beginArray()
    json.number(1.24, decimals: 1)
    json.number(2, decimals: 2)
    json.number(1.999, decimals: 2)
    json.number(.nan, decimals: 2)
    json.string("</script><a>")
    json.endArray()
    let bytes = json.takeBytes()
    #expect(!bytes.contains(UInt8(ascii: "<")) && json.takeBytes().isEmpty)
    let values = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [Any])
    #expect(values[0] as? Double == 1.2 && values[1] as? Int == 2 && values[2] as? Int == 2)
    #expect(values[3] is NSNull && values[4] as? String == "</script><a>" && values.count == 5)
  }

  @Test func namesOfCodecs() {
    func name(_ codec: String, _ container: String = "x") -> String {
      CodecName.text(
        of: AudioFormat(container: container, codec: codec, sampleRate: 1, channelCount: 1, isLossless: true))
    }
    #expect(name("pcm_s16", "wav") == "WAV" && name("pcm_s16", "aifc") == "AIFF" && name("pcm_u8", "x") == "PCM")
    #expect(name("flac") == "FLAC" && name("wmav2") == "WMA" && name("wmalossless") == "WMA Lossless")
    #expect(name("musepack8") == "Musepack" && name("dsd_lsbf") == "DSD" && name("adpcm_ima") == "ADPCM")
    #expect(name("unknown") == "UNKNOWN" && name("", "mkv") == "MKV")
  }

  // MARK: Details

  private func details(
    _ record: FileRecord, strips: Bool = false, findings: [any DeclaredFinding.Type] = []
  ) throws -> [String: Any] {
    var json = ScriptJSON()
    json.beginObject()
    let details = TrackDetails(ReportOptions(findings: findings))
    if strips { details.writeStrips(record, into: &json) } else { details.writeShort(record, into: &json) }
    json.endObject()
    return try #require(try JSONSerialization.jsonObject(with: Data(json.takeBytes())) as? [String: Any])
  }

  private func record(_ status: FileRecord.Status = .ok) -> FileRecord {
    FileRecord(path: "/music/a.flac", status: status)
  }

  private func tempo(
    candidates: Int = 0, sections: Int = 0, beats: [Double] = [], downbeats: [Double]? = nil,
    onsets: TempoFinding.OnsetSummary? = nil, metre: String? = nil
  ) -> TempoFinding {
    var finding = TempoFinding(
      bpm: 120, confidence: 1, candidates: (0..<candidates).map { .init(bpm: 100 + Double($0), weight: 0.125) },
      isStable: true, map: (0..<sections).map { .init(startSeconds: Double($0), bpm: 120.25) }, beats: beats,
      metre: metre, downbeats: downbeats)
    if let onsets { finding.onsets = onsets }
    return finding
  }

  @Test func lengthsOfLists() throws {
    #expect(try details(record()).isEmpty)
    for (count, candidates, sections) in [(0, nil, nil), (1, 1, nil), (2, 2, 2), (5, 5, 5), (6, 5, 6), (61, 5, 60)]
      as [(Int, Int?, Int?)]
    {
      var track = record()
      track.tempo = tempo(candidates: count, sections: count, metre: count > 0 ? "3/4" : nil)
      let found = try details(track)
      #expect((found["candidates"] as? [[Double]])?.count == candidates, "\(count)")
      #expect((found["map"] as? [[Double]])?.count == sections, "\(count)")
      #expect((found["candidates"] as? [[Double]])?.first == (count > 0 ? [100, 0.125] : nil))
      #expect((found["map"] as? [[Double]])?.last == sections.map { [Double($0 - 1), 120.25] })
      #expect(found["meter"] as? String == (count > 0 ? "3/4" : nil))
    }
    var odd = record()
    odd.tempo = tempo(candidates: 1, sections: 2)
    odd.tempo?.candidates[0].weight = .nan
    odd.tempo?.map[1].bpm = .infinity
    #expect(try details(odd).isEmpty)
  }

  @Test func keysOfTracks() throws {
    for (count, keys, sections) in [(0, nil, nil), (1, 1, nil), (2, 2, 2), (4, 4, 4), (5, 4, 5), (25, 4, 24)]
      as [(Int, Int?, Int?)]
    {
      var track = record()
      let name = MusicalKey(pitchClass: 9, mode: .minor).description
      track.findings[KeyFinding.self] = KeyFinding(
        key: MusicalKey(pitchClass: 9, mode: .minor), confidence: 1,
        candidates: [.init(key: "none", probability: 1)] + (0..<count).map { _ in .init(key: name, probability: 0.5) },
        map: [.init(startSeconds: 0, key: "none")] + (0..<count).map { .init(startSeconds: Double($0), key: name) },
        tuningHertz: count == 1 ? .infinity : 441.25, tuningCents: 0)
      let found = try details(track)
      #expect((found["keys"] as? [[Double]])?.count == keys && (found["key_map"] as? [[Double]])?.count == sections)
      // A minor is 8A.
      #expect((found["keys"] as? [[Double]])?.first == keys.map { _ in [14, 0.5] })
      #expect((found["key_map"] as? [[Double]])?.last == sections.map { [Double($0 - 1), 14] })
      #expect((found["tuning"] != nil) == (count != 1))
    }
    for number in 1...12 {
      #expect(CamelotIndex.index(camelot: "\(number)A") == 2 * number - 2)
      #expect(CamelotIndex.index(camelot: "\(number)B") == 2 * number - 1)
    }
    #expect(CamelotIndex.index(camelot: "0A") == nil && CamelotIndex.index(camelot: "13A") == nil)
  }

  @Test func lengthsOfOtherLists() throws {
    for (count, sections, faults, tags) in [(0, 0, 0, 0), (1, 1, 1, 1), (41, 41, 41, 40), (101, 60, 100, 40)] {
      var track = record()
      track.findings[SectionsFinding.self] = SectionsFinding(
        map: (0..<count).map { .init(startSeconds: Double($0), endSeconds: 1e3, label: "A\($0)", levelDecibels: 0) })
      var health = HealthFinding()
      health.faults = (0..<count).map {
        .init(kind: "click", startSeconds: Double($0), endSeconds: 500.25, channel: nil, strength: 1, confidence: 1)
      }
      track.findings[HealthFinding.self] = health
      track.tags = TagFinding(
        fields: Dictionary(
          uniqueKeysWithValues: (0..<count).map { ("other:k\($0)", [String(repeating: "v", count: 501)]) }))
      let found = try details(track)
      #expect(
        (found["sections"] as? [[Any]])?.count ?? 0 == sections && (found["faults"] as? [[Any]])?.count ?? 0 == faults)
      #expect((found["tags"] as? [[String]])?.count ?? 0 == tags)
      #expect((found["tags"] as? [[String]])?.first?[1].count == (count > 0 ? 500 : nil))
      #expect((found["sections"] as? [[Any]])?.first?.last as? String == (count > 0 ? "A0" : nil))
      #expect((found["faults"] as? [[Double]])?.last == (count > 0 ? [Double(faults - 1), 500.25] : nil))
    }
  }

  @Test func problemsOfTracks() throws {
    func format(claimed: Int64?, found: Int64?, rate: Int = 1_000) -> AudioFormat {
      AudioFormat(
        container: "wav", codec: "pcm_s16", sampleRate: rate, channelCount: 2, isLossless: true,
        claimedFrameCount: claimed, frameCount: found)
    }
    var track = record(.partial)
    track.sizeBytes = 77
    for (claimed, found, isShown) in [
      (10_000, 9_899, true), (10_000, 9_900, false), (9_800, 10_000, true), (10_000, 10_000, false),
      (nil, 10_000, false),
      (10_000, nil, false),
    ] as [(Int64?, Int64?, Bool)] {
      track.format = format(claimed: claimed, found: found)
      #expect((try details(track)["claimed"] as? Double) == (isShown ? claimed.map { Double($0) / 1_000 } : nil))
    }
    track.format = format(claimed: 10_000, found: 9, rate: 0)
    #expect(try details(track)["claimed"] == nil && details(track)["size"] as? Int == 77)
    // Tracks without a problem say neither.
    var fine = track
    fine.status = .ok
    #expect(try details(fine).isEmpty)
    fine.remarks = [Problem(stage: .decode, code: "x", message: "One.")]
    #expect(try details(fine)["remarks"] as? [String] == ["One."])
    fine.tags = TagFinding()
    fine.tags?.remarks = ["Two."]
    #expect(try details(fine)["remarks"] as? [String] == ["One.", "Two."])
    fine.remarks = []
    #expect(try details(fine)["remarks"] as? [String] == ["Two."])
  }

  @Test func extentOfTruncatedFiles() {
    func extent(_ found: Int64?, _ claimed: Int64?, code: String = "truncated") -> String? {
      let format = AudioFormat(
        container: "mp3", codec: "mp3", sampleRate: 10, channelCount: 2, isLossless: false, claimedFrameCount: claimed,
        frameCount: found)
      return ProblemSentence.extent(of: Problem(stage: .decode, code: code, message: "m"), format)
    }
    #expect(extent(100, 200) == "Only the first 10.0 s of 20.0 s could be read.")
    #expect(extent(0, 200) == "Only the first 0.0 s of 20.0 s could be read." && extent(-1, 200) == nil)
    #expect(extent(200, 200) == nil && extent(201, 200) == nil && extent(nil, 200) == nil && extent(100, nil) == nil)
    #expect(extent(100, 200, code: "corrupt") == nil)
    #expect(extent(599, 6_000) == "Only the first 59.9 s of 10:00 could be read.")
    #expect(extent(600, 6_000) == "Only the first 1:00 of 10:00 could be read.")
    #expect(extent(100, 599) == "Only the first 10.0 s of 59.9 s could be read.")
  }

  @Test func cuesOfTracks() throws {
    var track = record()
    var cues = CuesFinding()
    track.findings[CuesFinding.self] = cues
    #expect((try details(track)["cues"] as? [String: Any])?.isEmpty == true)
    (cues.firstBeat, cues.introEnd, cues.outroStart) = (0.126, 16.5, .infinity)
    (cues.highlightStart, cues.highlightEnd, cues.leadingSilence, cues.trailingSilence) = (60, 90.256, 0.1234, 1.5)
    cues.fadeOut = 4
    track.findings[CuesFinding.self] = cues
    let found = try #require(try details(track)["cues"] as? [String: Any])
    #expect(Set(found.keys) == ["first_beat", "intro_end", "highlight", "silence"])
    #expect(found["first_beat"] as? Double == 0.13 && found["intro_end"] as? Double == 16.5)
    #expect(found["highlight"] as? [Double] == [60, 90.26] && found["silence"] as? [Double] == [0.123, 1.5])
    cues.fadeIn = 1.26
    track.findings[CuesFinding.self] = cues
    #expect((try details(track)["cues"] as? [String: Any])?["fade"] as? [Double] == [1.3, 4])
  }

  // MARK: Curves and beats

  private func data(_ value: Any?) -> [UInt8]? {
    (value as? String).flatMap { Data(base64Encoded: $0) }.map { Array($0) }
  }

  @Test func beatsInMilliseconds() throws {
    func beats(_ times: [Double], _ downbeats: [Double]? = nil) throws -> (list: [Any]?, marks: [UInt8]?) {
      var track = record()
      track.tempo = tempo(beats: times, downbeats: downbeats)
      let found = try details(track, strips: true)
      return (found["beats"] as? [Any], data(found["downbeats"]))
    }
    let near = try beats([0.5, 1.0, 1.6, 2.1], [0.5, 2.1])
    #expect(near.list?[0] as? Int == 500 && near.list?[1] as? Int == 628)
    #expect(data(near.list?[2]) == [0, 100, 0] && near.marks == [0b1001])
    // Intervals that differ by 255 ms, and by more.
    let far = try beats([0, 0.5, 1.255])
    #expect(far.list?[1] as? Int == 628 && data(far.list?[2]) == [0, 255] && far.marks == nil)
    let farther = try beats([0, 0.5, 1.256])
    #expect(farther.list?[1] as? Int == 0 && data(farther.list?[2]) == [0xF4, 1, 0xF4, 2])
    let longest = try beats([0, 65.535])
    #expect(data(longest.list?[2]) == [0] && longest.list?[1] as? Int == 65_663)
    for none in [[0, 65.536], [0.5], [], [1, 0.5], [0, .nan], [0, 1e6]] as [[Double]] {
      #expect(try beats(none).list == nil, "\(none)")
    }
    #expect(data(try beats([0.5, 0.5]).list?[2]) == [0])
    // A bit for each beat, in bytes.
    let nine = (0..<9).map(Double.init)
    #expect(try beats(nine, nine).marks == [0xFF, 1] && beats(nine, [8, .nan, 1e6, 4.5]).marks == [0, 1])
    #expect(try beats(nine, []).marks == nil && beats((0..<8).map(Double.init), [7]).marks == [0x80])
  }

  @Test func onsetsOfTracks() throws {
    func onsets(_ track: FileRecord) throws -> (step: Double?, values: [UInt8]?) {
      let found = try details(track, strips: true)["onsets"] as? [Any]
      return (found?[0] as? Double, data(found?[1]))
    }
    var track = record()
    track.tempo = tempo(onsets: .init(stepSeconds: 0.5, values: [0, 0.25, 1, 0.5, -1, .nan]))
    var found = try onsets(track)
    #expect(found.step == 0.5 && found.values == [0, 64, 255, 128, 0, 0])
    track.tempo = tempo(onsets: .init(stepSeconds: 0, values: [1]))
    #expect(try onsets(track).values == nil)
    track.tempo = tempo(onsets: .init(stepSeconds: 0.5, values: [0, 0]))
    #expect(try onsets(track).values == [0, 0])
    track.tempo = tempo(onsets: .init(stepSeconds: 0.5, values: [1]))
    // Onsets of the waveform come first; more than 6,000 are grouped, and the largest of each group is kept.
    var wave = WaveformFinding()
    wave.onsetStepSeconds = 0.25
    for (count, group) in [(6_000, 1), (6_001, 2), (12_000, 2), (12_001, 3)] {
      wave.onsets = (0..<count).map { UInt8($0 % 7) }
      track.findings[WaveformFinding.self] = wave
      found = try onsets(track)
      let expected = stride(from: 0, to: count, by: group).map { start in
        (start..<min(start + group, count)).map { UInt8($0 % 7) }.max() ?? 0
      }
      #expect(found.step == 0.25 * Double(group) && found.values == expected, "\(count)")
    }
    wave.onsetStepSeconds = .infinity
    track.findings[WaveformFinding.self] = wave
    #expect(try onsets(track).values == nil)
  }

  @Test func wavesOfTracks() throws {
    func wave(_ minima: [UInt8], _ maxima: [UInt8], _ rms: [UInt8]) throws -> [[UInt8]]? {
      var finding = WaveformFinding()
      (finding.minima, finding.maxima, finding.rms) = (minima, maxima, rms)
      var track = record()
      track.findings[WaveformFinding.self] = finding
      return (try details(track, strips: true)["wave"] as? [Any])?.compactMap { data($0) }
    }
    #expect(try wave([128, 100, 0, 128], [128, 130, 255, 255], [1, 2, 3, 4]) == [[0, 56, 255, 254], [1, 2, 3, 4]])
    #expect(try wave([100, 90], [128, 128], [9]) == [[56], [9]] && wave([], [], []) == nil)
    #expect(try wave([200], [100], [9]) == [[0], [9]])
    // More than 432 points are grouped: the largest and the mean of each group.
    let count = 864
    let many = try wave(
      [UInt8](repeating: 128, count: count), (0..<count).map { $0 % 2 == 0 ? 128 : 138 },
      (0..<count).map { $0 % 2 == 0 ? 10 : 21 })
    #expect(many == [[UInt8](repeating: 20, count: 432), [UInt8](repeating: 15, count: 432)])
  }
}
