import Analysis
import AnalysisTesting
import Exports
import Filters
import Foundation
import Platform
import SystemPackage
import Testing
import Text

/// Filters as rules of Navidrome's smart playlists.
@Suite(.bounded) struct NavidromeTests {
  private typealias Expression = TrackFilter.Expression

  private struct NoRules: Error {}

  private static func rules(_ expression: Expression) throws -> (name: String, parts: JSONValue) {
    let bytes = try NavidromeFile.bytes(TrackFilter(expression), name: "N")
    #expect(bytes.last == UInt8(ascii: "\n") && String(decoding: bytes, as: UTF8.self).contains(NavidromeFile.mark))
    guard case .object(var members) = try JSONValue(parsing: bytes) else { throw NoRules() }
    #expect(members.removeValue(forKey: "name") == .string("N"))
    #expect(members.removeValue(forKey: "comment") == .string("Made by nocturne") && members.count == 1)
    let (name, parts) = try #require(members.first)
    return (name, parts)
  }

  private static func artist(_ text: String = "a") -> Expression {
    .condition(.text(.artist, FilterWords(text, isPrefix: false)))
  }

  private static func codec(_ name: String = "flac") -> Expression { .condition(.codec(name)) }

  private struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var expression: TrackFilter.Expression
    var name: String
    var parts: JSONValue

