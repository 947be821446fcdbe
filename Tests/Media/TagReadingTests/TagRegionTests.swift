import Analysis
import AnalysisTesting
import AudioDecoding
import Testing

@testable import TagReading

/// Decoding and tag reading agree on the boundaries between audio and tags.
@Suite(.bounded) struct TagRegionTests {
  private static let flac = Xiph.flac([(1, Bytes(repeating: 0, count: 9))]) + [0xFF, 0xF8] + Bytes(1...200)

  private static let frame = ID3.text("TIT2", 3, "in front")

  /// A tag with these size bytes.
  private static func tag(size: Bytes, _ body: Bytes) -> Bytes { "ID3" + ([3, 0, 0] + size + body) }

  /// Frames of 200 bytes in total: in plain binary, one size byte has a bit set that must be zero.
  private static let twoHundred = frame + Bytes(repeating: 0, count: 200 - frame.count)

  private static let footer: Bytes = {
    let body = ID3.text("TIT2", 4, "in front")
    return ID3.tag(4, body, flags: 0x10) + "3DI" + ([4, 0, 0x10] + syncsafe(body.count))
  }()

  static let leading: [(String, Bytes)] = [
    ("nothing", []),
    ("a tag", ID3.tag(3, frame)),
    ("a size with eighth bits that mean nothing", tag(size: [0x80, 0x80, 0, UInt8(frame.count)], frame)),
    ("a size of eight bits to a byte", tag(size: big(200, 4), twoHundred)),
    ("a footer", footer),
    ("a flag of a footer that is not there", ID3.tag(4, ID3.text("TIT2", 4, "in front"), flags: 0x10)),
    ("a footer without a flag", ID3.tag(4, ID3.text("TIT2", 4, "in front")) + "3DI" + Bytes(repeating: 0, count: 7)),
    ("several tags", ID3.tag(3, frame) + ID3.tag(4, ID3.text("TALB", 4, "x")) + ID3.tag(2, ID3.text("TT2", 2, "x"))),
    ("many tags", ID3.tag(3, frame) + (0..<100).flatMap { _ in ID3.tag(4, Bytes(repeating: 0, count: 20)) }),
    ("an APEv2 tag", apeHeader + APE.tag(APE.item("Title", Bytes("in front".utf8)))),
  ]

  /// The header of the tag of one item above.
  private static let apeHeader: Bytes = {
    let footer = APE.tag(APE.item("Title", Bytes("in front".utf8))).suffix(32)
    return footer.prefix(20) + [0, 0, 0, 0xA0] + Bytes(repeating: 0, count: 8)
  }()

  private static let ape = APE.tag(APE.item("Title", Bytes("behind".utf8)))
  private static let v1 = id3v1(title: "behind")
  private static let lyrics2 = Bytes("LYRICSBEGININD0000200ETT00006behind".utf8) + "000035LYRICS200"
  private static let lyrics1 = Bytes("LYRICSBEGINLa la\nla\nLYRICSEND".utf8)
  private static let appended: Bytes = {
    let body = ID3.text("TIT2", 4, "behind")
    return ID3.tag(4, body, flags: 0x10) + "3DI" + ([4, 0, 0x10] + syncsafe(body.count))
  }()

  static let trailing: [(String, Bytes)] = [
    ("nothing", []), ("ID3v1", v1), ("APEv2", ape), ("APEv2 and ID3v1", ape + v1), ("ID3v1 and APEv2", v1 + ape),
    ("Lyrics3v2 and ID3v1", lyrics2 + v1), ("APEv2, Lyrics3v2 and ID3v1", ape + lyrics2 + v1), ("Lyrics3v2", lyrics2),
    ("Lyrics3v1 and ID3v1", lyrics1 + v1),
    ("the extended ID3v1", Bytes("TAG+".utf8) + Bytes(repeating: 0x41, count: 223) + v1),
    ("an appended ID3v2.4 tag", appended), ("an appended ID3v2.4 tag and ID3v1", appended + v1),
  ]

  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test(arguments: leading.indices, trailing.indices) func bothAgree(front: Int, back: Int) throws {
    let bare = try AudioContent(path: folder.write(Self.flac, as: "bare"))
    let bytes = Self.leading[front].1 + Self.flac + Self.trailing[back].1
    let path = try folder.write(bytes, as: "tagged")
    let names = "\(Self.leading[front].0) in front, \(Self.trailing[back].0) behind"
    let content = try AudioContent(path: path)
    #expect(content.id == bare.id, "\(names)")
    #expect(content.remarks == [], "\(names)")
    let finding = try TagReader.read(path: path)
    // A tag after the audio takes precedence over an APEv2 tag before it.
    let expected = front == 0 ? back == 0 ? nil : "behind" : back > 0 && front == 9 && back != 7 ? "behind" : "in front"
    #expect(finding.fields["title"]?.first == expected, "\(names)")
  }

