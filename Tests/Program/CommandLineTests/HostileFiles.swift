import AnalysisTesting
import Foundation

/// Files made to break their readers, or left by a bad disk, a bad program or a bad download. All are made here; none
/// is longer than it must be.
enum HostileFiles {
  /// A file, and the expected result of a run.
  struct Entry {
    let name: String
    let bytes: [UInt8]
    let status: String
    /// The code of the reason, or of a remark if the file is fine; `nil` for none.
    let code: String?

    init(_ name: String, _ bytes: [UInt8], _ status: String, _ code: String? = nil) {
      self.name = name
      self.bytes = bytes
      self.status = status
      self.code = code
    }
  }

  static let all: [Entry] = noAudio + cut + followed + lyingHeaders + samples + tags + containers

  // MARK: - Not audio at all

  private static let noAudio: [Entry] = [
    Entry("empty.mp3", [], "failed", "empty"),
    Entry("one byte.ogg", [0], "failed", "unknown_format"),
    Entry(
      "shopping list.mp3", Array(String(repeating: "butter, bread, strings for the guitar\n", count: 50).utf8),
      "failed", "unknown_format"),
    Entry(
      "error page.flac", Array("<!DOCTYPE html><html><body>410 Gone</body></html>".utf8), "failed", "unknown_format"),
    Entry("noise.m4a", noise(30_000, seed: 1), "failed", "unknown_format"),
    Entry("zeros.wav", [UInt8](repeating: 0, count: 50_000), "failed", "unknown_format"),
    Entry("ones.aiff", [UInt8](repeating: 0xFF, count: 50_000), "failed", "unknown_format"),
    Entry("playlist.wav", Array("#EXTM3U\n/etc/passwd\nhttp://localhost/x.mp3\n".utf8), "failed", "unknown_format"),
    Entry(
      "album.ogg", Array("FILE \"/dev/zero\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n".utf8), "failed",
      "unknown_format"),
    // The jump table of a program: it looks like many headers of layer I.
    Entry(
      "program.mp3", Array("\u{7F}ELF".utf8) + (0..<10_000).flatMap { _ in [0x48, 0x8B, 0xFF, 0xFF] as [UInt8] },
      "failed",
      "unknown_format"),
    Entry(
      "three frames somewhere.mp3", noise(9_000, seed: 2) + mp3.prefix(1_600) + noise(9_000, seed: 3), "failed",
      "unknown_format"),
  ]

  // MARK: - Cut short

  private static let cut: [Entry] =
    [4, 11, 12, 20, 43, 44].map { Entry("cut at \($0).wav", Array(wav.prefix($0)), "failed", cutCode(at: $0)) }
    + [
      Entry("cut in the middle.wav", Array(wav.prefix(wav.count / 2)), "partial", "truncated"),
      Entry("cut in a sample.wav", Array(wav.prefix(44 + 20_001)), "partial", "truncated"),
      Entry("cut in the header.flac", Array(flac.prefix(30)), "failed", "unknown_format"),
      Entry("header alone.flac", Array(flac.prefix(42)), "failed", "no_audio"),
      Entry("cut in the middle.flac", Array(flac.prefix(flac.count / 2)), "partial", "truncated"),
      Entry("cut in a frame.mp3", Array(mp3.dropLast(100)), "partial", "truncated"),
      Entry(
        "cut in a frame, with a tag.mp3", Array(mp3.dropLast(100)) + Array("TAG".utf8) + zeros(125), "partial",
        "truncated"),
      Entry("room that was never written.mp3", mp3 + zeros(100_000), "partial", "truncated"),
    ]

  // MARK: - Whole, with trailing data

