import Analysis
import AnalysisTesting
import Filters
import Foundation
import SystemPackage
import Testing

@Suite(.bounded) struct FilterParserTests {
  private typealias Expression = TrackFilter.Expression

  private func parse(_ text: String) throws -> Expression { try TrackFilter(parsing: text).expression }

  private func number(_ field: TrackCondition.NumberField, _ lower: Double?, _ upper: Double?) -> Expression {
    .condition(.number(field, NumberRange(lower: lower, upper: upper)))
  }

  private func text(_ field: TrackCondition.TextField, _ words: String, isPrefix: Bool = false) -> Expression {
    .condition(.text(field, FilterWords(words, isPrefix: isPrefix)))
  }

  @Test(arguments: ["", " ", "\t\n"]) func nothingIsEverything(text: String) throws {
    #expect(try TrackFilter(parsing: text) == .everything)
  }

  @Test func ranges() throws {
    #expect(try parse("bpm:120..128") == number(.bpm, 120, 128))
    #expect(try parse("bpm:120-128") == number(.bpm, 120, 128))
    #expect(try parse("duration:3:00-5:00") == number(.duration, 180, 300))
    #expect(try parse("bpm:120..") == number(.bpm, 120, nil))
    #expect(try parse("confidence:..0.5") == number(.confidence, nil, 0.5))
    #expect(try parse("lufs:-14..-9") == number(.integratedLoudness, -14, -9))
    #expect(try parse("duration:3:00..1:05:30") == number(.duration, 180, 3930))
    #expect(try parse("duration:90s..5m") == number(.duration, 90, 300))
    #expect(try parse("year:1990..1999") == number(.year, 1990, 1999))
  }

  /// A single value matches everything that is displayed as it.
  @Test func singleNumbers() throws {
    func range(_ text: String) throws -> NumberRange? {
      if case .condition(.number(_, let range)) = try parse(text) { range } else { nil }
    }
    #expect(try range("bpm:128") == NumberRange(lower: 127.5, upper: 128.5, includesUpper: false))
    let tenths = try #require(try range("bpm:127.9"))
    #expect(tenths.contains(127.86) && tenths.contains(127.94) && !tenths.contains(127.96))
    #expect(try range("year:1994")?.contains(1994) == true)
    #expect(try range("lufs:-9.5")?.contains(-9.5) == true)
  }

  // MARK: Comparisons

  @Test(
    arguments: [
      ("bpm>120", 120.0, nil, false, true), ("bpm>=120", 120, nil, true, true), ("bpm<120.5", nil, 120.5, true, false),
      ("bpm<=120", nil, 120, true, true), ("bpm≥120", 120, nil, true, true),
    ] as [(String, Double?, Double?, Bool, Bool)])
  func comparisonsAreRanges(text: String, lower: Double?, upper: Double?, hasLower: Bool, hasUpper: Bool) throws {
    let range = NumberRange(lower: lower, upper: upper, includesLower: hasLower, includesUpper: hasUpper)
    let spaced = text.replacing(/[<>=≥]+/) { " \($0.output) " }
    for form in [text, spaced, text.replacing("bpm", with: "bpm:"), text.replacing("bpm", with: "tempo_bpm")] {
      #expect(try parse(form) == .condition(.number(.bpm, range)), "\(form)")
    }
    #expect(try parse("-\(text)") == .not(.condition(.number(.bpm, range))))
    #expect(try parse("\(spaced) live") == .all([.condition(.number(.bpm, range)), self.text(.anyName, "live")]))
    #expect(try TrackFilter(field: .bpm, values: String(text.dropFirst(3))).expression == parse(text))
  }

