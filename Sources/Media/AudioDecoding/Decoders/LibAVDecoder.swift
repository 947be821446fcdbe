internal import Analysis
internal import CLibAV
internal import MediaContainers

/// A range of a file, the only part of it that FFmpeg's demuxers see.
struct LibAVInput {
  var file: ByteSource
  var bytes: Range<Int>
  /// Bytes that the demuxer sees before `bytes`.
  var prefix: [UInt8] = []
  /// Bytes that the demuxer sees in place of some of `bytes`.
  var masks: [ByteMask] = []
  /// FFmpeg's short name; `nil` to probe.
  var demuxer: String?
  /// `true` to keep probing from choosing a format whose frames this project detects itself, because it found none in
  /// the file.
  var excludesFrames = false
  /// See `LAVReport.packetChecksum`.
  var sumsPackets = false
  /// Parameters that a demuxer of bare PCM assumes.
  var bare = BareAudio()

  /// Opens a reader that the caller closes.
  func open() throws(DecodeError) -> OpaquePointer {
    var reader: OpaquePointer?
    var readErrno: CInt = 0
    let status = prefix.withUnsafeBufferPointer { prefix in
      masks.withUnsafeBufferPointer { masks in
        func open(_ demuxer: UnsafePointer<CChar>?) -> LAVStatus {
          var input = LAVInput(
            descriptor: file.descriptor ?? -1, start: Int64(bytes.lowerBound), end: Int64(bytes.upperBound),
            prefix: prefix.baseAddress,
            prefixCount: CInt(prefix.count), masks: masks.baseAddress, maskCount: CInt(masks.count), demuxer: demuxer,
            isStream: file.isStream, excludesFrames: excludesFrames, sumsPackets: sumsPackets,
            sampleRate: CInt(clamping: bare.sampleRate ?? 0), channelCount: CInt(clamping: bare.channelCount ?? 0))
          return lav_open(&input, &reader, &readErrno)
        }
        return demuxer?.withCString(open) ?? open(nil)
      }
    }
    guard let reader else { throw Self.error(status, readErrno: readErrno) }
    return reader
  }

  static func error(_ status: LAVStatus, readErrno: CInt) -> DecodeError {
    switch status {
    case LAVStatusNoAudio: DecodeError(.noAudio, "The file holds no audio.")
    case LAVStatusUnsupportedCodec:
      DecodeError(.unsupportedCodec, "No decoder supports this audio; it may also be encrypted.")
    case LAVStatusAbsurdHeader:
      DecodeError(.absurdHeader, "The stream claims a sample rate or a number of channels that no real file has.")
    case LAVStatusCorrupt: DecodeError(.corrupt, "The file is damaged from the start.")
    case LAVStatusReadError: DecodeError(.reading(readErrno))
    case LAVStatusOutOfMemory: DecodeError(.corrupt, "The file's index requires more memory than is possible.")
    default: DecodeError(.unknownFormat, "Unrecognized file format.")
    }
  }
}

/// Decodes with FFmpeg: one container, or the links of a chain one after the other.
final class LibAVDecoder: StreamDecoder {
  private let layout: AudioLayout
  private var inputs: ArraySlice<LibAVInput>
  private var reader: OpaquePointer?
  private var first: LAVFormat

  private(set) var format: AudioFormat
  let encoding: SampleEncoding
  private(set) var claimTolerance: Int64

  private var frameCount: Int64 = 0
  private var packetCount: Int64 = 0
  private var packetByteCount: Int64 = 0
  private var badPacketCount: Int64 = 0
  private var lastPacketIsBad = false
  private var flawedPacketCount: Int64 = 0
  private var unevenPacketCount: Int64 = 0
  private var shortPacketCount: Int64 = 0
  private var disorderCount: Int64 = 0
  private var missingCount: Int64 = 0
  private var startsMidStream = false
  private var demuxedByteCount: Int64 = 0
  private var gapCount: Int64 = 0
  private var timestampGap: Int64 = 0
  /// See `LAVReport.packetChecksum`.
  private var packetChecksum: UInt16 = 0
  private var checksumCount: Int64 = 0
  private var wrongChecksumCount: Int64 = 0
  private var formatChangeCount: Int64 = 0
  private var badLinkCount = 0
  private var endedByError = false
  private var lostSync = false
  private var readErrno: CInt = 0
  /// MD5 of the decoded samples, if requested; `nil` until the end.
  private var digest: [UInt8]?
  private let verifiesChecksum: Bool
  private let hasAbsurdCookie: Bool

