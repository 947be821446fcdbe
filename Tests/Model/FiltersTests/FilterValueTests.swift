import Analysis
import AnalysisTesting
import SystemPackage
import Testing

@testable import Filters

/// Values of filters on both sides of each limit.
@Suite(.bounded) struct FilterValueTests {
  private typealias Expression = TrackFilter.Expression

  private func parse(_ text: String) throws -> Expression { try TrackFilter(parsing: text).expression }

  private func range(_ text: String) throws -> NumberRange? {
    if case .condition(.number(_, let range)) = try parse(text) { range } else { nil }
  }

  private func times(_ text: String) throws -> TimeRange? {
    if case .condition(.added(let range)) = try parse(text) { range } else { nil }
  }

  // MARK: Numbers

  @Test(
    arguments: [
      ("bpm:0", -0.5, 0.5), ("bpm:128", 127.5, 128.5), ("bpm:127.5", 127.45, 127.55), ("bpm:127.25", 127.245, 127.255),
      ("lufs:-14", -14.5, -13.5), ("lufs:-0.5", -0.55, -0.45), ("year:0", -0.5, 0.5), ("year:9999", 9998.5, 9999.5),
      ("bpm:123456789012345", 123_456_789_012_344.5, 123_456_789_012_345.5), ("duration:90", 89.5, 90.5),
      ("duration:90s", 89.5, 90.5), ("duration:5m", 270, 330), ("duration:1h", 1800, 5400),
      ("duration:0.5h", 1620, 1980), ("duration:0s", -0.5, 0.5), ("duration:0", -0.5, 0.5),
      ("duration:3:05", 184.5, 185.5), ("duration:75:00", 4499.5, 4500.5), ("duration:1:02:03", 3722.5, 3723.5),
      ("duration:1:59.5", 119.45, 119.55), ("duration:0:59:59", 3598.5, 3599.5),
    ] as [(String, Double, Double)]) func aNumberIsAsWideAsItsLastDigit(text: String, lower: Double, upper: Double)
    throws
  {
    let found = try #require(try range(text))
    #expect(abs((found.lower ?? .nan) - lower) < 1e-9 && abs((found.upper ?? .nan) - upper) < 1e-9)
    #expect(found.includesLower && !found.includesUpper)
  }

  @Test(arguments: [
    ("bpm:128..128", 128.0, 128.0), ("bpm:1-2", 1, 2), ("lufs:-14..-9", -14, -9), ("bpm:0.5..1.25", 0.5, 1.25),
  ]) func rangesIncludeTheirEnds(text: String, lower: Double, upper: Double) throws {
    #expect(try range(text) == NumberRange(lower: lower, upper: upper))
  }

  @Test(arguments: [
    "bpm:1234567890123456", "bpm:1.2.3", "bpm:.5", "bpm:5.", "bpm:+5", "bpm:1/2", "bpm:1:2", "bpm:--5", "bpm:x..128",
    "bpm:128..x", "bpm:120-", "bpm:1-2-3", "lufs:-14--9", "bpm:128.5..128", "year:10000", "year:-1", "year:99.5",
    "duration:-1s", "duration:-1:00", "duration:1:60", "duration:1:60:00", "duration:1:2:3:4", "duration:1:",
    "duration:s",
    "duration:1x", "duration::30", "lossless:2", "lossless:y",
  ]) func otherNumbersAreRefused(text: String) {
    #expect(throws: FilterSyntaxError.self) { try TrackFilter(parsing: text) }
  }

  @Test(arguments: [
    ("yes", true), ("YES", true), ("true", true), ("1", true), ("no", false), ("No", false), ("false", false),
    ("0", false),
  ]) func flags(word: String, value: Bool) throws {
    #expect(try parse("lossless:\(word)") == .condition(.isLossless(value)))
    #expect(try parse("locked:\(word)") == .condition(.isLocked(value)))
  }

  @Test func rangesContainTheirEndsIfIncluded() {
    for (includesLower, includesUpper) in [(true, true), (true, false), (false, true), (false, false)] {
      let range = NumberRange(lower: 1, upper: 2, includesLower: includesLower, includesUpper: includesUpper)
      #expect(range.contains(1) == includesLower && range.contains(2) == includesUpper)
      #expect(range.contains(1.5) && !range.contains(0.9) && !range.contains(2.1))
    }
    let open = NumberRange(lower: nil, upper: nil)
    #expect(open.includesLower && open.includesUpper && open.contains(-.infinity) && open.contains(.infinity))
  }

  // MARK: Times

  private static let day: Int64 = 86_400_000_000_000

