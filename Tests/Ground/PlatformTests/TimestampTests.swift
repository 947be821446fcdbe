import AnalysisTesting
import Foundation
import Platform
import Testing

@Suite(.bounded) struct TimestampTests {
  /// The first and the last day of each month, counted by adding up the lengths of years and months.
  @Test func datesFollowTheCalendar() {
    func isLeap(_ year: Int) -> Bool { year % 400 == 0 || year % 4 == 0 && year % 100 != 0 }
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    var days = (1678..<1970).reduce(0) { days, year in days - (isLeap(year) ? 366 : 365) }
    for year in 1678...2261 {
      for (index, length) in [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
        for day in [1, length] {
          let text = "\(year)-\(padded(index + 1))-\(padded(day))T00:00:00Z"
          let time = Timestamp(seconds: Int64(days + day - 1) * 86_400, nanoseconds: 0)
          guard time.description == text, Timestamp(rfc3339: text) == time else {
            Issue.record("\(text) is \(time)")
            return
          }
        }
        days += length
      }
    }
  }

  @Test func clockTimesAreWritten() {
    let day: Int64 = 1_795_219_200
    for (hour, minute, second) in [(0, 0, 0), (9, 59, 9), (10, 10, 10), (23, 0, 59), (23, 59, 0), (1, 2, 3)]
      as [(Int64, Int64, Int64)]
    {
      func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let time = Timestamp(seconds: day + hour * 3600 + minute * 60 + second, nanoseconds: 999_999_999)
      let text = "2026-11-21T\(padded(hour)):\(padded(minute)):\(padded(second))Z"
      #expect(time.description == text)
      #expect(Timestamp(rfc3339: text)?.seconds == time.seconds)
    }
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:01z", 1_000_000_000), ("1970-01-01 00:00:00.5Z", 500_000_000),
      ("1970-01-01T00:00:00.123456789Z", 123_456_789), ("1970-01-01T00:00:00.1234567899Z", 123_456_789),
      ("1970-01-01T00:00:00.000000001Z", 1), ("1970-01-01T00:00:00.0000000019Z", 1),
      ("1970-01-01T00:00:00.12Z", 120_000_000), ("1970-01-01T01:00:00+01:00", 0), ("1970-01-01T05:30:00+05:30", 0),
      ("1969-12-31T23:59:00-00:01", 0), ("1969-12-31T13:30:00-10:30", 0),
      ("1970-01-01T23:59:60Z", 86_400_000_000_000), ("1969-12-31T23:59:59Z", -1_000_000_000),
      ("1969-12-31T23:59:59.5Z", -500_000_000), ("1970-12-31T00:00:00Z", 364 * 86_400_000_000_000),
      ("2262-04-11T23:47:16.854775807Z", .max), ("1677-09-21T00:12:44Z", -9_223_372_036_000_000_000),
    ] as [(String, Int64)]) func timesAreRead(text: String, nanoseconds: Int64)
  {
    #expect(Timestamp(rfc3339: text)?.nanoseconds == nanoseconds)
  }

  @Test(arguments: [
    "", "1970-01-01", "1970-01-01T00:00:00", "1970-00-01T00:00:00Z", "1970-13-01T00:00:00Z", "1970-01-00T00:00:00Z",
    "1970-01-32T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z",
    "1970-01-01T00:00:00Z ", " 1970-01-01T00:00:00Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00,5Z",
    "1970-01-01X00:00:00Z", "1970/01/01T00:00:00Z", "1970-01/01T00:00:00Z", "1970-01-01T00.00:00Z",
    "1970-01-01T00:00.00Z", "970-01-01T00:00:00Z", "11970-01-01T00:00:00Z", "1970-1-01T00:00:00Z",
    "1970-01-1T00:00:00Z", "1970-01-01T0:00:00Z", "1970-01-01T00:0:00Z", "1970-01-01T00:00:0Z",
    "1970-01-01T00:00:00+0100", "1970-01-01T00:00:00+1:00", "1970-01-01T00:00:00+01:0", "1970-01-01T00:00:00+01",
    "1970-01-01T00:00:00+01.00", "1970-01-01T00:00:00*01:00", "19x0-01-01T00:00:00Z", "1970-0/-01T00:00:00Z",
    "1970-0:-01T00:00:00Z", "１970-01-01T00:00:00Z", "2262-04-11T23:47:16.854775808Z", "2262-04-11T23:47:17Z",
    "1677-09-21T00:12:43.9Z", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z",
  ]) func otherTextIsNoTime(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test func timesHaveAnOrder() {
    let (one, two) = (Timestamp(nanoseconds: 1), Timestamp(nanoseconds: 2))
    #expect(one < two && !(two < one) && !(one < one))
    #expect(Timestamp(nanoseconds: -1).seconds == -1 && Timestamp(nanoseconds: -1_000_000_000).seconds == -1)
    #expect(Timestamp(nanoseconds: 999_999_999).seconds == 0 && Timestamp(nanoseconds: 0).seconds == 0)
    #expect(Timestamp(nanoseconds: -1).description == "1969-12-31T23:59:59Z")
    #expect(abs(Double(Timestamp.now.seconds) - Date().timeIntervalSince1970) < 60)
  }
}

