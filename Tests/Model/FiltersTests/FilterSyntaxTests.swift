import AnalysisTesting
import Testing

@testable import Filters

/// Words, fields and operators in filters, and the places of errors.
@Suite(.bounded) struct FilterSyntaxTests {
  private typealias Expression = TrackFilter.Expression

  private func parse(_ text: String) throws -> Expression { try TrackFilter(parsing: text).expression }

  private func word(_ text: String) -> Expression { .condition(.text(.anyName, FilterWords(text))) }

  @Test(arguments: FilterField.allCases) func examplesAreFilters(field: FilterField) throws {
    #expect(field.example.hasPrefix("\(field.rawValue):"))
    #expect(throws: Never.self) { try TrackFilter(parsing: field.example) }
    if let example = field.orderExample {
      #expect(example.hasPrefix(field.rawValue) && !example.contains(":") || field == .duration)
      #expect(throws: Never.self) { try TrackFilter(parsing: example) }
    }
    #expect(!field.expects.isEmpty)
  }

  @Test(arguments: [
    ("-", ["-"]), ("- a", ["-", "a"]), ("a  b\tc ", ["a", "b", "c"]), (" a ", ["a"]), ("a,b", ["a,b"]), (",", [","]),
    ("\"a\"b", ["a", "b"]), ("a\"b\"", ["a", "b"]), ("a\"\tb\"c", ["a", "\tb", "c"]), ("12:30", ["12:30"]),
    ("1x:2", ["1x:2"]), (":a", [":a"]), ("Hello!", ["Hello!"]), ("a! b", ["a!", "b"]), ("ORa", ["ORa"]),
    ("or and not", ["or", "and", "not"]), ("ANDa NOTb", ["ANDa", "NOTb"]), ("a AND b", ["a", "b"]),
    ("a AND AND2", ["a", "AND2"]), ("(a)(b)", ["a", "b"]), ("(a) b", ["a", "b"]), ("( a )", ["a"]),
    ("a(b)", ["a", "b"]), ("((a) b)", ["a", "b"]), ("a–b", ["a–b"]), ("$1", ["$1"]),
  ]) func wordsAreSeparated(text: String, words: [String]) throws {
    let found = try parse(text)
    #expect(found == (words.count == 1 ? word(words[0]) : .all(words.map(word))))
  }

  @Test func operatorsBindAsUsual() throws {
    let (a, b, c) = (word("a"), word("b"), word("c"))
    #expect(try parse("a OR b OR c") == .any([a, b, c]))
    #expect(try parse("a b OR c") == .any([.all([a, b]), c]))
    #expect(try parse("NOT a OR b") == .any([.not(a), b]))
    #expect(try parse("NOT (a OR b)") == .not(.any([a, b])))
    #expect(try parse("--a") == .not(.not(a)) && parse("NOT NOT a") == .not(.not(a)))
    #expect(try parse("-(a b) c") == .all([.not(.all([a, b])), c]))
    #expect(try parse("(a OR b)OR c") == .any([.any([a, b]), c]))
    #expect(try parse("a AND NOT b") == .all([a, .not(b)]))
  }

  @Test(arguments: [
    ("genre:a,b", ["a", "b"]), ("genre:\"a, b\",c,\"d\"", ["a, b", "c", "d"]), ("GENRE:a", ["a"]), ("genre = a", ["a"]),
    ("genre\t=\ta", ["a"]), ("genre=a,b", ["a", "b"]),
  ]) func valuesOfAField(text: String, words: [String]) throws {
    let parts = words.map { Expression.condition(.text(.genre, FilterWords($0))) }
    #expect(try parse(text) == (parts.count == 1 ? parts[0] : .any(parts)))
    #expect(try parse("\(text) x") == .all([parse(text), word("x")]))
  }

