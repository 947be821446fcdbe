/// What a file is, by its content; as far as finding its tags needs to know.
enum Container: Hashable {
  case flac, ogg, mp4, asf, riff, rifx, wave64, aiff, dsdiff, dsf, matroska
  case mod, s3m, it, xm
  /// MP3, AAC, APE, WavPack, Musepack, TTA and everything else: tags stand before and after the audio.
  case other

  /// - Parameter offset: where the file starts after the ID3v2 tags in front of it.
  init(of source: ByteSource, at offset: Int) throws(TagReadError) {
    let head = try source.bytes(at: offset, count: 48)
    self =
      if head.has("fLaC") {
        .flac
      } else if head.has("OggS") {
        .ogg
      } else if Self.mp4Starts.contains(where: { head.has($0, at: 4) }) {
        .mp4
      } else if head.starts(with: Self.asfHeader) {
        .asf
      } else if ["RIFF", "RF64", "BW64"].contains(where: { head.has($0) }), head.has("WAVE", at: 8) {
        .riff
      } else if head.has("RIFX"), head.has("WAVE", at: 8) {
        .rifx
      } else if head.starts(with: Self.wave64Header) {
        .wave64
      } else if head.has("FORM"), head.has("AIFF", at: 8) || head.has("AIFC", at: 8) {
        .aiff
      } else if head.has("FRM8"), head.has("DSD ", at: 12) {
        .dsdiff
      } else if head.has("DSD ") {
        .dsf
      } else if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
        .matroska
      } else if head.has("IMPM") {
        .it
      } else if head.has("Extended Module: ") {
        .xm
      } else if head.has("SCRM", at: 44) {
        .s3m
      } else if try Self.moduleMarks.contains(
        String(decoding: source.bytes(at: offset + 1080, count: 4), as: UTF8.self))
      {
        .mod
      } else {
        .other
      }
  }

  /// Atoms that MP4 and QuickTime files start with.
  private static let mp4Starts = ["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"]
  /// The GUID of the header object (ASF specification, section 10.1).
  static let asfHeader: [UInt8] = [
    0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
  ]
  private static let wave64Header: [UInt8] = [
    0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00,
  ]
  /// ProTracker and its relatives with 31 samples.
  private static let moduleMarks: Set<String> = [
    "M.K.", "M!K!", "M&K!", "N.T.", "FLT4", "FLT8", "4CHN", "6CHN", "8CHN", "CD81", "OKTA",
  ]
}
