import Analysis
import AnalysisTesting
import Testing

@testable import TagReading

/// The less usual parts of tag formats, and both sides of their limits.
@Suite(.bounded) struct TagFormatTests {
  private func zeros(_ count: Int) -> Bytes { Bytes(repeating: 0, count: count) }

  // MARK: ID3v2

  /// Sizes with the wrong number of bits to a byte count if they lead to the end, to padding or to a frame.
  @Test(arguments: [3, 4]) func sizesOfTheOtherKind(version: Int) throws {
    let text = [0] + Bytes(repeating: 0x61, count: 299)
    let wrong = "TIT2" + ((version == 3 ? syncsafe(300) : big(300, 4)) + [0, 0] + text)
    for tail in [[], zeros(20), ID3.text("TALB", version, "after")] {
      let finding = try read(ID3.tag(version, wrong, tail) + audio)
      #expect(finding.fields["title"]?.first?.count == 299 && finding.remarks == [], "\(tail.count)")
      #expect((finding.fields["album"] != nil) == (tail.first == 0x54))
    }
    // The right kind comes first.
    let right = ID3.frame("TIT2", version, text)
    for tail in [[], zeros(20), ID3.text("TALB", version, "after")] {
      let finding = try read(ID3.tag(version, right, tail) + audio)
      #expect(finding.fields["title"]?.first?.count == 299 && finding.remarks == [])
    }
    // Neither leads anywhere.
    let none = try read(ID3.tag(version, wrong, Bytes("??????????????".utf8)) + audio)
    #expect(none.fields["title"] == nil || none.fields["title"]?.first?.count != 299)
    #expect(none.remarks.count == 1)
  }

  /// A frame begins where there is room for its content.
  @Test func endsOfTags() throws {
    for count in 0...12 {
      let finding = try read(ID3.tag(3, ID3.text("TIT2", 3, "t"), Bytes("TALB\0\0\0\u{2}\0\0\0aaa".utf8.prefix(count))))
      #expect(finding.fields["album"] == (count == 12 ? ["a"] : nil), "\(count)")
      #expect(finding.remarks.isEmpty == (count != 11), "\(count): \(finding.remarks)")
    }
    let cut = try read(ID3.tag(3, ID3.text("TIT2", 3, "t"), Bytes("TALB\0\0\0\u{2}\0\0\0".utf8)))
    #expect(cut.remarks == ["The ID3v2 tag breaks off inside a frame; the rest was not read."])
  }

