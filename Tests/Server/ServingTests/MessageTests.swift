import AnalysisTesting
import Platform
import Testing

@testable import Serving

@Suite(.bounded) struct ByteRangeTests {
  @Test(arguments: [
    ("bytes=0-0", ByteRange.part(0..<1)), ("bytes=0-99", .part(0..<100)), ("bytes=10-", .part(10..<100)),
    ("bytes=90-500", .part(90..<100)), ("bytes=-10", .part(90..<100)), ("bytes=-500", .part(0..<100)),
    ("BYTES = 5-6", .part(5..<7)), ("bytes=5-6,", .part(5..<7)), ("bytes=0-99999999999999999999999", .part(0..<100)),
  ])
  func partsAreOfTheFile(header: String, expected: ByteRange) {
    #expect(ByteRange(header, size: 100) == expected)
  }

  @Test(arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"])
  func whatIsNotThereIsRefused(header: String) {
    #expect(ByteRange(header, size: 100) == .unsatisfiable)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=9-3", "bytes=0-1,5-6", "lines=0-1", "bytes=+1-2",
    "bytes=1--2",
    "bytes=١-٢", "=bytes=0-0", "bytes=0-0=1", "bytes=0-0-", " =0-0",
  ])
  func whatIsNoRangeGetsAll(header: String) {
    #expect(ByteRange(header, size: 100) == .whole)
  }

  @Test func anEmptyFileHasNoParts() {
    #expect(ByteRange("bytes=0-", size: 0) == .unsatisfiable)
    #expect(ByteRange("bytes=-1", size: 0) == .unsatisfiable)
    #expect(ByteRange(nil, size: 0) == .whole)
  }
}

@Suite(.bounded) struct HeaderTests {
  @Test func datesAreThoseOfTheStandard() {
    #expect(HTTPDate.text(ofSeconds: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.seconds(of: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    for seconds in stride(from: Int64(0), to: 4_000_000_000, by: 86_399_999) {
      #expect(HTTPDate.seconds(of: HTTPDate.text(ofSeconds: seconds)) == seconds)
    }
  }

  @Test(arguments: [
    "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 99 Nov 1994 08:49:37 GMT",
  ])
  func otherDatesAreNotUnderstood(text: String) {
    #expect(HTTPDate.seconds(of: text) == nil)
  }

  @Test func entityTagsAreComparedWeakly() {
    #expect(EntityTags(#""a""#).contains(#""a""#))
    #expect(EntityTags(#"W/"a", "b" "#).contains(#""a""#))
    #expect(EntityTags(#"W/"a", "b" "#).contains(#""b""#))
    #expect(EntityTags("*").contains(#""a""#))
    #expect(!EntityTags(#""ab""#).contains(#""a""#))
    for header in ["\t\"a\"", " \t W/\"a\"", "\"b\" ,\"a\" ", "W/\"a\" ,*"] {
      #expect(EntityTags(header).contains(#""a""#), "\(header)")
    }
    for header in ["", "a", #"w/"a""#, #"/"a""#, #""*""#, #"W/"b", "c""#] {
      #expect(!EntityTags(header).contains(#""a""#), "\(header)")
    }
  }
}
