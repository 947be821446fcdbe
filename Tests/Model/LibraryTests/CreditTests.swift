import AnalysisTesting
import Library
import SystemPackage
import Testing

@Suite(.bounded) struct CreditTests {
  @Test(arguments: [
    ("", []), ("A", ["A"]), (" A  B ", ["A B"]), ("A feat. B", ["A", "B"]), ("A Feat B", ["A", "B"]),
    ("A FEATURING B ft. C", ["A", "B", "C"]), ("feat. A", ["feat. A"]), ("A feat.", ["A feat."]),
    ("A / B", ["A", "B"]),
    ("A/B", ["A/B"]), ("/ A", ["/ A"]), ("A /", ["A /"]), ("A ; B", ["A", "B"]), ("A; B", ["A", "B"]), ("A;", ["A"]),
    ("A; B; C", ["A", "B", "C"]), ("A;B", ["A;B"]), ("A; feat. B", ["A", "B"]), ("A [feat. B]", ["A", "B"]),
    ("A (ft B)", ["A", "B"]), ("A (feat. B (C))", ["A", "B (C))"]), ("A (with B)", ["A (with B)"]),
    ("A [feat. B)", ["A", "B)"]), ("A, feat. B,", ["A", "B,"]), ("A feat. B, C", ["A", "B, C"]),
    ("A,; feat. B", ["A", "B"]), ("(feat. A)", ["(feat. A)"]),
  ]) func namesAreSeparated(credit: String, names: [String]) {
    #expect(Credit.names(in: credit) == names)
  }

  @Test func performersAreNamedOnce() {
    #expect(Credit.performers(listed: ["A", "a", " ", "B", ""], credited: ["C"]) == ["A", "B"])
    #expect(Credit.performers(listed: [], credited: ["A feat. B", "b"]) == ["A", "B"])
    #expect(Credit.text(credited: ["A feat. B"], listed: ["B", "C"]) == "A feat. B / C")
    #expect(Credit.text(credited: [], listed: []) == nil && Credit.text(credited: [], listed: ["A"]) == "A")
    #expect(Credit.genres(["Rock / Pop", "rock", "Drum & Bass", "drum bass", " "]) == ["Rock", "Pop", "Drum & Bass"])
  }

  @Test(arguments: [
    ("The  Beatles ", "the beatles"), ("Guns N’ Roses", "guns n' roses"), ("A‐B–C—D‑E", "a-b-c-d-e"),
    ("“X” ‘Y’ ʼZ", "\"x\" 'y' 'z"), ("Bjo\u{308}rk", "björk"), ("BJÖRK", "björk"), ("a\tb\n", "a b"), ("", ""),
  ]) func spellingsAreFolded(name: String, normalized: String) {
    #expect(Credit.normalized(name) == normalized)
  }

  @Test func idsOfArtistsAndGenres() {
    #expect(SongCatalogID.artist("The  BEATLES") == SongCatalogID.artist("the beatles"))
    #expect(SongCatalogID.artist("A") != SongCatalogID.artist("B") && SongCatalogID.artist("A").count == 22)
    for (name, id) in [("Drum & Bass", "drum-bass"), ("R'n'B 90s", "r-n-b-90s"), ("Été", "été"), ("  Pop! ", "pop")] {
      #expect(SongCatalogID.genre(name) == id)
    }
    #expect(SongCatalogID.genre("???").count == 22 && SongCatalogID.genre("???") != SongCatalogID.genre("!!!"))
  }

  private func album(
    _ name: String = "Album", release: String? = nil, artists: [String] = [], isCompilation: Bool = false,
    at path: FilePath = "/m/x/1.flac"
  ) -> String {
    SongCatalogID.album(name, release: release, artists: artists, isCompilation: isCompilation, path: path)
  }

  @Test func idsOfAlbums() {
    #expect(album(release: "AB") == album("Other", release: "ab", artists: ["A"], at: "/y/1.flac"))
    #expect(album(release: "ab") != album(release: "ac") && album(release: "ab") != album())
    #expect(album("ALBUM", artists: ["a"]) == album(artists: ["A"], isCompilation: true, at: "/y/1.flac"))
    #expect(album(artists: ["A"]) != album(artists: ["B"]) && album(artists: ["A"]) != album(artists: ["A", "B"]))
    #expect(album(isCompilation: true) == album(isCompilation: true, at: "/y/1.flac"))
    #expect(album(isCompilation: true) == album(artists: ["various artists"]) && album(isCompilation: true) != album())
    #expect(album() == album("album", at: "/m/x/2.flac") && album() != album(at: "/m/y/1.flac"))
  }

  @Test(arguments: [
    ("CD 1", true), ("cd2", true), ("Disc_12", true), ("disk-3", true), ("Disque.4", true), ("Medium 5", true),
    ("CD", false), ("CD 123", false), ("CD 1a", false), ("cdx", false), ("My CD 1", false), ("1", false),
    ("CD _-. 1", true),
  ]) func discsAreOneAlbum(folder: String, isDisc: Bool) {
    let disc = album(at: FilePath("/m/x").appending(folder).appending("1.flac"))
    #expect((disc == album(at: "/m/x/1.flac")) == isDisc)
  }

  @Test(
    arguments: [
      ("180001", "1800-01"), ("179912", nil), ("219912", "2199-12"), ("220001", nil), ("199900", nil), ("199913", nil),
      ("19991231", "1999-12-31"), ("19991301", nil), ("19990132", nil), ("19990131", "1999-01-31"), ("00000101", nil),
      ("199901311230", "1999-01-31"), ("1999013112", nil), ("19990131123045", "1999-01-31"), ("199901311230456", nil),
      ("99991231", "9999-12-31"), ("00010101", "0001-01-01"), ("1999-3-1", "1999-03-01"), ("1999-003", "1999"),
      ("1999 03", "1999"), ("1999--03", "1999"), ("1999-12", "1999-12"), ("1999-12-32", "1999-12"),
      ("1999-0-5", "1999"),
      ("1999-1-0", "1999-01"), ("1999-1-31", "1999-01-31"), ("1/2/1999", "1999"), ("1.2.1999", "1999-02-01"),
      ("13/2/1999", "1999-02-13"), ("12/13/1999", "1999-12-13"), ("12/11/1999", "1999"), ("2/2/1999", "1999-02-02"),
      ("12/12/1999", "1999-12-12"), ("32/1/1999", "1999-01"), ("1/32/1999", "1999-01"), ("13/13/1999", "1999"),
      ("0/1999", "1999"), ("12/1999", "1999-12"), ("13/1999", "1999"), ("a 03/1999", "1999"), ("003/1999", "1999"),
      ("03/1999/5", "1999-03"), ("1.2.3.1999", "1999"), ("1.2 1999", "1999"), ("1 2.1999", "1999"), ("3_1999", "1999"),
      ("3.1999", "1999-03"), ("1999 2000", "1999"), ("a 1999 2000", nil), ("   1999", "1999"), ("12 345 1999", "1999"),
    ] as [(String, String?)]) func limitsOfDates(text: String, date: String?)
  {
    #expect(PartialDate(text)?.description == date)
  }
}
