internal import AudioAnalysis

/// What a file is, by its first bytes.
enum Container {
  case pcm(PCMContainer)
  case flac(FLACStream)
  case ogg(OggStream)
  case mpeg(MPEGStream)
  /// A file that FFmpeg's demuxer of this name reads, between the tags of other formats.
  case other(demuxer: String, bytes: Range<Int64>)

  /// `nil` if nothing is known about such bytes.
  init?(of file: InputFile) throws(DecodeError) {
    let start = try TagRegions.skippingID3v2(in: file, from: 0)
    let magic = try file.bytes(at: start, count: 64)
    if let container = try PCMContainer(in: file, at: start) {
      self = .pcm(container)
    } else if let stream = try FLACStream(in: file, at: start) {
      self = .flac(stream)
    } else if magic.has("OggS") {
      self = .ogg(try OggStream(in: file, from: start))
    } else if let demuxer = Self.demuxer(for: magic) {
      self = .other(demuxer: demuxer, bytes: start..<file.size)
    } else if try Self.isADTS(file, at: start) {
      self = .other(demuxer: "aac", bytes: start..<(try TagRegions.startOfTrailingTags(in: file)))
    } else if let stream = try MPEGStream(in: file, from: start) {
      self = .mpeg(stream)
    } else {
      return nil
    }
  }

  private static func demuxer(for magic: Bytes) -> String? {
    let boxes: [StaticString] = ["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"]
    if boxes.contains(where: { magic.has($0, at: 4) }) { return "mov" }
    let markers: [(marker: [UInt8], demuxer: String)] = [
      ([0x1a, 0x45, 0xdf, 0xa3], "matroska"),
      ([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c], "asf"),
      (Array("MAC ".utf8), "ape"), (Array("wvpk".utf8), "wv"), (Array("TTA1".utf8), "tta"), (Array("tBaK".utf8), "tak"),
      (Array("MP+".utf8), "mpc"), (Array("MPCK".utf8), "mpc8"), (Array("DSD ".utf8), "dsf"), (Array("FRM8".utf8), "iff"),
      (Array("#!AMR".utf8), "amr"), (Array(".RMF".utf8), "rm"), (Array("ajkg".utf8), "shn"),
      (Array("NIST_1A".utf8), "nistsphere"), (Array("Creative Voice File".utf8), "voc"), (Array("EA3".utf8), "oma"),
      ([0x7f, 0xfe, 0x80, 0x01], "dts"), ([0xfe, 0x7f, 0x01, 0x80], "dts"), (Array("DTSHDHDR".utf8), "dtshd"),
    ]
    if let known = markers.first(where: { magic.has($0.marker) }) { return known.demuxer }
    if magic.has("FORM") && (magic.has("8SVX", at: 8) || magic.has("16SV", at: 8)) { return "iff" }
    if magic.has([0x0b, 0x77]), magic.count > 6 {
      // Bit stream identification 11 to 16 is E-AC-3 (ETSI TS 102 366, annex E).
      return magic.values[5] >> 3 > 10 ? "eac3" : "ac3"
    }
    return nil
  }

  /// Whether AAC in ADTS frames (ISO/IEC 13818-7) begins at `start`: two headers at the right distance, or one frame that
  /// is the file.
  private static func isADTS(_ file: InputFile, at start: Int64) throws(DecodeError) -> Bool {
    func frameLength(at offset: Int64) throws(DecodeError) -> Int64? {
      let header = try file.bytes(at: offset, count: 7)
      guard header.count == 7, header.values[0] == 0xff, header.values[1] & 0xf6 == 0xf0,
        let word = header.bigEndian(UInt32.self, at: 3)
      else { return nil }
      let length = Int64(word >> 13 & 0x1fff)
      return length > 7 ? length : nil
    }
    guard let first = try frameLength(at: start) else { return false }
    if start + first == file.size { return true }
    return try frameLength(at: start + first) != nil
  }
}