  /// The first and the last day of each month, counted from 1970 by adding up the months.
  @Test func daysAreCountedByTheCalendar() throws {
    var days: Int64 = 0
    for year in 1970...2200 {
      let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
      for (index, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
        let month = "\(year)-\(index < 9 ? "0" : "")\(index + 1)"
        let (first, last) = (days * Self.day, (days + Int64(length)) * Self.day)
        guard
          try times("added:\(month)-01..\(month)-\(length)")
            == TimeRange(since: .absolute(first), until: .absolute(last))
        else {
          Issue.record("\(month)")
          return
        }
        #expect(throws: FilterSyntaxError.self, "\(month)") { try parse("added:\(month)-\(length + 1)") }
        days += Int64(length)
      }
    }
  }

  @Test(arguments: [
    "1969-12-31", "2201-01-01", "2026-00-01", "2026-13-01", "2026-01-00", "26-11-01", "2026-1-01", "2026-11-1",
    "2026-1a-01", "+026-11-01", "2026-11", "2026-11-01-01", "2026/11/01", "-1d", "1.5d", "7", "d", "7x", "10001h", "..",
    "x..", "..x", "x..7d", "7d..x", "2026-11-01..2026-13-01", "7d...",
  ]) func otherTimesAreRefused(value: String) {
    #expect(throws: FilterSyntaxError.self) { try TrackFilter(field: .added, values: value) }
  }

  @Test(
    arguments: [
      ("0d", 0), ("1h", 1), ("1d", 24), ("7d", 168), ("2w", 336), ("1y", 8_760), ("10000h", 10_000),
      // Longer ages than timestamps have are as long as possible.
      ("228y", 1_997_280), ("229y", 2_000_000), ("10000y", 2_000_000),
    ] as [(String, Int64)]) func agesAreHours(text: String, hours: Int64) throws
  {
    #expect(try times("added:\(text)") == TimeRange(since: .ago(hours * 3_600_000_000_000), until: nil))
  }

