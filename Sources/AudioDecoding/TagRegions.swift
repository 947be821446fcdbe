internal import AudioAnalysis

/// Where tags in front of and behind an audio stream end and begin.
enum TagRegions {
  /// The offset after all ID3v2 tags at `offset`. A tag that claims to reach past the end of the file is not believed: the
  /// offset is then that after its header.
  static func skippingID3v2(in file: InputFile, from offset: Int64) throws(DecodeError) -> Int64 {
    var offset = offset
    for _ in 0..<64 {
      let header = try file.bytes(at: offset, count: 10)
      guard header.count == 10, header.has("ID3"), header.values[3] < 0xff, header.values[4] < 0xff else { break }
      // 28 bits in four bytes; a set top bit is a mistake that some writers make.
      let size = header.values[6..<10].reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7f) }
      let hasFooter = header.values[3] == 4 && header.values[5] & 0x10 != 0
      let end = offset + 10 + size + (hasFooter ? 10 : 0)
      guard end < file.size else { return offset + 10 }
      offset = end
    }
    return offset
  }

  /// The offset where the tags at the end of the file begin: ID3v1 (with the "TAG+" extension), APEv2, Lyrics3v2.
  static func startOfTrailingTags(in file: InputFile) throws(DecodeError) -> Int64 {
    var end = file.size
    for _ in 0..<16 {
      let window = try file.bytes(at: max(0, end - 512), count: Int(min(512, end)))
      func has(_ text: StaticString, fromEnd distance: Int) -> Bool {
        window.has(text, at: window.count - distance)
      }
      if has("TAG", fromEnd: 128) && !has("APETAGEX", fromEnd: 131) {
        end -= 128
        let extended = try file.bytes(at: end - 227, count: 4)
        if extended.has("TAG+") { end -= 227 }
      } else if has("APETAGEX", fromEnd: 32) {
        guard let size = window.littleEndian(UInt32.self, at: window.count - 20),
          let flags = window.littleEndian(UInt32.self, at: window.count - 12)
        else { break }
        // The size includes the footer, and not the header, whose presence is bit 31.
        let whole = Int64(size) + (flags & 0x8000_0000 != 0 ? 32 : 0)
        guard size >= 32, whole < end else { break }
        end -= whole
      } else if has("LYRICS200", fromEnd: 9) {
        let digits = window.values[max(0, window.count - 15)..<window.count - 9]
        guard let size = Int64(String(decoding: digits, as: UTF8.self)), size > 0, size + 15 < end else { break }
        end -= size + 15
      } else {
        break
      }
    }
    return end
  }
}
