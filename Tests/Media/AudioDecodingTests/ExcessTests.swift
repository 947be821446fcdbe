import Analysis
import AnalysisTesting
import CLibAV
import CSndfile
import Foundation
import MediaContainers
import SystemPackage
import Testing

@testable import AudioDecoding

/// Excessive tags, chapters and tables cost little time, and affect neither the audio nor its identity.
///
/// The time of FFmpeg's lists grows with the square of their length: each of these files took it from half a minute to
/// several minutes. The bound is on processor time, and generous.
@Suite(.bounded) struct ExcessTests {
  private static let signal = makeSignal(frames: 88_200)
  private static let secondsOfProcessor = 8.0

  private let scratch: Scratch
  private let wav: FilePath

  init() throws {
    scratch = try Scratch()
    wav = try scratch.writeSound(Self.signal, "x.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 44_100)
  }

  private func encode(_ name: String, _ arguments: [String] = []) throws -> [UInt8] {
    try scratch.bytes(scratch.ffmpeg(wav, ["-map_metadata", "-1"] + arguments, name))
  }

  /// Decodes `bytes`, which must give the same result as `plain`.
  @discardableResult
  private func expectSameAudio(
    _ plain: [UInt8], _ bytes: [UInt8], _ comment: Comment, sameSamples: Bool = true,
    location: SourceLocation = #_sourceLocation
  ) throws -> Decoded {
    let expected = try decode(scratch.write(plain, "plain"))
    let id = try contentID(scratch.path("plain"))
    let path = try scratch.write(bytes, "excessive")
    let start = processorTime()
    let decoded = try decode(path)
    #expect(try contentID(path) == id, comment, sourceLocation: location)
    #expect(processorTime() - start < Self.secondsOfProcessor, comment, sourceLocation: location)
    #expect(decoded.summary.problem == nil, comment, sourceLocation: location)
    if sameSamples {
      let isSame = decoded.planes == expected.planes
      #expect(isSame, comment, sourceLocation: location)
    }
    return decoded
  }

  /// Processor time of this thread in seconds.
  private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  // MARK: MP4

  @Test func tagsOfMP4() throws {
    let plain = try encode("x.m4a")
    let items = (0..<100_000).flatMap { index in
      MP4.box(
        "----",
        MP4.box("mean", big(0) + Array("com.apple.iTunes".utf8)) + MP4.box("name", big(0) + Array("K\(index)".utf8))
          + MP4.box("data", big(1) + big(0) + [0x76]))
    }
    let handler = MP4.box("hdlr", big(0) + big(0) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9))
    let list = MP4.box("meta", big(0) + handler + MP4.box("ilst", items))
    try expectSameAudio(plain, MP4.adding(MP4.box("udta", list), to: ["moov"], of: plain), "items")
    try expectSameAudio(plain, MP4.adding(list, to: ["moov"], of: plain), "items without udta")
    try expectSameAudio(plain, MP4.adding(MP4.box("udta", list), to: ["moov", "trak"], of: plain), "items of a track")
    let lists = (0..<50_000).flatMap { index in
      MP4.box("udta", MP4.box("\u{a9}\(100 + index % 900)", [0, 1, 0, 0, 0x76]))
    }
    try expectSameAudio(plain, MP4.adding(lists, to: ["moov"], of: plain), "lists")
    let keys = (0..<100_000).flatMap { MP4.box("mdta", Array("k\($0)".utf8)) }
    let values = (1...100_000).flatMap { index in
      big(24) + big(index) + MP4.box("data", big(1) + big(0))
    }
    let keyed = MP4.box("meta", handler + MP4.box("keys", big(0) + big(100_000) + keys) + MP4.box("ilst", values))
    try expectSameAudio(plain, MP4.adding(keyed, to: ["moov"], of: plain), "keys")
    let pictures = MP4.box("covr", (0..<1_000).flatMap { _ in MP4.box("data", big(13) + big(0) + [0xff, 0xd8, 0xff]) })
    let covers = MP4.box("udta", MP4.box("meta", big(0) + handler + MP4.box("ilst", pictures)))
    try expectSameAudio(plain, MP4.adding(covers, to: ["moov"], of: plain), "pictures")
    let systems = (0..<50_000).flatMap { _ in MP4.box("pssh", [UInt8](repeating: 0, count: 24)) }
    try expectSameAudio(plain, MP4.adding(systems, to: ["moov"], of: plain), "keys of encryption")
    let nested = (1...50_000).reversed().flatMap { big(8 * $0) + Array("udta".utf8) }
    try expectSameAudio(plain, MP4.adding(nested, to: ["moov"], of: plain), "boxes in boxes")
  }

