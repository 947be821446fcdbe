internal import Analysis
internal import MediaContainers
internal import SystemPackage

/// The position of the audio in a file, the claims of its header, and the bytes to hide from decoders.
struct AudioLayout {
  enum Kind {
    case pcm(PCMHeader)
    case flac(FLACStream)
    case ogg(OggStream)
    case mpeg(MPEGStream)
    case freeFormat(FreeFormatStream)
    /// A file that FFmpeg's demuxer with this name reads. `bytes` excludes the tags of other formats.
    case other(demuxer: String, bytes: Range<Int>)
    /// Audio described by the caller; if `demuxer` is `nil`, FFmpeg detects the format.
    case declared(demuxer: String?, bare: BareAudio)
    /// A file of an unrecognized format.
    case unknown
  }

  let kind: Kind
  /// Size of the file in bytes; `Int.max` for a stream.
  let fileSize: Int
  /// `true` if an ID3v2 tag at the start of the file is broken; see `TagRegions.Leading.isBroken`.
  let hasBrokenTag: Bool
  /// Bytes to hide from FFmpeg's demuxer, for PCM and kind `other`.
  private(set) var masks: [ByteMask] = []
  /// See `MP4Structure.ignoresEdits`.
  private(set) var ignoresEdits = false
  /// The header of a DSF file; `nil` for other files.
  private(set) var dsf: DSFHeader?
  /// Frame statistics of a bare AAC file; `nil` for other files.
  private(set) var adts: ADTSStream?
  /// Extent of the container according to its own lengths.
  private(set) var extent = ContainerExtent()
  /// Number of zeros at the end of a TrueHD or MLP stream: padding, or the end of its last frame.
  private(set) var paddingByteCount = 0
  /// `true` if the container neither counts nor indexes its packets, so that missing packets go unnoticed.
  private var isUncounted = false
  /// Bytes after the end of the container or stream; `nil` if only tags or short padding follow.
  private(set) var excess: Excess?
  /// Damage from a transfer in text mode; `nil` if none can be shown.
  private(set) var textModeDamage: TextModeDamage?
  /// End of a stream that consists only of frames; `nil` for other files.
  private(set) var ending: TruncationCheck?
  /// The hole of a sparse file at which reading ends; `nil` if there is none.
  private(set) var hole: Range<Int>?
  /// `true` if the bytes before the first frame are presumably the end of another one.
  private(set) var startsMidFrame = false
  /// Zeros at the end of the file, or of the audio in a PCM container; `nil` if they are few, or if nothing else
  /// precedes them.
  private(set) var emptyTail: EmptyTail?

  /// Opens a file to read its audio.
  static func open(_ path: FilePath) throws(DecodeError) -> (file: ByteSource, layout: AudioLayout) {
    let isUnwritten: Bool
    do throws(FileReadError) {
      let file = try ByteSource(path: path, endsAtHole: true)
      if file.size > 0 {
        file.expectSequentialReads()
        return (file, try AudioLayout(of: file))
      }
      isUnwritten = file.hole != nil
    } catch {
      throw DecodeError(error)
    }
    throw DecodeError(.empty, isUnwritten ? "The file is empty: nothing was ever written to it." : "The file is empty.")
  }

  /// A layout given by the caller instead of detected: see `AudioSource.init(_:)`.
  init(declared input: AudioInput) {
    fileSize = .max
    kind = .declared(demuxer: input.demuxer, bare: input.bare)
    hasBrokenTag = false
  }

