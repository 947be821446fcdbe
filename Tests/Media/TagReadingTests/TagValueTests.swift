import Analysis
import AnalysisTesting
import Testing

@testable import TagReading

/// Values of tags, both sides of each limit.
@Suite(.bounded) struct TagValueTests {
  private typealias Line = TagFinding.Lyrics.Line

  // MARK: Ratings

  /// ID3v2 counts to 255, with half stars at the values that programs write for them.
  @Test func popularimeters() {
    let halves = [13: "0.5", 54: "1.5", 118: "2.5", 186: "3.5", 242: "4.5"]
    for value in 0...300 {
      let whole = value < 32 ? "1" : value < 96 ? "2" : value < 160 ? "3" : value < 224 ? "4" : "5"
      let expected = (1...255).contains(value) ? halves[value] ?? whole : nil
      #expect(TagRating.stars("\(value)", key: "POPM:x", in: .id3v2) == expected, "\(value)")
      let picard = (1...255).contains(value) ? "\((value + 25) / 51)" : nil
      #expect(TagRating.stars("\(value)", key: "POPM:users@musicbrainz.org", in: .id3v2) == picard, "\(value)")
    }
  }

  @Test func ratingsOfWindowsMedia() {
    for value in 0...120 {
      let ranges = value < 13 ? "1" : value < 38 ? "2" : value < 63 ? "3" : value < 87 ? "4" : "5"
      let expected = (1...99).contains(value) ? [20: "1", 40: "2", 79: "4"][value] ?? ranges : nil
      #expect(TagRating.stars("\(value)", key: "WM/SharedUserRating", in: .asf) == expected, "\(value)")
    }
  }

  @Test(
    arguments: [
      ("rate", KeySpace.mp4, "0", "0"), ("rate", .mp4, "100", "5"), ("rate", .mp4, "101", nil),
      ("rate", .mp4, "1", "0.05"),
      ("SDB/Rating", .asf, "100", "5"), ("SDB/Rating", .asf, "101", nil), ("FMPS_RATING", .vorbis, "1", "5"),
      ("FMPS_RATING", .vorbis, "1.25", nil), ("FMPS_RATING", .apev2, "0", "0"), ("RATING:a@b", .vorbis, "0.5", "2.5"),
      ("RATING:a@b", .vorbis, "1.25", nil), ("RATING:a@b", .apev2, "3", "3"), ("RATING", .vorbis, "0", "0"),
      ("RATING", .vorbis, "0,5", "0.5"), ("RATING", .vorbis, "0.4", "2"), ("RATING", .vorbis, "1", "1"),
      ("RATING", .vorbis, "5", "5"), ("RATING", .vorbis, "6", "0.3"), ("RATING", .vorbis, "101", nil),
      ("RATING", .vorbis, "0.25", "1.25"), ("RATING", .vorbis, "4.75", "4.75"),
    ] as [(String, KeySpace, String, String?)])
  func scales(key: String, space: KeySpace, value: String, stars: String?) {
    #expect(TagRating.stars(value, key: key, in: space) == stars)
  }

  // MARK: Texts

  @Test(
    arguments: [
      ("1999-03-01 12:30", "1999-03-01T12:30"), ("1999-03-01 1", "1999-03-01T1"), ("1999-03-01 ", "1999-03-01 "),
      ("1999/03-01 12:30", "1999/03-01 12:30"), ("1999-03/01 12:30", "1999-03/01 12:30"),
      ("19x9-03-01 12:30", "19x9-03-01 12:30"), ("1999-03-0x 12:30", "1999-03-0x 12:30"),
      ("9999-00-09 0:0", "9999-00-09T0:0"), ("1999-03-01-12:30", "1999-03-01-12:30"), ("1999", "1999"),
    ]) func dates(text: String, expected: String)
  {
    #expect(TagValue.date(text) == expected)
  }