  private static let followed: [Entry] = [
    Entry("zero behind.mp3", mp3 + [0], "ok", "cut_start"),
    Entry("line behind.mp3", mp3 + [0x0D, 0x0A], "ok", "cut_start"),
    Entry("block of zeros behind.mp3", mp3 + zeros(4_096), "ok", "cut_start"),
    Entry("tag and zeros behind.mp3", mp3 + Array("TAG".utf8) + zeros(125 + 30), "ok", "cut_start"),
    Entry("words behind.mp3", mp3 + Array("and so on".utf8), "ok", "junk"),
  ]

  private static func cutCode(at length: Int) -> String {
    length < 12 ? "unknown_format" : length < 44 ? "corrupt" : "no_audio"
  }

  // MARK: - Headers that lie

  private static let lyingHeaders: [Entry] = [
    Entry("says 4 GB.wav", patched(wav, 40, [0xFF, 0xFF, 0xFF, 0xFF]), "ok", "unknown_length"),
    Entry("says 1 GB.wav", patched(wav, 40, [0, 0, 0, 0x40]), "partial", "truncated"),
    Entry("says nothing.wav", patched(wav, 40, [0, 0, 0, 0]), "ok", "unknown_length"),
    Entry("no channels.wav", patched(wav, 22, [0, 0]), "failed", "absurd_header"),
    Entry("all channels.wav", patched(wav, 22, [0xFF, 0xFF]), "failed", "absurd_header"),
    Entry("no rate.wav", patched(wav, 24, [0, 0, 0, 0]), "failed", "absurd_header"),
    Entry("all rate.wav", patched(wav, 24, [0xFF, 0xFF, 0xFF, 0xFF]), "failed", "absurd_header"),
    Entry("no bits.wav", patched(wav, 34, [0, 0]), "failed", "unsupported_codec"),
    Entry("unknown codec.wav", patched(wav, 20, [0x34, 0x12]), "failed", "unsupported_codec"),
    Entry("endless fmt.wav", patched(wav, 16, [0xFF, 0xFF, 0xFF, 0x7F]), "failed", "corrupt"),
    Entry(
      "chunk before fmt is 4 GB.wav",
      Array(wav.prefix(12)) + Array("JUNK".utf8) + [0xFF, 0xFF, 0xFF, 0xFF] + wav.dropFirst(12), "failed", "corrupt"),
    Entry(
      "list with a part of 4 GB.wav",
      Array(wav.prefix(36)) + Array("LIST".utf8) + [20, 0, 0, 0] + Array("INFOabcd".utf8) + [0xF8, 0xFF, 0xFF, 0xFF]
        + [UInt8](repeating: 0, count: 8) + wav.dropFirst(36), "ok"),
    Entry(
      "many empty chunks.wav",
      Array(wav.prefix(12)) + (0..<20_000).flatMap { _ in Array("JUNK".utf8) + [0, 0, 0, 0] } + wav.dropFirst(12), "ok"),
    Entry("rate 0.flac", patched(flac, 18, [0, 0, flac[20] & 0x0F]), "ok", "contradicting_header"),
    Entry("endless comments.flac", withBlock(4, claimed: 0xFF_FFFF, []), "ok", "tags_remark"),
    Entry(
      "picture of 4 GB.flac", withBlock(6, [0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 20)),
      "ok"),
    Entry("2^32 comments.flac", withBlock(4, [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]), "ok", "tags_remark"),
    Entry("wrong name.mp3", wav, "ok"),
  ]

  // MARK: - Samples that are not numbers

  private static let samples: [Entry] = [
    Entry("not a number.wav", floats(.nan, each: 1_000), "ok", "non_finite_samples"),
    Entry("never a number.wav", floats(.nan, each: 1), "ok", "non_finite_samples"),
    Entry("endlessly loud.wav", floats(.infinity, each: 1_000), "ok", "non_finite_samples"),
    Entry("far too loud.wav", floats(3e38, each: 1_000), "ok", "absurd_samples"),
  ]

  // MARK: - Tags