  @Test(arguments: [
    ("year=1994", "year:1994"), ("bpm=120..128", "bpm:120..128"), ("bpm = 120", "bpm:120"), ("key=8A~", "key:8A~"),
    ("genre = house,techno", "genre:house,techno"), ("genre!=house,techno", "-genre:house,techno"),
    ("artist != \"daft punk\"", "-artist:\"daft punk\""), ("codec≠flac", "-codec:flac"),
    ("lossless=yes", "lossless:yes"),
    ("status!=failed", "-status:failed"), ("missing=isrc", "missing:isrc"), ("under=/music", "under:/music"),
    ("added>=2026-11-01", "added:2026-11-01.."), ("added>2026-10-31", "added:2026-11-01.."),
    ("added<=2026-11-01", "added:..2026-11-01"), ("added=7d", "added:7d"), ("duration>=3:00", "duration:3:00.."),
    ("codec:=flac", "codec:flac"), ("lufs <= -14", "lufs:..-14"), ("NOT bpm != 120", "-(-bpm:120)"),
  ]) func equalsAndOrders(comparison: String, colon: String) throws {
    #expect(try parse(comparison) == parse(colon))
  }

  /// After a colon, the signs belong to texts.
  @Test func signsInTexts() throws {
    #expect(try parse("title:<3") == text(.title, "<3"))
    #expect(try parse("\"=LOVE\" !!!") == .all([text(.anyName, "=LOVE"), text(.anyName, "!!!")]))
    #expect(try parse("\"a=b\"") == text(.anyName, "a=b"))
    #expect(try TrackFilter(field: .artist, values: "=LOVE").expression == text(.artist, "=LOVE"))
  }

  /// Comparisons agree with the numbers they compare.
  @Test func comparisonsHold() throws {
    var random = SplitMix64.fresh()
    for _ in 0..<500 {
      let number = Double(Int.random(in: 400...3000, using: &random)) / 10
      let near = number + [-0.3, -0.1, 0, 0.1, 0.3].randomElement(using: &random)!
      let text = String(format: "%.1f", number)
      for (sign, holds) in [("<", near < number), ("<=", near <= number), (">", near > number), (">=", near >= number)]
      {
        guard case .condition(.number(_, let range)) = try parse("bpm\(sign)\(text)") else {
          Issue.record("no range")
          return
        }
        #expect(range.contains(near) == holds, "\(near) \(sign) \(text)")
      }
    }
  }

  @Test(arguments: [
    ("bpm>fast", "at character 5, 'fast': a single value is expected after '>', such as bpm>120"),
    ("bpm>120..128", "a single value is expected after '>'"), ("bpm>", "at character 5, 'bpm>': a tempo"),
    ("bpm=>120", "at character 4, '=>': one of =, !=, <, <=, >, >= is expected after bpm"),
    ("bpm==120", "one of =, !="), ("bpm:<>120", "one of =, !="), ("bpm>120,174", "one value is expected after '>'"),
    ("120<bpm", "at character 1, '120<bpm': a field, an operator and a value are expected, such as bpm>=120"),
    ("100<bpm<128", "a field, an operator and a value"), (">120", "a field, an operator and a value"),
    ("bpm>100<120", "a single value is expected"), ("bmp>120", "did you mean 'bpm'?"),
    ("I <3 you", "in quotation marks, < is a part of a word"), ("artist>a", "artist has no order; a word, or several"),
    ("key<8A", "key has no order"), ("added>7d", "such as added>=2026-11-01"), ("year<abc", "such as year<2000"),
  ]) func mistakesInComparisons(text: String, expected: String) throws {
    let error = try #require(throws: FilterSyntaxError.self) { try TrackFilter(parsing: text) }
    #expect(error.description.contains(expected), "\(error)")
  }

  // MARK: Decimal commas

  @Test(arguments: [
    ("120,5..128", "120.5..128"), ("120,5", "120.5"), ("100..120,5", "100..120.5"), ("..120,5", "..120.5"),
    ("100-120,5", "100-120.5"), ("120,25..128", "120.25..128"), (">120,5", "120.5"), ("174,120,5", "120.5"),
  ]) func decimalCommas(value: String, right: String) throws {
    for make in [{ try TrackFilter(field: .bpm, values: value) }, { try TrackFilter(parsing: "bpm:\(value)") }] {
      let error = try #require(throws: FilterSyntaxError.self) { try make() }
      #expect(error.description.contains("write \(right) for a decimal"), "\(error)")
    }
  }

  @Test(arguments: [
    "confidence:0,5..", "confidence:..0,25", "lufs:-14,5..-9", "lufs:-14,25", "duration:3,5m", "duration:1,25h",
  ]) func decimalCommasInOtherFields(text: String) throws {
    let error = try #require(throws: FilterSyntaxError.self) { try TrackFilter(parsing: text) }
    #expect(error.description.contains("for a decimal"), "\(error)")
  }

