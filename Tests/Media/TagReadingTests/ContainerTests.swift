import Analysis
import AnalysisTesting
import Testing

@testable import TagReading

@Suite(.bounded) struct ContainerTests {
  static let comment = Xiph.comment(
    "TITLE=Title", "artist=One", "ARTIST=Two", "DATE=2001-02", "YEAR=1999", "TRACKNUMBER=03", "TOTALTRACKS=12",
    "GENRE=17",
    "REPLAYGAIN_TRACK_PEAK=0.9", "MUSICBRAINZ_TRACKID=m", "LYRICS=la", "MOOD=calm", "no equals sign", "COMPILATION=1")

  static func expectComment(_ finding: TagFinding) {
    #expect(finding.formats.first == "vorbis")
    #expect(
      finding.fields == [
        "title": ["Title"], "artist": ["One", "Two"], "date": ["2001-02"], "other:YEAR": ["1999"], "track": ["3"],
        "tracktotal": ["12"], "genre": ["17"], "replaygain_track_peak": ["0.9"], "musicbrainz_recordingid": ["m"],
        "mood": ["calm"], "compilation": ["1"],
      ])
    #expect(finding.hasLyrics)
  }

  @Test func flac() throws {
    let picture = Xiph.picture(description: "é", data: png)
    let file = Xiph.flac([(1, Bytes(repeating: 0, count: 20)), (6, picture), (4, Self.comment)])
    let finding = try read(file)
    Self.expectComment(finding)
    #expect(finding.pictures == [TagFinding.Picture(type: "front cover", mime: "image/png", sizeBytes: png.count)])
    #expect(finding.remarks == [])
  }

  @Test func oggStreams() throws {
    Self.expectComment(try read(Xiph.ogg("\u{1}vorbis" + big(0, 23), ["\u{3}vorbis" + Self.comment + [1], big(0, 9)])))
    Self.expectComment(try read(Xiph.ogg("OpusHead" + big(0, 11), ["OpusTags" + Self.comment])))
    Self.expectComment(try read(Xiph.ogg("Speex   " + big(0, 72), [Self.comment])))
    let block = [0x84] + big(Self.comment.count, 3) + Self.comment
    Self.expectComment(try read(Xiph.ogg(Bytes("\u{7F}FLAC".utf8) + big(0, 46), [block])))
  }

  @Test func oggAmongOtherStreams() throws {
    let video = Xiph.pages(serial: 1, sequence: 0, packets: [[0x80] + "theora" + big(0, 30)], isFirst: true)
    let sound = Xiph.pages(serial: 2, sequence: 0, packets: ["OpusHead" + big(0, 11)], isFirst: true)
    let other = Xiph.pages(serial: 1, sequence: 1, packets: [[0x81] + "theora" + Xiph.comment("TITLE=video")])
    let tags = Xiph.pages(serial: 2, sequence: 1, packets: ["OpusTags" + Self.comment])
    Self.expectComment(try read(video + sound + other + Bytes("junk".utf8) + tags))
  }

  @Test func pictureInComment() throws {
    let data = jpeg + Bytes(repeating: 0x33, count: 100_000)
    let block = Xiph.picture(type: 4, mime: "image/jpeg", data: data)
    let comment = Xiph.comment([
      Bytes("METADATA_BLOCK_PICTURE=".utf8) + base64(block), Bytes("coverart=".utf8) + base64(png),
      Bytes("TITLE=t".utf8),
    ])
    // More than one page.
    let finding = try read(Xiph.ogg("OpusHead" + big(0, 11), ["OpusTags" + comment]))
    #expect(finding.fields == ["title": ["t"]])
    #expect(
      finding.pictures == [
        TagFinding.Picture(type: "back cover", mime: "image/jpeg", sizeBytes: data.count),
        TagFinding.Picture(type: "other", mime: "image/png", sizeBytes: png.count),
      ])
  }

  @Test func secondNumbersAndDataAreNotLost() throws {
    let data = "SERATO_OVERVIEW=" + String(repeating: "x", count: 100_000)
    let finding = try read(
      Xiph.flac([(4, Xiph.comment("TRACKNUMBER=3/9", "TRACKNUMBER=4", "TRACKNUMBER=A1", "TRACKTOTAL=12", data))]))
    #expect(finding.fields == ["track": ["3"], "tracktotal": ["12"], "other:TRACKNUMBER": ["4", "A1"]])
    #expect(finding.remarks.count == 1)
  }

  @Test func latin1InVorbisComment() throws {
    let finding = try read(Xiph.flac([(4, Xiph.comment([Bytes("ARTIST=Bj".utf8) + [0xF6] + "rk"]))]))
    #expect(finding.fields["artist"] == ["Björk"])
  }

  @Test func mp4() throws {
    let finding = try read(
      MP4.file(
        MP4.text("©nam", "Title"), MP4.text("©ART", "One", "Two"), MP4.text("aART", "Band"),
        MP4.text("©day", "2001-02-03"),
        MP4.atom("trkn", MP4.data(0, [0, 0, 0, 3, 0, 12, 0, 0])), MP4.atom("disk", MP4.data(0, [0, 0, 0, 1, 0, 0])),
        MP4.atom("tmpo", MP4.data(21, [0, 126])), MP4.atom("cpil", MP4.data(21, [1])),
        MP4.atom("gnre", MP4.data(0, [0, 18])), MP4.free("MusicBrainz Artist Id", "a", "b"), MP4.free("iTunNORM", "x"),
        MP4.text("©lyr", "la"), MP4.atom("covr", MP4.data(13, jpeg) + MP4.data(0, png))))
    #expect(finding.formats == ["mp4"])
    #expect(
      finding.fields == [
        "title": ["Title"], "artist": ["One", "Two"], "albumartist": ["Band"], "date": ["2001-02-03"], "track": ["3"],
        "tracktotal": ["12"], "disc": ["1"], "bpm": ["126"], "compilation": ["1"], "genre": ["Rock"],
        "musicbrainz_artistid": ["a", "b"], "other:----:com.apple.iTunes:iTunNORM": ["x"],
      ])
    #expect(finding.hasLyrics)
    #expect(
      finding.pictures == [
        TagFinding.Picture(type: "front cover", mime: "image/jpeg", sizeBytes: jpeg.count),
        TagFinding.Picture(type: "front cover", mime: "image/png", sizeBytes: png.count),
      ])
  }

  @Test func mp4WithZerosHasNone() throws {
    let finding = try read(
      MP4.file(
        MP4.atom("trkn", MP4.data(0, [0, 0, 0, 0, 0, 0, 0, 0])), MP4.atom("tmpo", MP4.data(21, [0, 0])),
        MP4.atom("cpil", MP4.data(21, [0]))))
    #expect(finding.fields == ["compilation": ["0"]])
  }

  @Test func apev2() throws {
    let cover = APE.item("Cover Art (Front)", Bytes("cover.png\0".utf8) + png, isBinary: true)
    let tag = APE.tag(
      APE.item("Title", Bytes("Title".utf8)), APE.item("Artist", Bytes("One\0Two".utf8)),
      APE.item("Track", Bytes("3/12".utf8)),
      APE.item("Year", Bytes("2001".utf8)), APE.item("Album Artist", Bytes("Band".utf8)), cover,
      APE.item("Mood", Bytes("さくら".utf8)))
    let expected: [String: [String]] = [
      "title": ["Title"], "artist": ["One", "Two"], "track": ["3"], "tracktotal": ["12"], "date": ["2001"],
      "albumartist": ["Band"], "mood": ["さくら"],
    ]
    for file in [audio + tag, Bytes("wvpk".utf8) + audio + tag + id3v1(title: "old")] {
      let finding = try read(file)
      #expect(finding.formats.first == "apev2")
      #expect(finding.fields == expected)
      #expect(finding.pictures == [TagFinding.Picture(type: "front cover", mime: "image/png", sizeBytes: png.count)])
    }
  }

  @Test func asf() throws {
    let picture = [3] + little(jpeg.count, 4) + utf16("image/jpeg") + [0, 0] + utf16("front") + [0, 0] + jpeg
    func text(_ text: String) -> Bytes { utf16(text) + [0, 0] }
    let finding = try read(
      ASF.file(
        ASF.description(title: "Title", author: "Кино", comment: "Comment"),
        ASF.extended([
          ("WM/AlbumTitle", 0, text("Album")), ("WM/TrackNumber", 3, little(7, 4)), ("WM/Genre", 0, text("Rock")),
          ("WM/Genre", 0, text("Pop")), ("WM/IsCompilation", 2, little(1, 4)), ("WM/PartOfSet", 0, text("1/2")),
          ("WM/Lyrics", 0, text("la")), ("WM/Mood", 0, text("calm")),
        ]), ASF.library([("WM/Year", 0, text("2001")), ("WM/Picture", 1, picture)])))
    #expect(finding.formats == ["asf"])
    #expect(
      finding.fields == [
        "title": ["Title"], "artist": ["Кино"], "comment": ["Comment"], "album": ["Album"], "track": ["7"],
        "genre": ["Rock", "Pop"], "compilation": ["1"], "disc": ["1"], "disctotal": ["2"], "date": ["2001"],
        "mood": ["calm"],
      ])
    #expect(finding.hasLyrics)
    #expect(finding.pictures == [TagFinding.Picture(type: "front cover", mime: "image/jpeg", sizeBytes: jpeg.count)])
    #expect(finding.remarks == [])
  }

  @Test func wavWithInfoAndID3() throws {
    let info = Chunks.info([("INAM", "Info title"), ("IART", "Info artist"), ("IPRT", "2/3"), ("ICRD", "2001")])
    let tag = Chunks.chunk("id3 ", ID3.tag(3, ID3.text("TIT2", 3, "ID3 title")))
    let data = Chunks.chunk("data", Bytes(repeating: 0, count: 101))
    let finding = try read(Chunks.wav(info, data, tag))
    #expect(finding.formats == ["id3v2.3", "riff_info"])
    #expect(
      finding.fields == [
        "title": ["ID3 title"], "artist": ["Info artist"], "track": ["2"], "tracktotal": ["3"], "date": ["2001"],
      ])
    #expect(try read(Chunks.wav(data, info)).fields["title"] == ["Info title"])
  }

  @Test func textsOfInfo() throws {
    let latin1 = Chunks.chunk("IART", Bytes("Bj".utf8) + [0xF6] + "rk\0garbage")
    let list = Chunks.chunk(
      "LIST",
      "INFO" + Chunks.chunk("INAM", Bytes("first".utf8)) + latin1
        + Chunks.chunk("INAM", Bytes("second".utf8)))
    let finding = try read(Chunks.wav(list))
    #expect(finding.fields == ["title": ["second"], "artist": ["Björk"]])
  }

  @Test func rf64() throws {
    let long = Chunks.chunk("data", Bytes(repeating: 0, count: 40), size: 0xFFFF_FFFF)
    let sizes = Chunks.chunk("ds64", little(0, 8) + little(40, 8) + little(0, 12))
    let finding = try read(Chunks.wav(sizes, long, Chunks.info([("INAM", "Long")]), id: "RF64"))
    #expect(finding.fields == ["title": ["Long"]])
  }

  @Test func aiff() throws {
    let tag = Chunks.chunk("ID3 ", ID3.tag(4, ID3.text("TIT2", 4, "ID3 title")), bigEndian: true)
    let name = Chunks.chunk("NAME", Bytes("Name".utf8), bigEndian: true)
    let author = Chunks.chunk("AUTH", Bytes("Author".utf8), bigEndian: true)
    let finding = try read(Chunks.aiff(name, author, tag))
    #expect(finding.formats == ["id3v2.4", "aiff"])
    #expect(finding.fields == ["title": ["ID3 title"], "artist": ["Author"]])
  }

  @Test func dsfAndDSDIFF() throws {
    let tag = ID3.tag(3, ID3.text("TIT2", 3, "DSD"))
    let dsf = "DSD " + (little(28, 8) + little(0, 8) + little(28, 8) + tag)
    #expect(try read(dsf).fields == ["title": ["DSD"]])
    let chunk = "ID3 " + (big(tag.count, 8) + tag)
    let dff = "FRM8" + (big(chunk.count + 4, 8) + "DSD " + chunk)
    #expect(try read(dff).fields == ["title": ["DSD"]])
  }

  @Test func id3v1Only() throws {
    let finding = try read(
      audio + id3v1(title: "Título", artist: "Artist", comment: "c", year: "1999", track: 7, genre: 17))
    #expect(finding.formats == ["id3v1"])
    #expect(
      finding.fields == [
        "title": ["Título"], "artist": ["Artist"], "comment": ["c"], "date": ["1999"], "track": ["7"],
        "genre": ["Rock"],
      ])
  }

  @Test func trackers() throws {
    var mod = Bytes(repeating: 0, count: 1084 + 1024)
    mod.replaceSubrange(0..<6, with: "module".utf8)
    mod.replaceSubrange(1080..<1084, with: "M.K.".utf8)
    let finding = try read(mod)
    #expect(finding.formats == ["mod"])
    #expect(finding.fields["title"] == ["module"])
  }

  @Test func precedence() throws {
    let head = ID3.tag(3, ID3.text("TIT2", 3, "ID3v2"))
    let ape = APE.tag(APE.item("Title", Bytes("APEv2".utf8)), APE.item("Artist", Bytes("APEv2".utf8)))
    let tail = id3v1(title: "ID3v1", artist: "ID3v1", year: "1999")
    let mp3 = try read(head + audio + ape + tail)
    #expect(mp3.formats == ["id3v2.3", "apev2", "id3v1"])
    #expect(mp3.fields == ["title": ["ID3v2"], "artist": ["APEv2"], "date": ["1999"]])
    let flac = try read(head + Xiph.flac([(4, Xiph.comment("ALBUM=Vorbis"))]) + tail)
    #expect(flac.formats == ["vorbis", "id3v2.3", "id3v1"])
    #expect(flac.fields == ["album": ["Vorbis"]])
    // Text that encoders write by themselves does not count as a tag.
    let encoded = try read(head + Xiph.flac([(4, Xiph.comment("ENCODER=Lavf", "ENCODERSETTINGS=-8"))]) + tail)
    #expect(encoded.fields["title"] == ["ID3v2"] && encoded.fields["artist"] == ["ID3v1"])
    #expect(encoded.fields["encodersettings"] == ["-8"] && encoded.fields["other:ENCODER"] == ["Lavf"])
    let bare = try read(head + Xiph.flac([(1, [0])]) + tail)
    #expect(bare.fields == ["title": ["ID3v2"], "artist": ["ID3v1"], "date": ["1999"]])
  }

  @Test func matroska() throws {
    let info = Matroska.element(0x1549_A966, Matroska.text(0x7BA9, "Segment"))
    let tags = Matroska.element(
      0x1254_C367,
      Matroska.tag(
        level: 50, Matroska.simpleTag("TITLE", "Album"), Matroska.simpleTag("ARTIST", "Band"),
        Matroska.simpleTag("TOTAL_PARTS", "9"), Matroska.simpleTag("DATE_RELEASED", "2001"))
        + Matroska.tag(
          level: 30, Matroska.simpleTag("TITLE", "Track"), Matroska.simpleTag("ARTIST", "One"),
          Matroska.simpleTag("PART_NUMBER", "03"), Matroska.simpleTag("LYRICS", "La"),
          Matroska.simpleTag("mixed_by", "M"), Matroska.simpleTag("X", "y")))
    let edition = Matroska.element(
      0x45B9, Matroska.chapter(0, 1_500_000_000, "One") + Matroska.chapter(1_500_000_000, nil, "Two"))
    let chapters = Matroska.element(0x1043_A770, edition)
    let picture = Matroska.element(
      0x61A7, Matroska.text(0x466E, "cover.png") + Matroska.text(0x4660, "image/png") + Matroska.element(0x465C, png))
    let attachments = Matroska.element(0x1941_A469, picture)
    let cluster = Matroska.element(0x1F43_B675, Bytes(repeating: 0, count: 50))
    for size in [nil, [1] + Bytes(repeating: 0xFF, count: 7)] as [Bytes?] {
      let finding = try read(Matroska.file(info, cluster, tags, chapters, attachments, size: size))
      #expect(finding.formats == ["matroska"])
      #expect(
        finding.fields == [
          "title": ["Track"], "artist": ["One"], "album": ["Album"], "albumartist": ["Band"], "track": ["3"],
          "tracktotal": ["9"], "date": ["2001"], "mixer": ["M"], "other:X": ["y"], "other:SEGMENT:TITLE": ["Segment"],
        ])
      #expect(finding.lyrics == [TagFinding.Lyrics(text: "La")])
      #expect(
        finding.chapters == [
          TagFinding.Chapter(startSeconds: 0, endSeconds: 1.5, title: "One"),
          TagFinding.Chapter(startSeconds: 1.5, title: "Two"),
        ])
      #expect(finding.pictures == [TagFinding.Picture(type: "front cover", mime: "image/png", sizeBytes: png.count)])
    }
    #expect(try read(Matroska.file(info)).fields == ["title": ["Segment"]])
  }

  /// Tags after clusters are found only through the index.
  @Test func matroskaIndex() throws {
    let tags = Matroska.element(0x1254_C367, Matroska.tag(level: nil, Matroska.simpleTag("TITLE", "Found")))
    func index(_ offset: Int) -> Bytes {
      let seek = Matroska.element(0x53AB, big(0x1254_C367, 4)) + Matroska.element(0x53AC, big(offset, 8))
      return Matroska.element(0x114D_9B74, Matroska.element(0x4DBB, seek))
    }
    // The cluster has an unknown size.
    let unknown: Bytes = [1] + Bytes(repeating: 0xFF, count: 7)
    let cluster = Matroska.element(0x1F43_B675, Bytes(repeating: 0xA3, count: 90), size: unknown)
    let offset = index(0).count + cluster.count
    #expect(try read(Matroska.file(index(offset), cluster, tags)).fields == ["title": ["Found"]])
  }

  @Test func lyrics3BetweenTags() throws {
    let ape = APE.tag(APE.item("Title", Bytes("found".utf8)))
    // The size counts from LYRICSBEGIN up to itself.
    let marked = Bytes("LYRICSBEGININD0000210".utf8) + "000021LYRICS200"
    #expect(try read(audio + ape + marked + id3v1(title: "v1")).fields["title"] == ["found"])
  }
}

private func base64(_ bytes: Bytes) -> Bytes {
  let alphabet = Bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: Bytes = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for index in 0..<4 {
      text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
    }
  }
  return text
}
