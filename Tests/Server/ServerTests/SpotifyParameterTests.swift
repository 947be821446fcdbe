import AnalysisTesting
import HTTPTypes
import LibraryStore
import Platform
import Serving
import Testing
import Text

@testable import Server

/// The parameter `q` of searches.
@Suite(.bounded) struct SpotifySearchTextTests {
  private static let now = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
  /// Fourteen days earlier.
  private static let newest = Timestamp(nanoseconds: 1_698_790_400_000_000_000)

  private static func query(_ change: (inout SongQuery) -> Void) -> SongQuery {
    var query = SongQuery()
    change(&query)
    return query
  }

  private static func excluding(_ text: String, _ field: SongQuery.Exclusion.Field, _ words: String) -> SongQuery {
    query {
      $0.text = text
      $0.excluded = [.init(field, words)]
    }
  }

  private static func words(_ text: String, or alternatives: String...) -> SongQuery {
    query {
      $0.text = text
      $0.alternatives = alternatives
    }
  }

  private static let cases: [(text: String, query: SongQuery)] = [
    ("", words("")), ("  a\t b ", words("a b")), ("4:44 foo:bar", words("4:44 foo:bar")), ("a:", words("a:")),
    // OR and NOT join words. At an end, and in quotes, they are words.
    ("a OR b c", words("a", or: "b c")), ("a b OR c OR d", words("a b", or: "c", "d")), ("OR", words("OR")),
    ("OR a", words("OR a")), ("a OR", words("a OR")), ("NOT a", words("NOT a")), ("a NOT", words("a NOT")),
    (#"a "OR" b"#, words("a OR b")), (#"a "NOT" b"#, words("a NOT b")), ("a or b not c", words("a or b not c")),
    (#""a b" c"#, words("a b c")), (#""a b"#, words(#""a b"#)),
    ("a NOT b c", excluding("a c", .any, "b")), (#"a NOT "b c" d"#, excluding("a d", .any, "b c")),
    (#"a NOT artist:"b c" d"#, excluding("a d", .artist, "b c")), ("a NOT artist:b c", excluding("a", .artist, "b c")),
    ("a NOT album:b", excluding("a", .album, "b")), ("a NOT track:b", excluding("a", .title, "b")),
    ("a NOT genre:b c", excluding("a c", .genre, "b")), ("a NOT upc:b", words("a")),
    // Names may consist of several words; other values are complete.
    ("artist:a b", query { $0.artist = "a b" }), ("ARTIST: a b", query { $0.artist = "a b" }),
    (#"artist:"a b" c"#, query { ($0.artist, $0.text) = ("a b", "c") }),
    (#"artist:"a b"#, query { $0.artist = #""a b"# }),
    ("artist:a album:b c track:d", query { ($0.artist, $0.album, $0.title) = ("a", "b c", "d") }),
    ("x genre:a b", query { ($0.genre, $0.text) = ("a", "x b") }),
    ("isrc:a b", query { ($0.isrc, $0.text) = ("a", "b") }),
    ("upc:1", query { $0.isrc = "" }), ("artist:a OR album:b", query { ($0.artist, $0.album) = ("a", "b") }),
    (
      "artist:a b NOT c d",
      query {
        ($0.artist, $0.text) = ("a b", "d")
        $0.excluded = [.init(.any, "c")]
      }
    ),
    ("tag:new", query { $0.addedSince = newest }), ("tag:old", words("")),
    ("a NOT tag:new", query { ($0.text, $0.addedBefore) = ("a", newest) }), ("a NOT tag:old", words("a")),
    ("year:1999", query { $0.years = 1999...1999 }),
    ("year:1990-1999 a", query { ($0.years, $0.text) = (1990...1999, "a") }),
    ("a NOT year:1990-1990", query { ($0.text, $0.excludedYears) = ("a", [1990...1990]) }),
    ("a NOT isrc:b", query { ($0.text, $0.excludedISRCs) = ("a", ["b"]) }),
  ]

  @Test func wordsAndFiltersAreTold() throws {
    for (text, query) in Self.cases {
      #expect(try SpotifySearchText(text, now: Self.now).query == query, "\(text)")
    }
  }

  @Test(arguments: ["x", "1999-1990", "1-2-3", "", "-", "1990-x", "x-1990"])
  func otherYearsAreRefused(years: String) {
    for text in ["year:\(years)", "a NOT year:\(years)"] {
      let error = #expect(throws: RequestError.self) { try SpotifySearchText(text) }
      #expect(error?.status == .badRequest)
    }
  }
}

/// The parameter `fields`.
@Suite(.bounded) struct FieldSelectionTests {
  private static let value: JSONValue = [
    "a": 1, "b_2": ["c": 2, "d": ["e": 3, "f": 4]], "l": [["x": 1, "y": 2], ["x": 3], 7],
  ]

  private static let cases: [(text: String, selected: JSONValue)] = [
    ("a", ["a": 1]), ("a,l(x)", ["a": 1, "l": [["x": 1], ["x": 3], 7]]), ("b_2(c)", ["b_2": ["c": 2]]),
    ("b_2.c", ["b_2": ["c": 2]]), ("b_2(d(e))", ["b_2": ["d": ["e": 3]]]), ("b_2.d.e", ["b_2": ["d": ["e": 3]]]),
    ("b_2.d(e,f)", ["b_2": ["d": ["e": 3, "f": 4]]]), (", a , l.y ", ["a": 1, "l": [["y": 2], [:], 7]]),
    ("missing", [:]), ("a(x)", ["a": 1]), ("!b_2", ["a": 1, "l": [["x": 1, "y": 2], ["x": 3], 7]]),
    ("!b_2,!l", ["a": 1]),
    ("a,!a", [:]), ("b_2(!d)", ["b_2": ["c": 2]]), ("!b_2.d", ["b_2": ["c": 2]]),
    ("b_2.d(!e)", ["b_2": ["d": ["f": 4]]]),
    ("b_2(c),b_2(d(e))", ["b_2": ["c": 2, "d": ["e": 3]]]), ("b_2.d.e,b_2.d.f", ["b_2": ["d": ["e": 3, "f": 4]]]),
    ("b_2(d(!e)),b_2(d(!f))", ["b_2": ["d": [:]]]), ("b_2(d(e)),b_2(d(f))", ["b_2": ["d": ["e": 3, "f": 4]]]),
  ]

  @Test func partsAreSelected() throws {
    for (text, selected) in Self.cases {
      #expect(try FieldSelection(text).applied(to: Self.value) == selected, "\(text)")
    }
  }

  @Test(arguments: [
    "", " ", "a,", "a(", "a()", "a(b", "a)", "a..b", ".", "a.", "(a)", "a b", "!", "a.!b", "a-b", "a(b))", "a((b))",
  ])
  func otherTextsAreRefused(text: String) {
    let error = #expect(throws: RequestError.self) { try FieldSelection(text) }
    #expect(error?.status == .badRequest)
  }

  /// Sixteen names within each other.
  @Test func selectionsHaveADepth() throws {
    func nested(_ count: Int) -> String {
      String(repeating: "a(", count: count - 1) + "a" + String(repeating: ")", count: count - 1)
    }
    func dotted(_ count: Int) -> String { [String](repeating: "a", count: count).joined(separator: ".") }
    #expect(try FieldSelection(nested(16)) == FieldSelection(dotted(16)))
    for text in [nested(17), dotted(17)] { #expect(throws: RequestError.self) { try FieldSelection(text) } }
  }
}

@Suite(.bounded) struct SpotifyTokenTests {
  private let form = ["Content-Type": "application/x-www-form-urlencoded"]

  /// Both sides of the size of a form, and the kinds of errors of OAuth.
  @Test func formsAreChecked() async throws {
    let library = try await ServedLibrary([])
    let grant = "grant_type=client_credentials&client_id="
    func ask(_ body: String, _ headers: [String: String]) async throws -> ServedLibrary.Answer {
      try await library.ask("POST", "/api/token", headers, body: Array(body.utf8))
    }
    for (size, status) in [(8_192, 200), (8_193, 413)] {
      let answer = try await ask(grant + String(repeating: "x", count: size - grant.utf8.count), form)
      #expect(answer.status == status, "\(size) bytes")
      #expect(answer.json["error"] == (status == 200 ? .null : "server_error"))
    }
    for (body, error) in [
      ("grant_type=refresh_token", nil), ("grant_type=password", "unsupported_grant_type"),
      ("", "unsupported_grant_type"),
    ] as [(String, String?)] {
      let answer = try await ask(body, form)
      #expect(
        answer.json["error"] == (error.map { .string($0) } ?? .null) && answer.status == (error == nil ? 200 : 400))
      #expect(error == nil || answer.json["error_description"].text.hasPrefix("grant_type"))
    }
    let other = try await ask(grant, ["Content-Type": "application/json"])
    #expect(other.status == 400 && other.json["error"] == "invalid_request")
    #expect(try await ask(grant, ["Content-Type": "Application/X-WWW-Form-URLEncoded; x"]).status == 200)
    try await library.stop()
  }
}