  init(of file: ByteSource) throws(FileReadError) {
    hole = file.hole
    fileSize = file.size
    let tags = try TagRegions.leading(in: file)
    hasBrokenTag = tags.isBroken
    let start = tags.end
    let container = try Container(of: file, at: start)
    let trailing = try TagRegions.startOfTrailing(in: file, behind: start)
    if let header = try PCMHeader(in: file, container, at: start) {
      kind = .pcm(header)
      extent = header.extent
      if let audio = header.audio { emptyTail = try EmptyTail(in: file, audio) }
      if let end = extent.end { excess = try Excess(in: file, from: end, before: trailing) }
      if let audio = header.audio {
        textModeDamage = try TextModeDamage(in: file, audio: audio, unit: header.sampleLayout)
      }
      masks = header.tagChunks.map { ByteMask(at: $0, container == .caf ? "free" : "JUNK") }
    } else if container == .flac, let stream = try FLACStream(in: file, at: start) {
      kind = .flac(stream)
      excess = try Excess(in: file, from: stream.audio.upperBound, before: trailing)
    } else if container == .ogg {
      kind = .ogg(try OggStream(in: file, from: start))
    } else if let demuxer = container.demuxer {
      extent = try ContainerExtent(of: container, in: file, at: start, before: trailing)
      var end = container.isStructured ? file.size : trailing
      if let ownEnd = extent.end {
        excess = try Excess(in: file, from: ownEnd, before: trailing)
        // Some demuxers read on into a second file as if it were part of the first, or fail on unknown data. The boxes
        // of a damaged MP4 file may continue after the break in their chain.
        if container != .mp4 || excess?.container != nil { end = ownEnd }
      }
      if container.isCompressed { textModeDamage = try TextModeDamage(in: file, audio: start..<end) }
      ending = try TruncationCheck.of(container, from: start, to: end, in: file)
      kind = .other(demuxer: demuxer, bytes: start..<(ending?.offset ?? end))
      if container == .trueHD || container == .mlp { paddingByteCount = try Self.padding(of: start..<end, in: file) }
      isUncounted = [.creativeVoice, .dsf, .dsdiff, .amr, .trueHD, .mlp].contains(container)
      switch container {
      case .mp4:
        let structure = try MP4Structure(in: file, from: start)
        masks = structure.masks
        ignoresEdits = structure.ignoresEdits
      case .matroska: masks = try MatroskaStructure(in: file, from: start).masks
      case .asf: masks = try ChunkStructure.asf(in: file, at: start)
      case .dsdiff: masks = try ChunkStructure.dsdiff(in: file, at: start)
      case .nistSphere: masks = try ChunkStructure.sphere(in: file, at: start)
      case .dsf:
        dsf = try DSFHeader(in: file, at: start)
        masks = [ByteMask(at: start + DSFHeader.tagOffsetPosition, [UInt8](repeating: 0, count: 8))]
      default: break
      }
    } else if let stream = try ADTSStream(in: file, from: start) {
      kind = .other(demuxer: "aac", bytes: stream.bytes)
      show(stream)
    } else if let stream = try MPEGStream(in: file, from: start) {
      kind = .mpeg(stream)
      ending = stream.ending
      textModeDamage = try TextModeDamage(in: file, audio: stream.audio)
      startsMidFrame = try Self.isPartOfFrame(start..<start + stream.junkByteCount, in: file)
    } else if let stream = try FreeFormatStream(in: file, from: start) {
      kind = .freeFormat(stream)
      ending = stream.ending
    } else if let stream = try ADTSStream(in: file, from: start, isSearched: true) {
      kind = .other(demuxer: "aac", bytes: stream.bytes)
      show(stream)
      startsMidFrame = try Self.isPartOfFrame(start..<start + stream.junkByteCount, in: file)
    } else {
      kind = .unknown
    }
    if case .pcm = kind { return }
    emptyTail = try EmptyTail(in: file, start..<file.size)
  }

  /// Number of zeros at the end of `range`, at most `Excess.maxPadding`.
  private static func padding(of range: Range<Int>, in file: ByteSource) throws(FileReadError) -> Int {
    let start = max(range.lowerBound, range.upperBound - Excess.maxPadding)
    return try file.bytes(at: start, count: range.upperBound - start).reversed().prefix { $0 == 0 }.count
  }

  /// Maximum length of an ADTS frame, in bytes; frames of MPEG audio are shorter.
  private static let maxFrameLength = 8_191

  private static func isPartOfFrame(_ range: Range<Int>, in file: ByteSource) throws(FileReadError) -> Bool {
    guard range.count <= maxFrameLength else { return false }
    return try file.bytes(at: range.lowerBound, count: range.count).contains { $0 != 0 }
  }

  private mutating func show(_ stream: ADTSStream) {
    adts = stream
    ending = stream.ending
    // FFmpeg is slow to read tags between frames.
    masks = stream.innerTags.map { ByteMask(at: $0, [0, 0, 0]) }
  }