  /// The encoder delay is among the tags (iTunSMPB), so ordinary lists are kept.
  @Test func ordinaryTagsOfMP4AreShown() throws {
    let path = try scratch.ffmpeg(wav, ["-metadata", "title=A"], "tagged.m4a")
    let structure = try MP4Structure(in: ByteSource(path: path), from: 0)
    #expect(structure.masks.isEmpty)
    #expect(!structure.ignoresEdits)
  }

  @Test func editsThatCannotBeMeant() throws {
    let plain = try encode("x.m4a")
    let whole = try decode(scratch.write(plain, "whole")).frameCount
    func edited(_ edits: [(duration: Int, start: Int)]) throws -> Decoded {
      let entries = edits.flatMap { big($0.duration) + big($0.start) + big(0x1_0000) }
      let box = MP4.box("edts", MP4.box("elst", big(0) + big(edits.count) + entries))
      let start = processorTime()
      let decoded = try decode(scratch.write(MP4.adding(box, to: ["moov", "trak"], of: plain), "edited.m4a"))
      #expect(processorTime() - start < Self.secondsOfProcessor)
      return decoded
    }
    // 20 ms over and over; the media is 2 s long. 1024 frames of delay are no longer trimmed.
    for edits in [
      Array(repeating: (20, 0), count: 200_000), Array(repeating: (2_000, 0), count: 100),
      Array(repeating: (1, -1), count: 2_000), [(2_000, 0x7fff_ffff)],
    ] {
      let decoded = try edited(edits)
      #expect(abs(decoded.frameCount - whole) <= 2_048)
      #expect(decoded.summary.remarks.map(\.code) == ["edit_list"])
      #expect(decoded.summary.problem == nil)
    }
    // Cuts, another order, and one repetition are accepted, and so is a length beyond the end.
    for (edits, seconds) in [
      ([(500, 44_100), (500, 0)], 1.0), ([(2_000, 0), (1_900, 0)], 3.9), ([(900_000, 0)], 2.0),
    ] {
      let decoded = try edited(edits)
      #expect(abs(Double(decoded.frameCount) / 44_100 - seconds) < 0.1)
      #expect(!decoded.summary.remarks.contains { $0.code == "edit_list" })
    }
  }

  // MARK: Others

  @Test func tagsOfMatroska() throws {
    let plain = try encode("x.mka", ["-c:a", "flac"])
    func element(_ id: [UInt8], _ body: [UInt8]) -> [UInt8] { id + [0x01] + big(body.count, 7) + body }
    let tags = (0..<100_000).flatMap { index in
      element([0x67, 0xc8], element([0x45, 0xa3], Array("K\(index)".utf8)) + element([0x44, 0x87], [0x76]))
    }
    let chapters = (1...50_000).flatMap { element([0xb6], element([0x73, 0xc4], big($0)) + element([0x91], big(0))) }
    let cues = (0..<100_000).flatMap { index in
      element([0xbb], element([0xb3], big(200_000 - index)) + element([0xb7], element([0xf7], [1])))
    }
    let excesses: [([UInt8], String)] = [
      (element([0x12, 0x54, 0xc3, 0x67], element([0x73, 0x73], element([0x63, 0xc0], []) + tags)), "tags"),
      (element([0x10, 0x43, 0xa7, 0x70], element([0x45, 0xb9], chapters)), "chapters"),
      (element([0x1c, 0x53, 0xbb, 0x6b], cues), "cues"),
    ]
    let segment = try #require(plain.firstRange(of: [0x18, 0x53, 0x80, 0x67]))
    let cluster = try #require(plain.firstRange(of: [0x1f, 0x43, 0xb6, 0x75])).lowerBound
    for (excess, name) in excesses {
      let body = plain[(segment.upperBound + 8)..<cluster] + excess + plain[cluster...]
      let bytes = plain[..<segment.lowerBound] + element([0x18, 0x53, 0x80, 0x67], Array(body))
      try expectSameAudio(plain, Array(bytes), Comment(rawValue: name))
    }
  }