  @Test func whatIsADate() {
    for text in ["1", "9", "0001", "x5"] { #expect(TagValue.isDate(text)) }
    for text in ["", "0", "0000-00-00", "þÿ", ":"] { #expect(!TagValue.isDate(text)) }
    for text in ["1", "true", "TRUE", "Yes"] { #expect(TagValue.flag(text) == "1") }
    for text in ["0", "False", "no"] { #expect(TagValue.flag(text) == "0") }
    #expect(TagValue.flag("2") == nil && TagValue.flag("") == nil)
  }

  @Test func surroundings() {
    for edge in [" ", "\t", "\n", "\r", "\0", "\u{FEFF}", "\r\n"] {
      #expect(TagValue.cleaned(edge + "a b") == "a b" && TagValue.cleaned("a b" + edge) == "a b")
      #expect(TagValue.cleaned(edge + "é" + edge) == "é")
    }
    #expect(TagValue.cleaned("a\rb\r\nc\n\nd") == "a\nb\nc\n\nd")
    #expect(TagValue.cleaned("!a\rb!") == "!a\nb!" && TagValue.cleaned("!") == "!")
    #expect(TagValue.cleaned("a\u{1F}") == "a\u{1F}")
  }

  @Test func numbersOfGenres() {
    #expect(TagValue.genres("0") == ["Blues"] && TagValue.genres("(0)") == ["Blues"])
    #expect(TagValue.genres("191") == ["Psybient"] && TagValue.genres("192") == ["192"])
    #expect(TagValue.genres("(191)") == ["Psybient"] && TagValue.genres("(192)") == [])
    #expect(TagValue.genres("(256)") == ["(256)"] && TagValue.genres("(-1)") == ["(-1)"])
    #expect(TagValue.genres("(17)(RX)(CR)") == ["Rock", "Remix", "Cover"] && TagValue.genres("CR") == ["Cover"])
    #expect(TagValue.genres("(17)((Live)") == ["Rock", "(Live)"] && TagValue.genres("(17") == ["(17"])
    #expect(TagValue.genres("(17)x)") == ["Rock", "x)"] && TagValue.genres("") == [])
  }

  // MARK: Lyrics with times

  @Test(
    arguments: [
      ("[1:2]", 62), ("[01:02.5]", 62.5), ("[01:02,5]", 62.5), ("[01:02:50]", 62.5), ("[01:02:500]", 62.5),
      ("[01:02:5]", 3_725), ("[1:02:03.5]", 3_723.5), ("[0:01:0.5]", 60.5), ("[01:02:5000]", 8_720),
      ("[999999:00]", 59_999_940), ("[1000000:00]", nil), ("[01:02:03:04]", nil), ("[01.5:02]", nil), ("[1:2x]", nil),
      ("[:02]", nil), ("[12]", nil), ("[0:0]", 0),
    ] as [(String, Double?)]) func times(text: String, seconds: Double?)
  {
    #expect(LyricsText.lines(in: text + "x") == (seconds.map { [Line(seconds: $0, text: "x")] } ?? []))
  }

  @Test func offsetsAndOrder() {
    func lines(_ text: String) -> [Line] { LyricsText.lines(in: text) }
    #expect(lines("[offset:-500]\n[00:01]x") == [Line(seconds: 1.5, text: "x")])
    #expect(lines("[00:01]x\n[OFFSET: +500]") == [Line(seconds: 0.5, text: "x")])
    #expect(lines("[offset:2000]\n[00:01]x\n[00:03]y") == [Line(seconds: 0, text: "x"), Line(seconds: 1, text: "y")])
    #expect(lines("[offset:x]\n[00:01]x") == [Line(seconds: 1, text: "x")])
    #expect(lines("[offset:500][00:02]no\n[00:01]x") == [Line(seconds: 0.5, text: "x")])
    #expect(lines("[00:05][offset:500]x") == [Line(seconds: 5, text: "[offset:500]x")])
    // Lines with the same time stay in their order, and blanks before a time do not matter.
    #expect(
      lines(" \t[00:02]a\n\u{FEFF}[00:01]b\n[00:01]c\n[00:00]d").map(\.text) == ["d", "b", "c", "a"])
    #expect(lines("[00:01]<00:01>a <b> c<00:02.5>d < e") == [Line(seconds: 1, text: "a <b> cd < e")])
    #expect(lines("[00:01] a \r\n[00:02]") == [Line(seconds: 1, text: "a"), Line(seconds: 2, text: "")])
  }

  // MARK: Pictures

  @Test func kindsOfPictures() {
    let starts: [(Bytes, String?)] = [
      ([0xFF, 0xD8, 0xFF], "image/jpeg"), ([0xFF, 0xD8, 0xFE], nil), ([0x89, 0x50, 0x4E, 0x47], "image/png"),
      ([0x89, 0x50, 0x4E, 0x48], nil), (Bytes("GIF89a".utf8), "image/gif"), (Bytes("GIF7".utf8), nil),
      (Bytes("BM".utf8), "image/bmp"), (Bytes("RIFF1234WEBP".utf8), "image/webp"), (Bytes("RIFF1234WAVE".utf8), nil),
      (Bytes("1234RIFFWEBP".utf8), nil), ([0x49, 0x49, 0x2A, 0x00], "image/tiff"),
      ([0x4D, 0x4D, 0x00, 0x2A], "image/tiff"), ([0x49, 0x49, 0x00, 0x2A], nil), ([0x4D, 0x4D, 0x2A, 0x00], nil),
      ([], nil),
    ]
    for (start, mime) in starts { #expect(Picture.recognized(start) == mime, "\(start)") }
    let names = [
      ("", "image/png"), ("image/", "image/png"), ("JPG", "image/jpeg"), ("jpeg", "image/jpeg"),
      ("image/jpg", "image/jpeg"), ("PNG", "image/png"), ("Image/WebP", "image/webp"),
    ]
    for (name, mime) in names {
      #expect(Picture.described(type: 3, mime: name, start: png, size: 9).mime == mime, "\(name)")
    }
    let types = [
      (0, "other"), (1, "file icon"), (3, "front cover"), (20, "publisher logotype"), (21, "other"), (-1, "other"),
    ]
    for (type, name) in types {
      let picture = Picture.described(type: type, mime: "", start: [] as Bytes, size: 9)
      #expect(picture.type == name && picture.mime == "" && picture.sizeBytes == 9)
    }
  }

  /// The number of bytes is what the block claims, up to what it has.
  @Test func blocksOfPictures() {
    let block = Xiph.picture(type: 4, mime: "image/gif", description: "some", data: Bytes(1...90))
    let start = block.count - 90
    #expect(
      Picture.flac(block, size: block.count) == TagFinding.Picture(type: "back cover", mime: "image/gif", sizeBytes: 90)
    )
    #expect(Picture.flac(block, size: block.count + 9)?.sizeBytes == 90)
    #expect(Picture.flac(block, size: block.count - 9)?.sizeBytes == 81)
    // The bytes of the picture need not be there.
    #expect(Picture.flac(Bytes(block.prefix(start)), size: block.count)?.sizeBytes == 90)
    #expect(Picture.flac(Bytes(block.prefix(start - 1)), size: block.count) == nil)
    #expect(Picture.flac(block, size: start)?.sizeBytes == 0 && Picture.flac(block, size: start - 1) == nil)
    let unnamed = Xiph.picture(type: 99, mime: "", data: jpeg)
    #expect(
      Picture.flac(unnamed, size: unnamed.count)
        == TagFinding.Picture(type: "other", mime: "image/jpeg", sizeBytes: jpeg.count))
    #expect(Picture.flac([0, 0, 0, 3], size: 4) == nil && Picture.flac([], size: 0) == nil)
  }

  @Test func base64() {
    let alphabet = Bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for (value, character) in alphabet.enumerated() {
      // Four times the same six bits.
      let bits = (0..<4).reduce(0) { bits, _ in bits << 6 | value }
      #expect(Base64.decoded([character, character, character, character]) == big(bits, 3))
    }
    for (text, bytes) in [
      ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm 9\nv*Y@g[=`=", "foob"),
    ] {
      let text = Bytes(text.utf8)
      #expect(Base64.decoded(text[...]) == Bytes(bytes.utf8) && Base64.decodedSize(text[...]) == bytes.utf8.count)
    }
    for character in UInt8.min...UInt8.max where !alphabet.contains(character) {
      #expect(Base64.decodedSize([character, 0x41, 0x41]) == 1, "\(character)")
    }
  }

  // MARK: Encodings

  @Test func flagsOfFrames() {
    for byte in UInt8.min...UInt8.max {
      let old = ID3v2FrameFlags(byte, version: 3)
      #expect(old.isCompressed == (byte & 0x80 != 0) && old.isEncrypted == (byte & 0x40 != 0))
      #expect(old.isGrouped == (byte & 0x20 != 0) && !old.isUnsynchronized && old.hasDataLength == old.isCompressed)
      let new = ID3v2FrameFlags(byte, version: 4)
      #expect(new.isGrouped == (byte & 0x40 != 0) && new.isCompressed == (byte & 0x08 != 0))
      #expect(new.isEncrypted == (byte & 0x04 != 0) && new.isUnsynchronized == (byte & 0x02 != 0))
      #expect(new.hasDataLength == (byte & 0x01 != 0))
      #expect(old.isEncoded == (byte & 0xE0 != 0) && new.isEncoded == (byte & 0x4F != 0))
    }
  }

  @Test func contentOfFrames() {
    func decoded(_ flags: UInt8, _ body: Bytes, all: Bool = false) -> Bytes? {
      ID3v2FrameFlags(flags, version: 4).decoded(body, unsynchronized: all)
    }
    #expect(
      decoded(0, [1, 0xFF, 0, 2]) == [1, 0xFF, 0, 2] && decoded(0, [1, 0xFF, 0, 2], all: true) == [1, 0xFF, 2])
    #expect(decoded(2, [1, 0xFF, 0, 2]) == [1, 0xFF, 2] && decoded(4, [1, 2]) == nil)
    #expect(decoded(0x40, [9]) == [] && decoded(0x40, []) == nil && decoded(0x40, [9, 1]) == [1])
    #expect(decoded(1, [9, 9, 9, 9]) == [] && decoded(1, [9, 9, 9]) == nil && decoded(1, [9, 9, 9, 9, 1]) == [1])
    #expect(decoded(0x41, [9, 9, 9, 9, 9, 1]) == [1] && decoded(0x41, [9, 9, 9, 9]) == nil)
    #expect(decoded(8, stored([5, 6])) == [5, 6] && decoded(8, [1, 2, 3]) == nil)
  }

  @Test func resynchronization() {
    for (bytes, expected) in [
      ([0xFF, 0, 0xE0], [0xFF, 0xE0]), ([0xFF, 0, 0], [0xFF, 0]), ([0xFF, 0xDF], [0xFF, 0xDF]),
      ([0xFF, 0, 1, 0xFF, 0xE0], [0xFF, 0, 1, 0xFF, 0xE0]), ([0, 0xFF], [0, 0xFF]), ([0, 0], [0, 0]),
      ([0xFF, 0, 0xFF, 0], [0xFF, 0xFF]),
    ] as [(Bytes, Bytes)] { #expect(ID3v2Tag.resynchronized(bytes) == expected) }
    #expect(ID3v2Tag.syncsafe([1, 0, 0, 0x7F]) == 1 << 21 + 127 && ID3v2Tag.syncsafe([0, 0, 0, 0x80]) == nil)
    #expect(ID3v2Tag.syncsafe([0, 0, 1]) == nil)
  }

  /// UTF-16 without a mark: the zeros tell, and then the string before.
  @Test func wideTexts() throws {
    func texts(_ encoding: UInt8, _ bytes: Bytes) throws -> [String] {
      var text = try #require(ID3v2Text(encoding: encoding, bytes[...]))
      return text.all()
    }
    #expect(try texts(1, utf16("ab") + [0, 0] + utf16("c")) == ["ab", "c"])
    #expect(try texts(1, utf16("ab", bigEndian: true) + [0, 0] + utf16("c", bigEndian: true)) == ["ab", "c"])
    // As many zeros in both halves.
    #expect(try texts(1, [0x41, 0x42]) == ["\u{4241}"] && texts(2, [0x41, 0x42]) == ["\u{4142}"])
    #expect(try texts(1, [0xFE, 0xFF] + utf16("a", bigEndian: true) + [0, 0, 0x41, 0x42]) == ["a", "\u{4142}"])
    #expect(try texts(1, [0xFF, 0xFE, 0, 0, 0x41, 0x42]) == ["", "\u{4241}"])
    // A NUL begins at an even place.
    #expect(try texts(1, [0xFF, 0xFE, 0x41, 0, 0, 0x42, 0, 0]) == ["A\u{4200}"])
    #expect(try texts(0, [0x61, 0, 0, 0xE9]) == ["a", "", "é"] && texts(3, [0x61, 0, 0xE9]) == ["a", "é"])
    #expect(ID3v2Text(encoding: 4, []) == nil)
    #expect(ID3v2Text.terminator(in: [1, 0, 0, 1, 0, 0], isWide: true) == 4)
    #expect(ID3v2Text.terminator(in: [1, 0, 0, 1, 0], isWide: true) == nil)
    #expect(
      ID3v2Text.terminator(in: [1, 0, 0], isWide: false) == 1 && ID3v2Text.terminator(in: [1], isWide: false) == nil)
    #expect(TagText.utf16([0x41, 0, 0x42], isBigEndian: false) == "A")
  }

  /// More values than any field has: 10,000 separators are taken.
  @Test func plausibleTexts() {
    let limit = TagLimits.valueCount
    #expect(limit == 10_000)
    for isWide in [false, true] {
      let text = Bytes(repeating: 0, count: isWide ? 2 * limit : limit)
      #expect(TagLimits.isPlausible(text[...], isWide: isWide))
      #expect(!TagLimits.isPlausible((text + [0, 0])[...], isWide: isWide))
      #expect(TagLimits.isPlausible((text + [1, 0])[...], isWide: isWide) == isWide)
    }
  }
}