  private static let tags: [Entry] = [
    // 258 MB of zeros in 1.6 MB.
    Entry(
      "bomb.mp3", id3([frame("TXXX", bomb(blocks: 125_000), compressedFrom: bombSize(blocks: 125_000))]) + mp3, "ok",
      "tags_remark"),
    Entry(
      "bomb that calls itself small.mp3", id3([frame("TXXX", bomb(blocks: 125_000), compressedFrom: 10)]) + mp3, "ok",
      "tags_remark"),
    Entry("frame of 2 GB.mp3", id3([frame("TIT2", [3, 65], claimed: 0x7FFF_FFFF)]) + mp3, "ok", "tags_remark"),
    Entry("tag of 256 MB.mp3", id3([frame("TIT2", [3, 65])], claimed: 0x0FFF_FFFF) + mp3, "ok", "broken_tag"),
    Entry("tag alone.mp3", id3([frame("TIT2", [3, 65])]), "failed", "unknown_format"),
    Entry("tag alone.id3", id3([frame("TIT2", [3, 65])]), "failed", "unknown_format"),
    Entry("number of sorts.mp3", id3([frame("TBPM", Array("\n8,5 bpm".utf8))]) + mp3, "ok", "cut_start"),
    Entry(
      "thousands of frames.mp3", id3((0..<5_000).map { frame("TXXX", [3, 65, 0] + Array("\($0)".utf8)) }) + mp3, "ok",
      "cut_start"),
    Entry("escapes.mp3", id3([frame("TIT2", [3] + Array("\u{1B}[2J\r\n\",;\u{7}".utf8))]) + mp3, "ok", "cut_start"),
    Entry(
      "2^32 items.mp3",
      mp3 + Array("APETAGEX".utf8) + littleEndian(2_000) + littleEndian(0xFFFF_FFFF)
        + littleEndian(0xFFFF_FFFF) + littleEndian(0) + [UInt8](repeating: 0, count: 8), "ok", "tags_remark"),
  ]

  // MARK: - Containers

  private static let containers: [Entry] = [
    Entry(
      "pages of nothing.ogg", (0..<500).flatMap { _ in Array("OggS".utf8) + [UInt8](repeating: 0, count: 23) },
      "failed",
      "no_audio"),
    Entry(
      "atom in itself.m4a", ftyp + atom("moov", claimed: 0, []) + nested("trak", depth: 3_000), "failed", "no_audio"),
    Entry(
      "table of 4 GB.m4a",
      ftyp + nested("moov", inside: atom("stsz", [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF])),
      "failed", "corrupt"),
    Entry(
      "atom of 2^63.m4a", ftyp + [0, 0, 0, 1] + Array("mdat".utf8) + [0x7F] + [UInt8](repeating: 0xFF, count: 7),
      "failed", "corrupt"),
    Entry(
      "endless element.mka",
      [0x1A, 0x45, 0xDF, 0xA3, 0x01] + [UInt8](repeating: 0xFF, count: 7) + noise(2_000, seed: 3),
      "failed", "corrupt"),
  ]

  // MARK: - Parts

  private static let wav = Audio.wav(7)
  private static let fixtures = Repository.url("Fixtures")
  private static let flac = fixture("signals/clicks-120.flac")
  /// 115 frames from the middle of a piece, without tags: 160 kbit/s at 44.1 kHz, so 522 bytes each, or 523 if padded.
  /// The first frame continues others.
  static let mp3: [UInt8] = {
    let piece = fixture("music/rocker-ronni.mp3")
    func length(at offset: Int) -> Int? {
      guard offset + 3 < piece.count, piece[offset] == 0xFF, piece[offset + 1] == 0xFB, piece[offset + 2] & 0xFC == 0xA0
      else { return nil }
      return 522 + Int(piece[offset + 2] >> 1 & 1)
    }
    let start = piece.indices.dropFirst(100_000).first { start in
      length(at: start).flatMap { length(at: start + $0) } != nil
    }
    guard let start else { return [] }
    var end = start
    for _ in 0..<115 { end += length(at: end) ?? 0 }
    return Array(piece[start..<end])
  }()

