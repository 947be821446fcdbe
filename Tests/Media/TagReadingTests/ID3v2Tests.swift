import Analysis
import AnalysisTesting
import MediaContainers
import Testing

@testable import TagReading

func read(_ bytes: Bytes) throws -> TagFinding { try TagReader.read(ByteSource(bytes)) }

@Suite(.bounded) struct ID3v2Tests {
  @Test(arguments: [2, 3, 4]) func commonFields(version: Int) throws {
    let ids =
      version == 2
      ? ["TT2", "TP1", "TAL", "TP2", "TRK", "TPA", "TCM", "TBP", "TKE", "TRC", "TPB", "TLA", "TCP"]
      : ["TIT2", "TPE1", "TALB", "TPE2", "TRCK", "TPOS", "TCOM", "TBPM", "TKEY", "TSRC", "TPUB", "TLAN", "TCMP"]
    let values = [
      "Title", "Artist", "Album", "Band", "03/12", "1/2", "Composer", "128", "8A", "GBAYE7700123", "Label", "eng", "1",
    ]
    let frames = zip(ids, values).flatMap { ID3.text($0, version, $1) }
    let finding = try read(ID3.tag(version, frames) + audio)
    #expect(finding.formats == ["id3v2.\(version)"])
    #expect(
      finding.fields == [
        "title": ["Title"], "artist": ["Artist"], "album": ["Album"], "albumartist": ["Band"], "track": ["3"],
        "tracktotal": ["12"], "disc": ["1"], "disctotal": ["2"], "composer": ["Composer"], "bpm": ["128"],
        "initialkey": ["8A"], "isrc": ["GBAYE7700123"], "label": ["Label"], "language": ["eng"], "compilation": ["1"],
      ])
    #expect(finding.remarks == [])
  }

  /// Text encodings: number in the frame, then the bytes.
  static let encodings: [(Bytes, String)] = [
    ([0] + [0x42, 0x6A, 0xF6, 0x72, 0x6B], "Björk"),
    ([1, 0xFF, 0xFE] + utf16("さくら 🎵"), "さくら 🎵"),
    ([1, 0xFE, 0xFF] + utf16("Кино", bigEndian: true), "Кино"),
    ([1] + utf16("Without a mark"), "Without a mark"),
    ([1] + utf16("Without, big-endian", bigEndian: true), "Without, big-endian"),
    ([1, 0xFF, 0xFE] + utf16("Ended") + [0, 0], "Ended"),
    ([1, 0xFF, 0xFE] + utf16("Odd") + [0x41], "Odd"),
    ([2] + utf16("Sigur Rós", bigEndian: true), "Sigur Rós"),
    ([3] + Bytes("日本語".utf8), "日本語"),
    ([3] + [0x42, 0x6A, 0xF6, 0x72, 0x6B], "Björk"),
    ([1, 0xFF, 0xFE, 0x00, 0xD8] + utf16("half"), "\u{FFFD}half"),
    (Bytes("Forgotten".utf8), "Forgotten"),
    ([0x42, 0x6A, 0xF6, 0x72, 0x6B], "Björk"),
    (Bytes("\nA line".utf8), "A line"),
  ]

  @Test(arguments: encodings.indices, [3, 4]) func encoding(index: Int, version: Int) throws {
    let (body, expected) = Self.encodings[index]
    let after = ID3.text("TALB", version, "after")
    let finding = try read(ID3.tag(version, ID3.frame("TIT2", version, body), after))
    #expect(finding.fields["title"] == [expected])
    #expect(finding.fields["album"] == ["after"])
  }

  @Test func unknownEncodingIsLeftOut() throws {
    let finding = try read(ID3.tag(3, ID3.frame("TIT2", 3, [4] + "what"), ID3.text("TALB", 3, "album")))
    #expect(finding.fields == ["album": ["album"]])
    #expect(finding.remarks.count == 1)
  }

  @Test func severalValues() throws {
    let finding = try read(
      ID3.tag(
        4, ID3.text("TPE1", 4, "One\0Two\0Three"), ID3.text("TCON", 4, "17\0Ambient\0(9)"),
        ID3.frame("TXXX", 4, [1] + wide("Artists") + [0, 0] + wide("A") + [0, 0] + utf16("B"))))
    #expect(finding.fields["artist"] == ["One", "Two", "Three"])
    #expect(finding.fields["genre"] == ["Rock", "Ambient", "Metal"])
    #expect(finding.fields["artists"] == ["A", "B"])
  }

  @Test func slashesStay() throws {
    let finding = try read(ID3.tag(3, ID3.text("TPE1", 3, "AC/DC")))
    #expect(finding.fields["artist"] == ["AC/DC"])
  }

  @Test(arguments: [
    ("17", ["Rock"]), ("(17)", ["Rock"]), ("(4)(9)Eurodisco", ["Disco", "Metal", "Eurodisco"]), ("(4)Disco", ["Disco"]),
    ("RX", ["Remix"]), ("(CR)", ["Cover"]), ("Rock", ["Rock"]), ("((Parenthesis", ["(Parenthesis"]), ("255", ["255"]),
    ("(Free)", ["(Free)"]), ("(255)", []), ("(255)Own", ["Own"]), ("(17) Rock", ["Rock"]),
  ]) func genres(text: String, expected: [String]) {
    #expect(TagValue.genres(text) == expected)
  }

  @Test func dates() throws {
    let merged = try read(
      ID3.tag(3, ID3.text("TYER", 3, "2011"), ID3.text("TDAT", 3, "2709"), ID3.text("TORY", 3, "1977")))
    #expect(merged.fields["date"] == ["2011-09-27"])
    #expect(merged.fields["originaldate"] == ["1977"])
    let timed = try read(
      ID3.tag(3, ID3.text("TIME", 3, "2315"), ID3.text("TDAT", 3, "2709"), ID3.text("TYER", 3, "2011")))
    #expect(timed.fields["date"] == ["2011-09-27T23:15"])
    for odd in ["27/09", "x", ""] {
      let plain = try read(ID3.tag(3, ID3.text("TYER", 3, "2011"), ID3.text("TDAT", 3, odd)))
      #expect(plain.fields == ["date": ["2011"]])
    }
    let late = try read(ID3.tag(4, ID3.text("TDRC", 4, "1999-03-01 12:30"), ID3.text("TDOR", 4, "0000")))
    #expect(late.fields["date"] == ["1999-03-01T12:30"])
    #expect(late.fields["originaldate"] == nil)
    let old = try read(ID3.tag(2, ID3.text("TYE", 2, "1998")))
    #expect(old.fields["date"] == ["1998"])
  }

  @Test func identifiersAndDescribedFields() throws {
    let finding = try read(
      ID3.tag(
        4, ID3.frame("UFID", 4, Bytes("http://musicbrainz.org\0".utf8) + "11111111-2222"),
        ID3.text("TXXX", 4, "MusicBrainz Release Track Id\0r"), ID3.text("TXXX", 4, "Acoustid Id\0a"),
        ID3.text("TXXX", 4, "replaygain_track_gain\0-7.35 dB"), ID3.text("TXXX", 4, "TRACKTOTAL\0016"),
        ID3.text("TXXX", 4, "Mood\0calm"), ID3.frame("COMM", 4, [3] + "eng\0A comment"),
        ID3.frame("COMM", 4, [3] + "engiTunNORM\0 00000000"), ID3.frame("WOAR", 4, Bytes("http://a.example".utf8))))
    #expect(finding.fields["musicbrainz_recordingid"] == ["11111111-2222"])
    #expect(finding.fields["musicbrainz_trackid"] == ["r"])
    #expect(finding.fields["acoustid_id"] == ["a"])
    #expect(finding.fields["replaygain_track_gain"] == ["-7.35 dB"])
    #expect(finding.fields["tracktotal"] == ["16"])
    #expect(finding.fields["comment"] == ["A comment"])
    #expect(finding.fields["other:COMM:iTunNORM"] == ["00000000"])
    #expect(finding.fields["mood"] == ["calm"])
    #expect(finding.fields["website"] == ["http://a.example"])
  }

  /// Frames of version 2.2 have the same meaning as those of 2.4.
  @Test(arguments: [
    ("TOA", "originalartist"), ("TOT", "originalalbum"), ("TXT", "lyricist"), ("TOR", "originaldate"),
    ("TP4", "remixer"),
    ("TS2", "albumartistsort"), ("TT3", "subtitle"), ("TCR", "copyright"), ("TEN", "encodedby"),
  ]) func shortNames(id: String, field: String) throws {
    #expect(try read(ID3.tag(2, ID3.text(id, 2, "1977"))).fields == [field: ["1977"]])
  }

  @Test func textThatEndsEarly() throws {
    for frame in ["COMM", "UFID", "POPM", "WXXX", "TXXX", "USLT", "SYLT"] {
      let finding = try read(ID3.tag(4, ID3.frame(frame, 4, [0x03]), ID3.text("TIT2", 4, "t")))
      #expect(finding.fields == ["title": ["t"]], "\(frame)")
    }
  }

  @Test func pictures() throws {
    let v3 = try read(
      ID3.tag(
        3, ID3.frame("APIC", 3, [1] + "image/png\0" + [3] + wide("front") + [0, 0] + png),
        ID3.frame("APIC", 3, [0] + "image/\0" + [4] + "\0" + jpeg), ID3.text("TIT2", 3, "t")))
    #expect(
      v3.pictures == [
        TagFinding.Picture(type: "front cover", mime: "image/png", sizeBytes: png.count),
        TagFinding.Picture(type: "back cover", mime: "image/jpeg", sizeBytes: jpeg.count),
      ])
    #expect(v3.fields["title"] == ["t"])
    let v2 = try read(ID3.tag(2, ID3.frame("PIC", 2, [0] + "JPG" + [0] + "d\0" + jpeg)))
    #expect(v2.pictures == [TagFinding.Picture(type: "other", mime: "image/jpeg", sizeBytes: jpeg.count)])
  }

  @Test func lyrics() throws {
    #expect(try read(ID3.tag(4, ID3.frame("USLT", 4, [3] + "eng\0La la"))).hasLyrics)
    #expect(try !read(ID3.tag(4, ID3.frame("USLT", 4, [3] + "eng\0"))).hasLyrics)
    #expect(try read(ID3.tag(4, ID3.frame("SYLT", 4, [3] + "eng" + [2, 1] + "d\0La\0" + big(0, 4)))).hasLyrics)
    #expect(try !read(ID3.tag(4, ID3.text("TIT2", 4, "t"))).hasLyrics)
  }

  @Test func unsynchronization() throws {
    let v3 = ID3.frame("TIT2", 3, [1] + wide("ÿÿ")) + ID3.frame("APIC", 3, [0] + "image/jpeg\0" + [3, 0] + jpeg)
    let old = try read(ID3.tag(3, ID3.unsynchronized(v3), flags: 0x80) + audio)
    #expect(old.fields["title"] == ["ÿÿ"])
    #expect(old.pictures.map(\.sizeBytes) == [jpeg.count])
    // Version 2.4: each frame individually, here preceded by its length.
    let body = [1] + wide("ÿ")
    let packed = syncsafe(body.count) + ID3.unsynchronized(body)
    let new = try read(ID3.tag(4, ID3.frame("TIT2", 4, packed, flags: 0x03), flags: 0x80) + audio)
    #expect(new.fields["title"] == ["ÿ"])
    let lie = try read(ID3.tag(3, ID3.frame("TIT2", 3, [1] + wide("Aÿà")), flags: 0x80) + audio)
    #expect(lie.fields["title"] == ["Aÿà"])
  }

  @Test func packedFrames() throws {
    let body = [0] + "Squeezed"
    let v3 = try read(ID3.tag(3, ID3.frame("TIT2", 3, big(body.count, 4) + stored(body), flags: 0x80)))
    #expect(v3.fields["title"] == ["Squeezed"])
    let v4 = try read(ID3.tag(4, ID3.frame("TIT2", 4, syncsafe(body.count) + stored(body), flags: 0x09)))
    #expect(v4.fields["title"] == ["Squeezed"])
    let grouped = try read(ID3.tag(3, ID3.frame("TIT2", 3, [7] + body, flags: 0x20)))
    #expect(grouped.fields["title"] == ["Squeezed"])
    let picture = [0] + "image/jpeg\0" + [3, 0] + jpeg
    let compressed = try read(ID3.tag(3, ID3.frame("APIC", 3, big(picture.count, 4) + stored(picture), flags: 0x80)))
    #expect(compressed.pictures.map(\.sizeBytes) == [jpeg.count])
    let encrypted = try read(ID3.tag(4, ID3.frame("TIT2", 4, [1] + body, flags: 0x04), ID3.text("TALB", 4, "album")))
    #expect(encrypted.fields == ["album": ["album"]])
    #expect(encrypted.remarks.count == 1)
  }

  @Test func extendedHeader() throws {
    let v3 = try read(ID3.tag(3, big(6, 4) + big(0, 6), ID3.text("TIT2", 3, "three"), flags: 0x40))
    #expect(v3.fields["title"] == ["three"])
    let v4 = try read(ID3.tag(4, syncsafe(6) + [1, 0], ID3.text("TIT2", 4, "four"), flags: 0x40))
    #expect(v4.fields["title"] == ["four"])
    let missing = try read(ID3.tag(3, ID3.text("TIT2", 3, "flag only"), flags: 0x40))
    #expect(missing.fields["title"] == ["flag only"])
  }

  @Test func sizesOfTheOtherVersion() throws {
    let text = [3] + Bytes(repeating: 0x61, count: 300)
    // Eight bits per byte in version 2.4, as in old iTunes.
    let plain = "TIT2" + (big(text.count, 4) + [0, 0] + text)
    let finding = try read(ID3.tag(4, plain, ID3.text("TALB", 4, "after")))
    #expect(finding.fields["title"]?.first?.count == 300)
    #expect(finding.fields["album"] == ["after"])
  }

  @Test func oddIdentifiers() throws {
    let short = try read(ID3.tag(3, ID3.frame("TT2\0", 3, [0] + "short"), ID3.text("TALB", 3, "after")))
    #expect(short.fields == ["title": ["short"], "album": ["after"]])
    let lower = try read(ID3.tag(3, ID3.frame("Date", 3, [0] + "2010"), ID3.text("TALB", 3, "after")))
    #expect(lower.fields == ["album": ["after"]])
  }

  @Test func paddingAndSecondTag() throws {
    let first = ID3.tag(3, Bytes(repeating: 0, count: 100))
    let second = ID3.tag(4, ID3.text("TIT2", 4, "second"), Bytes(repeating: 0, count: 50))
    let finding = try read(first + second + ID3.tag(3, ID3.text("TIT2", 3, "third")) + audio)
    #expect(finding.fields == ["title": ["second"]])
    #expect(finding.formats == ["id3v2.4"])
  }
}