  init(_ file: ByteSource, layout: AudioLayout, verifiesChecksum: Bool = false) throws(DecodeError) {
    self.layout = layout
    self.verifiesChecksum = verifiesChecksum && layout.checksum != nil
    inputs = Self.inputs(for: layout, in: file)[...]
    first = LAVFormat()
    format = AudioFormat(container: "", codec: "", sampleRate: 0, channelCount: 0, isLossless: false)

    // The first decodable link determines rate and channels.
    var firstError: DecodeError?
    var opened: OpaquePointer?
    var failedCount = 0
    while opened == nil, let input = inputs.popFirst() {
      do throws(DecodeError) {
        opened = try Self.start(input, like: nil, layout: layout)
      } catch {
        firstError = firstError ?? error
        failedCount += 1
        if error.code == .readError { break }
      }
    }
    guard let opened else { throw firstError ?? DecodeError(.noAudio, "The file holds no audio.") }
    if self.verifiesChecksum { lav_hash_samples(opened) }
    reader = opened
    badLinkCount = failedCount
    first = lav_format(opened)
    hasAbsurdCookie = String(cString: first.codec) == "alac" && ALACCookie.isAbsurd(Self.parameters(of: opened))
    var channelMask = first.channelMask
    switch layout.kind {
    case .pcm(let header) where header.channelMask != 0: channelMask = header.channelMask
    case .flac(let stream): channelMask = stream.channelMask
    default: break
    }
    encoding = SampleEncoding(sampleType: Self.sampleType(first.sampleType), channelMask: channelMask)
    format = Self.audioFormat(first, layout: layout) ?? format
    // Matroska and ASF round durations to milliseconds; lossy files may or may not count the padding at their ends.
    claimTolerance = max(8_192, Int64(first.sampleRate) / 5, (format.claimedFrameCount ?? 0) / 1_000)
    if first.isLossless, format.container != "matroska", format.container != "asf" { claimTolerance = 0 }
    // Limits the tolerance for short files, of which it would otherwise be a large part.
    if first.isLossless, let claimed = format.claimedFrameCount { claimTolerance = min(claimTolerance, claimed / 10) }
    // Decoders lose a few hundred frames at the end of each link.
    if case .ogg(let stream) = layout.kind, stream.links.count > 1 {
      claimTolerance = max(claimTolerance, Int64(1_024 * stream.links.count))
    }
  }

  deinit { lav_close(reader) }

  /// Number of frames according to FFmpeg's demuxer, claimed or estimated from the bit rate; `nil` if unknown.
  var demuxerFrameCount: Int64? { [first.claimedFrameCount, first.estimatedFrameCount].first { $0 > 0 } }

  func read(into samples: UnsafeMutablePointer<Float>) -> Int {
    while let current = reader {
      let count = Int(lav_read(current, samples, CInt(AudioBlock.capacity), CInt(AudioBlock.capacity)))
      if count > 0 {
        frameCount += Int64(count)
        return count
      }
      record(lav_report(current))
      lav_close(current)
      reader = nil
      while reader == nil, readErrno == 0, let input = inputs.popFirst() {
        do throws(DecodeError) {
          reader = try Self.start(input, like: first, layout: layout)
        } catch {
          badLinkCount += 1
        }
      }
    }
    return 0
  }

  func stop() {
    guard let current = reader else { return }
    record(lav_report(current))
    lav_close(current)
    reader = nil
    inputs = []
  }

  private func record(_ report: LAVReport) {
    packetCount += report.packetCount
    packetByteCount += report.packetByteCount
    badPacketCount += report.badPacketCount
    gapCount += report.gapCount
    // An MP4 file keeps the packet durations of the stream it was made from, which may have had gaps. No packet is
    // missing in these gaps.
    if format.container == "mp4" {
      timestampGap += report.timestampGap
      claimTolerance += report.timestampGap
    }
    packetChecksum = report.packetChecksum
    checksumCount += report.checksumCount
    wrongChecksumCount += report.wrongChecksumCount
    formatChangeCount += report.formatChangeCount
    flawedPacketCount += report.flawedPacketCount
    unevenPacketCount += report.unevenPacketCount
    shortPacketCount += report.shortPacketCount
    disorderCount += report.disorderCount
    missingCount += report.missingCount
    startsMidStream = startsMidStream || report.startsMidStream
    demuxedByteCount += report.demuxedByteCount
    lastPacketIsBad = report.lastPacketIsBad || report.lastPacketIsFlawed
    endedByError = endedByError || report.endedByError
    lostSync = lostSync || report.lostSync
    if readErrno == 0 { readErrno = report.readErrno }
    if verifiesChecksum { digest = withUnsafeBytes(of: report.digest) { Array($0) } }
  }

