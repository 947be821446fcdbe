import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import Reporting
import SystemPackage
import Testing

@Suite(.bounded) struct HTMLReportTests {
  private static let zone = TimeZone(secondsFromGMT: 0) ?? .current
  /// 2023-11-14T22:13:20Z.
  private static let evening: Int64 = 1_700_000_000

  static func page(
    _ records: [FileRecord] = Samples.all, run: RunRecord? = Samples.run, source: PageInput? = nil,
    at seconds: Int64 = evening + 9 * 3600, options: ReportOptions = Samples.everything
  ) throws -> DecodedPage {
    let folder = NSTemporaryDirectory() + "/nocturne-page-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/report.html"
    var source = source ?? PageInput()
    source.timeZone = zone
    let writer = try ReportWriter(
      .html, to: .file(FilePath(path)), options: options, run: run,
      generated: Timestamp(nanoseconds: seconds * 1_000_000_000), page: source)
    for record in records { try writer.append(record) }
    try writer.finish()
    return try DecodedPage(Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Page input whose long records are the records themselves.
  static func source(of records: [FileRecord], runs: [RunOutline] = []) -> PageInput {
    PageInput(
      runs: runs,
      longRecords: { files, _, body in
        for (place, path) in files.enumerated() {
          guard let record = records.first(where: { $0.path == path }) else { continue }
          if try !body(place, record) { return }
        }
      })
  }

  @Test func duplicatesAreASectionOfTheirOwn() throws {
    #expect(!(try Self.page().html.contains("id=\"duplicates\"")))
    var source = PageInput()
    source.duplicates = PageDuplicates(
      summary: "1 group: 1 file to spare, 2.0 MB", note: "Nothing is deleted.",
      groups: [
        PageDuplicates.Group(
          name: "A <b> & \"C\"", spare: "2.0 MB",
          files: [
            PageDuplicates.File(advice: "Keep", path: "/music/one.flac", text: "kept: lossless"),
            PageDuplicates.File(advice: "Spare", path: "/music/<two>'s.mp3", text: "another encoding"),
          ], unlistedCount: 5)
      ])
    let html = try Self.page(source: source).html
    let start = try #require(html.range(of: "<section id=\"duplicates\""))
    let end = try #require(html.range(of: "</section>", range: start.upperBound..<html.endIndex))
    let section = String(html[start.lowerBound..<end.upperBound])
    #expect(
      section.contains("1 file to spare, 2.0 MB") && section.contains("2.0 MB to spare") && section.contains("7 files"))
    #expect(section.contains("5 more files"))
    #expect(section.contains("A &lt;b&gt; &amp; &quot;C&quot;") && section.contains("/music/&lt;two&gt;&#39;s.mp3"))
    #expect(!section.contains("<two>") && section.contains("Nothing is deleted."))
  }

  // MARK: Columns

  @Test func columnsSayWhatTheRecordsSay() throws {
    let records = Samples.sounding(300)
    let page = try Self.page(records, run: nil)
    #expect(page.rows == 300)
    #expect(try page.paths == records.map { DisplayPath.text(of: $0.path) })
    #expect(page.titles == records.map { $0.tags?.fields["title"]?.first })
    #expect(try page.texts("artist") == records.map { $0.tags?.fields["artist"]?.joined(separator: " / ") })
    #expect(try page.texts("album") == records.map { $0.tags?.fields["album"]?.first })
    #expect(try page.texts("codec") == records.map { _ in "FLAC" })

    func check(_ name: String, _ tolerance: Double, _ value: (FileRecord) -> Double?) throws {
      let found = try page.numbers(name)
      #expect(found.count == records.count, "\(name)")
      for (number, record) in zip(found, records) {
        switch (number, value(record)) {
        case (nil, nil): continue
        case (let number?, let expected?):
          #expect(abs(number - expected) <= tolerance, "\(name): \(number), not \(expected)")
        default: Issue.record("\(name): \(number.debugDescription) of \(record.path)")
        }
      }
    }
    try check("bpm", 0.0501) { $0.tempo?.bpm }
    try check("confidence", 0.00501) { $0.tempo?.bpm == nil ? nil : $0.tempo?.confidence }
    try check("alternative", 0.0501) { record in record.tempo?.bpm.map { 2 * $0 } }
    try check("duration", 0.0501) { $0.format?.duration }
    try check("size", 1) { $0.sizeBytes.map { Double($0) / 1000 } }
    try check("sample_rate", 0) { _ in 44_100 }
    try check("loudness", 0.0501) { $0.findings[LoudnessFinding.self]?.integrated }
    try check("true_peak", 0.0501) { $0.findings[LoudnessFinding.self]?.truePeak }
    try check("energy", 0.00251) { $0.findings[TraitsFinding.self]?.energy }
    try check("year", 0) { $0.tags?.fields["date"]?.first.flatMap { Double($0.prefix(4)) } }
    try check("key", 0) { record in
      record.findings[KeyFinding.self]?.camelot.flatMap { camelot in
        Double(camelot.dropLast()).map { 2 * ($0 - 1) + (camelot.hasSuffix("B") ? 1 : 0) }
      }
    }
    #expect(!page.names.contains("sound") && !page.names.contains("added"))
  }

  @Test func confidenceIsNeverRoundedUp() throws {
    var records = Samples.sounding(3)
    for (index, confidence) in [0.4999, 0.9949, 0.29].enumerated() { records[index].tempo?.confidence = confidence }
    records[0].tempo?.bpm = 120
    let page = try Self.page(records, run: nil)
    #expect(try page.numbers("confidence").prefix(3) == [0.495, 0.99, 0.29])
  }

  @Test func soundsAreSignedBytes() throws {
    var records = Samples.sounding(4)
    for row in 0..<3 {
      records[row].findings[LikenessFinding.self] = LikenessFinding(version: 1, descriptor: [UInt8(row), 250, 128])
    }
    let sound = PageInput.Sound(width: 3) { $0[0] == 2 ? nil : $0.map { Int8(bitPattern: $0) } }
    let page = try Self.page(records, run: nil, source: PageInput(sound: sound))
    let column = try #require((page.columns["columns"] as? [String: Any])?["sound"] as? [String: Any])
    #expect(column["width"] as? Int == 3)
    let bytes = try #require((column["data"] as? String).flatMap { Data(base64Encoded: $0) })
    // -128 stands for no value.
    #expect(bytes.map { Int8(bitPattern: $0) } == [0, -6, -127, 1, -6, -127] + [Int8](repeating: -128, count: 6))
  }

  /// Columns missing from older databases and small pipelines are left out instead of being empty.
  @Test func columnsWithoutValuesAreLeftOut() throws {
    let page = try Self.page([Samples.bare], run: nil)
    #expect(page.rows == 1)
    for name in ["bpm", "confidence", "key", "loudness", "energy", "sound", "artist", "codec", "duration", "year"] {
      #expect(!page.names.contains(name), "\(name)")
    }
    #expect(try page.numbers("status") == [2])
    #expect(try page.paths == ["/music/bad\n\\xE9\\xFF\\x5CxE9.mp3"])
  }

  @Test func aPageWithoutFilesIsAPage() throws {
    let page = try Self.page([], run: nil)
    #expect(page.rows == 0)
    #expect(page.headline == "No tracks yet.")
    #expect(page.details["strips"] as? String == "none")
    #expect(page.html.contains("Nothing needs your attention."))
  }

  @Test func whatIsNoAudioIsNoRow() throws {
    var hidden = Samples.skipped
    hidden.isVanished = false
    let page = try Self.page([hidden, Samples.full], run: nil)
    #expect(page.rows == 1)
    #expect(!page.html.contains("cover.jpg"))
  }

  /// Simulates a damaged database.
  @Test func numbersThatCannotBeAreCutOrLeftOut() throws {
    var records = Samples.sounding(5)
    for (index, bpm) in [-1e18, 4.6e19, .infinity, .nan, 120].enumerated() { records[index].tempo?.bpm = bpm }
    for index in records.indices {
      records[index].format?.frameCount = .max
      records[index].sizeBytes = .max
      records[index].modified = Timestamp(nanoseconds: .min)
      records[index].tempo?.candidates = [.init(bpm: .nan, weight: .infinity)]
      records[index].tempo?.beats = [0, .infinity]
    }
    let page = try Self.page(records, source: Self.source(of: records))
    #expect(try page.numbers("bpm") == [nil, 6553.4, nil, nil, 120])
    #expect(!page.html.contains("NaN") || !page.details.description.contains("nan"))
  }

  // MARK: Order

  @Test func dictionariesAreInTheOrderToShow() throws {
    let names = ["track 10", "Track 2", "ärger", "Arm", "Zebra", "abba"]
    let records = names.enumerated().map { index, name in
      var record = Samples.noTempo
      record.path = FilePath("/music/\(index).wav")
      record.tags = TagFinding(fields: ["artist": [name], "title": [name]])
      return record
    }
    let page = try Self.page(records, run: nil)
    let order = ["abba", "ärger", "Arm", "Track 2", "track 10", "Zebra"]
    #expect(page.dictionary("artist") == order)
    let ranks = try page.numbers("title_rank").compactMap(\.self)
    #expect(zip(names, ranks).sorted { $0.1 < $1.1 }.map(\.0) == order)
  }

  // MARK: Details

  @Test func beatsAndCurvesComeBack() throws {
    var records = Samples.sounding(4)
    for index in records.indices { records[index].tempo?.bpm = 120 }
    records[0].tempo?.beats = (0..<200).map { 0.4137 + Double($0) * 0.4763 }
    records[0].tempo?.downbeats = [0.4137, 0.4137 + 4 * 0.4763]
    records[1].tempo?.beats = [0.1, 0.6, 12.5, 13]
    var waveform = WaveformFinding()
    waveform.minima = [UInt8](repeating: 28, count: 2000)
    waveform.maxima = (0..<2000).map { UInt8(128 + $0 / 16) }
    waveform.rms = [UInt8](repeating: 40, count: 2000)
    waveform.onsetStepSeconds = 0.02
    waveform.onsets = (0..<15_000).map { UInt8($0 % 256) }
    records[0].findings[WaveformFinding.self] = waveform
    let page = try Self.page(records, source: Self.source(of: records))
    #expect(page.details["strips"] as? String == "all")
    for row in 0..<2 {
      let beats = try #require(page.details(row)["beats"] as? [Any])
      let step = try #require(beats[1] as? Int)
      let data = try #require((beats[2] as? String).flatMap { Data(base64Encoded: $0) })
      var time = try #require(beats[0] as? Int)
      var times = [time]
      for index in 0..<(step > 0 ? data.count : data.count / 2) {
        time += step > 0 ? step + Int(data[index]) - 128 : Int(data[2 * index]) + Int(data[2 * index + 1]) << 8
        times.append(time)
      }
      #expect(times == records[row].tempo?.beats.map { Int(($0 * 1000).rounded()) })
    }
    let bits = try #require((page.details(0)["downbeats"] as? String).flatMap { Data(base64Encoded: $0) })
    #expect(bits.count == 25 && bits[0] == 0b1_0001 && bits.dropFirst().allSatisfy { $0 == 0 })
    let onsets = try #require(page.details(0)["onsets"] as? [Any])
    #expect(onsets[0] as? Double == 0.06)
    #expect((onsets[1] as? String).flatMap { Data(base64Encoded: $0) }?.count == 5000)
    let wave = try #require(page.details(0)["wave"] as? [String]).map { Data(base64Encoded: $0) ?? Data() }
    #expect(wave.map(\.count) == [432, 432])
    #expect(wave[0].first == 200 && wave[0].last == 248 && wave[1].allSatisfy { $0 == 40 })
  }

  @Test func detailsAreThoseOfTheTrack() throws {
    let page = try Self.page([Samples.full], run: nil)
    let details = page.details(0)
    #expect(details["meter"] as? String == "4/4")
    #expect((details["candidates"] as? [[Double]]) == [[126, 0.81], [63, 0.333]])
    #expect(details["remarks"] as? [String] == ["12 samples were not finite."])
    let problem = try #require(details["problem"] as? [String: String])
    #expect(problem["what"] == "Only the first 6:29 of 6:32 could be read.")
    #expect(problem["do"] == "Copy or download it again.")
    let tags = try #require(details["tags"] as? [[String]])
    #expect(tags.contains(["Track", "3 of zwölf"]) && tags.contains(["BPM in tags", "126"]))
    #expect(tags.contains(["Compilation", "yes"]) && tags.contains(["MOOD", "calm / late, \"blue\""]))
    #expect(page.details["strips"] as? String == "none")
  }

  /// Only some tracks of a large library have details, the most relevant first.
  @Test func largeLibrariesHaveDetailsOfSome() throws {
    var records = (0..<20_010).map { index in
      FileRecord(path: FilePath("/music/\(100_000 + index).mp3"), status: .ok)
    }
    records[20_005] = {
      var record = Samples.full
      record.path = records[20_005].path
      record.tempo?.beats = [0.41, 0.886_19, 1.4]
      return record
    }()
    let page = try Self.page(records, run: nil, source: Self.source(of: [records[20_005]]))
    #expect(page.rows == 20_010)
    #expect((page.details["tracks"] as? [String: Any])?.keys.sorted() == ["20005"])
    #expect(page.details(20_005)["meter"] as? String == "4/4" && page.details(20_005)["beats"] != nil)
    #expect(page.details["strips"] as? String == "some")
  }

  // MARK: Safety

  private static let hostile = [
    "</script><script>alert(1)</script>", "<!--<script>", "\"\u{301} onmouseover=\"alert(1)", "'\u{FE0F}><img src=x>",
    "{{{script}}} {{^x}}", "\u{1}columns\u{1}", "\u{0}\u{8}\u{1F}\u{7F}\u{85}\u{2028}\u{2029}\u{202E}", "&lt;b&gt;",
    "$& $1",
    "]]>\\u003c/script>", "\u{FFFF}\u{10FFFF}", String(repeating: "<", count: 400),
  ]

  /// Text in a name or tag never becomes markup, ends its element, or is changed as data.
  @Test(arguments: hostile) func namesAndTagsAreTextAndNothingElse(text: String) throws {
    let name = text.replacing("/", with: "∕").replacing("\u{0}", with: "")
    var record = Samples.full
    record.path = FilePath("/music/\(name)/\(name.prefix(60)).mp3")
    for field in ["title", "artist", "album", "genre", "composer", "other:\(text)"] {
      record.tags?.fields[field] = [text]
    }
    record.problem = Problem(stage: .decode, code: "corrupt", message: text)
    record.tempo?.confidence = 0.1
    record.runs = .init(firstSeen: 3, analyzed: 3, firstFailed: 3)
    let runs = [2, 3].map {
      RunOutline(id: $0, started: Timestamp(nanoseconds: 0), finished: nil, state: .finished, configurationDigest: "")
    }
    var source = Self.source(of: [record], runs: runs)
    source.program = text
    let page = try Self.page([record], source: source)
    let plain = try Self.page([], source: source)
    // Markup outside scripts, styles and text.
    func elements(_ page: DecodedPage) -> Set<String> {
      let markup = page.html.replacing(/<(script|style)[^>]*>[\s\S]*?<\/(script|style)>/, with: "<$1>")
      return Set(markup.matches(of: /<[^>]*>/).map { String($0.0.replacing(/"[^"]*"/, with: "")) })
    }
    let known: Set = [
      "details", "summary", "svg", "path", "circle", "span", "ul", "li", "code", "button", "p", "a", "div", "section",
      "h2",
    ]
    for element in elements(page).subtracting(elements(plain)) {
      let tag = element.trimmingPrefix("<").trimmingPrefix("/").prefix { $0.isLetter || $0.isNumber }
      #expect(known.contains(String(tag)), "\(element)")
      #expect(!element.contains("onmouseover") && !element.contains("src"), "\(element)")
    }
    #expect(page.html.components(separatedBy: "</script>").count == 5)
    #expect(page.html.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    #expect(page.titles == [String(text.prefix(300))])
    #expect(try page.paths == [DisplayPath.text(of: record.path)])
    let tags = try #require(page.details(0)["tags"] as? [[String]])
    #expect(tags.contains(["Composer", text]))
  }

  /// The policy in the head allows exactly the style and the script of the page.
  @Test func thePolicyIsThatOfStyleAndScript() throws {
    let page = try Self.page([Samples.full])
    #expect(page.html.contains("default-src 'none'"))
    for (element, directive) in [("style", "style-src"), ("script", "script-src")] {
      let start = try #require(page.html.range(of: "<\(element)>"))
      let end = try #require(page.html.range(of: "</\(element)>", range: start.upperBound..<page.html.endIndex))
      let content = String(page.html[start.upperBound..<end.lowerBound])
      #expect(page.html.contains("\(directive) 'sha256-\(try Self.hash(content))'"), "run Scripts/write-resources")
    }
    #expect(page.html.components(separatedBy: "<script>").count == 2)
    #expect(page.html.components(separatedBy: "<style>").count == 2)
    #expect(page.html.firstMatch(of: /\s(src|srcset|style|on[a-z]+)=/) == nil || page.html.contains("<script>"))
  }

  /// SHA-256 in base64, computed by a system program.
  private static func hash(_ text: String) throws -> String {
    let file = NSTemporaryDirectory() + "/nocturne-hash-\(UUID().uuidString)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sha256sum", file]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let digits = Array(output.prefix(64))
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    return Data(bytes).base64EncodedString()
  }
}