    init(_ description: String, _ expression: TrackFilter.Expression, _ name: String, _ parts: JSONValue) {
      (testDescription, self.expression, self.name, self.parts) = (description, expression, name, parts)
    }
  }

  private static func expect(_ cases: [Case]) throws {
    for test in cases {
      let (name, parts) = try rules(test.expression)
      #expect(name == test.name && parts == test.parts, "\(test.testDescription)")
    }
  }

  // MARK: - Combinations

  @Test func combinations() throws {
    let both = [Self.artist(), Self.codec()]
    let contains: JSONValue = ["contains": ["artist": "a"]]
    let lacks: JSONValue = ["notContains": ["artist": "a"]]
    let isFLAC: JSONValue = ["is": ["filetype": "flac"]]
    let isOther: JSONValue = ["isNot": ["filetype": "flac"]]
    let isMP3: JSONValue = ["is": ["filetype": "mp3"]]
    try Self.expect([
      Case("everything", .all([]), "all", [["gt": ["duration": 0]]]),
      Case("words", Self.artist(), "any", [contains]), Case("no words", .not(Self.artist()), "all", [lacks]),
      Case("twice not", .not(.not(Self.artist())), "any", [contains]),
      Case("all", .all(both), "all", [contains, isFLAC]), Case("any", .any(both), "any", [contains, isFLAC]),
      Case("not all", .not(.all(both)), "any", [lacks, isOther]),
      Case("none", .not(.any(both)), "all", [lacks, isOther]),
      Case("any in all", .all([.any(both), Self.codec("mp3")]), "all", [["any": [contains, isFLAC]], isMP3]),
      Case("all in any", .any([.all(both), Self.codec("mp3")]), "any", [["all": [contains, isFLAC]], isMP3]),
    ])
    for nothing in [Expression.any([]), .not(.all([])), .all([.any([])])] {
      #expect { try Self.rules(nothing) } throws: {
        ($0 as? NavidromeError)?.what == "a filter that matches nothing"
      }
    }
  }

  @Test func fieldsOfWords() throws {
    let fields: [(TrackCondition.TextField, [String])] = [
      (.anyName, ["artist", "title", "album", "albumartist", "genre"]), (.title, ["title"]), (.album, ["album"]),
      (.albumArtist, ["albumartist"]), (.genre, ["genre"]), (.path, ["filepath"]),
    ]
    for (field, names) in fields {
      let words = Expression.condition(.text(field, FilterWords("x", isPrefix: true)))
      let (kind, parts) = try Self.rules(words)
      #expect(kind == "any" && parts == .array(names.map { .object(["contains": .object([$0: "x"])]) }))
      let (negated, others) = try Self.rules(.not(words))
      #expect(negated == "all" && others == .array(names.map { .object(["notContains": .object([$0: "x"])]) }))
    }
  }

  // MARK: - Numbers

  private static func range(
    _ lower: Double?, _ upper: Double?, lower includesLower: Bool = true, upper includesUpper: Bool = true
  ) -> NumberRange {
    NumberRange(lower: lower, upper: upper, includesLower: includesLower, includesUpper: includesUpper)
  }

  /// Navidrome compares years and tempi as whole numbers, and strictly.
  @Test func wholeNumbers() throws {
    func bpm(_ range: NumberRange) -> Expression { .condition(.number(.bpm, range)) }
    try Self.expect([
      Case("from to", bpm(Self.range(80, 180)), "all", [["inTheRange": ["bpm": [80, 180]]]]),
      Case("one", bpm(Self.range(80, 80)), "all", [["is": ["bpm": 80]]]),
      Case("from", bpm(Self.range(80, nil)), "all", [["gt": ["bpm": 79]]]),
      Case("above", bpm(Self.range(80, nil, lower: false)), "all", [["gt": ["bpm": 80]]]),
      Case("to", bpm(Self.range(nil, 180)), "all", [["lt": ["bpm": 181]]]),
      Case("below", bpm(Self.range(nil, 180, upper: false)), "all", [["lt": ["bpm": 180]]]),
      Case("from a fraction", bpm(Self.range(79.5, nil)), "all", [["gt": ["bpm": 79]]]),
      Case("above a fraction", bpm(Self.range(79.5, nil, lower: false)), "all", [["gt": ["bpm": 79]]]),
      Case("to a fraction", bpm(Self.range(nil, 80.5)), "all", [["lt": ["bpm": 81]]]),
      Case("below a fraction", bpm(Self.range(nil, 80.5, upper: false)), "all", [["lt": ["bpm": 81]]]),
      Case("around one", bpm(Self.range(79.5, 80.5)), "all", [["is": ["bpm": 80]]]),
      Case("outside", .not(bpm(Self.range(80, 180))), "any", [["lt": ["bpm": 80]], ["gt": ["bpm": 180]]]),
      Case("not one", .not(bpm(Self.range(80, 80))), "any", [["lt": ["bpm": 80]], ["gt": ["bpm": 80]]]),
      Case("not from", .not(bpm(Self.range(80, nil))), "any", [["lt": ["bpm": 80]]]),
      Case("years", .condition(.number(.year, Self.range(1990, nil))), "all", [["gt": ["year": 1989]]]),
    ])
    for (field, what) in [(TrackCondition.NumberField.bpm, "bpm"), (.year, "years")] {
      #expect { try Self.rules(.condition(.number(field, Self.range(80.25, 80.75)))) } throws: {
        ($0 as? NavidromeError)?.what == "this range of \(what)"
      }
    }
  }

  @Test func durations() throws {
    func duration(_ range: NumberRange) -> Expression { .condition(.number(.duration, range)) }
    func rule(_ name: String, _ seconds: Double) -> JSONValue {
      .object([name: .object(["duration": .number(seconds)])])
    }
    let (from, to) = (Self.range(180, nil), Self.range(nil, 300))
    let (above, below) = (Self.range(180, nil, lower: false), Self.range(nil, 300, upper: false))
    try Self.expect([
      Case("from", duration(from), "all", [rule("gt", 180 - 0.001)]),
      Case("above", duration(above), "all", [rule("gt", 180)]),
      Case("to", duration(to), "all", [rule("lt", 300 + 0.001)]),
      Case("below", duration(below), "all", [rule("lt", 300)]),
      Case("both", duration(Self.range(180, 300)), "all", [rule("gt", 180 - 0.001), rule("lt", 300 + 0.001)]),
      Case("not from", .not(duration(from)), "any", [rule("lt", 180)]),
      Case("not above", .not(duration(above)), "any", [rule("lt", 180 + 0.001)]),
      Case("not to", .not(duration(to)), "any", [rule("gt", 300)]),
      Case("not below", .not(duration(below)), "any", [rule("gt", 300 - 0.001)]),
    ])
  }

  // MARK: - Times

  @Test func timesOfAddition() throws {
    let day: Int64 = 86_400_000_000_000
    func added(_ since: TimeRange.Point?, _ until: TimeRange.Point? = nil) -> Expression {
      .condition(.added(TimeRange(since: since, until: until)))
    }
    let start = try #require(Timestamp(rfc3339: "2024-03-01T00:00:00Z")).nanoseconds
    let end = start + 31 * day
    let after: JSONValue = ["after": ["dateadded": "2024-03-01"]]
    let before: JSONValue = ["before": ["dateadded": "2024-03-01"]]
    try Self.expect([
      Case("since", added(.absolute(start)), "all", [after]),
      Case("until", added(nil, .absolute(start)), "all", [before]),
      Case(
        "both", added(.absolute(start), .absolute(end)), "all", [after, ["before": ["dateadded": "2024-04-01"]]]),
      Case("not since", .not(added(.absolute(start))), "any", [before]),
      Case("not until", .not(added(nil, .absolute(start))), "any", [after]),
      Case("days", added(.ago(7 * day)), "all", [["inTheLast": ["dateadded": 7]]]),
      Case("one day", added(.ago(day)), "all", [["inTheLast": ["dateadded": 1]]]),
      Case("not days", .not(added(.ago(7 * day))), "any", [["notInTheLast": ["dateadded": 7]]]),
    ])
    #expect { try Self.rules(added(.ago(day / 24))) } throws: {
      ($0 as? NavidromeError)?.what == "added: in hours"
    }
    #expect { try Self.rules(added(nil, .ago(day))) } throws: {
      ($0 as? NavidromeError)?.what == "the end of this time"
    }
  }

  // MARK: - Refusals

  @Test func conditionsThatNavidromeLacks() throws {
    let key = try #require(MusicalKey.all.first)
    let conditions: [(TrackCondition, String)] = [
      (.number(.confidence, Self.range(0.5, nil)), "confidence:"),
      (.number(.integratedLoudness, Self.range(-14, nil)), "lufs:"), (.key(key), "key:\(key.camelot)"),
      (.codec("alac"), "codec:alac"), (.isLossless(true), "lossless:"), (.isLocked(true), "locked:"),
      (.status(.partial), "status:partial"), (.problem("corrupt"), "problem:corrupt"),
      (.missing("isrc"), "missing:isrc"), (.under("/music"), "under:"),
    ]
    for (condition, what) in conditions {
      #expect { try Self.rules(.condition(condition)) } throws: { ($0 as? NavidromeError)?.what == what }
    }
    for name in ["flac", "mp3", "opus"] {
      #expect(try Self.rules(Self.codec(name)).parts == [.object(["is": .object(["filetype": .string(name)])])])
    }
  }

  /// A playlist is named by the option, or else after its file.
  @Test func names() throws {
    let folder = try TemporaryDirectory()
    for (options, name) in [(["name": "Fast"], "Fast"), ([:], "x")] {
      let context = ExportContext(output: folder.file("x.nsp"), program: "", trackCount: 0, options: options)
      var writer = try NavidromeExport().begin(context)
      #expect(try writer.finish() == [folder.file("x.nsp")])
      let text = try String(contentsOfFile: folder.file("x.nsp").string, encoding: .utf8)
      #expect(text.contains("\"name\":\"\(name)\""))
    }
    let more = try NavidromeFile.bytes(.everything, name: "N", with: ["limit": 10])
    #expect(String(decoding: more, as: UTF8.self).contains("\"limit\":10"))
    #expect(NavidromeExport().isRule && NavidromeExport().mark == NavidromeFile.mark)
  }
}
