import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

@Suite(.bounded) struct MP4FileTests {
  private static func box(_ name: String, _ content: [UInt8]...) -> [UInt8] {
    let content = content.flatMap(\.self)
    return UInt32(content.count + 8).bigEndianBytes + Array(name.unicodeScalars.map { UInt8($0.value) }) + content
  }

  private static func data(_ type: UInt32, _ value: [UInt8]) -> [UInt8] {
    box("data", type.bigEndianBytes + [0, 0, 0, 0], value)
  }

  private static func tempo(_ value: UInt16) -> [UInt8] { box("tmpo", data(21, value.bigEndianBytes)) }

  private static func own(_ name: String, _ values: String..., mean: String = "com.apple.iTunes") -> [UInt8] {
    box(
      "----", box("mean", [0, 0, 0, 0], Array(mean.utf8)), box("name", [0, 0, 0, 0], Array(name.utf8)),
      values.flatMap { data(1, Array($0.utf8)) })
  }

  private static let title = box("©nam", data(1, Array("Title".utf8)))
  private static let cover = box("covr", data(14, noise(30, seed: 1)))

  private static func handler(_ kind: String = "mdir") -> [UInt8] {
    box("hdlr", [UInt8](repeating: 0, count: 8), Array("\(kind)appl".utf8), [UInt8](repeating: 0, count: 9))
  }

  private static func meta(_ children: [UInt8]...) -> [UInt8] { box("meta", [0, 0, 0, 0], children.flatMap(\.self)) }

  private static func list(_ items: [UInt8]...) -> [UInt8] {
    box("udta", meta(handler(), box("ilst", items.flatMap(\.self))))
  }

  private static let fileType = box("ftyp", Array("M4A mp42".utf8))
  private static let audio = box("mdat", noise(50, seed: 2))

  private func file(_ bytes: [UInt8]) throws -> MP4File { try MP4File(ByteSource(bytes), at: 0) }

  private func written(_ bytes: [UInt8], _ items: (key: String, values: [String])...) throws -> [UInt8] {
    try file(bytes).bytes(ByteSource(bytes), setting: items)
  }

  private static func moov(_ boxes: [UInt8]...) -> [UInt8] {
    box("moov", box("mvhd", [1, 2, 3]), boxes.flatMap(\.self))
  }

  private static let key = "----:com.apple.iTunes:Own"

  // MARK: Items