  @Test(arguments: [
    "bpm:90,174", "bpm:120..128,174", "bpm:90,120..128", "bpm:120.5,128.5", "year:1994,1999..2003", "key:8A,9A",
    "duration:90s,5m", "duration:3:00,4:00", "lufs:-14,-9", "confidence:0.5,0.8", "bpm:90,174..180",
  ]) func listsAreNoDecimals(text: String) throws {
    guard case .any(let parts) = try parse(text) else {
      Issue.record("no alternatives")
      return
    }
    #expect(parts.count == 2)
  }

  @Test func octavesOfATempo() throws {
    #expect(try parse("bpm:80..90~") == .any([number(.bpm, 80, 90), number(.bpm, 40, 45), number(.bpm, 160, 180)]))
  }

  @Test(arguments: ["8A", "8a", "08A", "Am", "aM", "1m", "Aminor"]) func namesOfAMinor(name: String) throws {
    #expect(try parse("key:\(name)") == .condition(.key(MusicalKey(pitchClass: 9, mode: .minor))))
  }

  @Test func compatibleKeys() throws {
    let keys = ["8A", "8B", "7A", "9A"].map { MusicalKey($0) }
    guard case .any(let parts) = try parse("key:8A~") else {
      Issue.record("no alternatives")
      return
    }
    #expect(Set(parts.compactMap { if case .condition(.key(let key)) = $0 { key } else { nil } }) == Set(keys))
    #expect(try parse("key:\"A minor\"") == parse("key:8A"))
    #expect(try parse("key:C♯m") == parse("key:Dbm"))
  }