  @Test func rangesOfTimes() throws {
    let hour: Int64 = 3_600_000_000_000
    #expect(try times("added:7d..") == TimeRange(since: .ago(168 * hour), until: nil))
    #expect(try times("added:..7d") == TimeRange(since: nil, until: .ago(168 * hour)))
    #expect(try times("added:30d..7d") == TimeRange(since: .ago(720 * hour), until: .ago(168 * hour)))
    #expect(
      try times("added:1970-01-02..1970-01-03")
        == TimeRange(since: .absolute(Self.day), until: .absolute(3 * Self.day)))
    #expect(try times("added:1970-01-02..1h") == TimeRange(since: .absolute(Self.day), until: .ago(hour)))
    #expect(try times("added:..1970-01-03") == TimeRange(since: nil, until: .absolute(3 * Self.day)))
    #expect(try times("added>1970-01-02") == TimeRange(since: .absolute(2 * Self.day), until: nil))
    #expect(try times("added>=1970-01-02") == TimeRange(since: .absolute(Self.day), until: nil))
    #expect(try times("added<1970-01-02") == TimeRange(since: nil, until: .absolute(Self.day)))
    #expect(try times("added<=1970-01-02") == TimeRange(since: nil, until: .absolute(2 * Self.day)))
    #expect(TimeRange.Point.ago(3).nanoseconds(now: 10) == 7 && TimeRange.Point.absolute(3).nanoseconds(now: 10) == 3)
  }

  // MARK: Decimal commas

  @Test(arguments: [
    ("120", "5", true), ("120", "25", false), ("0", "25", true), ("0", "250", true), ("10", "250", false),
    ("-14", "25", true), ("..-14", "25", true), ("x-14", "25", false), ("120-130", "25", false), ("..120", "5", true),
    ("..120", "25", false), ("a120", "5", false), ("", "5", false), ("120", "", false), ("120", "x5", false),
    ("90", "1:30", false), ("90", "2.5", false), ("90", "2..5", true), ("3", "25m", true), ("3", "25s", true),
    ("3", "25h", true), ("3", "25x", false), ("3", "250m", false), ("120", "25..128", true), ("120", "121..128", false),
    ("120", "120..128", true), ("120", "25..120", true), ("120", "25..119", false), ("120", "25..", true),
    ("120", "25-128", true), ("120", "25-119", false), ("120", "250..300", false), ("120", "25..120.5", true),
    ("120", "25..119.5", false), ("120", "25/128", false), ("١٢٠", "5", false), ("120", "٥", false),
  ]) func decimalCommasAreLikely(left: String, right: String, isLikely: Bool) {
    #expect(DecimalComma.isLikely(between: left, and: right) == isLikely)
  }

  @Test(arguments: [
    ("bpm:120,5", "write 120.5 for a decimal, or bpm:120 OR bpm:5 for alternatives"),
    ("bpm=120,5", "write 120.5 for a decimal, or bpm=120 OR bpm=5 for alternatives"),
    ("bpm!=120,5", "write 120.5 for a decimal, or bpm!=120 OR bpm!=5 for alternatives"),
    ("bpm>120,5", "write 120.5 for a decimal"),
  ]) func advice(text: String, reason: String) {
    let error = #expect(throws: FilterSyntaxError.self) { try TrackFilter(parsing: text) }
    #expect(error?.reason == reason && error?.word == "120,5")
  }

  @Test(arguments: ["bpm:\"120\",5", "bpm:120,\"5\"", "year:1994,5"]) func notEveryCommaIsADecimal(text: String) throws
  {
    guard case .any(let parts) = try parse(text) else {
      Issue.record("no alternatives")
      return
    }
    #expect(parts.count == 2)
  }

  // MARK: Columns of findings

  private static let columns = FindingColumn.all(of: [
    HealthFinding.self, CuesFinding.self, SectionsFinding.self, SignatureFinding.self, TempoFinding.self,
  ])

  private func column(_ name: String) throws -> FindingColumn {
    try #require(Self.columns.first { $0.name == name })
  }

  @Test func columnsAreThoseOfReports() throws {
    #expect(try column("health_clicks").kind == .number && column("health_clicks").isWhole)
    #expect(try column("health_hum_db").kind == .number && !column("health_hum_db").isWhole)
    #expect(try column("health_worst").kind == .text && column("health_worst").isIndexed)
    #expect(try column("health_inverted").kind == .flag && !column("health_inverted").isIndexed)
    #expect(try column("cues_fade_in_s").kind == .seconds && column("cues_fade_in_s").column == "fade_in_s")
    #expect(try column("sections_form").table == "sections" && column("signature_landmarks").table == "signature")
    // Lists, columns that are only in the database, and stored bytes are not.
    for name in ["health_faults", "sections_map", "sections_section_count", "signature_data", "tempo_bpm"] {
      #expect(!Self.columns.contains { $0.name == name })
    }
  }

  @Test func commasInColumns() throws {
    for (text, isDecimal) in [
      ("health_clicks:1,5", false), ("health_hum_db:-60,5", true), ("cues_fade_in_s:2,5", true),
      ("sections_form:1,5", false),
    ] {
      let error = { () -> FilterSyntaxError? in
        do throws(FilterSyntaxError) {
          _ = try TrackFilter(parsing: text, columns: Self.columns)
          return nil
        } catch { return error }
      }()
      #expect((error?.reason.contains("for a decimal") == true) == isDecimal && (error != nil) == isDecimal, "\(text)")
    }
  }

  @Test func testsOfColumns() throws {
    func test(_ text: String) throws -> FindingTest? {
      let filter = try TrackFilter(parsing: text, columns: Self.columns)
      if case .condition(.finding(_, let test)) = filter.expression { return test }
      return nil
    }
    #expect(try test("sections_form:>x") == .text(">x", isPrefix: false))
    #expect(try test("sections_form:A*") == .text("A", isPrefix: true))
    #expect(try test("sections_form:\"A*\"") == .text("A*", isPrefix: false))
    #expect(try test("health_inverted:yes") == .flag(true) && test("health_inverted:0") == .flag(false))
    #expect(try test("health_inverted:None") == FindingTest.none && test("cues_fade_in_s:NONE") == FindingTest.none)
    #expect(
      try test("health_clicks:3") == .number(NumberRange(lower: 2.5, upper: 3.5, includesUpper: false)))
    for text in ["sections_form:*", "health_inverted:maybe", "health_inverted>yes", "health_clicks:\"none\""] {
      #expect(throws: FilterSyntaxError.self) { try test(text) }
    }
  }

  @Test(arguments: [
    ("clipped", "health_clipped:1.."), ("dropout", "health_dropouts:1.."), ("silence", "health_silences:1.."),
    ("repeat", "health_repeats:1.."), ("click", "health_clicks:1.."), ("dc_offset", "health_dc_offset:yes"),
    ("dead_channel", "-health_dead_channel:none"), ("INVERTED", "health_inverted:yes"),
    ("identical", "health_identical:yes"), ("hum", "-health_hum_db:none"), ("hiss", "-health_hiss_db:none"),
    ("silent", "health_worst:silent"), ("cut_start", "health_cut_start:yes"), ("cut_end", "health_cut_end:yes"),
    ("any", "-health_worst:none"),
  ]) func wordsForHealth(word: String, long: String) throws {
    #expect(try parse("health:\(word)") == TrackFilter(parsing: long, columns: Self.columns).expression)
  }

  @Test(arguments: [
    ("lossless", "origin_verdict:lossless"), ("unsure", "origin_verdict:unsure"), ("lossy", "origin_verdict:lossy"),
    ("upsampled", "-origin_upsampled_from_hz:none"), ("padded", "origin_padded:yes"),
  ]) func wordsForOrigin(word: String, long: String) throws {
    let columns = FindingColumn.all(of: [OriginFinding.self])
    #expect(try parse("origin:\(word)") == TrackFilter(parsing: long, columns: columns).expression)
  }
}