  /// Maximum number of bytes after the last frame that count as an unknown tag, or as the padding of a block at the end
  /// of a recovered file (the largest block of FAT and NTFS). Anything longer is damaged or missing audio.
  private static let maxRemnant = 1 << 16
  /// `maxRemnant`, or less for free format, whose frames are not searched for again after an interruption.
  private var remnantLimit: Int { if case .freeFormat = kind { Excess.maxPadding } else { Self.maxRemnant } }

  /// Damage visible in the structure of the file, however decoders handle it; `nil` if there is none.
  var fault: DecodeError? {
    if hole != nil { return unfinished() }
    if let textModeDamage { return DecodeError(.corrupt, textModeDamage.message) }
    switch kind {
    case .ogg(let stream): return stream.fault
    case .pcm(let header) where header.isCutOff:
      return DecodeError(.truncated, "The file is shorter than its header claims.")
    default: break
    }
    switch extent.flaw {
    case .cutOff(let message): return DecodeError(.truncated, message)
    case .disordered(let message): return DecodeError(.corrupt, message)
    case nil: break
    }
    if lacksLength, ending != nil || zerosFollowEnd, emptyTail?.isLong ?? false, let unfinished = unfinished() {
      return unfinished
    }
    if let fault = ending.flatMap(fault(of:)) { return fault }
    guard let missing = excess?.missingTagByteCount, missing > 0 else { return nil }
    return DecodeError(
      .truncated, "The file ends inside its APE tag, \(missing) bytes early: it was cut off. The audio is complete.")
  }

  /// Returns the error for a file whose end was never written; `nil` if it has neither a hole at which reading ends nor
  /// an empty tail, or if its audio ends before the tail.
  ///
  /// - Parameter isShort: `true` if audio that the file claims is missing.
  func unfinished(isShort: Bool = false) -> DecodeError? {
    func error(_ place: String) -> DecodeError {
      DecodeError(.truncated, "The file has only zeros from byte \(place): a download or copy did not finish.")
    }
    // Bytes after a hole are not read: they would not continue the audio.
    if let hole { return error("\(hole.lowerBound) to byte \(hole.upperBound)") }
    var end = audioEnd
    // `audioEnd` is only the end of the last frame found.
    if isShort, case .mpeg = kind { end = nil }
    guard let emptyTail, (end ?? .max) - emptyTail.start > Self.maxTrailingZeros else { return nil }
    return error("\(emptyTail.start) on")
  }

  /// `true` if only an empty tail would reveal that audio is missing.
  var lacksLength: Bool {
    switch kind {
    case .mpeg(let stream): stream.claimedFrameCount == nil
    case .freeFormat, .pcm, .declared, .unknown: true
    case .other: isUncounted || ending != nil
    case .flac, .ogg: false
    }
  }

  /// `true` if more than padding follows the zero byte that ends a VOC file.
  private var zerosFollowEnd: Bool {
    guard case .other("voc", let bytes) = kind else { return false }
    return fileSize - bytes.upperBound > Excess.maxPadding
  }

  /// Maximum number of zeros at the end of a packet or block.
  private static let maxTrailingZeros = 16

  /// The end of the audio according to the file's own lengths, counters or marks; `nil` if there are none.
  private var audioEnd: Int? {
    switch kind {
    case .mpeg(let stream): stream.claimedFrameCount == nil ? nil : stream.audio.upperBound
    case .flac(let stream): stream.audio.upperBound
    case .ogg(let stream): stream.fault == nil ? stream.audioBytes?.upperBound : nil
    case .pcm(let header): header.audio?.upperBound
    case .other where zerosFollowEnd: nil
    case .other: extent.audioEnd ?? extent.end
    case .freeFormat, .declared, .unknown: nil
    }
  }

  private func fault(of ending: TruncationCheck) -> DecodeError? {
    if ending.isCut { return DecodeError(.truncated, "The file ends within a frame: it was cut off.") }
    if ending.junkByteCount > remnantLimit {
      return DecodeError(
        .corrupt, "The last \(ending.junkByteCount) bytes are neither audio nor tags; audio may be missing there.")
    }
    return nil
  }