  /// The shorter header of Void replaces any other of four bytes and a size.
  @Test func voidElements() throws {
    for sizeLength in 1...8 {
      let size: [UInt8] = [UInt8](1 << (8 - sizeLength)..<1 << (8 - sizeLength) + 1) + big(5, sizeLength - 1)
      let tags: [UInt8] = [0x12, 0x54, 0xc3, 0x67] + (sizeLength == 1 ? [0x85] : size) + [1, 2, 3, 4, 5]
      let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
      let path = try scratch.write(segment + tags + [0xec, 0x80], "void")
      let mask = try #require(MatroskaStructure(in: ByteSource(path: path), from: 0).masks.first)
      var seen = tags
      withUnsafeBytes(of: mask.bytes) { seen.replaceSubrange(0..<Int(mask.count), with: $0.prefix(Int(mask.count))) }
      #expect(seen[0] == 0xec)
      let length = seen[1].leadingZeroBitCount + 1
      let value = seen[1..<1 + length].reduce(0) { $0 << 8 | Int($1) } & (1 << (7 * length) - 1)
      #expect(1 + length + value == tags.count, "size of \(sizeLength) bytes")
    }
  }

  @Test func tagsOfASF() throws {
    let plain = try encode("x.wma")
    let attributes = (0..<60_000).flatMap { index -> [UInt8] in
      let name = Array("K\(index)\0".utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
      return [UInt8(name.count), 0] + name + [0, 0, 4, 0, 0x76, 0, 0, 0]
    }
    let id: [UInt8] = [0x40, 0xa4, 0xd0, 0xd2, 0x07, 0xe3, 0xd2, 0x11, 0x97, 0xf0, 0, 0xa0, 0xc9, 0x5e, 0xa8, 0x50]
    let object = id + little(attributes.count + 26, 8) + little(60_000, 2) + attributes
    let headerSize = plain[16..<24].reversed().reduce(0) { $0 << 8 | Int($1) }
    let count = Int(plain[24])
    let bytes =
      plain[..<16] + little(headerSize + object.count, 8) + little(count + 1, 4) + plain[28..<headerSize] + object
      + plain[headerSize...]
    try expectSameAudio(plain, Array(bytes), "attributes")
  }

  @Test func tagsOfCAF() throws {
    let plain = try encode("x.caf", ["-c:a", "alac"])
    let texts = (0..<60_000).flatMap { Array("K\($0)\0v\0".utf8) }
    let info = Array("info".utf8) + big(texts.count + 4, 8) + big(60_000) + texts
    // After the signature and the description of the encoding.
    let path = try scratch.write(plain[..<52] + info + plain[52...], "excessive.caf")
    let start = processorTime()
    let decoded = try decode(path, with: .ffmpeg)
    #expect(processorTime() - start < Self.secondsOfProcessor)
    let isSame = try decoded.planes == decode(scratch.path("x.caf"), with: .ffmpeg).planes
    #expect(isSame)
  }

  @Test(arguments: ["oga", "spx", "ogg", "opus"])
  func commentsOfOgg(suffix: String) throws {
    let codecs = ["oga": "flac", "spx": "libspeex", "ogg": "libvorbis", "opus": "libopus"]
    let arguments = ["-c:a", codecs[suffix] ?? ""] + (suffix == "spx" ? ["-ar", "16000", "-ac", "1"] : [])
    let plain = try encode("x.\(suffix)", arguments)
    let comments = (0..<60_000).flatMap { index -> [UInt8] in
      let text = Array("K\(index)=v".utf8)
      return little(text.count, 4) + text
    }
    let body = little(0, 4) + little(60_000, 4) + comments
    let excessive = try Ogg.replacingComments(of: plain, codec: suffix, by: body)
    try expectSameAudio(plain, excessive, "one stream")

    // A second stream with such comments, which begins next to the first and ends before its audio.
    let pages = Ogg.pages(of: plain)
    let second = Ogg.pages(of: excessive)
    let headers = second.dropFirst().prefix { page in page[6..<14].allSatisfy { $0 == 0 || $0 == 255 } }
    let other = ([second[0]] + headers).map { Ogg.page($0, serial: 0x7777_7777) }
    let mixed = pages[0] + other[0] + pages.dropFirst().prefix(1).joined() + other.dropFirst().joined()
    let path = try scratch.write(mixed + pages.dropFirst(2).joined(), "mixed")
    let start = processorTime()
    let decoded = try decode(path)
    #expect(processorTime() - start < Self.secondsOfProcessor)
    let isSame = try decoded.planes == decode(scratch.write(plain, "plain")).planes
    #expect(isSame)
  }

  /// More tags at the end than FFmpeg may see.
  @Test func manyTagsAtTheEnd() throws {
    let plain = try encode("x.wv")
    let footer = Array("APETAGEX".utf8) + little(2_000, 4) + little(32, 4) + little(0, 12) + little(0, 4)
    let tags = Array(repeating: footer, count: 2_000).flatMap { $0 }
    try expectSameAudio(plain, plain + tags, "tags of APE")
    try expectSameAudio(plain, plain + tags + Array("TAG".utf8) + [UInt8](repeating: 0, count: 125), "both kinds")
  }

  @Test func tagsBetweenFramesOfAAC() throws {
    let plain = try encode("x.aac")
    let frames = (0..<60_000).flatMap { index -> [UInt8] in
      let body = [0] + Array("K\(index)\0v".utf8)
      return Array("TXXX".utf8) + big(body.count) + [0, 0] + body
    }
    let size = [21, 14, 7, 0].map { UInt8(frames.count >> $0 & 127) }
    let path = try scratch.write(plain + Array("ID3".utf8) + [3, 0, 0] + size + frames + plain, "x.aac")
    let start = processorTime()
    let decoded = try decode(path)
    #expect(processorTime() - start < Self.secondsOfProcessor)
    #expect(abs(decoded.frameCount - 2 * 90_112) <= 4_096)
  }
}

private func big(_ value: Int, _ count: Int = 4) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

private func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
}

