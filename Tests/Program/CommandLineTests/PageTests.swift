import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// The HTML report, night after night.
@Suite(.bounded) struct PageTests {
  private func page(_ place: Workplace) throws -> String {
    try String(contentsOfFile: place.reports.appending("report.html").string, encoding: .utf8)
  }

  /// The headline as text.
  private func headline(_ page: String) throws -> String {
    let match = try #require(page.firstMatch(of: /<h1>(.*?)<\/h1>/))
    return String(match.1.replacing(/<[^>]*>/, with: ""))
  }

  /// The page without the time at which it was made.
  private func lasting(_ page: String) -> String { page.replacing(#/ · made [^<]*/#, with: "") }

  @Test func tellsWhatIsNewAndWhatBroke() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "First"), as: "album/a.wav")
    try place.put(Audio.wav(2), as: "album/b.wav")
    #expect(try place.run("--report", "html", pipeline: "tags-only").status == 0)
    #expect(try headline(page(place)).hasPrefix("First run: 2 tracks analyzed"))

    #expect(try place.run("--report", "html", pipeline: "tags-only").status == 0)
    #expect(try headline(page(place)).hasSuffix(": nothing new. 2 tracks, all fine."))
    #expect(try page(place).contains("Nothing needs your attention."))

    try place.put(Audio.wav(3, title: "<b>Third"), as: "more/c.wav")
    try place.put(Audio.junk, as: "more/bad.mp3")
    try place.remove("album/b.wav")
    #expect(try place.run("--report", "html", pipeline: "tags-only").status == 3)
    let page = try page(place)
    #expect(try headline(page).contains(": 1 new, 1 gone, 1 failed — "))
    #expect(page.contains("1 file has an unrecognized format."))
    #expect(page.contains("<span class=\"about\">No artist in tags</span>"))
    #expect(page.contains(#""\u003cb>Third""#) && !page.contains("<b>Third"))

    // The same from the database, except for the time.
    let again = try place.analyze(
      "report", "--database", Argument(place.database), "--report", "html", "--output", Argument(place.reports))
    #expect(again.status == 0)
    #expect(try lasting(self.page(place)) == lasting(page))
    // Files that are gone, if requested.
    let all = try place.analyze(
      "report", "--database", Argument(place.database), "--report", "html", "--output", "-", "--include", "vanished")
    #expect(all.text.contains(#"{"rows":4,"#) && page.contains(#"{"rows":3,"#))
    #expect(all.text.contains(#""code":"vanished","name":"Gone""#))
  }

  /// Its template, style and script are in the binary.
  @Test func aBinaryThatWasMovedWritesPages() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    #expect(try place.run("--report", "html", pipeline: "tags-only").status == 0)
    let copy = place.home.appending("moved")
    try RunningProgram.copyExecutable(to: copy)
    let arguments: [Argument] = [
      "report", "--database", Argument(place.database), "--report", "html", "--output", Argument(place.home),
    ]
    let outcome = try RunningProgram(arguments, of: copy, environment: place.environment, workingFolder: "/").end()
    #expect(outcome.status == 0)
    let moved = try String(contentsOfFile: place.home.appending("report.html").string, encoding: .utf8)
    #expect(try lasting(moved) == lasting(page(place)))
  }
}