  private static func fixture(_ name: String) -> [UInt8] {
    (try? Data(contentsOf: fixtures.appendingPathComponent(name))).map { Array($0) } ?? []
  }

  private static func patched(_ bytes: [UInt8], _ offset: Int, _ patch: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.replaceSubrange(offset..<offset + patch.count, with: patch)
    return bytes
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in .random(in: 0...255, using: &random) }
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }
  private static func bigEndian(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) } }

  /// 32-bit floats, one in `period` of them the given one.
  private static func floats(_ value: Float, each period: Int) -> [UInt8] {
    var bytes = WAVFile(.noise(seed: 5, sampleRate: 11_025, seconds: 4), encoding: .float32).bytes
    for index in stride(from: 0, to: (bytes.count - 44) / 4, by: period) {
      bytes.replaceSubrange(44 + 4 * index..<48 + 4 * index, with: littleEndian(value.bitPattern))
    }
    return bytes
  }

  /// Puts a block between the header of the FLAC file and the rest.
  private static func withBlock(_ kind: UInt8, claimed: Int? = nil, _ content: [UInt8]) -> [UInt8] {
    let length = bigEndian(claimed ?? content.count).dropFirst()
    return Array(flac.prefix(42)) + [kind] + length + content + flac.dropFirst(42)
  }

  static func id3(_ frames: [[UInt8]], claimed: Int? = nil) -> [UInt8] {
    let content = frames.flatMap(\.self)
    return Array("ID3".utf8) + [4, 0, 0] + syncsafe(claimed ?? content.count) + content
  }

  static func frame(_ id: String, _ content: [UInt8], claimed: Int? = nil, compressedFrom size: Int? = nil)
    -> [UInt8]
  {
    let body = (size.map(syncsafe) ?? []) + content
    // Compressed, with the length before that in front.
    return Array(id.utf8) + syncsafe(claimed ?? body.count) + [0, size == nil ? 0 : 0x09] + body
  }

  private static func syncsafe(_ number: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) } }

  /// A zlib stream (RFC 1950, 1951) of 259 + 2,064 × `blocks` zeros, whole and right. With fixed codes a zero is `00110000`,
  /// and 258 times the byte before it `11000101 00000`: the header of a block, a zero and one of these fill three bytes, and
  /// eight more of these 13.
  private static func bomb(blocks: Int) -> [UInt8] {
    let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    func packed(_ bits: [UInt8]) -> [UInt8] {
      stride(from: 0, to: bits.count, by: 8).map { start in (0..<8).reduce(0) { $0 | bits[start + $1] << $1 } }
    }
    let block = packed((0..<8).flatMap { _ in match })
    var bytes: [UInt8] = [0x78, 0x9C] + packed([1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0] + match)
    bytes.reserveCapacity(bytes.count + block.count * blocks + 5)
    for _ in 0..<blocks { bytes += block }
    // The end of the block, and Adler-32 of zeros.
    return bytes + [0] + bigEndian(bombSize(blocks: blocks) % 65_521 << 16 | 1)
  }

  private static func bombSize(blocks: Int) -> Int { 259 + 2_064 * blocks }

  private static let ftyp = atom("ftyp", Array("M4A \0\0\0\0".utf8))

  private static func atom(_ kind: String, claimed: Int? = nil, _ content: [UInt8]) -> [UInt8] {
    bigEndian(claimed ?? 8 + content.count) + Array(kind.utf8) + content
  }

  private static func nested(_ kind: String, depth: Int) -> [UInt8] {
    (0..<depth).reversed().flatMap { bigEndian(8 * ($0 + 1)) + Array(kind.utf8) }
  }

  /// In the boxes that lead to the tables of a track.
  private static func nested(_ kind: String, inside table: [UInt8]) -> [UInt8] {
    atom(kind, atom("trak", atom("mdia", atom("minf", atom("stbl", table)))))
  }
}