  /// Notes about harmless oddities.
  var remarks: [Problem] {
    var remarks: [Problem] = []
    func remark(_ code: String, _ message: String) {
      remarks.append(Problem(stage: .open, code: code, message: message))
    }
    if hasBrokenTag {
      remark("broken_tag", "The ID3 tag at the start claims an invalid length or version; it was skipped.")
    }
    if ignoresEdits {
      remark(
        "edit_list",
        "The edit list repeats the audio or points past its end; it was ignored, and the audio was read once.")
    }
    if let count = ending?.junkByteCount, 1...remnantLimit ~= count {
      remark(
        "junk",
        count == 1
          ? "The byte after the last frame is neither audio nor a tag."
          : "\(count) bytes after the last frame are neither audio nor tags.")
    }
    if startsMidFrame { remark("cut_start", Self.cutStart) }
    if let count = ending?.paddingByteCount ?? excess?.paddingByteCount, count > Excess.maxPadding, fault == nil {
      remark(Self.padding, "\(count) bytes after the last frame are zeros, blanks or line ends.")
    }
    if dsf?.isAbsurd ?? false {
      remark("absurd_length", "The DSF header claims lengths that no file has; they were ignored.")
    }
    if case .flac(let stream) = kind, let contradiction = stream.contradiction {
      remark("contradicting_header", contradiction)
    }
    if let contradiction = extent.contradiction { remark("contradicting_header", contradiction) }
    if case .ogg(let stream) = kind, stream.repeatsSerials {
      remark(
        "repeated_serial",
        "Streams of this chain have the same serial number, as after appending a file to itself; some players stop "
          + "at the second one.")
    }
    if let excess, textModeDamage == nil, excess.missingTagByteCount <= 0, excess.byteCount > 0 {
      let count = "\(excess.byteCount) byte\(excess.byteCount == 1 ? "" : "s")"
      if let second = excess.container {
        remark(
          "second_file",
          "A second file follows the first one: \(count), which begin like \(second.displayName). Only the first "
            + "one was read; split the file.")
      } else {
        remark("junk", "\(count) after the end of the container are neither audio nor tags; they were not read.")
      }
    }
    if case .pcm(let header) = kind {
      if header.lengthIsUnknown {
        remark(
          "unknown_length", "The header does not say how long the audio is: the writer was stopped or wrote to a pipe.")
      }
      if header.lengthIsWrapped {
        remark("wrapped_length", "The audio is longer than a WAV header can state; it was read to the end of the file.")
      }
      if header.description.has("alac", at: 8), ALACCookie.isAbsurd(header.codecHeader) {
        remark("odd_header", ALACCookie.remark)
      }
      if header.contradictsItself {
        remark("odd_header", "The header's sample size and frame size are inconsistent; the audio may be noise.")
      }
    }
    return remarks
  }

  /// Code of the remark about padding.
  static let padding = "padding"

  static let cutStart = "The stream begins in the middle of its audio: it was cut, or captured."

  /// MD5 of the samples, as stored by the encoder; `nil` if there is none.
  var checksum: [UInt8]? {
    if case .flac(let stream) = kind { stream.checksum } else { nil }
  }

  /// Number of bytes of encoded audio; `nil` if the structure of the file does not reveal it.
  var encodedByteCount: Int64? {
    switch kind {
    case .pcm(let header): header.audio.map { Int64($0.count) }
    case .flac(let stream): Int64(stream.audio.count)
    case .ogg(let stream): stream.audioByteCount
    default: extent.audioByteCount
    }
  }
}

extension Container {
  /// FFmpeg's demuxer name for a container of kind `other`; `nil` for containers of other kinds.
  var demuxer: String? {
    switch self {
    case .mp4: "mov"
    case .matroska: "matroska"
    case .asf: "asf"
    case .realMedia: "rm"
    case .dsf: "dsf"
    // The same demuxer reads DSDIFF and the older voice files of the Amiga.
    case .dsdiff, .amigaVoice: "iff"
    case .monkeysAudio: "ape"
    case .wavPack: "wv"
    case .trueAudio: "tta"
    case .tak: "tak"
    case .musepack7: "mpc"
    case .musepack8: "mpc8"
    case .amr: "amr"
    case .shorten: "shn"
    case .openMG: "oma"
    case .dts: "dts"
    case .dtsHD: "dtshd"
    case .ac3: "ac3"
    case .eac3: "eac3"
    case .loas: "loas"
    case .trueHD: "truehd"
    case .mlp: "mlp"
    case .nistSphere: "nistsphere"
    case .creativeVoice: "voc"
    case .wav, .rifx, .rf64, .wave64, .aiff, .au, .caf, .flac, .ogg, .mod, .s3m, .it, .xm, .unknown: nil
    }
  }

