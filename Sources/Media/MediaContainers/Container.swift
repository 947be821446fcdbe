/// The container of a file according to its first bytes, regardless of its name.
package enum Container: Hashable, Sendable, CaseIterable {
  // Containers that consist of chunks, or of a header and samples.
  case wav, rifx, rf64, wave64, aiff, au, caf, dsdiff, dsf
  // Streams with their own structure.
  case flac, ogg, mp4, asf, matroska, realMedia
  // Encoded audio, usually with tags of other formats before or after it.
  case monkeysAudio, wavPack, trueAudio, tak, musepack7, musepack8, amr, shorten, openMG, dts, dtsHD, ac3, eac3, loas
  case trueHD, mlp, nistSphere, creativeVoice, amigaVoice
  // Tracker modules.
  case mod, s3m, it, xm
  /// None of the above. MPEG audio and AAC frames have no signature: `MPEGStream` and `ADTSStream` find them.
  case unknown

  /// - Parameter offset: The end of the tags at the start of the file.
  package init(of source: ByteSource, at offset: Int) throws(FileReadError) {
    let head = try source.bytes(at: offset, count: 64)
    if let form = Self.form(head) {
      self = form
    } else if let known = Self.marks.first(where: { head.has($0.mark) }) {
      self = known.container
    } else if Self.firstBoxes.contains(where: { head.has($0, at: 4) }) {
      self = .mp4
    } else if head.has("SCRM", at: 44) {
      self = .s3m
    } else if let stream = Self.stream(head) {
      self = stream
    } else if Self.moduleMarks.contains(try source.bytes(at: offset + 1_080, count: 4).latin1) {
      self = .mod
    } else {
      self = .unknown
    }
  }

  /// Detects files with a form type after a signature and a size; `nil` for other files.
  private static func form(_ head: [UInt8]) -> Container? {
    if head.has("WAVE", at: 8) {
      if head.has("RIFF") { return .wav }
      if head.has("RIFX") { return .rifx }
      if head.has("RF64") || head.has("BW64") { return .rf64 }
    }
    guard head.has("FORM") else { return nil }
    if head.has("AIFF", at: 8) || head.has("AIFC", at: 8) { return .aiff }
    return head.has("8SVX", at: 8) || head.has("16SV", at: 8) ? .amigaVoice : nil
  }

  private static let marks: [(mark: [UInt8], container: Container)] = [
    (Array("fLaC".utf8), .flac), (Array("OggS".utf8), .ogg),
    // The GUID `riff`, including the part that is unique to Wave64.
    (Array("riff".utf8) + [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00], .wave64),
    (Array(".snd".utf8), .au), (Array("dns.".utf8), .au), (Array("caff".utf8), .caf), (Array("FRM8".utf8), .dsdiff),
    (Array("DSD ".utf8), .dsf), ([0x1A, 0x45, 0xDF, 0xA3], .matroska), (ASFObject.header, .asf),
    (Array("MAC ".utf8), .monkeysAudio), (Array("wvpk".utf8), .wavPack), (Array("TTA1".utf8), .trueAudio),
    (Array("tBaK".utf8), .tak), (Array("MP+".utf8), .musepack7), (Array("MPCK".utf8), .musepack8),
    (Array("#!AMR".utf8), .amr), (Array(".RMF".utf8), .realMedia), (Array("ajkg".utf8), .shorten),
    (Array("NIST_1A".utf8), .nistSphere), (Array("Creative Voice File".utf8), .creativeVoice),
    (Array("EA3".utf8), .openMG), ([0x7F, 0xFE, 0x80, 0x01], .dts), ([0xFE, 0x7F, 0x01, 0x80], .dts),
    (Array("DTSHDHDR".utf8), .dtsHD), (Array("IMPM".utf8), .it), (Array("Extended Module: ".utf8), .xm),
  ]

  /// Boxes that MP4 and QuickTime files may start with.
  private static let firstBoxes = ["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"]

  /// Detects streams without a signature by their sync word; `nil` for other files.
  private static func stream(_ head: [UInt8]) -> Container? {
    // The first 11 bits of an audio sync stream (ISO/IEC 14496-3, 1.7.2).
    if let word = head.bigEndian(UInt16.self), word & 0xFFE0 == 0x56E0 { return .loas }
    // The major sync word follows the length and time of the first access unit. Meridian Lossless Packing is the older
    // format.
    if head.has([0xF8, 0x72, 0x6F, 0xBA], at: 4) { return .trueHD }
    if head.has([0xF8, 0x72, 0x6F, 0xBB], at: 4) { return .mlp }
    guard head.has([0x0B, 0x77]), head.count > 6 else { return nil }
    // Bit stream identification 11 to 16 is E-AC-3 (ETSI TS 102 366, annex E).
    return head[5] >> 3 > 10 ? .eac3 : .ac3
  }

  /// Signatures of ProTracker modules with 31 samples, and of related formats.
  private static let moduleMarks: Set<String> = [
    "M.K.", "M!K!", "M&K!", "N.T.", "FLT4", "FLT8", "4CHN", "6CHN", "8CHN", "CD81", "OKTA",
  ]
}
