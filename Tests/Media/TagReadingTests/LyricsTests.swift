import Analysis
import AnalysisTesting
import Testing

@testable import TagReading

@Suite(.bounded) struct LyricsTests {
  private typealias Line = TagFinding.Lyrics.Line

  @Test func id3v2() throws {
    var timed: Bytes = [1] + "eng" + [2, 1] + wide("karaoke") + [0, 0]
    for (words, time) in [("First ", 1_000), ("line", 1_500), ("\nSecond", 2_250)] {
      timed += wide(words) + [0, 0] + big(time, 4)
    }
    let deu: Bytes = [1] + "deu" + wide("Text") + [0, 0] + wide("Zeile 1\r\nZeile ß")
    let finding = try read(
      ID3.tag(
        4, ID3.frame("USLT", 4, deu),
        ID3.frame("USLT", 4, [3] + "XXX\0plain"), ID3.frame("SYLT", 4, timed),
        ID3.frame("SYLT", 4, [0] + "eng" + [2, 5] + "\0Am\0" + big(0, 4))))
    #expect(
      finding.lyrics == [
        TagFinding.Lyrics(language: "deu", description: "Text", text: "Zeile 1\nZeile ß"),
        TagFinding.Lyrics(text: "plain"),
        TagFinding.Lyrics(
          language: "eng", description: "karaoke", text: "First line\nSecond",
          lines: [Line(seconds: 1, text: "First line"), Line(seconds: 2.25, text: "Second")]),
      ])
    #expect(finding.hasLyrics)
    #expect(finding.remarks.count == 1)
  }

  @Test func chordsAreNoLyrics() throws {
    let chords = try read(ID3.tag(4, ID3.frame("SYLT", 4, [0] + "eng" + [2, 5] + "\0Am\0" + big(0, 4))))
    #expect(!chords.hasLyrics && chords.lyrics.isEmpty && chords.remarks.count == 1)
    let frames = try read(ID3.tag(4, ID3.frame("SYLT", 4, [0] + "eng" + [1, 1] + "\0La\0" + big(7, 4))))
    #expect(frames.lyrics == [TagFinding.Lyrics(language: "eng", text: "La")])
    #expect(frames.remarks.count == 1)
  }

  @Test(arguments: ["LYRICS", "UNSYNCEDLYRICS", "SYNCEDLYRICS"]) func linesOfLRC(key: String) throws {
    let text =
      "[ar:Somebody]\n[offset:+500]\n[00:01.50]One\n[00:10.00][01:02]Again\n\n"
      + "[00:05:25]<00:05.30>Word <00:05.9>by\nnone"
    let finding = try read(Xiph.flac([(4, Xiph.comment("\(key)=\(text)"))]))
    #expect(
      finding.lyrics == [
        TagFinding.Lyrics(
          text: text,
          lines: [
            Line(seconds: 1, text: "One"), Line(seconds: 4.75, text: "Word by"), Line(seconds: 9.5, text: "Again"),
            Line(seconds: 61.5, text: "Again"),
          ])
      ])
    #expect(finding.hasLyrics)
  }

  @Test func textInBracketsHasNoTimes() {
    for text in ["[Chorus]\nLa", "[12]", "[a:b]", "[1:2:3:4:5]", "[", "]", "[-1:00]x", "[99999999999:00]x", "[1:]x"] {
      #expect(LyricsText.lines(in: text) == [], "\(text)")
    }
    #expect(LyricsText.lines(in: "[01:00:00.5]x") == [Line(seconds: 3600.5, text: "x")])
    #expect(LyricsText.lines(in: "[00:01]") == [Line(seconds: 1, text: "")])
  }

  @Test func otherFormats() throws {
    let expected = [TagFinding.Lyrics(text: "La la")]
    #expect(try read(MP4.file(MP4.text("©lyr", "La la"))).lyrics == expected)
    #expect(try read(audio + APE.tag(APE.item("Lyrics", Bytes("La la".utf8)))).lyrics == expected)
    #expect(
      try read(ASF.file(ASF.extended([("WM/Lyrics", 0, utf16("La la") + [0, 0])]))).lyrics == expected)
    let first = audio + Bytes("LYRICSBEGINLa laLYRICSEND".utf8) + id3v1(title: "t")
    #expect(try read(first).lyrics == expected)
    let second = audio + Bytes("LYRICSBEGININD0000210LYR00012[00:02]La laEAL00005Album".utf8) + "000054LYRICS200"
    let finding = try read(second + id3v1(title: "t"))
    #expect(
      finding.lyrics == [TagFinding.Lyrics(text: "[00:02]La la", lines: [Line(seconds: 2, text: "La la")])],
      "\(finding)")
    #expect(finding.fields["album"] == ["Album"])
    #expect(finding.formats == ["id3v1", "lyrics3"])
  }

  @Test func lyricsAreBounded() throws {
    let verse = String(repeating: "La la la ", count: 50_000)
    let finding = try read(
      ID3.tag(4, (0..<3).flatMap { ID3.frame("USLT", 4, [3] + "eng\($0)\0" + verse) }))
    #expect(finding.hasLyrics)
    #expect(finding.lyrics.map(\.description) == ["0", "1"])
    #expect(finding.remarks.count == 1)
  }

  @Test func chaptersOfID3v2() throws {
    func chapter(_ start: Int, _ end: Int, _ title: String) -> Bytes {
      let times = big(start, 4) + big(end, 4) + big(0xFFFF_FFFF, 4) + big(0xFFFF_FFFF, 4)
      return ID3.frame("CHAP", 4, "id\(start)\0" + times + ID3.text("TIT2", 4, title))
    }
    let finding = try read(
      ID3.tag(4, chapter(60_000, 90_500, "Two"), chapter(0, 60_000, "One"), chapter(90_500, 0xFFFF_FFFF, "")))
    #expect(
      finding.chapters == [
        TagFinding.Chapter(startSeconds: 0, endSeconds: 60, title: "One"),
        TagFinding.Chapter(startSeconds: 60, endSeconds: 90.5, title: "Two"),
        TagFinding.Chapter(startSeconds: 90.5),
      ])
    #expect(finding.fields == [:])
  }

  @Test func chaptersOfVorbisComments() throws {
    let finding = try read(
      Xiph.flac([
        (
          4,
          Xiph.comment(
            "CHAPTER001=00:01:02.500", "CHAPTER000=00:00:00.000", "CHAPTER000NAME=Start", "CHAPTER001NAME=Next",
            "CHAPTER002=soon", "CHAPTER001URL=http://x")
        )
      ]))
    #expect(
      finding.chapters == [
        TagFinding.Chapter(startSeconds: 0, title: "Start"), TagFinding.Chapter(startSeconds: 62.5, title: "Next"),
      ])
    #expect(finding.fields == ["other:CHAPTER002": ["soon"], "other:CHAPTER001URL": ["http://x"]])
  }

  @Test func chaptersOfMP4() throws {
    let entries = big(0, 8) + [3] + "One" + big(625_000_000, 8) + ([3] + "Two")
    let list = MP4.atom("chpl", [1, 0, 0, 0] + big(0, 4) + [2] + entries)
    let expected = [
      TagFinding.Chapter(startSeconds: 0, title: "One"), TagFinding.Chapter(startSeconds: 62.5, title: "Two"),
    ]
    let ftyp = MP4.atom("ftyp", Bytes("M4B \0\0\0\0".utf8))
    #expect(try read(ftyp + MP4.atom("moov", MP4.atom("udta", list))).chapters == expected)

    // The titles are stored consecutively before the index, which describes them as one chunk.
    let titles = (big(3, 2) + "One") + (big(6, 2) + ([0xFE, 0xFF] + utf16("Tü", bigEndian: true)))
    let moov = MP4.atom("moov", Self.chapterTracks(titlesAt: ftyp.count + 8))
    #expect(
      try read(ftyp + MP4.atom("mdat", titles) + moov).chapters == [
        TagFinding.Chapter(startSeconds: 0, endSeconds: 62.5, title: "One"),
        TagFinding.Chapter(startSeconds: 62.5, endSeconds: 72.5, title: "Tü"),
      ])
  }

  /// Two tracks: the second one has the chapters of the first, in texts of 5 and 8 bytes.
  static func chapterTracks(titlesAt offset: Int) -> Bytes {
    func table(_ name: String, _ words: Int...) -> Bytes { MP4.atom(name, words.flatMap { big($0, 4) }) }
    let tables: Bytes = [
      table("stts", 0, 2, 1, 625, 1, 100), table("stsc", 0, 1, 1, 2, 1), table("stsz", 0, 0, 2, 5, 8),
      table("stco", 0, 1, offset),
    ].flatMap { $0 }
    func track(_ number: Int, _ rest: Bytes) -> Bytes {
      MP4.atom("trak", MP4.atom("tkhd", big(0, 12) + big(number, 4) + big(0, 60)) + rest)
    }
    let header = MP4.atom("mdhd", big(0, 12) + big(10, 4) + big(0, 8))
    let media = MP4.atom("mdia", header + MP4.atom("minf", MP4.atom("stbl", tables)))
    return track(1, MP4.atom("tref", MP4.atom("chap", big(2, 4)))) + track(2, media)
  }
}
