internal import Analysis

/// What a file is, by its first bytes.
struct Container {
  enum Kind {
    case pcm(PCMContainer)
    case flac(FLACStream)
    case ogg(OggStream)
    case mpeg(MPEGStream)
    /// A file that FFmpeg's demuxer of this name reads, between the tags of other formats.
    case other(demuxer: String, bytes: Range<Int64>)
    /// Nothing is known about such bytes.
    case unknown
  }

  let kind: Kind
  /// An ID3v2 tag in front cannot be what it claims to be.
  let hasBrokenTag: Bool
  /// What FFmpeg's demuxer must not see of a container of kind `other`.
  private(set) var masks: [ByteMask] = []
  /// See `MP4Structure.ignoresEdits`.
  private(set) var ignoresEdits = false
  /// What a DSF file says.
  private(set) var dsf: DSFHeader?
  /// What was counted in a file of bare AAC.
  private(set) var adts: ADTSStream?

  init(of file: InputFile) throws(DecodeError) {
    let tags = try TagRegions.leading(in: file)
    hasBrokenTag = tags.isBroken
    let start = tags.end
    let magic = try file.bytes(at: start, count: 64)
    if let container = try PCMContainer(in: file, at: start) {
      kind = .pcm(container)
    } else if let stream = try FLACStream(in: file, at: start) {
      kind = .flac(stream)
    } else if magic.has("OggS") {
      kind = .ogg(try OggStream(in: file, from: start))
    } else if let demuxer = Self.demuxer(for: magic) {
      // Formats that hold tags in a structure of their own are not followed by others.
      let isStructured = ["mov", "matroska", "asf", "rm", "iff"].contains(demuxer)
      let end = isStructured ? file.size : try TagRegions.startOfTrailingTags(in: file, behind: start)
      kind = .other(demuxer: demuxer, bytes: start..<end)
      switch demuxer {
      case "mov":
        let structure = try MP4Structure(in: file, from: start)
        masks = structure.masks
        ignoresEdits = structure.ignoresEdits
      case "matroska": masks = try MatroskaStructure(in: file, from: start).masks
      case "asf": masks = try ChunkStructure.asf(in: file, at: start)
      case "iff": masks = try ChunkStructure.dsdiff(in: file, at: start)
      case "nistsphere": masks = try ChunkStructure.sphere(in: file, at: start)
      case "dsf":
        let header = try DSFHeader(in: file, at: start)
        masks = header.masks
        dsf = header
      default: break
      }
    } else if let stream = try Self.adtsStream(in: file, from: start) {
      kind = .other(demuxer: "aac", bytes: stream.bytes)
      adts = stream.adts
      masks = stream.adts.masks
    } else if let stream = try MPEGStream(in: file, from: start) {
      kind = .mpeg(stream)
    } else {
      kind = .unknown
    }
  }

  /// Damage that shows in the structure of the file, whatever decoders make of it.
  var fault: DecodeError? {
    switch kind {
    case .ogg(let stream): stream.fault
    case .pcm(let header) where header.isCutOff:
      DecodeError(.truncated, "The file is shorter than its header claims.")
    default: nil
    }
  }

  /// What a person should know although it does no harm.
  var remarks: [Problem] {
    var remarks: [Problem] = []
    func remark(_ code: String, _ message: String) {
      remarks.append(Problem(stage: .open, code: code, message: message))
    }
    if hasBrokenTag {
      remark("broken_tag", "The ID3 tag in front claims a length or a version that it cannot have; it was passed over.")
    }
    if ignoresEdits {
      remark(
        "edit_list", "The edit list repeats the audio or leads past its end; it was ignored, and the audio read once.")
    }
    if dsf?.isAbsurd ?? false {
      remark("absurd_length", "The DSF header claims lengths that no file has; they were ignored.")
    }
    if case .flac(let stream) = kind, let contradiction = stream.contradiction {
      remark("contradicting_header", contradiction)
    }
    if case .pcm(let header) = kind {
      if header.lengthIsUnknown {
        remark(
          "unknown_length", "The header does not say how long the audio is: the writer was stopped or wrote to a pipe.")
      }
      if header.lengthIsWrapped {
        remark("wrapped_length", "The audio is longer than a WAV header can say; it was read to the end of the file.")
      }
      if header.hasAbsurdCookie { remark("odd_header", ALACCookie.remark) }
      if header.contradictsItself {
        remark("odd_header", "The header's sample size and frame size do not go together; the audio may be noise.")
      }
    }
    return remarks
  }

  /// MD5 of the samples as the encoder left it; `nil` if there is none.
  var checksum: [UInt8]? {
    if case .flac(let stream) = kind { stream.checksum } else { nil }
  }

  /// Bytes of encoded audio, as far as the structure of the file tells.
  var encodedByteCount: Int64? {
    switch kind {
    case .pcm(let header): header.audio.map { $0.upperBound - $0.lowerBound }
    case .flac(let stream): stream.audio.upperBound - stream.audio.lowerBound
    case .ogg(let stream): stream.audioByteCount
    default: nil
    }
  }

  private static func demuxer(for magic: Bytes) -> String? {
    let boxes: [StaticString] = ["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"]
    if boxes.contains(where: { magic.has($0, at: 4) }) { return "mov" }
    let markers: [(marker: [UInt8], demuxer: String)] = [
      ([0x1a, 0x45, 0xdf, 0xa3], "matroska"),
      ([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c], "asf"),
      (Array("MAC ".utf8), "ape"), (Array("wvpk".utf8), "wv"), (Array("TTA1".utf8), "tta"), (Array("tBaK".utf8), "tak"),
      (Array("MP+".utf8), "mpc"), (Array("MPCK".utf8), "mpc8"), (Array("DSD ".utf8), "dsf"),
      (Array("FRM8".utf8), "iff"),
      (Array("#!AMR".utf8), "amr"), (Array(".RMF".utf8), "rm"), (Array("ajkg".utf8), "shn"),
      (Array("NIST_1A".utf8), "nistsphere"), (Array("Creative Voice File".utf8), "voc"), (Array("EA3".utf8), "oma"),
      ([0x7f, 0xfe, 0x80, 0x01], "dts"), ([0xfe, 0x7f, 0x01, 0x80], "dts"), (Array("DTSHDHDR".utf8), "dtshd"),
    ]
    if let known = markers.first(where: { magic.has($0.marker) }) { return known.demuxer }
    if magic.has("FORM") && (magic.has("8SVX", at: 8) || magic.has("16SV", at: 8)) { return "iff" }
    // The first 11 bits of an audio sync stream (ISO/IEC 14496-3, 1.7.2).
    if let word = magic.bigEndian(UInt16.self, at: 0), word & 0xffe0 == 0x56e0 { return "loas" }
    if magic.has([0x0b, 0x77]), magic.count > 6 {
      // Bit stream identification 11 to 16 is E-AC-3 (ETSI TS 102 366, annex E).
      return magic.values[5] >> 3 > 10 ? "eac3" : "ac3"
    }
    return nil
  }

  private static func adtsStream(
    in file: InputFile, from start: Int64
  ) throws(DecodeError) -> (adts: ADTSStream, bytes: Range<Int64>)? {
    // Nearly all other files are told from it by their first bytes.
    let sync = try file.bytes(at: start, count: 2)
    guard let word = sync.bigEndian(UInt16.self, at: 0), word & 0xfff6 == 0xfff0 else { return nil }
    let bytes = start..<(try TagRegions.startOfTrailingTags(in: file, behind: start))
    return try ADTSStream(in: file, bytes).map { ($0, bytes) }
  }
}
