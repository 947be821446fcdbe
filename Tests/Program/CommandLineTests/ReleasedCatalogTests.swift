import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// Catalogs of releases, made by their own programs (`Tests/Fixtures/make-catalog`): every later version must read them and
/// add to them.
@Suite(.bounded) struct ReleasedCatalogTests {
  private static let fixtures = Repository.path("Tests/Fixtures")

  private static let releases = ((try? FileManager.default.contentsOfDirectory(atPath: fixtures.string)) ?? [])
    .filter { $0.hasPrefix("catalog-") }

  @Test func theFirstReleaseIsThere() { #expect(Self.releases.contains("catalog-0.1.0")) }

  @Test(arguments: releases)
  func isReadMatchedAndExtended(_ release: String) throws {
    let place = try Workplace()
    let original = Self.fixtures.appending(release)
    let catalog = place.folder.file("catalog")
    try FileManager.default.copyItem(atPath: original.string, toPath: catalog.string)
    let clip = Argument(catalog.appending("clip.opus"))

    func check(tracks: Int) throws {
      let info = try JSONValue(parsing: place.catalog("info", "--json", "--check").output)
      #expect(info["tracks"] == .integer(Int64(tracks)))
      let listed = try place.catalog("list").text
      #expect(listed.contains("Nobody – Track 1") && listed.contains("Nobody – Track 2"), "\(listed)")
      let found = try place.match(clip)
      #expect(found.status == 0 && found.text.contains("Nobody – Track 2"), "\(found.text)\(found.errors)")
      #expect(found.text.contains("from 0:00:03 of the track"), "\(found.text)")
    }
    try check(tracks: 2)
    try place.put(Tracks.file(0, title: "New"), as: "new.wav")
    #expect(try place.catalog("add", "library/new.wav").status == 0)
    try check(tracks: 3)
    // Files of an older program are not rewritten.
    let segment = catalog.appending("1.segment")
    #expect(FileManager.default.contentsEqual(atPath: segment.string, andPath: original.appending("1.segment").string))
  }
}