  @Test func itemsAreFound() throws {
    let (limit, name) = (65_535, String(repeating: "n", count: 4_096))
    let long = [UInt8](repeating: 65, count: limit)
    let items = [
      Self.title, Self.tempo(300), Self.own("Own", "ä", "b"), Self.cover, Self.own("a:b", mean: "m"),
      Self.box("tmpo", Self.data(21, [1, 2, 3, 4, 5, 6, 7, 8]), Self.data(21, [UInt8](repeating: 1, count: 9))),
      Self.box("tmpo", Self.data(21, [])),
      Self.box(
        "----", Self.box("mean", [0, 0, 0, 0, 77]), Self.box("name", [0, 0, 0, 0, 78]), Self.data(1, long),
        Self.data(1, long + [65]), Self.data(1, [66])),
      Self.own(name + "n"), Self.box("----", Self.box("name", [0, 0, 0, 0, 78]), Self.data(1, [65])),
      Self.box("----", Self.box("mean", [0, 0, 0, 0, 78]), Self.data(1, [65])),
      Self.box("tmpo", Self.data(21, [9]), Self.box("free"), Self.data(21, [8])),
    ]
    let list = Self.box("udta", Self.meta(Self.box("ilst", items.flatMap(\.self))))
    let bytes = Self.fileType + Self.audio + Self.moov(list)
    let tag = try file(bytes).tags[0]
    #expect(
      tag.keys == [
        "", "tmpo", Self.key, "", "----:m:a:b", "tmpo", "tmpo", "----:M:N", "----:com.apple.iTunes:" + name, "", "",
        "tmpo",
      ])
    #expect(tag.values[..<7] == [[], ["300"], ["ä", "b"], [], [], ["72623859790382856"], []])
    #expect(tag.values[7].map(\.count) == [limit, 1] && tag.values[8...] == [[], [], [], ["9"]])
    #expect(tag.texts == [true, true, true, false] + [Bool](repeating: true, count: 8))
    var position = bytes.count - items.reduce(0) { $0 + $1.count }
    for (entry, item) in zip(tag.entries, items) {
      #expect(entry.content == .original(position..<position + item.count))
      position += item.count
    }
    // The box of the list goes past its end.
    let damaged = Self.moov(Self.box("udta", Self.meta(Self.box("ilst", Self.title, [0, 0, 0, 0, 1]))))
    #expect(throws: TagWriteError.self) { try file(Self.fileType + Self.audio + damaged) }
  }

  @Test func itemsAreSet() throws {
    func file(_ items: [UInt8]...) -> [UInt8] {
      Self.fileType + Self.audio + Self.moov(Self.list(items.flatMap(\.self)))
    }
    let old = file(Self.title, Self.own("Own", "ä"), Self.cover)
    #expect(try written(old) == old)
    #expect(
      try written(old, ("tmpo", ["300"]), (Self.key, ["x", "yz"]))
        == file(Self.title, Self.own("Own", "x", "yz"), Self.cover, Self.tempo(300)))
    #expect(try written(old, (Self.key, [])) == file(Self.title, Self.cover))
    #expect(
      try written(old, ("----:m:a:b", ["x"]))
        == file(Self.title, Self.own("Own", "ä"), Self.cover, Self.own("a:b", "x", mean: "m")))
    for (key, value) in [("tmpo", "128.5"), ("tmpo", "65536"), ("tmpo", "-1"), ("----:a", "x"), ("©nam", "x")] {
      let error = #expect(throws: TagWriteError.self) { try written(old, (key, [value])) }
      #expect(error?.code == .noRoom, "\(key)")
    }
    #expect(try written(old, ("tmpo", ["65535"])).count == old.count + 26)
  }

  /// Boxes around the list are created if they are missing.
  @Test func aListIsAdded() throws {
    func file(_ boxes: [UInt8]...) -> [UInt8] { Self.fileType + Self.audio + Self.moov(boxes.flatMap(\.self)) }
    let items = Self.box("ilst", Self.tempo(90))
    let new = Self.meta(Self.handler(), items)
    let (other, zeros) = (Self.box("name", [1, 2]), [UInt8](repeating: 0, count: 4))
    for (before, after) in [
      (file(), file(Self.box("udta", new))), (file(other), file(other, Self.box("udta", new))),
      (file(Self.box("udta")), file(Self.box("udta", new))),
      (file(Self.box("udta", other), other), file(Self.box("udta", other, new), other)),
      // QuickTime ends the box with zeros.
      (file(Self.box("udta", other, zeros), other), file(Self.box("udta", other, new, zeros), other)),
      (file(Self.box("udta", zeros)), file(Self.box("udta", new, zeros))),
      // The first of two.
      (
        file(Self.box("udta", other), Self.box("udta", other)),
        file(Self.box("udta", other, new), Self.box("udta", other))
      ),
      (
        file(Self.box("udta", other), Self.box("udta", Self.meta(Self.handler(), other))),
        file(Self.box("udta", other), Self.box("udta", Self.meta(Self.handler(), other, items)))
      ),
      (
        file(Self.box("udta", other), Self.list(Self.title)),
        file(Self.box("udta", other), Self.list(Self.title, Self.tempo(90)))
      ),
    ] {
      #expect(try written(before, ("tmpo", ["90"])) == after)
    }
    for before in [
      file(Self.box("udta", Self.meta(Self.handler("mdta")))), file(Self.box("udta", Self.meta(other))),
      file(Self.box("udta", zeros, [0])), file(Self.box("udta", other, [0, 0, 0, 1])),
    ] {
      let error = #expect(throws: TagWriteError.self) { try written(before, ("tmpo", ["90"])) }
      #expect(error?.code == .oddStructure)
    }
  }

  // MARK: Free space

  /// `tmpo` takes 26 bytes.
  @Test(arguments: ["free", "skip"]) func freeSpaceAfterTheHeader(name: String) throws {
    func space(_ content: [UInt8], _ name: String = "free") -> [UInt8] { Self.box(name, content) }
    let (old, new) = (Self.moov(Self.list(Self.title)), Self.moov(Self.list(Self.title, Self.tempo(90))))
    let content = noise(60, seed: 3)
    func grown(_ count: Int) throws -> [UInt8] {
      try written(Self.fileType + old + space(Array(content.prefix(count)), name) + Self.audio, ("tmpo", ["90"]))
    }
    // The end of the space keeps its bytes.
    for count in [60, 26 + 1, 26] {
      let rest = Array(content.prefix(count).suffix(count - 26))
      #expect(try grown(count) == Self.fileType + new + space(rest) + Self.audio, "\(count)")
    }
    #expect(try grown(18) == Self.fileType + new + Self.audio)
    for count in [25, 19, 17, 0] {
      let kept = space(Array(content.prefix(count)), name)
      #expect(try grown(count) == Self.fileType + new + kept + Self.audio, "\(count)")
    }
    // Space that becomes free is filled with zeros.
    for count in [0, 1, 60] {
      let before = Self.fileType + new + space(Array(content.prefix(count)), name) + Self.audio
      let after = space([UInt8](repeating: 0, count: 26) + content.prefix(count))
      #expect(try written(before, ("tmpo", [])) == Self.fileType + old + after + Self.audio, "\(count)")
      #expect(try written(before, ("tmpo", ["90"])) == before)
    }
  }

  /// Only a box directly after the header counts, with a size of four bytes.
  @Test func otherFreeSpace() throws {
    let (old, new) = (Self.moov(Self.list(Self.title)), Self.moov(Self.list(Self.title, Self.tempo(90))))
    let space = Self.box("free", [UInt8](repeating: 7, count: 60))
    let long = [0, 0, 0, 1] + Array("free".utf8) + UInt64(76).bigEndianBytes + [UInt8](repeating: 7, count: 60)
    for (start, end) in [
      (space, Self.audio), ([], Self.audio + space), ([], long + Self.audio),
      ([], Self.box("wide") + space + Self.audio), (space, []),
    ] {
      #expect(
        try written(Self.fileType + start + old + end, ("tmpo", ["90"])) == Self.fileType + start + new + end)
    }
  }

  // MARK: Offsets of the audio

  private static func track(_ tables: [UInt8]...) -> [UInt8] {
    box("trak", box("tkhd", [1]), box("mdia", box("minf", box("stbl", box("stsz", [2]), tables.flatMap(\.self)))))
  }

  private static func table(_ name: String, _ offsets: [Int], count: Int? = nil) -> [UInt8] {
    box(
      name, [0, 0, 0, 0], UInt32(count ?? offsets.count).bigEndianBytes,
      offsets.flatMap { name == "stco" ? UInt32($0).bigEndianBytes : Int64($0).bigEndianBytes })
  }

  /// Offsets of what is after the header move with it; those before it stay.
  @Test(arguments: [1, 2, 26]) func offsetsMoveWithTheAudio(growth: Int) throws {
    let (first, last) = (growth == 26 ? "" : "ab", growth == 1 ? "abc" : "abcd")
    func file(_ value: String, tempo: [UInt8], shift: Int) -> [UInt8] {
      func moov(_ offsets: [Int]) -> [UInt8] {
        Self.moov(
          Self.track(Self.table("stco", offsets)), Self.box("trak", Self.box("mdia")),
          Self.track(Self.table("co64", offsets), Self.table("stco", [])),
          Self.list(Self.title, Self.own("Own", value), tempo))
      }
      let start = Self.fileType + Self.box("mdat", [1, 2, 3])
      let end = start.count + moov([0, 0, 0, 0]).count
      let offsets = [start.count - 3, end - 1 - shift, end, end + 20]
      return start + moov(offsets) + Self.audio
    }
    if growth == 26 {
      let old = file(last, tempo: [], shift: 0)
      #expect(try written(old, ("tmpo", ["90"])) == file(last, tempo: Self.tempo(90), shift: 26))
      #expect(try written(file(last, tempo: Self.tempo(90), shift: 26), ("tmpo", [])) == old)
    } else {
      let old = file(first, tempo: [], shift: 0)
      #expect(try written(old, (Self.key, [last])) == file(last, tempo: [], shift: growth))
      #expect(try written(file(last, tempo: [], shift: growth), (Self.key, [first])) == old)
    }
  }

  /// Files whose offsets are elsewhere are changed only if nothing moves.
  @Test func offsetsThatAreNotKnown() throws {
    func moov(_ boxes: [UInt8], tempo: UInt16?) -> [UInt8] {
      Self.moov(boxes, Self.list(tempo.map { Self.tempo($0) } ?? Self.title))
    }
    for (name, boxes, end) in [
      ("cmov", Self.box("cmov"), []), ("mvex", Self.box("mvex"), []), ("saio", Self.track(Self.box("saio")), []),
      ("a cut table", Self.track(Self.table("stco", [1, 2], count: 3)), []),
      ("a cut long table", Self.track(Self.table("co64", [1, 2], count: 3)), []),
      ("no table", Self.track(Self.box("stco", [0, 0, 0, 0])), []), ("moof", [], Self.box("moof")),
      ("sidx", [], Self.box("sidx")), ("uuid", [], Self.box("uuid", [1])), ("meta", [], Self.box("meta")),
    ] as [(String, [UInt8], [UInt8])] {
      let error = #expect(throws: TagWriteError.self, "\(name)") {
        try written(Self.fileType + moov(boxes, tempo: nil) + end + Self.audio, ("tmpo", ["90"]))
      }
      #expect(error?.code == .oddStructure, "\(name)")
      #expect(
        try written(Self.fileType + moov(boxes, tempo: 80) + end + Self.audio, ("tmpo", ["90"]))
          == Self.fileType + moov(boxes, tempo: 90) + end + Self.audio, "\(name)")
      #expect(
        try written(Self.fileType + end + Self.audio + moov(boxes, tempo: 80), ("tmpo", []))
          == Self.fileType + end + Self.audio + Self.moov(boxes, Self.list()), "\(name)")
    }
    // An offset of four bytes that would overflow.
    let last = Self.moov(Self.track(Self.table("stco", [Int(UInt32.max) - 25])), Self.list(Self.title))
    let error = #expect(throws: TagWriteError.self) {
      try written(Self.fileType + last + Self.audio, ("tmpo", ["90"]))
    }
    #expect(error?.code == .oddStructure)
  }

  // MARK: Refusals

  @Test func filesThatAreLeftAlone() throws {
    let moov = Self.moov(Self.list(Self.title))
    var open = moov
    open.replaceSubrange(0..<4, with: [0, 0, 0, 0])
    let long = [0, 0, 0, 1] + Array("moov".utf8) + UInt64(moov.count + 8).bigEndianBytes + moov[8...]
    for (name, bytes) in [
      ("no header", Self.fileType + Self.audio), ("two headers", Self.fileType + moov + moov + Self.audio),
      ("an open end", Self.fileType + Self.audio + open), ("a long size", Self.fileType + long + Self.audio),
      ("a rest", Self.fileType + moov + Self.audio + [0, 0, 0, 9]),
      ("a header that is cut off", Self.fileType + Self.audio + moov.dropLast()),
    ] {
      let error = #expect(throws: TagWriteError.self, "\(name)") { try file(bytes) }
      #expect(error?.code == .oddStructure, "\(name)")
    }
    // The size of a box around the list has eight bytes.
    let list = Self.list(Self.title)
    let wide = [0, 0, 0, 1] + Array("udta".utf8) + UInt64(list.count + 8).bigEndianBytes + list[8...]
    #expect(throws: TagWriteError.self) { try written(Self.fileType + Self.audio + Self.moov(wide), ("tmpo", ["9"])) }
  }

  @Test(arguments: [0, 1]) func limitOfBoxes(excess: Int) throws {
    let moov = Self.moov(Self.list(Self.title))
    let bytes = moov + [[UInt8]](repeating: Self.box("wide"), count: 99_999 + excess).flatMap(\.self)
    if excess == 0 {
      #expect(try file(bytes).tags[0].entries.count == 1)
    } else {
      #expect(throws: TagWriteError.self) { try file(bytes) }
    }
  }

  @Test(arguments: [0, 1]) func limitOfTheHeader(excess: Int) throws {
    let folder = try TemporaryDirectory()
    let size = (256 << 20) + excess
    let head = UInt32(size).bigEndianBytes + Array("moov".utf8) + UInt32(size - 8).bigEndianBytes + Array("free".utf8)
    let source = try ByteSource(
      path: sparseFile(folder, size: Self.fileType.count + size, [(0, Self.fileType + head)]))
    if excess == 0 {
      #expect(try MP4File(source, at: 0).tags[0].entries.isEmpty)
    } else {
      #expect(throws: TagWriteError.self) { try MP4File(source, at: 0) }
    }
  }
}