@Suite(.bounded) struct HTTPDateTests {
  @Test(
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (951_825_600, "Tue, 29 Feb 2000 12:00:00 GMT"), (-2_208_988_800, "Mon, 01 Jan 1900 00:00:00 GMT"),
      (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"), (10 * 86_400 + 36_610, "Sun, 11 Jan 1970 10:10:10 GMT"),
      (8 * 86_400 + 32_949, "Fri, 09 Jan 1970 09:09:09 GMT"),
    ] as [(Int64, String)]) func datesAreWrittenAndRead(seconds: Int64, text: String)
  {
    #expect(HTTPDate.text(ofSeconds: seconds) == text)
    #expect(HTTPDate.seconds(of: text) == seconds)
  }

  @Test(arguments: [-2_208_988_801, 253_402_300_800, .max, .min] as [Int64])
  func yearsOutsideAre1970(seconds: Int64) {
    #expect(HTTPDate.text(ofSeconds: seconds) == "Thu, 01 Jan 1970 00:00:00 GMT")
  }

  @Test func allMonthsAndDaysOfTheWeek() {
    for day in 0..<400 as Range<Int64> {
      #expect(HTTPDate.seconds(of: HTTPDate.text(ofSeconds: day * 86_400 + day * 100)) == day * 86_400 + day * 100)
    }
  }

  @Test func aLeapSecondIsRead() {
    #expect(HTTPDate.seconds(of: "Thu, 01 Jan 1970 00:00:60 GMT") == 60)
    #expect(HTTPDate.seconds(of: "Sat, 31 Jan 1970 00:00:00 GMT") == 2_592_000)
  }

  @Test(arguments: [
    "", "Thu, 01 Jan 1970 00:00:00", "Thu, 01 Jan 1970 00:00:00 UTC", "Thu, 01 Jan 1970 00:00 GMT",
    "Thx, 01 Jan 1970 00:00:00 GMT", "01 Jan 1970 00:00:00 GMT", "Thu, 00 Jan 1970 00:00:00 GMT",
    "Thu, 32 Jan 1970 00:00:00 GMT", "Thu, 01 Jax 1970 00:00:00 GMT", "Thu, 01 Jan 1899 00:00:00 GMT",
    "Thu, 01 Jan 10000 00:00:00 GMT", "Thu, 01 Jan 1970 24:00:00 GMT", "Thu, 01 Jan 1970 -1:00:00 GMT",
    "Thu, 01 Jan 1970 00:60:00 GMT", "Thu, 01 Jan 1970 00:-1:00 GMT", "Thu, 01 Jan 1970 00:00:61 GMT",
    "Thu, 01 Jan 1970 00:00:-1 GMT", "Thu, 0x Jan 1970 00:00:00 GMT", "Thu, 01 Jan 197x 00:00:00 GMT",
    "Thu, 01 Jan 1970 0x:00:00 GMT", "Thu, 01 Jan 1970 00:0x:00 GMT", "Thu, 01 Jan 1970 00:00:0x GMT",
    "Thu, 01 Jan 1970 00:00:00 GMT x", "Thursday, 01-Jan-70 00:00:00 GMT", "Thu Jan  1 00:00:00 1970",
  ]) func otherTextIsNoDate(text: String) {
    #expect(HTTPDate.seconds(of: text) == nil)
  }
}