  // MARK: Faults

  var fault: DecodeError? {
    if readErrno != 0 { return DecodeError(.reading(readErrno)) }
    if lostSync {
      return DecodeError(.corrupt, "The audio is interrupted by other data; the rest of the file was not decoded.")
    }
    if max(badPacketCount, flawedPacketCount) == 1 && lastPacketIsBad && layout.ending?.isCut ?? true {
      return DecodeError(.truncated, "The last packet is incomplete: the file was cut off.")
    }
    if badPacketCount > 0 {
      return DecodeError(.corrupt, "\(badPacketCount) of \(packetCount) packets are damaged and were skipped.")
    }
    if flawedPacketCount > 0 {
      return DecodeError(.corrupt, "\(flawedPacketCount) of \(packetCount) packets are partly damaged.")
    }
    if shortPacketCount > 0 {
      return DecodeError(
        .corrupt, "\(shortPacketCount) of \(packetCount) packets hold less audio than the container says.")
    }
    if disorderCount > 0 {
      return DecodeError(
        .corrupt, "The timestamps run backwards in \(disorderCount) place\(disorderCount == 1 ? "" : "s").")
    }
    if frameless > 0 {
      return DecodeError(.corrupt, "\(frameless) bytes of the stream belong to no frame; audio is lost there.")
    }
    if wrongChecksumCount > 0, !checksumsAreMeaningless {
      return DecodeError(
        .corrupt,
        "The CRC is wrong in \(wrongChecksumCount) of \(checksumCount) frames: they were changed after encoding.")
    }
    if gapCount > 0 {
      return DecodeError(
        .corrupt, "FLAC frames are missing or out of order in \(gapCount) place\(gapCount == 1 ? "" : "s").")
    }
    if badLinkCount > 0 {
      return DecodeError(.corrupt, "\(badLinkCount) of the streams in this chain could not be decoded.")
    }
    if endedByError { return DecodeError(.corrupt, "The container is damaged; the rest was not decoded.") }
    if let digest, digest != layout.checksum, frameCount >= format.claimedFrameCount ?? 0 {
      return DecodeError(
        .checksumMismatch,
        "The audio is not what was encoded: its MD5 differs from the one in the file's header. Replace the file from a "
          + "backup, or encode it again from the source.")
    }
    return nil
  }

  /// Number of bytes of a bare stream outside its frames.
  private var frameless: Int64 {
    guard reader == nil else { return 0 }
    switch layout.kind {
    case .other(let demuxer, let bytes) where Self.countsFrameless(demuxer):
      return Int64(bytes.count - layout.paddingByteCount) - demuxedByteCount
    // A stream that does not begin with a frame has the kind `unknown`.
    case .unknown where Self.countsFrameless(format.container) || format.container == "dts":
      return Int64(layout.fileSize) - demuxedByteCount
    default: return 0
    }
  }

  /// `true` if bytes outside the frames of this demuxer's format count as damage.
  static func countsFrameless(_ demuxer: String) -> Bool { demuxer == "truehd" || demuxer == "mlp" }

  /// `true` if most checksums are wrong. Damage on that scale would leave no stream to decode, but some encoders
  /// compute checksums wrongly, and some editors change frames without updating their checksums.
  private var checksumsAreMeaningless: Bool { wrongChecksumCount > checksumCount / 2 }

  var faultyFrameCount: Int64 {
    // A demuxer may mistake a damaged frame and the next one for a single packet.
    packetCount > 0 ? badPacketCount * 2 * (frameCount / packetCount + 1) : 0
  }

  var encodedByteCount: Int64? { packetByteCount }

