import Analysis
import AnalysisTesting
import MediaContainers
import SystemPackage
import Testing

@testable import TagReading

@Suite(.bounded) struct HostileTagTests {
  /// Simulates a file with many large tags, and one that is shortened while it is read.
  @Test func aBudgetMayEndInsideATag() throws {
    let items = (0..<6).flatMap { APE.item("Key\($0)", Bytes(repeating: 0x41, count: 20_000)) }
    let folder = try TemporaryDirectory()
    let path = try folder.write(audio + APE.tag(items, count: 6), as: "x")
    for budget in stride(from: 0, to: 200_000, by: 9_000) {
      let finding = try TagReader.read(ByteSource(path: path, budget: budget))
      #expect(finding.fields.count <= 6)
    }
    #expect(try TagReader.read(ByteSource(path: path)).fields.count == 6)
  }

  @Test func bombIsLeftOut() throws {
    let body = bomb(64 << 20)
    #expect(body.count < 1 << 20)
    let frames = ID3.frame("TXXX", 3, big(64 << 20, 4) + body, flags: 0x80) + ID3.text("TIT2", 3, "after")
    let finding = try read(ID3.tag(3, frames) + audio)
    #expect(finding.fields == ["title": ["after"]])
    #expect(finding.remarks.count == 1)
  }

  @Test func smallRepetitionIsNoBomb() throws {
    let body = bomb(258 * 4)
    // The checksum is wrong because `bomb` does not compute it.
    let finding = try read(ID3.tag(3, ID3.frame("TIT2", 3, big(1033, 4) + body, flags: 0x80)))
    #expect(finding.fields.isEmpty)
    #expect(finding.remarks.count == 1)
  }

  static let lies: [(String, Bytes)] = [
    ("tag of 256 MB", ID3.tag(3, ID3.text("TIT2", 3, "kept"), size: (256 << 20) - 1)),
    ("frame of 4 GB", ID3.tag(3, ID3.text("TIT2", 3, "kept"), ID3.frame("APIC", 3, [0], size: 0xFFFF_FFFF))),
    ("frame longer than the tag", ID3.tag(4, ID3.text("TIT2", 4, "kept"), ID3.frame("TALB", 4, [3], size: 50_000))),
    ("empty frame", ID3.tag(3, ID3.frame("TALB", 3, []), ID3.text("TIT2", 3, "kept"))),
    ("chapters in chapters", ID3.tag(3, ID3.frame("CHAP", 3, [0, 0]), ID3.text("TIT2", 3, "kept"))),
    ("2^32 comments", Xiph.flac([(4, Xiph.comment([Bytes("TITLE=kept".utf8)], count: 0xFFFF_FFFF))])),
    ("comment of 2 GB", Xiph.flac([(4, Xiph.comment([Bytes("TITLE=kept".utf8)], count: 2) + little(0x7FFF_FFFF, 4))])),
    ("2^32 APE items", audio + APE.tag(APE.item("Title", Bytes("kept".utf8)), count: 0xFFFF_FFFF)),
    (
      "APE item of 2 GB",
      audio + APE.tag(APE.item("Title", Bytes("kept".utf8)), little(0x7FFF_FFFF, 4) + little(0, 4) + "Artist\0x")
    ),
    ("65,535 ASF attributes", ASF.file(ASF.extended([("Title", 0, utf16("kept"))], count: 65_535))),
    ("MP4 item of 4 GB", MP4.file(MP4.text("©nam", "kept"), big(0xFFFF_FFF0, 4) + Bytes("©alb".utf8.prefix(4)))),
    ("INFO field of 4 GB", Chunks.wav(Chunks.info([("INAM", "kept")]), "LIST" + little(0xFFFF_FFF0, 4) + "INFO")),
    (
      "picture of 4 GB",
      Xiph.flac([(4, Xiph.comment("TITLE=kept")), (6, big(3, 4) + big(0xFFFF_FFFF, 4) + "image/png")])
    ),
  ]