  @Test func peopleAndLinks() throws {
    let finding = try read(
      ID3.tag(
        4, ID3.frame("WXXX", 4, [1] + wide("d") + [0, 0] + "http://x\0y"),
        ID3.frame("WCOM", 4, Bytes("http://c\0y".utf8)),
        ID3.frame("UFID", 4, Bytes("owner\0id\0x".utf8)), ID3.frame("POPM", 4, Bytes("a@b\0".utf8) + [1]),
        ID3.frame("COMM", 4, [3] + "eng\0one\0two"), ID3.frame("COMM", 4, [3] + "engkey\0two"),
        ID3.frame("PCST", 4, [0, 0, 0, 0]), ID3.frame("TIPL", 4, Bytes("\u{3}\0A\0producer\0".utf8))))
    #expect(
      finding.fields == [
        "other:WXXX:d": ["http://x"], "other:WCOM": ["http://c"], "other:UFID:owner": ["id"], "rating": ["1"],
        "comment": ["one"], "other:COMM:key": ["two"], "podcast": ["1"], "other:TIPL:": ["A"],
      ])
    #expect(finding.remarks == [])
  }

  @Test(
    arguments: [
      (["2011"], ["2709"], ["2315"], ["2011-09-27T23:15"]), (["2011"], ["2709"], ["231"], ["2011-09-27"]),
      (["2011"], ["2709"], ["2315", "1200"], ["2011-09-27"]), (["2011"], ["270"], ["2315"], ["2011"]),
      (["2011"], ["2709", "2809"], [], ["2011"]), (["201"], ["2709"], [], ["201"]),
      (["2011", "2012"], ["2709"], [], ["2011", "2012"]), (["2011"], ["27x9"], [], ["2011"]), ([], ["2709"], [], nil),
      (["2011"], ["0901"], ["0000"], ["2011-01-09T00:00"]),
    ] as [([String], [String], [String], [String]?)])
  func dates(years: [String], days: [String], times: [String], expected: [String]?) throws {
    let frames =
      years.flatMap { ID3.text("TYER", 3, $0) } + days.flatMap { ID3.text("TDAT", 3, $0) }
      + times.flatMap { ID3.text("TIME", 3, $0) } + ID3.text("TIT2", 3, "t")
    #expect(try read(ID3.tag(3, frames)).fields["date"] == expected)
  }

  @Test func timedLyrics() throws {
    func lyrics(_ head: Bytes, _ texts: [(String, Int)], language: String = "eng") throws -> TagFinding {
      var body: Bytes = [3] + language
      body += head + [0]
      for (text, time) in texts { body += Bytes(text.utf8) + [0] + big(time, 4) }
      return try read(ID3.tag(4, ID3.frame("SYLT", 4, body), ID3.text("TIT2", 4, "t")))
    }
    for (unit, kind, isRead, hasTimes) in [
      (1, 1, true, false), (2, 0, true, true), (2, 2, true, true), (2, 3, false, false), (0, 1, false, false),
      (3, 1, false, false),
    ] as [(UInt8, UInt8, Bool, Bool)] {
      let found = try lyrics([unit, kind], [("b", 2_000), ("a", 1_000)])
      #expect(found.hasLyrics == isRead, "\(unit) \(kind)")
      let lines: [String]? = isRead ? (hasTimes ? ["a", "b"] : []) : nil
      #expect(found.lyrics.first?.lines.map(\.text) == lines)
      #expect(found.remarks.isEmpty == hasTimes)
    }
    #expect(try lyrics([2, 1], []).remarks.first?.hasPrefix("1 ID3v2 frame") == true)
    let codes: [(String, String?)] = [
      ("DEU", "deu"), ("und", nil), ("XXX", nil), ("d\0\0", nil), ("d1u", nil), ("aaz", "aaz"), ("d{u", nil),
    ]
    for (code, language) in codes {
      #expect(try lyrics([2, 1], [("a", 0)], language: code).lyrics.first?.language == language, "\(code)")
    }
    // Texts without line feeds are lines; others continue the line before.
    #expect(try lyrics([2, 1], [("a", 0), ("b", 1)]).lyrics.first?.text == "a\nb")
    #expect(try lyrics([2, 1], [("a", 0), ("b", 1), ("\nc", 2), ("\r\nd", 3)]).lyrics.first?.text == "ab\nc\nd")
  }

  @Test func chaptersOfID3v2() throws {
    func chapter(_ version: Int, _ start: Int, _ end: Int, _ frames: Bytes = []) -> Bytes {
      ID3.frame("CHAP", version, "id\0" + (big(start, 4) + big(end, 4) + zeros(8) + frames))
    }
    func first(_ version: Int, _ frames: Bytes...) throws -> TagFinding.Chapter? {
      try read(ID3.tag(version, frames.flatMap { $0 })).chapters.first
    }
    #expect(try first(4, chapter(4, 500, 1_500)) == TagFinding.Chapter(startSeconds: 0.5, endSeconds: 1.5))
    #expect(try first(4, chapter(4, 500, 500)) == TagFinding.Chapter(startSeconds: 0.5))
    #expect(try first(4, chapter(4, 500, 0xFFFF_FFFE))?.endSeconds == 4_294_967.294)
    #expect(try first(4, chapter(4, 500, 0xFFFF_FFFF))?.endSeconds == nil)
    #expect(try first(4, ID3.frame("CHAP", 4, "id\0" + zeros(16)))?.startSeconds == 0)
    #expect(try first(4, ID3.frame("CHAP", 4, "id\0" + zeros(15))) == nil)
    for version in [3, 4] {
      let long = ID3.text("TIT3", version, String(repeating: "x", count: 200))
      let found = try first(version, chapter(version, 1, 2, long + ID3.text("TIT2", version, "name")))
      #expect(found?.title == "name")
    }
  }

  @Test func picturesOfID3v2() throws {
    func pictures(_ version: Int, _ frames: Bytes...) throws -> [TagFinding.Picture] {
      try read(ID3.tag(version, frames.flatMap { $0 }, ID3.text(version == 2 ? "TT2" : "TIT2", version, "t"))).pictures
    }
    for (encoding, description) in [(0, Bytes("d\0".utf8)), (1, wide("d") + [0, 0]), (2, [0, 0x64, 0, 0]), (3, [0])]
      as [(UInt8, Bytes)]
    {
      let found = try pictures(3, ID3.frame("APIC", 3, [encoding] + "image/png\0" + [4] + description + png))
      #expect(found == [TagFinding.Picture(type: "back cover", mime: "image/png", sizeBytes: png.count)])
    }
    // A description that does not end, no type, and no picture.
    let open = try read(ID3.tag(3, ID3.frame("APIC", 3, [1] + "image/png\0" + [4, 1, 0, 1])))
    #expect(open.pictures.isEmpty && open.remarks.first?.hasPrefix("1 ID3v2 frame") == true)
    let cut = try read(ID3.tag(3, ID3.frame("APIC", 3, [0] + "image/png\0")))
    #expect(cut.pictures.isEmpty && cut.remarks == ["The ID3v2 tag breaks off inside a frame; the rest was not read."])
    #expect(try pictures(3, ID3.frame("APIC", 3, [0] + "image/png\0" + [4] + "d\0")) == [])
    #expect(try pictures(3, ID3.frame("APIC", 3, [0] + "image/png\0" + [4] + "d\0x")).map(\.sizeBytes) == [1])
    // iTunes writes frames of version 2.2 into later tags.
    let short = try pictures(3, ID3.frame("PIC\0", 3, [0] + "PNG" + [3, 0] + png))
    #expect(short.map(\.mime) == ["image/png"] && short.map(\.type) == ["front cover"])
  }

  @Test func extendedHeaders() throws {
    // The size in version 2.3 does not count its own bytes; in 2.2, the flag means something else.
    let old = try read(ID3.tag(3, big(10, 4) + zeros(10), ID3.text("TIT2", 3, "t"), flags: 0x40))
    #expect(old.fields == ["title": ["t"]])
    let new = try read(ID3.tag(4, syncsafe(10) + zeros(6), ID3.text("TIT2", 4, "t"), flags: 0x40))
    #expect(new.fields == ["title": ["t"]])
    #expect(try read(ID3.tag(2, ID3.text("TT2", 2, "t"), flags: 0x40)).fields == ["title": ["t"]])
    #expect(try read(ID3.tag(4, big(6, 4) + [1, 0], ID3.text("TIT2", 4, "t"), flags: 0x20)).fields.isEmpty)
  }

  /// All text together takes up to 4 MiB.
  @Test func limitsOfText() throws {
    let limit = TagLimits.textSize
    #expect(limit == 4 << 20)
    for (count, isTaken) in [(limit, true), (limit + 1, false)] {
      let text = Bytes(repeating: 0x61, count: count - 1)
      let id3 = try read(ID3.tag(3, ID3.frame("TIT2", 3, [0] + text)))
      #expect(id3.fields["title"]?.first?.utf8.count == (isTaken ? count - 1 : nil))
      #expect(id3.remarks.count == (isTaken ? 0 : 1))
      let ape = try read(audio + APE.tag(APE.item("Title", text + [0x61])))
      #expect(ape.fields["title"]?.first?.utf8.count == (isTaken ? count : nil))
      #expect(ape.remarks.isEmpty == isTaken)
      let vorbis = try read(Xiph.flac([(4, Xiph.comment([Bytes("TITLE=".utf8) + text.dropLast(5)]))]))
      #expect(vorbis.fields["title"]?.first?.utf8.count == (isTaken ? count - 6 : nil))
      #expect(vorbis.remarks.isEmpty == isTaken)
    }
  }

  // MARK: ID3v1 and Lyrics3

  @Test func fieldsOfID3v1() {
    func tag(_ comment: Bytes, year: String = "1999", genre: UInt8 = 0) -> [String: String] {
      let head = "TAG" + (Bytes(repeating: 0x61, count: 30) + Bytes(repeating: 0x62, count: 30))
      let bytes = head + Bytes(repeating: 0x63, count: 30) + Bytes(year.utf8) + comment + [genre]
      return Dictionary(ID3v1Tag.read(bytes).entries.map { ($0.key, $0.value) }) { first, _ in first }
    }
    let letters = String(repeating: "d", count: 30)
    let whole = tag(Bytes(letters.utf8))
    #expect(
      whole == [
        "title": String(repeating: "a", count: 30), "artist": String(repeating: "b", count: 30),
        "album": String(repeating: "c", count: 30), "date": "1999", "comment": letters, "genre": "Blues",
      ])
    let numbered = tag(Bytes(letters.utf8.prefix(28)) + [0, 1])
    #expect(numbered["comment"] == String(letters.prefix(28)) && numbered["track"] == "1")
    let unnumbered = tag(Bytes(letters.utf8.prefix(28)) + [0, 0])
    #expect(unnumbered["comment"] == String(letters.prefix(28)) && unnumbered["track"] == nil)
    let close = tag(Bytes(letters.utf8.prefix(29)) + [7])
    #expect(close["track"] == nil && close["comment"]?.hasPrefix(String(letters.prefix(29))) == true)
    #expect(tag(zeros(30), year: "0001")["date"] == "1" && tag(zeros(30), year: "0000")["date"] == nil)
    #expect(tag(zeros(30), year: "199x")["date"] == "199" && tag(zeros(30), year: "abcd")["date"] == nil)
    #expect(tag(zeros(30), genre: 191)["genre"] == "Psybient" && tag(zeros(30), genre: 192)["genre"] == nil)
    #expect(tag(zeros(29)).isEmpty && tag(zeros(31)).isEmpty)
  }

  @Test func fieldsOfLyrics3() throws {
    func read2(_ fields: String) throws -> TagFinding {
      let body = "LYRICSBEGIN" + fields
      let size = String(repeating: "0", count: 6 - String(body.utf8.count).count) + "\(body.utf8.count)"
      return try read(audio + Bytes((body + size + "LYRICS200").utf8))
    }
    let found = try read2("IND0000210ETT00001tEAR00002arEAL00003albINF00004infoXYZ00001x")
    #expect(
      found.fields == [
        "title": ["t"], "artist": ["ar"], "album": ["alb"], "comment": ["info"], "other:XYZ": ["x"],
      ])
    #expect(found.remarks == [] && found.formats == ["lyrics3"])
    // A field that is longer than the tag, and one without a size.
    for broken in ["EAL00004alb", "EALxxxxxalb", "EAL-0001alb"] {
      let damaged = try read2("ETT00001t" + broken)
      #expect(damaged.fields == ["title": ["t"]], "\(broken)")
      #expect(damaged.remarks == ["The Lyrics3 tag is damaged; a part of it was not read."], "\(broken)")
    }
    #expect(try read2("ETT00001tEAL00000").remarks == [])
    #expect(try read2("ETT00001tEAL0000").remarks == [])
  }

  // MARK: Modules

  @Test(
    arguments: [
      ("M.K.", "ProTracker"), ("M!K!", "ProTracker"), ("N.T.", "ProTracker"), ("FLT4", "StarTrekker"),
      ("8CHN", "StarTrekker"), ("CD81", "Atari Oktalyzer"), ("OKTA", "Atari Oktalyzer"),
    ]) func trackersOfMOD(mark: String, tracker: String) throws
  {
    var mod = Bytes("My".utf8) + [0xFF] + "song" + zeros(13)
    for index in 0..<31 { mod += Bytes("name \(index)".utf8) + zeros(22 - "name \(index)".utf8.count) + zeros(8) }
    mod += zeros(1_080 - mod.count) + mark + zeros(1_024)
    let finding = try read(mod)
    #expect(finding.fields["title"] == ["My song"] && finding.fields["other:tracker"] == [tracker])
    #expect(finding.fields["comment"] == [(0..<31).map { "name \($0)" }.joined(separator: "\n")])
    #expect(finding.remarks == [])
  }

  /// Two patterns, an instrument with a packed and a plain sample, and an instrument without any.
  @Test func samplesOfXM() throws {
    func text(_ text: String, _ count: Int) -> Bytes { Bytes(text.utf8) + zeros(count - text.utf8.count) }
    var bytes = "Extended Module: " + text("module", 20) + [0x1A] + text("Tracker", 20) + little(0x104, 2)
    bytes += little(276, 4) + little(1, 2) + little(0, 2) + little(4, 2) + little(2, 2) + little(2, 2)
    bytes += zeros(336 - bytes.count)
    for size in [5, 3] {
      bytes += little(9, 4) + [0] + little(64, 2) + little(size, 2) + Bytes(repeating: 7, count: size)
    }
    bytes += little(263, 4) + text("one", 22) + [0] + little(2, 2) + little(40, 4) + zeros(230)
    bytes += little(7, 4) + zeros(13) + [0xAD] + text("packed", 22)
    bytes += little(6, 4) + zeros(13) + [0] + text("plain", 22) + zeros(20 + 6)
    bytes += little(29, 4) + text("two", 22) + [0] + little(0, 2)
    let finding = try read(bytes)
    #expect(finding.fields["comment"] == ["one\ntwo\npacked\nplain"] && finding.remarks == [])
    #expect(try read(bytes.dropLast(4)).remarks.count == 1)
  }

  // MARK: MP4

  /// Titles of two letters in three chunks, at their own times.
  @Test(arguments: [false, true], [false, true]) func chapterTracks(isLong: Bool, isCommon: Bool) throws {
    let titles = isCommon ? ["AA", "BB", "CC", "DD"] : ["A", "BB", "CCC", "DDDD"]
    func sample(_ index: Int) -> Bytes { big(titles[index].utf8.count, 2) + titles[index] }
    let head = MP4.atom("ftyp", Bytes("M4B \0\0\0\0".utf8))
    let base = head.count + 8
    let media = sample(0) + zeros(2) + sample(1) + zeros(1) + sample(2) + sample(3)
    let offsets = [base, base + sample(0).count + 2, base + sample(0).count + sample(1).count + 3]
    func table(_ name: String, _ words: [Int]) -> Bytes { MP4.atom(name, words.flatMap { big($0, 4) }) }
    func movie(count: Int = 4, scale: Int = 10, durations: [Int] = [0, 3, 1, 100, 2, 50, 1, 25]) -> Bytes {
      let sizes = isCommon ? [0, 4, count] : [0, 0, count] + (0..<4).map { sample($0).count }
      let places =
        isLong
        ? MP4.atom("co64", big(0, 4) + big(3, 4) + offsets.flatMap { big($0, 8) }) : table("stco", [0, 3] + offsets)
      let tables =
        table("stts", durations) + table("stsc", [0, 2, 1, 1, 1, 3, 2, 1]) + table("stsz", sizes) + places
      let times = isLong ? [1, 0, 0, 0] + zeros(16) + big(scale, 4) + zeros(8) : zeros(12) + big(scale, 4) + zeros(8)
      let track = isLong ? [1, 0, 0, 0] + zeros(16) : zeros(12)
      let content = MP4.atom("mdia", MP4.atom("mdhd", times) + MP4.atom("minf", MP4.atom("stbl", tables)))
      return MP4.atom(
        "moov",
        MP4.atom("trak", MP4.atom("tkhd", track + big(1, 4)) + MP4.atom("tref", MP4.atom("chap", big(7, 4))))
          + MP4.atom("trak", MP4.atom("tkhd", track + big(7, 4)) + content))
    }
    func chapters(_ movie: Bytes) throws -> [TagFinding.Chapter] {
      try read(head + MP4.atom("mdat", media) + movie).chapters
    }
    let expected = [(0, 10, 0), (10, 15, 1), (15, 20, 2), (20, 22.5, 3)].map { start, end, index in
      TagFinding.Chapter(startSeconds: start, endSeconds: end, title: titles[index])
    }
    #expect(try chapters(movie()) == expected)
    #expect(try chapters(movie(count: 3)) == Array(expected.prefix(3)))
    #expect(try chapters(movie(durations: [0, 2, 1, 100, 1, 50])) == Array(expected.prefix(2)))
    #expect(try chapters(movie(scale: 0)).isEmpty && chapters(movie(scale: 1)).last?.endSeconds == 225)
  }

  @Test func listsOfChapters() throws {
    func chapters(_ list: Bytes) throws -> [TagFinding.Chapter] {
      let moov = MP4.atom("moov", MP4.atom("udta", MP4.atom("chpl", list)))
      return try read(MP4.atom("ftyp", Bytes("M4B \0\0\0\0".utf8)) + moov).chapters
    }
    let entries = big(0, 8) + [0] + (big(25_000_000, 8) + [3] + "Two") + (big(50_000_000, 8) + [1] + "3")
    let expected = [
      TagFinding.Chapter(startSeconds: 0), TagFinding.Chapter(startSeconds: 2.5, title: "Two"),
      TagFinding.Chapter(startSeconds: 5, title: "3"),
    ]
    #expect(try chapters(zeros(4) + [3] + entries) == expected)
    #expect(try chapters([1, 0, 0, 0] + zeros(4) + [3] + entries) == expected)
    #expect(try chapters(zeros(4) + [2] + entries) == Array(expected.prefix(2)))
    #expect(try chapters(zeros(4) + [9] + entries) == expected && chapters(zeros(4)).isEmpty)
    #expect(try chapters(zeros(4) + [3] + entries.dropLast(2)) == Array(expected.prefix(2)))
  }

  @Test func itemsOfMP4() throws {
    let finding = try read(
      MP4.file(
        MP4.atom("©nam", MP4.data(2, [0, 0x41]) + MP4.data(1, Bytes("title".utf8))), MP4.text("©nam", "again"),
        MP4.atom("purl", MP4.data(0, Bytes("http://p".utf8))), MP4.atom("©alb", MP4.data(0, Bytes("none".utf8))),
        MP4.atom("trkn", MP4.data(0, [0, 0, 0, 3])), MP4.atom("disk", MP4.data(0, [0, 0, 0])),
        MP4.atom("gnre", MP4.data(0, [0, 1])), MP4.atom("tvsn", MP4.data(21, [1, 0])),
        MP4.atom("tves", MP4.data(21, []))))
    #expect(
      finding.fields == [
        "title": ["title"], "podcasturl": ["http://p"], "track": ["3"], "genre": ["Blues"], "other:tvsn": ["256"],
      ])
    #expect(try read(MP4.file(MP4.atom("gnre", MP4.data(0, [0, 0])))).fields.isEmpty)
    func free(_ values: Bytes) throws -> [String: [String]] {
      let head = MP4.atom("mean", big(0, 4) + "m") + MP4.atom("name", big(0, 4) + "n")
      return try read(MP4.file(MP4.atom("----", head + values), MP4.text("©nam", "t"))).fields.filter {
        $0.key != "title"
      }
    }
    let text = Bytes("a".utf8)
    #expect(try free(MP4.data(1, text) + MP4.data(1, Bytes("b".utf8))) == ["other:----:m:n": ["a", "b"]])
    #expect(try free(MP4.data(1, text) + MP4.data(0, Bytes("b".utf8))) == ["other:----:m:n": ["a"]])
    #expect(try free(MP4.data(0, text)) == ["other:----:m:n": ["a"]] && free(MP4.data(0, [0x61, 0, 1])) == [:])
    #expect(try free(MP4.data(1, [0x61, 0, 0x62])) == ["other:----:m:n": ["a"]])
  }

  @Test func picturesOfMP4() throws {
    func data(_ type: Int) -> Bytes { MP4.data(type, [1, 2, 3]) }
    var parts: Bytes = data(12) + MP4.atom("name", [9]) + data(13)
    parts += MP4.data(14, []) + data(14) + data(27)
    parts += data(0) + MP4.data(0, jpeg)
    let finding = try read(MP4.file(MP4.atom("covr", parts), MP4.text("©nam", "t")))
    #expect(
      finding.pictures.map(\.mime) == ["image/gif", "image/jpeg", "image/png", "image/bmp", "", "image/jpeg"])
    #expect(finding.pictures.map(\.sizeBytes) == [3, 3, 3, 3, 3, jpeg.count] && finding.remarks == [])
    let damaged = try read(MP4.file(MP4.text("©nam", "t"), big(5, 4) + "abcd"))
    #expect(damaged.fields == ["title": ["t"]])
    #expect(damaged.remarks.first?.hasPrefix("The MP4 tag is damaged after byte ") == true)
  }

  // MARK: ASF

  @Test func attributesOfASF() throws {
    func text(_ text: String) -> Bytes { utf16(text) + [0, 0] }
    let found = try read(
      ASF.file(
        ASF.extended([
          ("WM/IsCompilation", 2, [1, 0]), ("a", 2, [0, 0]), ("b", 2, []), ("c", 4, little(1 << 40, 8)),
          ("d", 5, little(777, 2)), ("e", 3, little(9, 4)), ("f", 6, [1, 2, 3]), ("g", 3, [1, 2]), ("h", 5, [1]),
          ("i", 4, zeros(7)), ("j", 0, utf16("x")), ("k", 1, [1, 2]),
        ]),
        ASF.library([("l", 2, [0, 1]), ("m", 0, text("y"))])))
    #expect(
      found.fields == [
        "compilation": ["1"], "other:a": ["0"], "other:c": ["\(1 << 40)"], "other:d": ["777"], "other:e": ["9"],
        "other:j": ["x"], "other:l": ["1"], "other:m": ["y"],
      ])
    // The size of a picture is what it claims, up to what is there.
    func picture(_ size: Int) throws -> [Int] {
      let body = [3] + little(size, 4) + text("image/png") + text("d") + png
      return try read(ASF.file(ASF.library([("WM/Picture", 1, body)]))).pictures.map(\.sizeBytes)
    }
    #expect(try picture(png.count) == [png.count] && picture(5) == [5] && picture(999) == [png.count])
    let empty = [3] + little(5, 4) + text("image/png") + text("d")
    #expect(try read(ASF.file(ASF.library([("WM/Picture", 1, empty)]))).pictures.isEmpty)
  }

  // MARK: Matroska

  @Test func targetsOfMatroska() throws {
    func file(_ targets: Bytes, _ names: String...) throws -> [String: [String]] {
      let simple = names.flatMap { Matroska.simpleTag($0, "v") }
      let tags = Matroska.element(0x1254_C367, Matroska.element(0x7373, Matroska.element(0x63C0, targets) + simple))
      return try read(Matroska.file(tags)).fields
    }
    for id in [0x63C4, 0x63C9, 0x63C6] {
      #expect(try file(Matroska.element(id, [1]), "X").isEmpty)
      #expect(try file(Matroska.element(id, [0]), "X") == ["other:X": ["v"]])
    }
    #expect(try file(Matroska.element(0x63C5, [1]), "X") == ["other:X": ["v"]])
    // Names of the album, of an album that is not one, and names that mean the same everywhere.
    #expect(try file(Matroska.element(0x68CA, [50]), "TITLE", "X") == ["album": ["v"], "other:X": ["v"]])
    for level in [49, 51, 30] as [UInt8] {
      #expect(try file(Matroska.element(0x68CA, [level]), "TITLE") == ["title": ["v"]])
    }
  }

  @Test func attachmentsOfMatroska() throws {
    func attachment(_ name: String, _ mime: String, _ data: Bytes) -> Bytes {
      Matroska.element(
        0x61A7, Matroska.text(0x466E, name) + Matroska.text(0x4660, mime) + Matroska.element(0x465C, data))
    }
    let files =
      attachment("Cover.jpg", "image/jpeg", jpeg) + attachment("back.png", "IMAGE/PNG", png)
      + attachment("cover.txt", "text/plain", png) + attachment("cover.png", "image/png", [])
    let finding = try read(Matroska.file(Matroska.element(0x1941_A469, files)))
    #expect(
      finding.pictures == [
        TagFinding.Picture(type: "front cover", mime: "image/jpeg", sizeBytes: jpeg.count),
        TagFinding.Picture(type: "other", mime: "image/png", sizeBytes: png.count),
      ])
    // The first edition counts, and the first title of a chapter.
    let titles = ["", "one", "two"].flatMap { Matroska.element(0x80, Matroska.text(0x85, $0)) }
    let first = Matroska.element(0xB6, Matroska.element(0x92, big(2_500_000_000, 8)) + titles)
    let editions = Matroska.element(0x45B9, first) + Matroska.element(0x45B9, Matroska.chapter(9, nil, "other"))
    #expect(
      try read(Matroska.file(Matroska.element(0x1043_A770, editions))).chapters
        == [TagFinding.Chapter(startSeconds: 0, endSeconds: 2.5, title: "one")])
  }

  // MARK: Vorbis comments and APEv2

  @Test func keysOfVorbisComments() throws {
    func keys(_ key: Bytes) throws -> [String] {
      try Array(read(Xiph.flac([(4, Xiph.comment([key + "=v"]))])).fields.keys)
    }
    #expect(try keys([0x20]) == ["other: "] && keys([0x1F]).isEmpty && keys([]).isEmpty)
    #expect(try keys([0x7D]) == ["other:}"] && keys([0x7E]).isEmpty && keys([0x61, 0x80]).isEmpty)
    let finding = try read(
      Xiph.flac([(4, Xiph.comment("COVERARTMIME=image/webp", "COVERART=QUJD", "COVERART=", "TITLE=a=b"))]))
    #expect(finding.pictures == [TagFinding.Picture(type: "other", mime: "image/webp", sizeBytes: 3)])
    #expect(finding.fields == ["title": ["a=b"]])
    let cut = try read(Xiph.flac([(4, little(99, 4) + zeros(20))]))
    #expect(cut.remarks == ["The Vorbis comment breaks off inside its header and was not read."])
    let short = try read(Xiph.flac([(4, Xiph.comment([Bytes("TITLE=t".utf8)], count: 2))]))
    #expect(short.remarks == ["The Vorbis comment is shorter than it claims; the existing part was read."])
  }

  @Test func keysOfAPE() throws {
    func fields(_ key: Bytes) throws -> [String] {
      let item = little(1, 4) + little(0, 4) + key + [0, 0x76]
      return try Array(read(audio + APE.tag(item, APE.item("Title", Bytes("t".utf8)))).fields.keys).filter {
        $0 != "title"
      }
    }
    #expect(try fields([0x41]).isEmpty && fields([0x41, 0x41]) == ["other:AA"])
    #expect(try fields([0x20, 0x7E]) == ["other: ~"] && fields([0x1F, 0x7E]).isEmpty && fields([0x20, 0x7F]).isEmpty)
    #expect(try fields(Bytes(repeating: 0x41, count: 255)).count == 1)
    for key in ["ID3", "tag", "OggS", "MP+"] { #expect(try fields(Bytes(key.utf8)).isEmpty, "\(key)") }
    #expect(try fields(Bytes("ID3x".utf8)) == ["other:ID3X"])
  }

  @Test func itemsOfAPE() throws {
    func item(_ key: String, _ value: String, flags: Int = 0) -> Bytes {
      little(value.utf8.count, 4) + little(flags, 4) + key + ([0] + value)
    }
    let finding = try read(
      audio
        + APE.tag(
          item("Mood", "first"), item("a1", "v", flags: 1), item("a2", "v", flags: 2), item("a4", "v", flags: 4),
          item("a6", "v", flags: 6), item("MOOD", "second"), item("Cover Art (Icon)", "x\0" + "pic", flags: 2),
          item("Cover Art (What)", "pic", flags: 3), item("Cover Art (Back)", "x\0", flags: 2),
          item("Other Art", "pic", flags: 2)))
    #expect(finding.fields == ["mood": ["second"], "other:A1": ["v"], "other:A4": ["v"]])
    #expect(finding.pictures.map(\.type) == ["file icon", "other"] && finding.pictures.map(\.sizeBytes) == [3, 3])
    // The last item may end exactly where the tag does.
    #expect(finding.remarks == [])
    let long = little(2, 4) + little(0, 4) + "Mood" + [0, 0x61]
    #expect(
      try read(audio + APE.tag(long)).remarks
        == ["The APEv2 tag breaks off inside an item; the rest was not read."])
  }

  // MARK: Chunks

  @Test func textsOfChunks() throws {
    let copyright = Chunks.chunk("(c) ", Bytes("c".utf8), bigEndian: true)
    let note = Chunks.chunk("ANNO", Bytes("note".utf8), bigEndian: true)
    #expect(try read(Chunks.aiff(copyright, note)).fields == ["copyright": ["c"], "comment": ["note"]])
    for (count, isTaken) in [(64 * 1_024, true), (64 * 1_024 + 1, false)] {
      let long = Chunks.chunk("NAME", Bytes(repeating: 0x61, count: count), bigEndian: true)
      let found = try read(Chunks.aiff(long))
      #expect((found.fields["title"] != nil) == isTaken && found.remarks.isEmpty == isTaken)
    }
    // Only AIFF has them.
    #expect(try read(Chunks.wav(Chunks.chunk("NAME", Bytes("x".utf8)))).fields.isEmpty)
    let info = Chunks.info([("INAM", String(repeating: "t", count: 1 << 20 - 13))])
    #expect(try read(Chunks.wav(info)).fields["title"] != nil)
    let larger = try read(Chunks.wav(Chunks.info([("INAM", String(repeating: "t", count: 1 << 20))])))
    #expect(
      larger.fields.isEmpty && larger.remarks == ["The RIFF INFO list is larger than any real one and was not read."])
    let bad = try read(Chunks.wav(Chunks.chunk("id3 ", Bytes("ID3\u{9}\0\0\0\0\0\0".utf8))))
    #expect(bad.remarks.first?.hasPrefix("The chunk for ID3v2 at byte 44 holds no tag of a known version") == true)
    #expect(try read(Chunks.wav(Chunks.chunk("id3 ", []))).remarks == [])
  }

  @Test func textsOfDSDIFF() throws {
    func chunk(_ id: String, _ body: Bytes) -> Bytes { id + (big(body.count, 8) + body + zeros(body.count % 2)) }
    func file(_ chunks: Bytes) -> Bytes { "FRM8" + (big(chunks.count + 4, 8) + "DSD " + chunks) }
    let inner = chunk("DIAR", big(3, 4) + "art") + chunk("DITI", big(99, 4) + "title") + chunk("DIXX", big(1, 4) + "x")
    #expect(try read(file(chunk("DIIN", inner))).fields == ["artist": ["art"], "title": ["title"]])
    let short = chunk("DIAR", big(2, 4) + "art") + chunk("DITI", zeros(3))
    #expect(try read(file(chunk("DIIN", short))).fields == ["artist": ["ar"]])
    #expect(try read(file(chunk("DIIN", chunk("DIAR", big(3, 4) + "art")) + inner)).fields == ["artist": ["art"]])
  }

  // MARK: All tags of a file

  @Test func limitsOfAllTags() throws {
    // A line counts its text and 16 bytes more, besides the text as a whole.
    for (count, isTaken) in [(1 << 20, true), (1 << 20 + 1, false)] {
      let text = String(repeating: "l", count: count)
      let finding = try read(ID3.tag(3, ID3.frame("USLT", 3, [0] + "eng\0" + text), ID3.text("TIT2", 3, "t")))
      #expect(finding.lyrics.isEmpty != isTaken && finding.hasLyrics)
      #expect(finding.remarks == (isTaken ? [] : ["Some lyrics were left out: together they exceed 1 MB."]))
    }
    for (count, isTaken) in [(524_276, true), (524_277, false)] {
      let text = "[00:01]" + String(repeating: "l", count: count)
      let finding = try read(ID3.tag(3, ID3.frame("USLT", 3, [0] + "eng\0" + text)))
      #expect(finding.lyrics.isEmpty != isTaken)
    }
  }

  /// A tag that is not used says what only it has.
  @Test func tagsThatAreLeftOut() throws {
    let lyrics = ID3.frame("USLT", 3, [0] + "eng\0La")
    let chapter = ID3.frame("CHAP", 3, "c\0" + zeros(16))
    let head = ID3.tag(
      3, ID3.text("TIT2", 3, "t"), ID3.text("TALB", 3, "a"), ID3.text("TPE1", 3, "x"),
      ID3.frame("APIC", 3, [0] + "image/png\0" + [3, 0] + png), lyrics, chapter)
    let flac = try read(head + Xiph.flac([(4, Xiph.comment("ALBUM=v"))]))
    #expect(
      flac.remarks == [
        "The id3v2.3 tag was left out, because the file also has the usual tags for its format; they lack artist, title, "
          + "pictures, lyrics, chapters."
      ])
    #expect(flac.fields == ["album": ["v"]] && flac.pictures.isEmpty && !flac.hasLyrics && flac.chapters.isEmpty)
    // A picture alone makes a tag of the container's own.
    let picture = try read(head + Xiph.flac([(6, Xiph.picture(mime: "image/jpeg", data: jpeg))]))
    #expect(picture.fields.isEmpty && picture.pictures.map(\.mime) == ["image/jpeg"])
    #expect(picture.remarks.first?.hasSuffix("they lack album, artist, title, lyrics, chapters.") == true)
    let same = try read(ID3.tag(3, ID3.text("TALB", 3, "a")) + Xiph.flac([(4, Xiph.comment("ALBUM=v"))]))
    #expect(same.remarks == [])
  }

  @Test func valuesOfFields() throws {
    func fields(_ comments: String...) throws -> [String: [String]] {
      try read(Xiph.flac([(4, Xiph.comment(comments.map { Bytes($0.utf8) }))])).fields
    }
    #expect(try fields("TRACKNUMBER=3/9") == ["track": ["3"], "tracktotal": ["9"]])
    #expect(
      try fields("TRACKNUMBER=0/9") == ["tracktotal": ["9"]] && fields("TRACKNUMBER=0/0", "X=1") == ["other:X": ["1"]])
    #expect(try fields("TRACKNUMBER=0x") == ["other:TRACKNUMBER": ["0x"]])
    #expect(
      try fields("TRACKTOTAL=0", "X=1") == ["other:X": ["1"]] && fields("TRACKTOTAL=x") == ["other:TRACKTOTAL": ["x"]])
    #expect(try fields("R128_TRACK_GAIN=-32768") == ["r128_track_gain": ["-32768"]])
    #expect(try fields("R128_TRACK_GAIN=32768") == ["other:R128_TRACK_GAIN": ["32768"]])
    #expect(try fields("BPM=0", "X=1") == ["other:X": ["1"]] && fields("BPM=120") == ["bpm": ["120"]])
    #expect(try fields("DATE=0000") == ["other:DATE": ["0000"]])
    #expect(try fields("COMPILATION=maybe") == ["other:COMPILATION": ["maybe"]])
    #expect(try fields("ARTIST=a", "ARTIST=a", "ARTIST=b") == ["artist": ["a", "b"]])
    #expect(try fields("X=1", "X=1", "X=2") == ["other:X": ["1", "2"]])
    // Longer values of other keys are data.
    for (count, isTaken) in [(32 * 1_024, true), (32 * 1_024 + 1, false)] {
      let finding = try read(Xiph.flac([(4, Xiph.comment("X=" + String(repeating: "x", count: count), "TITLE=t"))]))
      #expect((finding.fields["other:X"] != nil) == isTaken && finding.remarks.count == (isTaken ? 0 : 1))
    }
    // Chapters: a number of three digits, and a time of three numbers below a million.
    func starts(_ time: String) throws -> [Double] {
      try read(Xiph.flac([(4, Xiph.comment("CHAPTER001=" + time))])).chapters.map(\.startSeconds)
    }
    #expect(try starts("01:02:03.5") == [3_723.5] && starts("02:03").isEmpty && starts("1:2:3:4").isEmpty)
    #expect(try starts("-1:00:00").isEmpty && starts("0:0:999999") == [999_999] && starts("0:0:1000000").isEmpty)
  }
}