  var remarks: [Problem] {
    var remarks: [Problem] = []
    // `AudioLayout` reports the absurd ALAC headers of CAF files, whose kind is `pcm`.
    if case .other = layout.kind, hasAbsurdCookie {
      remarks.append(Problem(stage: .decode, code: "odd_header", message: ALACCookie.remark))
    }
    if wrongChecksumCount > 0, checksumsAreMeaningless {
      remarks.append(
        Problem(
          stage: .decode, code: "wrong_checksums",
          message:
            "The CRC is wrong in \(wrongChecksumCount) of \(checksumCount) frames. The encoder or an editor wrote it "
            + "wrongly; the audio could be decoded."))
    }
    if reader == nil, fault == nil, case .mpeg(let stream) = layout.kind, let checksum = stream.musicChecksum,
      checksum != packetChecksum
    {
      remarks.append(
        Problem(
          stage: .decode, code: "wrong_checksums",
          message: "The encoder's checksum of the audio is wrong: bits changed after encoding, or a program edited the "
            + "frames."))
    }
    if unevenPacketCount > 0, unevenPacketCount <= packetCount / 10 {
      remarks.append(
        Problem(
          stage: .decode, code: "uneven_frames",
          message: "\(unevenPacketCount) of \(packetCount) MP3 frames leave bits unused, unlike the others: bits may "
            + "have changed."))
    }
    if startsMidStream, !layout.startsMidFrame, layout.lacksLength {
      remarks.append(Problem(stage: .decode, code: "cut_start", message: AudioLayout.cutStart))
    }
    if missingCount > 0 {
      remarks.append(
        Problem(
          stage: .decode, code: "timestamp_gaps",
          message:
            "The timestamps skip a packet or more in \(missingCount) place\(missingCount == 1 ? "" : "s"); audio "
            + "may be missing."))
    }
    if timestampGap > Int64(format.sampleRate) {
      remarks.append(
        Problem(
          stage: .decode, code: "timestamp_gaps",
          message: "The timestamps skip \(timestampGap / Int64(format.sampleRate)) s between packets; all of them were "
            + "decoded."))
    }
    if formatChangeCount > 0 {
      remarks.append(
        Problem(
          stage: .decode, code: "format_change",
          message: "The sample rate or the number of channels changes in mid-stream; all audio was converted to "
            + "\(format.sampleRate) Hz and \(format.channelCount) channel(s), as at the start."))
    }
    if junkByteCount > Self.harmlessJunk {
      remarks.append(
        Problem(stage: .decode, code: "junk", message: "\(junkByteCount) bytes in the file are neither audio nor tags.")
      )
    }
    return remarks
  }

  /// Maximum number of junk bytes without a remark: some encoders leave padding.
  private static let harmlessJunk: Int64 = 4_096

  private var junkByteCount: Int64 {
    switch layout.kind {
    case .mpeg(let stream):
      Int64(stream.junkByteCount) + max(0, Int64(stream.payload.count) - packetByteCount)
    case .ogg(let stream): Int64(stream.junkByteCount)
    case .other: Int64(layout.adts?.junkByteCount ?? 0)
    default: 0
    }
  }

  // MARK: Opening

  /// - Returns: `nil` if the rate or the number of channels is not known.
  static func audioFormat(_ format: LAVFormat, layout: AudioLayout) -> AudioFormat? {
    guard format.sampleRate > 0, format.channelCount > 0 else { return nil }
    return AudioFormat(
      container: containerName(String(cString: format.container), layout: layout),
      codec: codecName(String(cString: format.codec)), sampleRate: Int(format.sampleRate),
      channelCount: Int(format.channelCount), bitDepth: format.bitDepth > 0 ? Int(format.bitDepth) : nil,
      bitRate: format.bitRate > 0 ? Int(format.bitRate) : nil, isLossless: format.isLossless,
      claimedFrameCount: claimedFrameCount(format, layout: layout),
      estimatedFrameCount: estimatedFrameCount(format, layout: layout))
  }

  private static func start(
    _ input: LibAVInput, like first: LAVFormat?, layout: AudioLayout
  ) throws(DecodeError) -> OpaquePointer {
    let reader = try input.open()
    let status: LAVStatus
    if var first {
      status = lav_start(reader, &first)
    } else {
      status = lav_start(reader, nil)
    }
    guard status == LAVStatusOK else {
      var error = LibAVInput.error(status, readErrno: lav_report(reader).readErrno)
      error.format = StreamLimits.plausible(audioFormat(lav_format(reader), layout: layout), in: layout)
      lav_close(reader)
      throw error
    }
    return reader
  }