  @Test(arguments: lies.indices) func lyingSizes(index: Int) throws {
    let finding = try read(Self.lies[index].1)
    #expect(finding.fields["title"] == ["kept"], "\(Self.lies[index].0)")
  }

  @Test func absurdCounts() throws {
    let many = try read(ID3.tag(3, (0..<20_000).flatMap { ID3.text("TXXX", 3, "k\($0)\0v") }))
    #expect(many.fields.count == TagLimits.valueCount)
    #expect(many.remarks.count == 1)
    let comments = try read(
      Xiph.ogg("OpusHead" + big(0, 11), ["OpusTags" + Xiph.comment((0..<20_000).map { Bytes("K\($0)=v".utf8) })]))
    #expect(comments.fields.count == TagLimits.valueCount)
    #expect(comments.remarks.count == 1)
    let values = try read(
      ID3.tag(4, ID3.text("TPE1", 4, String(repeating: "x\0", count: 100_000)), ID3.text("TIT2", 4, "t")))
    #expect(values.fields == ["title": ["t"]])
    #expect(values.remarks.count == 1)
    let tags = try read((0..<5_000).flatMap { _ in ID3.tag(3) } + audio)
    #expect(tags.fields.isEmpty)
  }

  @Test func nestedAtoms() throws {
    var nest: Bytes = []
    for depth in 0..<20_000 { nest += big(8 * (20_000 - depth), 4) + "moov" }
    #expect(try read(MP4.atom("ftyp", Bytes("M4A ".utf8)) + nest).fields.isEmpty)
    // Also inside the list.
    let inner = MP4.atom("moov", MP4.atom("moov", MP4.atom("moov", [])))
    #expect(try read(MP4.file(inner, MP4.text("©nam", "kept"))).fields == ["title": ["kept"]])
  }

  private static let timedTexts: Bytes = {
    var lyrics: Bytes = [1] + "eng" + [2, 1] + wide("d") + [0, 0]
    lyrics += wide("La") + [0, 0] + big(9, 4)
    let chapter: Bytes = Bytes("c\0".utf8) + big(0, 16) + ID3.text("TIT2", 4, "t")
    let people = Bytes("\u{3}producer\0P\0mix\0M".utf8)
    let words: Bytes = [3] + "eng\0[00:01]La"
    let tag = ID3.tag(
      4, ID3.frame("CHAP", 4, chapter), ID3.frame("SYLT", 4, lyrics), ID3.frame("TIPL", 4, people),
      ID3.frame("USLT", 4, words))
    return tag + audio + Bytes("LYRICSBEGINLa\nlaLYRICSEND".utf8) + id3v1(title: "t")
  }()
  private static let chapterFile = Matroska.file(
    Matroska.element(0x1254_C367, Matroska.tag(level: 50, Matroska.simpleTag("TITLE", "t"))),
    Matroska.element(0x1043_A770, Matroska.element(0x45B9, Matroska.chapter(1, 2, "c"))))
  private static let chapterTracks: Bytes =
    MP4.atom("ftyp", Bytes("M4B ".utf8)) + MP4.atom("moov", LyricsTests.chapterTracks(titlesAt: 20))

