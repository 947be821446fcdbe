import AnalysisTesting
import Library
import Testing

@Suite(.bounded) struct PartialDateTests {
  @Test(arguments: [
    ("1999", "1999"), (" 1999 ", "1999"), ("1999-03", "1999-03"), ("1999-03-01", "1999-03-01"),
    ("1999-03-01T12:00:05", "1999-03-01"), ("1999-03-01 12:00", "1999-03-01"), ("1999/3/1", "1999-03-01"),
    ("1999.03.01", "1999-03-01"), ("19990301", "1999-03-01"), ("19990300", "1999-03"), ("19990000", "1999"),
    ("19990301120000", "1999-03-01"), ("199903", "1999-03"), ("03/1999", "1999-03"), ("1.3.1999", "1999-03-01"),
    ("31/12/1999", "1999-12-31"), ("12/31/1999", "1999-12-31"), ("5-5-1999", "1999-05-05"), ("© 1999", "1999"),
    ("Released 1999 in Rome", "1999"), ("1990s", "1990"), ("1999-2003", "1999"), ("1999-00-00", "1999"),
    ("1999-13-01", "1999"), ("0476", "0476"),
  ]) func dates(text: String, date: String) throws {
    #expect(PartialDate(text)?.description == date)
  }

  /// Dates whose order of day and month is unknown.
  @Test func ambiguousDaysAreLeftOut() {
    #expect(PartialDate("03/04/1999")?.description == "1999")
  }

  @Test(arguments: [
    "", "circa", "0000", "0000-00-00", "99", "12345", "010399", "120311", "1234567890", "19991399",
    "99999999999999999999",
    "between 1998 and 1999", "１９９９",
  ]) func noDates(text: String) {
    #expect(PartialDate(text) == nil)
  }

  /// ISO 8601 dates, and dates parsed from random input, survive a round trip.
  @Test func writtenIsRead() {
    for year in [1, 476, 1999, 9999] {
      for (month, day) in [(nil, nil), (1, nil), (12, 31)] as [(Int?, Int?)] {
        let parts = [month, day].compactMap { $0.map { $0 < 10 ? "0\($0)" : "\($0)" } }
        let text = ([String(repeating: "0", count: 4 - String(year).count) + String(year)] + parts).joined(
          separator: "-")
        let date = PartialDate(text)
        #expect(date?.description == text && date?.year == year && date?.month == month && date?.day == day)
      }
    }
    var generator = SplitMix64.fresh()
    for _ in 0..<20_000 {
      let letters = (0..<Int.random(in: 0..<18, using: &generator)).map { _ in
        "0123456789-/. T:ä".randomElement(using: &generator) ?? "0"
      }
      guard let date = PartialDate(String(letters)) else { continue }
      #expect(PartialDate(date.description) == date)
    }
  }
}