  /// The codec parameters that are not in the packets.
  private static func parameters(of reader: OpaquePointer) -> [UInt8] {
    var bytes: UnsafePointer<UInt8>?
    var count: CInt = 0
    lav_extradata(reader, &bytes, &count)
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  static func inputs(for layout: AudioLayout, in file: ByteSource) -> [LibAVInput] {
    switch layout.kind {
    case .flac(let stream):
      [
        LibAVInput(
          file: file, bytes: min(stream.firstFrame, stream.audio.upperBound)..<stream.audio.upperBound,
          prefix: stream.bareHeader, demuxer: "flac")
      ]
    case .mpeg(let stream):
      [LibAVInput(file: file, bytes: stream.audio, demuxer: "mp3", sumsPackets: stream.musicChecksum != nil)]
    case .freeFormat(let stream):
      [LibAVInput(file: file, bytes: stream.audio, demuxer: "mp3")]
    case .ogg(let stream):
      stream.links.map { $0.input(from: file) }
    case .other(let demuxer, let bytes):
      [LibAVInput(file: file, bytes: bytes, masks: layout.masks, demuxer: demuxer)]
    case .pcm(let header):
      if let audio = header.audio, header.lengthIsWrapped {
        [LibAVInput(file: file, bytes: audio, prefix: header.endlessHeader, demuxer: "wav")]
      } else {
        [LibAVInput(file: file, bytes: header.start..<header.end, masks: layout.masks, demuxer: header.demuxer)]
      }
    case .declared(let demuxer, let bare):
      [LibAVInput(file: file, bytes: 0..<file.size, demuxer: demuxer, bare: bare)]
    case .unknown:
      [LibAVInput(file: file, bytes: 0..<file.size, excludesFrames: true)]
    }
  }

  private static func claimedFrameCount(_ format: LAVFormat, layout: AudioLayout) -> Int64? {
    switch layout.kind {
    case .pcm(let header): return header.claimedFrameCount
    case .flac(let stream): return stream.claimedFrameCount
    case .mpeg(let stream): return stream.claimedFrameCount
    case .ogg(let stream) where stream.links.count > 1: return stream.claimedFrameCount
    case .ogg(let stream) where stream.fault != nil: return nil
    case .other where layout.dsf != nil: return layout.dsf?.claimedFrameCount
    case .other where layout.extent.claimedFrameCount != nil: return layout.extent.claimedFrameCount
    default: return format.claimedFrameCount >= 0 ? format.claimedFrameCount : nil
    }
  }

  private static func estimatedFrameCount(_ format: LAVFormat, layout: AudioLayout) -> Int64? {
    switch layout.kind {
    case .mpeg(let stream) where stream.claimedFrameCount == nil: stream.estimatedFrameCount
    case .other:
      // Uses the decoder's sample rate, which for HE-AAC is twice the rate in the frame headers.
      layout.adts.map { Int64($0.seconds * Double(format.sampleRate)) }
        ?? (format.estimatedFrameCount >= 0 ? format.estimatedFrameCount : nil)
    default: nil
    }
  }

  private static func sampleType(_ type: LAVSampleType) -> SampleEncoding.SampleType {
    switch type {
    case LAVSampleTypeUInt8: .uint8
    case LAVSampleTypeInt16: .int16
    case LAVSampleTypeInt32: .int32
    case LAVSampleTypeDouble: .double
    default: .float
    }
  }

  private static func containerName(_ demuxer: String, layout: AudioLayout) -> String {
    if case .pcm(let header) = layout.kind { return header.name }
    switch demuxer {
    case "mov,mp4,m4a,3gp,3g2,mj2": return "mp4"
    case "matroska,webm": return "matroska"
    case "mpc8": return "mpc"
    case "aac": return "adts"
    case "iff": return "dsdiff"
    default: return demuxer
    }
  }

  /// FFmpeg's codec name without the byte order of PCM and the packing of DSD.
  private static func codecName(_ name: String) -> String {
    if name.hasPrefix("dsd_") { return "dsd" }
    guard name.hasPrefix("pcm_"), name.hasSuffix("le") || name.hasSuffix("be") else { return name }
    return String(name.dropLast(2))
  }
}