  static let seeds: [Bytes] = [
    ID3.tag(
      3, ID3.text("TIT2", 3, "Title"), ID3.frame("COMM", 3, [1] + "eng" + wide("") + [0, 0] + wide("c")),
      ID3.frame("APIC", 3, [0] + "image/png\0" + [3, 0] + png), ID3.frame("UFID", 3, Bytes("o\0id".utf8)),
      ID3.frame("TXXX", 3, [1] + wide("k") + [0, 0] + wide("v"))) + audio
      + APE.tag(APE.item("Title", Bytes("t".utf8)), APE.item("Cover Art (Front)", png, isBinary: true))
      + id3v1(title: "t"),
    ID3.tag(2, ID3.text("TT2", 2, "Title"), ID3.frame("PIC", 2, [0] + "PNG" + [3, 0] + png)) + audio,
    ID3.tag(4, ID3.frame("TIT2", 4, syncsafe(5) + stored([3] + "abcd"), flags: 0x09), ID3.text("TPE1", 4, "a\0b"))
      + audio,
    Xiph.flac([(4, ContainerTests.comment), (6, Xiph.picture(data: png))]),
    Xiph.ogg("OpusHead" + big(0, 11), ["OpusTags" + ContainerTests.comment]),
    Xiph.ogg("\u{1}vorbis" + big(0, 23), ["\u{3}vorbis" + ContainerTests.comment + [1]]),
    MP4.file(
      MP4.text("©nam", "t"), MP4.free("ISRC", "a", "b"), MP4.atom("trkn", MP4.data(0, [0, 0, 0, 1, 0, 2, 0, 0])),
      MP4.atom("covr", MP4.data(13, jpeg))),
    ASF.file(
      ASF.description(title: "t", author: "a", comment: "c"),
      ASF.extended([("WM/Genre", 0, utf16("g")), ("WM/TrackNumber", 3, little(1, 4))]),
      ASF.library([("WM/Picture", 1, [3] + little(4, 4) + utf16("image/png\0\0") + png)])),
    Chunks.wav(
      Chunks.info([("INAM", "t"), ("IART", "a")]), Chunks.chunk("id3 ", ID3.tag(3, ID3.text("TIT2", 3, "t")))),
    Chunks.aiff(Chunks.chunk("NAME", Bytes("n".utf8), bigEndian: true)),
    timedTexts, chapterFile, chapterTracks,
    Bytes("IMPM".utf8) + Bytes(repeating: 1, count: 400),
    Bytes("Extended Module: ".utf8) + Bytes(repeating: 2, count: 400),
    Bytes(repeating: 3, count: 44) + "SCRM" + Bytes(repeating: 0, count: 400),
    Bytes(repeating: 0, count: 1080) + "M.K." + Bytes(repeating: 4, count: 400),
  ]

  /// Damaged files give the remaining values, and never a crash or values without text.
  @Test(arguments: seeds.indices) func damage(index: Int) throws {
    let seed = Self.seeds[index]
    var random = SplitMix64(seed: UInt64(index))
    let numbers: [Bytes] = [
      [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 8],
    ]
    for _ in 0..<600 {
      var file = seed
      for _ in 0..<Int.random(in: 1...6, using: &random) where !file.isEmpty {
        let position = Int.random(in: 0..<file.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: file[position] = UInt8.random(in: 0...255, using: &random)
        case 1: file[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2:
          let number = numbers[Int.random(in: 0..<numbers.count, using: &random)]
          file.replaceSubrange(position..<min(position + 4, file.count), with: number)
        case 3: file.removeSubrange(position..<min(position + 9, file.count))
        default: file.insert(contentsOf: file.prefix(position).suffix(20), at: position)
        }
      }
      if Bool.random(using: &random) { file.removeLast(Int.random(in: 0...(file.count / 4), using: &random)) }
      let finding = try read(file)
      for (name, values) in finding.fields {
        #expect(!values.isEmpty)
        #expect(!values.contains(""))
        #expect(TagField.named(name) != nil || name.hasPrefix(TagField.otherPrefix))
      }
      let times = finding.chapters.map(\.startSeconds) + finding.lyrics.flatMap { $0.lines.map(\.seconds) }
      #expect(times.allSatisfy { $0.isFinite && $0 >= 0 })
    }
  }

  @Test func noise() throws {
    var random = SplitMix64(seed: 1)
    for start in [
      "", "ID3\u{3}\0\0", "fLaC", "OggS\0\u{2}", "\0\0\0\u{14}ftyp", "RIFF\0\0\0\0WAVE", "FORM\0\0\0\0AIFF", "IMPM",
    ] {
      for length in [0, 1, 9, 10, 27, 100, 1_000, 5_000] {
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        let finding = try read(start + bytes)
        #expect(finding.fields.values.allSatisfy { !$0.isEmpty })
      }
    }
  }
}
