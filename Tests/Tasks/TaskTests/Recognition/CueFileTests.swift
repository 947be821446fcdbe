import AnalysisTesting
import RecognitionTasks
import Testing

/// Cue sheets as files.
@Suite(.bounded) struct CueFileTests {
  private func lines(_ cues: [Cues.Cue], duration: Double, name: String = "mix.mp3", ext: String = "mp3") throws
    -> [String]
  {
    let text = CueFile.text(of: try Cues.sheet(cues, duration: duration), name: name, fileExtension: ext)
    #expect(text.hasSuffix("\r\n"))
    return text.split(separator: "\r\n").map(String.init)
  }

  @Test func tracksAndGaps() throws {
    #expect(
      try lines([.init(4, 60, from: 0, artist: "A", title: "T"), .init(70, 130, from: 0)], duration: 140) == [
        "REM GENERATOR nocturne", "FILE \"mix.mp3\" MP3", "  TRACK 01 AUDIO", "    TITLE \"T\"", "    PERFORMER \"A\"",
        "    ISRC DEA012345678", "    INDEX 01 00:00:00", "  TRACK 02 AUDIO", "    TITLE \"Unknown\"",
        "    INDEX 01 01:00:00", "  TRACK 03 AUDIO", "    TITLE \"2\"", "    ISRC DEA012345678",
        "    INDEX 01 01:10:00",
        "  TRACK 04 AUDIO", "    TITLE \"Unknown\"", "    INDEX 01 02:10:00",
      ])
    // Shorter gaps belong to the tracks around them.
    let short = try lines([.init(9.9, 60, from: 0), .init(69.9, 130, from: 0)], duration: 139.9)
    #expect(short.count { $0.contains("TRACK") } == 2 && !short.contains { $0.contains("Unknown") })
    let late = try lines([.init(10, 60, from: 0)], duration: 60)
    #expect(late.filter { $0.contains("INDEX") } == ["    INDEX 01 00:00:00", "    INDEX 01 00:10:00"])
    #expect(
      try lines([], duration: 5).suffix(3) == ["  TRACK 01 AUDIO", "    TITLE \"Unknown\"", "    INDEX 01 00:00:00"])
    // A track within another one ends before it.
    let within = try lines([.init(0, 100, from: 0), .init(20, 30, from: 0)], duration: 105)
    #expect(within.count { $0.contains("TRACK") } == 2)
  }

  @Test func timesAndNumbers() throws {
    let cues = (0..<11).map { Cues.Cue(Double($0) * 600.5, Double($0 + 1) * 600.5, from: 0) }
    let many = try lines(cues, duration: 6_605.5)
    #expect(
      many.filter { $0.contains("TRACK") }.suffix(3) == ["  TRACK 09 AUDIO", "  TRACK 10 AUDIO", "  TRACK 11 AUDIO"])
    // A frame is 1/75 s.
    #expect(many.filter { $0.contains("INDEX") }.suffix(2) == ["    INDEX 01 90:04:38", "    INDEX 01 100:05:00"])
  }

  @Test func namesAndFormats() throws {
    for (ext, kind) in [("MP3", "MP3"), ("aif", "AIFF"), ("aiff", "AIFF"), ("flac", "WAVE"), ("", "WAVE")] {
      #expect(try lines([], duration: 5, name: "a\"b\nc", ext: ext)[1] == "FILE \"a'b c\" \(kind)")
    }
    #expect(try lines([.init(0, 9, from: 0, title: "\"T\"\t")], duration: 9)[3] == "    TITLE \"'T' \"")
  }
}