private enum MP4 {
  static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
    big(body.count + 8) + name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + body
  }

  /// Appends boxes to the first box of a path. The outermost box is after the audio, so offsets stay right.
  static func adding(_ boxes: [UInt8], to path: [String], of file: [UInt8]) -> [UInt8] {
    guard let name = path.first else { return file + boxes }
    var result: [UInt8] = []
    var position = 0
    var isDone = false
    while position + 8 <= file.count {
      let size = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let child = Array(file[position..<position + size])
      position += size
      if !isDone, child[4..<8].elementsEqual(name.utf8) {
        result += box(name, adding(boxes, to: Array(path.dropFirst()), of: Array(child[8...])))
        isDone = true
      } else {
        result += child
      }
    }
    return result
  }
}

private enum Ogg {
  static func pages(of file: [UInt8]) -> [[UInt8]] {
    var pages: [[UInt8]] = []
    var position = 0
    while position + 27 <= file.count {
      let bodyStart = position + 27 + Int(file[position + 26])
      let end = bodyStart + file[position + 27..<bodyStart].reduce(0) { $0 + Int($1) }
      pages.append(Array(file[position..<end]))
      position = end
    }
    return pages
  }

  /// A page with another serial number or number, and the right checksum.
  static func page(_ page: [UInt8], serial: Int? = nil, number: Int? = nil) -> [UInt8] {
    var page = page
    if let serial { page.replaceSubrange(14..<18, with: little(serial, 4)) }
    if let number { page.replaceSubrange(18..<22, with: little(number, 4)) }
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    let checksum = page.withUnsafeBytes { OggChecksum.update(0, $0) }
    page.replaceSubrange(22..<26, with: little(Int(checksum), 4))
    return page
  }

  /// - Parameter comments: The comment, starting with the length of the vendor's name.
  static func replacingComments(of file: [UInt8], codec: String, by comments: [UInt8]) throws -> [UInt8] {
    let pages = pages(of: file)
    let headerCount = codec == "ogg" ? 3 : 2
    var packets: [[UInt8]] = [[]]
    var pageCount = 0
    while packets.count <= headerCount {
      let page = pages[pageCount]
      var position = 27 + Int(page[26])
      for length in page[27..<position] {
        packets[packets.count - 1] += page[position..<position + Int(length)]
        position += Int(length)
        if length < 255 { packets.append([]) }
      }
      pageCount += 1
    }
    packets[1] =
      switch codec {
      case "ogg": Array("\u{3}vorbis".utf8) + comments + [1]
      case "opus": Array("OpusTags".utf8) + comments
      case "oga": [packets[1][0]] + big(comments.count, 3) + comments
      default: comments
      }
    let serial = pages[0][14..<18].reversed().reduce(0) { $0 << 8 | Int($1) }
    var result: [[UInt8]] = []
    for (index, packet) in packets.prefix(headerCount).enumerated() {
      let lengths = [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
      var position = 0
      for start in stride(from: 0, to: lengths.count, by: 255) {
        let lacing = lengths[start..<min(start + 255, lengths.count)]
        let end = position + lacing.reduce(0) { $0 + Int($1) }
        let flags: UInt8 = (start > 0 ? 1 : 0) | (index == 0 ? 2 : 0)
        let header = Array("OggS".utf8) + [0, flags] + little(0, 8) + little(0, 12) + [UInt8(lacing.count)]
        result.append(page(header + lacing + packet[position..<end], serial: serial, number: result.count))
        position = end
      }
    }
    for audio in pages[pageCount...] { result.append(page(audio, number: result.count)) }
    return result.flatMap { $0 }
  }
}
