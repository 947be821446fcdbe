import Analysis
import AnalysisTesting
import LibraryTesting
import SystemPackage
import Testing
import Text

@testable import Server

/// The routes for the pages of the app.
@Suite(.bounded) struct AppRoutesTests {
  private static func files() -> [ServedLibrary.File] {
    let problem = Problem(stage: .open, code: "empty", message: "The file is empty.")
    return [
      ServedLibrary.File(path: "/music/a/Cavern.flac", tags: ["title": ["Cavern"], "artist": ["Ada, feat. Bix"]]),
      ServedLibrary.File(path: "/music/a/Cave.flac", tags: ["title": ["Cave"], "artist": ["Bix"], "album": ["Hours"]]),
      ServedLibrary.File(path: "/music/a/no tags.flac", tags: [:]),
      ServedLibrary.File(path: "/music/b/cave lost.flac", tags: [:], failure: problem),
      ServedLibrary.File(path: "/music/b/empty.mp3", tags: [:], failure: problem),
    ]
  }

  /// The number of tracks is the same everywhere. Failed files are listed as well, with the reason.
  @Test func failedFilesAreListedAndCountedApart() async throws {
    let library = try await ServedLibrary(Self.files())
    let failed = try await library.get("/app/api/tracks?where=status:failed").json
    #expect(failed["count"] == 2 && failed["failed"] == 2)
    let items = failed["items"].list
    #expect(items.map { $0["file"] } == ["cave lost.flac", "empty.mp3"])
    #expect(items.allSatisfy { $0["status"] == "failed" && $0["problem"]["what"] == "This file is empty." })
    #expect(items[0]["problem"]["do"] == "The copy or download never finished. Get it again.")

    let all = try await library.get("/app/api/tracks?sort=path").json
    #expect(all["count"] == 5 && all["failed"] == 2 && all["items"].list.count == 5)
    let rest = try await library.get("/app/api/tracks?sort=path&offset=3").json
    #expect(rest["items"].list.count == 2 && rest["failed"] == .null)
    let words = try await library.get("/app/api/tracks?q=cave").json
    #expect(words["count"] == 3 && words["failed"] == 1 && words["items"].list.count == 3)
    let search = try await library.get("/app/api/search?q=cave").json["tracks"]
    #expect(search["items"].list.map { $0["file"] } == ["Cave.flac", "cave lost.flac", "Cavern.flac"])

    let status = try await library.get("/app/api/status").json
    #expect(status["tracks"] == 3 && status["failed"] == 2)
    #expect(status["text"] == "3 tracks, 2 failed, up to date")
    #expect(try await library.get("/healthz").json["tracks"] == 3)
    try await library.stop()
  }

  /// The report and the lists link to it.
  @Test func aFailedFileHasAPage() async throws {
    let library = try await ServedLibrary(Self.files())
    let id = try #require(try await library.get("/app/api/tracks?q=lost").json["items"].list.first?["id"].text)
    let page = try await library.get("/app/api/tracks/\(id)")
    #expect(page.status == 200 && page.json["tempo"] == .null)
    #expect(page.json["problems"].list.first?["is_failure"] == true)
    // It is not a song of the catalog, and cannot be played.
    #expect(try await library.get("/v1/tracks/\(id)").status == 404)
    try await library.stop()
  }

  @Test func theReportIsAlsoAPage() async throws {
    let library = try await ServedLibrary(Self.files())
    let page = try await library.get("/app/api/report.html")
    let text = String(decoding: page.body, as: UTF8.self)
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(text.hasPrefix("<!doctype html>") && text.contains("cave lost.flac"))
    // Its style and script are inside.
    #expect(page.headers["content-security-policy"] == "frame-ancestors 'none'")
    // It is not made again while nothing changes.
    #expect(try await library.get("/app/api/report.html").headers["etag"] == page.headers["etag"])
    try await library.stop()
  }

  /// The report is made again when the library has changed.
  @Test func theReportFollowsTheLibrary() async throws {
    let files = Self.files()
    let library = try await ServedLibrary(Array(files.prefix(3)))
    func report() async throws -> JSONValue { try await library.get("/app/api/report").json }
    let first = try await report()
    #expect(first["causes"] == [] && first["is_running"] == false && first["run"] == .null)
    for _ in 0..<3 { #expect(try await report()["made_at"] == first["made_at"]) }
    try LibraryFiles(files).merge(into: library.store)
    let second = try await report()
    #expect(second["causes"].list.map { $0["count"] } == [2] && second["causes"][0]["where"] == "status:failed")
    #expect(try await report()["made_at"] == second["made_at"])
    try await library.stop()
  }

  @Test func artistsOfACreditHaveNoCommas() async throws {
    let library = try await ServedLibrary(Self.files())
    let track = try await library.get("/app/api/tracks?q=cavern").json["items"].list.first
    #expect(track?["artists"].list.map { $0["name"] } == ["Ada", "Bix"])
    try await library.stop()
  }

  /// Tracks of an artist come in pages, so playing them reaches the last.
  @Test func tracksOfAnArtistComeInPages() async throws {
    let library = try await ServedLibrary(Self.files())
    let found = try await library.get("/app/api/artists?limit=10").json["items"].list
    let id = try #require(found.first { $0["name"] == "Bix" }?["id"].text)
    let second = try await library.get("/app/api/artists/\(id)?limit=1&offset=1").json
    #expect(second["tracks"]["count"] == 2 && second["tracks"]["items"].list.count == 1)
    #expect(second["albums"].list.isEmpty == true)
    try await library.stop()
  }

  /// Pages show messages unchanged.
  @Test func sentencesHaveNoMarkup() async throws {
    let library = try await ServedLibrary(Self.files())
    let answer = try await library.get("/v1/catalog")
    #expect(answer.status == 503)
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(text.contains("analyze catalog build") && !text.contains("`"))
    try await library.stop()
  }

  @Test func lyricsOfTagsAreShown() async throws {
    let lines = [TagFinding.Lyrics.Line(seconds: 1, text: "One"), .init(seconds: 2.5, text: "Two")]
    let lyrics = TagFinding.Lyrics(language: "eng", text: "[00:01.00]One\n[00:02.50]Two", lines: lines)
    let library = try await ServedLibrary([
      ServedLibrary.File(path: "/music/sung.flac", tags: [:], lyrics: [lyrics])
    ])
    let id = try #require(try await library.get("/app/api/tracks").json["items"].list.first?["id"].text)
    let shown = try await library.get("/app/api/tracks/\(id)").json["lyrics"].list
    #expect(shown.first?["language"] == "eng")
    #expect(shown.first?["lines"].list.map { $0["text"] } == ["One", "Two"])
    try await library.stop()
  }
}