  /// Every name of a key means that key, and no name means two keys.
  @Test func everyKeyHasItsNames() {
    for key in MusicalKey.all {
      for name in [key.camelot, key.openKey, "\(key)", key.tonic + (key.mode == .minor ? "m" : "")] {
        #expect(MusicalKey(name) == key)
      }
      let number = Int(key.camelot.dropLast()) ?? 0
      let camelots = Set(key.compatible.map(\.camelot))
      let letter = key.camelot.suffix(1)
      let expected = [
        key.camelot, "\(number)\(letter == "A" ? "B" : "A")", "\(number % 12 + 1)\(letter)",
        "\((number + 10) % 12 + 1)\(letter)",
      ]
      #expect(camelots == Set(expected))
    }
    for wrong in ["", "0", "13A", "8C", "H", "A#x", "0B0"] { #expect(MusicalKey(wrong) == nil) }
  }

  @Test func texts() throws {
    #expect(try parse("genre:trance") == text(.genre, "trance"))
    #expect(try parse("genre:\"drum & bass\"") == text(.genre, "drum & bass"))
    #expect(try parse("artist:bjor*") == text(.artist, "bjor", isPrefix: true))
    #expect(try parse("artist:\"daft pu\"*") == text(.artist, "daft pu", isPrefix: true))
    #expect(try parse("title:\"a*\"") == text(.title, "a*"))
    #expect(try parse("lumine") == text(.anyName, "lumine"))
    #expect(try parse("\"bpm:128\"") == text(.anyName, "bpm:128"))
    #expect(try parse("genre:house,techno") == .any([text(.genre, "house"), text(.genre, "techno")]))
    #expect(try parse("path:live") == text(.path, "live"))
    #expect(try parse("under:\"/music/a b/../c\"") == .condition(.under("/music/c")))
  }

  @Test func combinations() throws {
    let (a, b, c) = (text(.anyName, "a"), text(.anyName, "b"), text(.anyName, "c"))
    #expect(try parse("a b") == .all([a, b]))
    #expect(try parse("a AND b") == .all([a, b]))
    #expect(try parse("a OR b c") == .any([a, .all([b, c])]))
    #expect(try parse("(a OR b) c") == .all([.any([a, b]), c]))
    #expect(try parse("-a NOT b -(c)") == .all([.not(a), .not(b), .not(c)]))
    #expect(try parse("a-b") == text(.anyName, "a-b"))
    #expect(try parse("-genre:rock") == .not(text(.genre, "rock")))
    #expect(try parse("((a))") == a)
    #expect(try parse("\"OR\"") == text(.anyName, "OR"))
  }

  @Test func others() throws {
    #expect(try parse("codec:FLAC") == .condition(.codec("flac")))
    #expect(try parse("lossless:yes") == .condition(.isLossless(true)))
    #expect(try parse("locked:no") == .condition(.isLocked(false)))
    #expect(try parse("status:failed,partial") == .any([.condition(.status(.failed)), .condition(.status(.partial))]))
    let columns = FindingColumn.all(of: [HealthFinding.self, OriginFinding.self])
    for (short, long) in [
      ("health:clipped", "health_clipped:1.."), ("health:hum", "-health_hum_db:none"),
      ("origin:lossy", "origin_verdict:lossy"),
      ("health:identical,click", "health_identical:yes OR health_clicks:1.."),
    ] {
      #expect(try parse(short) == TrackFilter(parsing: long, columns: columns).expression)
    }
    #expect(try parse("missing:isrc") == .condition(.missing("isrc")))
    #expect(try parse("missing:key") == .condition(.missing("key")))
    let day: Int64 = 86_400_000_000_000
    #expect(try parse("added:7d") == .condition(.added(TimeRange(since: .ago(7 * day), until: nil))))
    // date -u -d 2026-11-01 +%s
    let november: Int64 = 1_793_491_200_000_000_000
    #expect(
      try parse("added:2026-11-01")
        == .condition(.added(TimeRange(since: .absolute(november), until: .absolute(november + day)))))
    #expect(
      try parse("added:2026-11-01..") == .condition(.added(TimeRange(since: .absolute(november), until: nil))))
  }

  @Test(arguments: [
    ("bmp:120", "at character 1, 'bmp': there is no such filter; did you mean 'bpm'?"),
    ("genre:trance xyzzy:1", "at character 14, 'xyzzy': there is no such filter; valid here: added, album"),
    ("bpm:fast", "at character 5, 'fast': a tempo such as 128"),
    ("bpm:128..120", "at character 5, '128..120': the range starts after its end; did you mean 120..128?"),
    ("key:8C", "at character 5, '8C': a key such as 8A"),
    ("missing:isrcs", "did you mean 'isrc'?"),
    ("status:broken", "one of ok, partial, failed is expected"),
    ("lossless:maybe", "yes or no is expected"),
    ("health:cliped", "did you mean 'clipped'?"),
    ("origin:mp3", "one of lossless, unsure, lossy, upsampled, padded is expected"),
    ("genre:", "at character 7, 'genre:': a word"),
    ("genre: trance", "right after the colon"),
    ("(a", "at character 1, '(': this parenthesis is not closed"),
    ("a)", "at character 2, ')': no parenthesis is open here"),
    ("a OR", "at character 5, 'end': a filter such as"),
    ("\"a", "at character 1, '\"': this quotation mark is not closed"),
    ("under:music", "an absolute path is expected"),
    ("added:yesterday", "a date such as 2026-11-01"),
    ("added:2026-02-30", "a date such as 2026-11-01"),
    ("year:99.5", "a year or range of years"),
    ("bpm:1e5", "a tempo"), ("bpm:nan", "a tempo"), ("bpm:..", "a tempo"), ("duration:1:75", "a length"),
  ]) func mistakesAreNamed(text: String, expected: String) throws {
    let error = try #require(throws: FilterSyntaxError.self) { try TrackFilter(parsing: text) }
    #expect(error.description.contains(expected), "\(error)")
  }

  @Test func optionsHaveTheSameValues() throws {
    #expect(try TrackFilter(field: .bpm, values: "120..128") == TrackFilter(parsing: "bpm:120..128"))
    #expect(try TrackFilter(field: .key, values: "8A,9A") == TrackFilter(parsing: "key:8A,9A"))
    #expect(
      try TrackFilter(field: .artist, values: "Tyler, The Creator").expression == text(.artist, "Tyler, The Creator"))
    let error = #expect(throws: FilterSyntaxError.self) { try TrackFilter(field: .bpm, values: "x") }
    #expect(error?.position == nil)
  }

  @Test func joining() throws {
    let filter = try TrackFilter(parsing: "a OR b").and(TrackFilter(parsing: "c d")).and(.everything)
    #expect(try filter == TrackFilter(parsing: "(a OR b) c d"))
  }

  /// Any input is either a filter or a specific error.
  @Test func noTextIsTooMuch() {
    let pieces = [
      "bpm:", "(", ")", "\"", "-", "OR", "AND", "NOT", " ", ":", "..", "~", "*", ",", "8A", "key:", "\0", "🎵", "музыка",
      "12", "<", ">=", "!=", "=", "bpm", "≤", ",5",
      "genre:", "under:/", "added:", "'", ";", "%", "--", "missing:", "\\", "duration:1:", "e\u{301}",
    ]
    var state: UInt64 = 1
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<20_000 {
      let text = (0..<next(9)).map { _ in pieces[next(pieces.count)] }.joined()
      do {
        _ = try TrackFilter(parsing: text)
      } catch {
        #expect(!error.word.isEmpty && !error.reason.isEmpty)
        #expect((1...text.count + 1).contains(error.position ?? 0), "\(text): \(error)")
      }
    }
    for deep in ["(", "-", "NOT "] {
      let text = String(repeating: deep, count: 100_000) + "a"
      #expect(throws: FilterSyntaxError.self) { try TrackFilter(parsing: text) }
    }
    #expect(throws: FilterSyntaxError.self) {
      try TrackFilter(parsing: "key:" + String(repeating: "8A,", count: 1000) + "8A")
    }
  }

  // MARK: Findings

  private static let columns = FindingColumn.all(of: [
    TraitsFinding.self, CuesFinding.self, SectionsFinding.self, TempoFinding.self,
  ])

  private func test(_ text: String) throws -> FindingTest? {
    let filter = try TrackFilter(parsing: text, columns: Self.columns)
    if case .condition(.finding(_, let test)) = filter.expression { return test }
    return nil
  }

  @Test func fieldsOfFindings() throws {
    #expect(try test("traits_energy:0.7..") == .number(NumberRange(lower: 0.7, upper: nil)))
    #expect(try test("cues_fade_in_s:..1:30") == .number(NumberRange(lower: nil, upper: 90)))
    #expect(try test("traits_energy > 0.7") == .number(NumberRange(lower: 0.7, upper: nil, includesLower: false)))
    #expect(try test("cues_fade_in_s<=1:30") == .number(NumberRange(lower: nil, upper: 90)))
    #expect(try test("traits_energy=none") == FindingTest.none)
    #expect(try test("sections_form=ABA") == .text("ABA", isPrefix: false))
    #expect(try test("sections_form:\"A B\"*") == .text("A B", isPrefix: true))
    #expect(try test("TRAITS_ENERGY:none") == FindingTest.none)
    #expect(try test("traits_reason:\"none\"") == .text("none", isPrefix: false))
    let several = try TrackFilter(parsing: "-traits_energy:0.1,0.2 live", columns: Self.columns)
    guard case .all(let parts) = several.expression, case .not(.any(let values)) = parts.first else {
      Issue.record("\(several)")
      return
    }
    #expect(parts.count == 2 && values.count == 2)
  }

  /// The tempo finding does not include corrections.
  @Test func tempoHasFieldsOfItsOwn() {
    #expect(!Self.columns.contains { $0.name.hasPrefix("tempo_") })
  }

  @Test(arguments: [
    ("traits_energy:loud", "a number or range"), ("traits_enrgy:1", "did you mean 'traits_energy'"),
    ("cues_fade_in_s:0:90", "a time or range"), ("traits_energy:", "a number or range"),
    ("traits_energy:0,5..", "write 0.5.. for a decimal"), ("sections_form>ABA", "sections_form has no order"),
    ("traits_energy>none", "such as traits_energy>=0.8"),
  ]) func mistakesInFindings(text: String, message: String) {
    let error = #expect(throws: FilterSyntaxError.self) { try TrackFilter(parsing: text, columns: Self.columns) }
    #expect(error.map { "\($0)" }?.contains(message) == true, "\(String(describing: error))")
  }
}