  /// `true` if the encoded audio uses all byte values.
  fileprivate var isCompressed: Bool {
    switch self {
    case .dsf, .dsdiff, .amigaVoice, .creativeVoice: false
    default: true
    }
  }

  /// Name for messages.
  var displayName: String {
    switch self {
    case .wav, .rifx: "WAV"
    case .rf64: "RF64"
    case .wave64: "Wave64"
    case .aiff: "AIFF"
    case .au: "AU"
    case .caf: "CAF"
    case .dsdiff: "DSDIFF"
    case .dsf: "DSF"
    case .flac: "FLAC"
    case .ogg: "Ogg"
    case .mp4: "MP4"
    case .asf: "ASF (WMA)"
    case .matroska: "Matroska"
    case .realMedia: "RealMedia"
    case .monkeysAudio: "Monkey's Audio"
    case .wavPack: "WavPack"
    case .trueAudio: "TTA"
    case .tak: "TAK"
    case .musepack7, .musepack8: "Musepack"
    case .amr: "AMR"
    case .shorten: "Shorten"
    case .openMG: "OpenMG"
    case .dts, .dtsHD: "DTS"
    case .ac3: "AC-3"
    case .eac3: "E-AC-3"
    case .loas: "AAC in LOAS"
    case .trueHD: "TrueHD"
    case .mlp: "MLP"
    case .nistSphere: "NIST SPHERE"
    case .creativeVoice: "Creative Voice"
    case .amigaVoice: "8SVX"
    case .mod, .s3m, .it, .xm: "a tracker module"
    case .unknown: "audio"
    }
  }

  /// `true` if tags are part of the container's structure, so that no tags of other formats follow.
  fileprivate var isStructured: Bool {
    switch self {
    case .mp4, .matroska, .asf, .realMedia, .dsdiff, .amigaVoice: true
    default: false
    }
  }
}

extension TextModeDamage {
  fileprivate var message: String {
    switch self {
    case .addedCarriageReturns:
      "A transfer in text mode put a carriage return before each line feed. Copy the file again, in binary mode."
    case .replacedCarriageReturns:
      "A transfer in text mode replaced carriage returns by line feeds. Copy the file again, in binary mode."
    case .strippedHighBits:
      "All bytes lost their highest bit in a transfer as 7-bit text. Copy the file again, in binary mode."
    }
  }
}

extension PCMHeader {
  /// Name for reports: `wav`, `rf64`, `w64`, `aiff`, `au` or `caf`.
  var name: String {
    switch container {
    case .rf64: "rf64"
    case .wave64: "w64"
    case .aiff: "aiff"
    case .au: "au"
    case .caf: "caf"
    default: "wav"
    }
  }

  /// FFmpeg's demuxer name.
  var demuxer: String { container == .rf64 ? "wav" : name }

  /// The header of a WAV file with the same encoding and unlimited length.
  var endlessHeader: [UInt8] {
    let unknown: [UInt8] = [0xff, 0xff, 0xff, 0xff]
    return Array("RIFF".utf8) + unknown + Array("WAVEfmt ".utf8) + [UInt8(description.count), 0, 0, 0] + description
      + Array("data".utf8) + unknown
  }
}

extension DSFHeader {
  private var isTooLong: Bool { sampleCount / UInt64(max(sampleRate, 1)) > UInt64(StreamLimits.seconds) }

  /// `true` if the lengths are implausible (petabytes, or years).
  var isAbsurd: Bool { isTooLong || fileSize >> 50 != 0 || dataSize >> 50 != 0 }

  /// Number of frames that the header claims (eight one-bit samples decode to one); `nil` if it is 0 or implausible.
  var claimedFrameCount: Int64? { isTooLong || sampleCount == 0 ? nil : Int64(sampleCount / 8) }
}

extension DecodeError {
  init(_ error: FileReadError) {
    self.init(error.code == .readError ? .readError : .unreadable, error.message)
  }
}
