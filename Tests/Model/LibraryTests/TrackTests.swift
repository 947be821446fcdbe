import Analysis
import AnalysisTesting
import Library
import SystemPackage
import Testing

@Suite(.bounded) struct TrackTests {
  private func track(_ fields: [String: [String]], at path: FilePath = "/music/a song.flac") -> Track {
    Track(path: path, tags: TagFinding(fields: fields))
  }

  @Test func titles() {
    #expect(track(["title": ["One", "Two"]]).title == "One / Two")
    #expect(track([:]).title == "a song" && track([:]).titleTag == nil)
    #expect(track(["title": [""]]).title == "a song" && track(["title": [""]]).titleTag == nil)
    #expect(Track(path: "/music/x.y.mp3", tags: nil).name == "x.y")
    #expect(track(["title": ["One"], "artist": ["A", "B"]]).name == "A / B - One")
  }

  @Test(
    arguments: [
      (["A feat. B"], [], "A feat. B", ["A", "B"]),
      (["Florence / The Machine"], [], "Florence / The Machine", ["Florence", "The Machine"]),
      (["Tyler, The Creator"], [], "Tyler, The Creator", ["Tyler, The Creator"]),
      (["A", "B"], [], "A / B", ["A", "B"]),
      (["A & B"], ["A", "B"], "A & B", ["A", "B"]),
      (["A"], ["A", "B"], "A / B", ["A", "B"]),
      ([], ["A", "B", "a"], "A / B / a", ["A", "B"]),
      ([""], [], nil, []),
    ] as [([String], [String], String?, [String])])
  func performers(credited: [String], listed: [String], text: String?, names: [String]) {
    let track = track(["artist": credited, "artists": listed])
    #expect(track.artist == text && track.artists == names)
  }

  /// Names do not include the separators of the credit.
  @Test(arguments: [
    ("A feat. B", ["A", "B"]), ("A, feat. B", ["A", "B"]), ("A; ft. B", ["A", "B"]), ("A , featuring B", ["A", "B"]),
    ("A (feat. B)", ["A", "B"]), ("Crosby, Stills & Nash", ["Crosby, Stills & Nash"]), ("A,", ["A,"]),
  ]) func namesInCredits(credit: String, names: [String]) {
    #expect(Credit.names(in: credit) == names)
  }

  @Test func genres() {
    #expect(
      track(["genre": ["Rock / Pop", "rock", "Drum & Bass", "Drum & bass", ""]]).genres == [
        "Rock", "Pop", "Drum & Bass",
      ])
  }

  @Test func dates() {
    #expect(track(["date": ["19990301"], "originaldate": ["1980"]]).date?.description == "1999-03-01")
    #expect(track(["date": ["unknown"], "originaldate": ["1980-05"]]).date?.description == "1980-05")
    #expect(track(["originalyear": ["1970"]]).year == 1970)
    #expect(track(["date": ["0000"]]).year == nil)
    // The database looks these up by name.
    #expect(Track.dateFields == Track.dateFields.sorted())
  }

  @Test func numbers() {
    #expect(track(["track": ["7"]]).number("track") == 7)
    for text in ["0", "-1", "A1", ""] { #expect(track(["track": [text]]).number("track") == nil) }
  }
}