  @Test func namesOfFieldsAreThoseOfReportsToo() throws {
    for (name, field) in [
      ("tempo_bpm", "bpm"), ("tempo_confidence", "confidence"), ("loudness_integrated_lufs", "lufs"),
      ("TEMPO_BPM", "bpm"),
    ] { #expect(try parse("\(name):..1") == parse("\(field):..1")) }
    #expect(try parse("tempo_locked:yes") == parse("locked:yes"))
    for field in FilterField.allCases { #expect(FilterField(name: field.rawValue) == field) }
  }

  @Test(arguments: [
    (")", "at character 1, 'end': a filter such as"), ("()", "at character 2, 'end': a filter such as"),
    ("( )", "at character 3, 'end': a filter such as"), ("NOT", "at character 4, 'end': a filter such as"),
    ("a AND OR b", "at character 7, 'OR': a filter such as"), ("OR", "at character 1, 'OR': a filter such as"),
    ("AND a", "at character 1, 'AND': a filter such as"), ("a OR (", "at character 7, 'end': a filter such as"),
    ("-)", "at character 2, 'end': a filter such as"), ("NOT AND", "at character 5, 'AND': a filter such as"),
    ("  a )", "at character 5, ')': no parenthesis is open here."), ("x (a", "at character 3, '(': this parenthesis"),
    ("a (b (c)", "at character 3, '(': this parenthesis is not closed."),
    ("a \"b", "at character 3, '\"': this quotation mark is not closed."),
    ("genre:a,", "at character 9, 'genre:': a word, or several in quotation marks is expected right after the colon."),
    ("genre:a, b", "at character 9, 'genre:': a word"), ("genre:(", "at character 7, 'genre:': a word"),
    ("bpm>=", "at character 6, 'bpm>=': a tempo"), ("bpm >= ", "is expected after >=."),
    ("\"\"", "at character 1, '\"\"': a word is expected."), ("*", "at character 1, '*': a word is expected."),
    ("\" \"", "a word is expected."), ("artist:*", "at character 8, '*': a word, or several"),
    ("artist:\"\"", "at character 8, '\"\"': a word, or several"), ("a1:2", "at character 1, 'a1': there is no such"),
    (" max-bpm:1", "at character 2, 'max-bpm': there is no such filter"),
    ("x _y:1", "at character 3, '_y': there is no such filter"),
    ("bmp:1", "at character 1, 'bmp': there is no such filter; did you mean 'bpm'?"),
    ("x bmp > 1", "at character 3, 'bmp': there is no such filter; in quotation marks, > is a part of a word; did you"),
    ("bpm:>=fast", "at character 7, 'fast': a single value is expected after '>=', such as bpm>120."),
    ("bpm:=>5", "at character 5, '=>5': one of =, !=, <, <=, >, >= is expected."),
    ("x bpm  =>120", "at character 8, '=>': one of =, !=, <, <=, >, >= is expected after bpm."),
    ("bpm:\">120\"", "at character 5, '>120': a tempo"), ("a b<c>", "there is no such filter"),
    ("1<2", "at character 1, '1<2': a field, an operator"), ("a <b", "there is no such filter"),
    ("bpm:129..128", "did you mean 128..129?"), ("missing:xyzzy", "the names of tags are those of `analyze schema`."),
  ]) func errorsAreWhereTheyAre(text: String, description: String) throws {
    let error = try #require(throws: FilterSyntaxError.self) { try TrackFilter(parsing: text) }
    #expect(error.description.contains(description), "\(error)")
    #expect(!error.description.contains("?."))
  }

  @Test func errorsInOptionsHaveNoPosition() {
    let number = #expect(throws: FilterSyntaxError.self) { try TrackFilter(field: .bpm, values: "120,") }
    #expect(number?.description.hasPrefix("'\"\"': a tempo") == true)
    let order = #expect(throws: FilterSyntaxError.self) { try TrackFilter(field: .bpm, values: "> fast") }
    #expect(order?.word == "fast" && order?.position == nil)
  }

  // MARK: Limits

  @Test(arguments: [("(", ")"), ("-", ""), ("NOT ", "")]) func nestingIsLimited(open: String, close: String) throws {
    func nested(_ depth: Int) -> String {
      String(repeating: open, count: depth) + "a" + String(repeating: close, count: depth)
    }
    #expect(throws: Never.self) { try parse(nested(49)) }
    let error = try #require(throws: FilterSyntaxError.self) { try parse(nested(50)) }
    #expect(error.reason == "the filter is too large: up to 50 levels and 500 values are possible")
    #expect(error.position == 50 * open.count + 1 && error.word == "a")
    // Side by side, there may be more.
    #expect(throws: Never.self) { try parse("\(nested(40)) \(nested(40))") }
  }

  @Test func valuesAreLimited() throws {
    func list(_ count: Int) -> String { "key:" + Array(repeating: "8A", count: count).joined(separator: ",") }
    #expect(throws: Never.self) { try parse(list(500)) }
    let error = try #require(throws: FilterSyntaxError.self) { try parse(list(501)) }
    #expect(error.reason.hasPrefix("the filter is too large") && error.position == 4 + 3 * 500 + 1)
    func words(_ count: Int) -> String { Array(repeating: "a", count: count).joined(separator: " ") }
    #expect(throws: Never.self) { try parse(words(500)) }
    #expect(throws: FilterSyntaxError.self) { try parse(words(501)) }
    let long = try #require(throws: FilterSyntaxError.self) {
      try parse("\(words(500)) \(String(repeating: "x", count: 30))")
    }
    #expect(long.word == String(repeating: "x", count: 20) && long.position == 1001)
  }

  // MARK: Filters

  @Test func filtersAreJoined() throws {
    let (a, b) = (try TrackFilter(parsing: "a"), try TrackFilter(parsing: "b c"))
    #expect(a.and(b).conjuncts == [word("a"), word("b"), word("c")])
    #expect(a.conjuncts == [word("a")] && TrackFilter.everything.conjuncts == [])
    #expect(TrackFilter.everything.and(a).expression == .all([word("a")]))
  }

  @Test func operatorsHaveSymbols() {
    for (sign, comparison) in [
      ("=", FilterComparison.equal), ("!=", .notEqual), ("≠", .notEqual), ("<", .less), ("<=", .lessOrEqual),
      ("≤", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual), ("≥", .greaterOrEqual),
    ] { #expect(FilterComparison(sign: sign) == comparison) }
    #expect(FilterComparison(sign: "==") == nil && FilterComparison(sign: "") == nil)
    #expect(FilterComparison.allCases.map(\.isOrder) == [false, false, true, true, true, true])
    #expect(FilterComparison.prefix(of: ">=5") == ">=" && FilterComparison.prefix(of: "!!5") == "")
    #expect(FilterComparison.prefix(of: "!=!x") == "!=!" && FilterComparison.prefix(of: "x>") == "")
  }
}
