import Analysis
import Foundation
import Records
import Reporting
import SystemPackage
import Testing

@Suite struct HTMLReportTests {
  private static func page(_ records: [FileRecord] = Samples.all, run: RunRecord? = Samples.run) throws -> String {
    try #require(String(data: Samples.report(.html, records, run: run), encoding: .utf8))
  }

  @Test func saysWhatTheRunWasAndWhatFailed() throws {
    let page = try Self.page()
    #expect(
      page.contains(
        "Files seen: 21. Analyzed: 1. Damaged or not analyzed to the end: 6 (new: 2). Known already: 2. Failed: 3 (new: 1)"
      ))
    #expect(page.contains("<li>/nas: missing</li>"))
    #expect(page.contains("Files here: 4; 1 ok, 1 partial, 1 failed, 1 skipped."))
    #expect(page.contains("Not listed: 1 of those skipped, which are no audio by their names."))
    #expect(!page.contains("cover.jpg"))
    #expect(page.contains("<td class=\"number\">1<td>corrupt</tr>"))
    #expect(page.contains("<title>125 to 130 BPM: 1</title>"))
  }

  @Test func showsEachFileInItsFolder() throws {
    let page = try Self.page([Samples.full, Samples.noTempo])
    #expect(page.components(separatedBy: "<h3>").count == 3)
    #expect(page.contains("<h3>/music/Ärger &amp; Söhne</h3>"))
    #expect(
      page.contains(
        "<a href=\"file:///music/%C3%84rger%20%26%20S%C3%B6hne/01%20%22Go%22%2C%20she%20said.flac\">"
          + "01 &quot;Go&quot;, she said.flac</a>"
          + "<td>Ä / B / C<td>Go<td class=\"number\">6:29<td class=\"number\">126.0<td class=\"number\">93 %<td>flac"
          + "<td>partial: The stream ends 3 s early.</tr>"))
  }

  /// Nothing that stands in a name or a tag becomes markup, or a character that HTML does not allow.
  @Test func namesAndTagsAreTextAndNothingElse() throws {
    var record = Samples.full
    record.path = "/music/<b>\"&amp;/<script>alert(1)<\u{2F}script>\u{1}\n.mp3"
    record.tags?.fields["title"] = ["</td><img src=x onerror=\"alert(1)\">\u{7F}\u{85}"]
    record.problem = Problem(stage: .decode, code: "<i>", message: "<i>")
    let page = try Self.page([record], run: nil)
    let names = Set(page.matches(of: /<\/?([a-zA-Z0-9]+)/).map { String($0.1) })
    #expect(
      names.isSubset(of: [
        "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "main", "section", "table",
        "thead", "tbody", "tr", "th", "td", "a", "details", "summary", "svg", "rect", "text",
      ]))
    let isAllowed = page.unicodeScalars.allSatisfy {
      $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
    }
    #expect(isAllowed)
    #expect(page.contains("<h3>/music/&lt;b&gt;&quot;&amp;amp;/&lt;script&gt;alert(1)&lt;</h3>"))
    #expect(page.contains("script&gt;␁␊.mp3"))
  }

  /// As in a database that is damaged.
  @Test func temposThatCannotBeAreDrawnInTheBinsAtTheEnds() throws {
    var records = [Samples.full, Samples.full, Samples.full]
    for (index, bpm) in [-1e18, 4.6e19, .infinity].enumerated() { records[index].tempo?.bpm = bpm }
    let page = try Self.page(records)
    #expect(page.contains("<title>0 to 5 BPM: 1</title>") && page.contains("<title>400 to 405 BPM: 1</title>"))
  }

  @Test func ofManyFailuresOnlyTheFirstAreListed() throws {
    let records = (0..<1_200).map { number in
      FileRecord(
        path: FilePath("/music/\(number).mp3"), status: .failed,
        problem: Problem(stage: .decode, code: number % 3 == 0 ? "empty" : "corrupt", message: "Reason."))
    }
    let page = try Self.page(records)
    #expect(page.contains("<td class=\"number\">800<td>corrupt</tr>\n<tr><td class=\"number\">400<td>empty</tr>"))
    #expect(page.contains("And 200 more"))
    #expect(page.components(separatedBy: "<a href").count == 1 + 1_200 + 1_000)
  }
}
