internal import AudioAnalysis

/// Where tags in front of and behind an audio stream end and begin.
enum TagRegions {
  /// Tags one after the other; real files have three.
  private static let limit = 100_000

  /// The offset after all ID3v2 tags at the start of a file. A tag that claims an unknown version or to reach past the
  /// end of the file is broken: the offset is then that after its header.
  static func leading(in file: InputFile) throws(DecodeError) -> (end: Int64, isBroken: Bool) {
    var offset: Int64 = 0
    for _ in 0..<limit {
      let header = try file.bytes(at: offset, count: 10)
      guard header.count == 10, header.has("ID3") else { break }
      // 28 bits in four bytes; a set top bit is a mistake that some writers make.
      let size = header.values[6..<10].reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7f) }
      var end = offset + 10 + size
      guard header.values[3] <= 4, end < file.size else { return (offset + 10, true) }
      if try file.bytes(at: end, count: 3).has("3DI") { end = min(end + 10, file.size) }
      offset = end
    }
    return (offset, false)
  }

  /// The offset where the tags at the end of the file begin: ID3v1 (with the "TAG+" extension), APEv2, Lyrics3v2.
  ///
  /// - Parameter start: Where the audio begins. What claims to reach to before it is no tag.
  static func startOfTrailingTags(in file: InputFile, behind start: Int64) throws(DecodeError) -> Int64 {
    var end = file.size
    for _ in 0..<limit {
      let windowStart = max(start, end - 512)
      let window = try file.bytes(at: windowStart, count: Int(end - windowStart))
      func has(_ text: StaticString, fromEnd distance: Int) -> Bool {
        window.has(text, at: window.count - distance)
      }
      if has("TAG", fromEnd: 128) && !has("APETAGEX", fromEnd: 131) {
        end -= 128
        let extended = try file.bytes(at: end - 227, count: 4)
        if end - 227 >= start, extended.has("TAG+") { end -= 227 }
      } else if has("APETAGEX", fromEnd: 32) {
        guard let size = window.littleEndian(UInt32.self, at: window.count - 20),
          let flags = window.littleEndian(UInt32.self, at: window.count - 12)
        else { break }
        // The size includes the footer, and not the header, whose presence is bit 31.
        let whole = Int64(size) + (flags & 0x8000_0000 != 0 ? 32 : 0)
        guard size >= 32, whole <= end - start else { break }
        end -= whole
      } else if has("LYRICS200", fromEnd: 9) {
        let digits = window.values[max(0, window.count - 15)..<window.count - 9]
        guard let size = Int64(String(decoding: digits, as: UTF8.self)), size > 0, size + 15 <= end - start
        else { break }
        end -= size + 15
      } else {
        break
      }
    }
    return end
  }
}