  @Test func oddSizesAreRemarkedOn() throws {
    for odd in [2, 3] {
      let finding = try read(Self.leading[odd].1 + Self.flac)
      #expect(finding.fields == ["title": ["in front"]])
      #expect(finding.remarks.count == 1)
      #expect(finding.remarks.first?.contains("must be zero") == true)
    }
  }

  /// Tags that are not read are listed in remarks.
  @Test func nothingIsDroppedWithoutAWord() throws {
    let several = try read(Self.leading[7].1 + Self.flac)
    #expect(several.remarks.contains { $0.contains("3 ID3v2 tags") })
    let unknown = try read("ID3" + ([9, 0, 0] + syncsafe(4) + big(0, 4)) + Self.flac)
    #expect(unknown.remarks.contains { $0.contains("unknown version") })
    let extended = try read(Self.flac + Self.trailing[9].1)
    #expect(extended.remarks.contains { $0.contains("TAG+") })
    let own = try read(ID3.tag(3, Self.frame) + Xiph.flac([(4, Xiph.comment("ALBUM=own"))]))
    #expect(own.remarks.contains { $0.contains("title") })
    let cut = try read(ID3.tag(3, Self.frame, size: 5_000) + audio)
    #expect(cut.fields["title"] == ["in front"])
    #expect(cut.remarks.contains { $0.contains("longer than the file") })
    let junk = try read(ID3.tag(3, Self.frame, Bytes(repeating: 0x7E, count: 40)) + audio)
    #expect(junk.fields["title"] == ["in front"])
    #expect(junk.remarks.contains { $0.contains("damaged") })
    for broken in [APE.tag(APE.item("Title", [0x74]), size: 0xFFFF_FFF0), Bytes("999999LYRICS200".utf8)] {
      for tail in [[], Self.v1] {
        #expect(try read(audio + broken + tail).remarks.contains { $0.contains("impossible size") })
      }
    }
    let twice = try read(Xiph.flac([(4, Xiph.comment("ALBUM=first")), (4, Xiph.comment("ALBUM=second"))]))
    #expect(twice.fields["album"] == ["first"])
    #expect(twice.remarks.count == 1)
  }

  /// A file that consists only of a tag does not have one that is too long.
  @Test func aTagAloneIsWhole() throws {
    let finding = try read(ID3.tag(3, Self.frame))
    #expect(finding.fields == ["title": ["in front"]])
    #expect(finding.remarks == [])
  }

  @Test(arguments: ["wvpk", "MAC ", "TTA1", "MP+\u{7}", "OggS", "tBaK"])
  func tagsInFrontOfOtherFormats(mark: String) throws {
    let file = Bytes(mark.utf8) + Bytes(repeating: 1, count: 300)
    #expect(try read(Self.leading[3].1 + file).fields["title"] == ["in front"])
    #expect(try read(Self.leading[2].1 + file).fields["title"] == ["in front"])
  }

  /// Odd sizes have a padding byte, which some writers forget, and which others do not set to zero.
  @Test(arguments: [true, false], [[], [0], [0x58]] as [Bytes]) func oddChunks(isAIFF: Bool, padding: Bytes) throws {
    func chunk(_ id: String, _ body: Bytes) -> Bytes {
      id + ((isAIFF ? big(body.count, 4) : little(body.count, 4)) + body)
    }
    let tag = ID3.tag(4, ID3.text("TIT2", 4, "t"), Bytes(repeating: 0, count: 12))
    let sound = chunk(isAIFF ? "SSND" : "data", Bytes(repeating: 0, count: 8) + Bytes(1...200))
    let after = chunk(isAIFF ? "ID3 " : "id3 ", tag.count % 2 == 0 ? tag : tag + [0]) + sound
    func file(_ chunks: Bytes) -> Bytes { isAIFF ? Chunks.aiff(chunks) : Chunks.wav(chunks) }
    let path = try folder.write(file(chunk("junk", Bytes(repeating: 7, count: 33)) + padding + after), as: "odd")
    #expect(try TagReader.read(path: path).fields == ["title": ["t"]])
    let even = try folder.write(file(chunk("junk", Bytes(repeating: 7, count: 34)) + after), as: "even")
    #expect(try AudioContent(path: path).id == AudioContent(path: even).id)
  }
}
