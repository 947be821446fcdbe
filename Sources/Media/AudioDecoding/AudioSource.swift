public import Analysis
internal import MediaContainers
public import SystemPackage

/// A library that decodes audio.
public enum AudioDecoder: String, Hashable, Sendable, CaseIterable {
  case libsndfile
  case ffmpeg
}

/// The decoded audio of one file, read once from start to end.
///
/// The format is detected from the content, not the file name. Only regular files are opened, and files that they refer
/// to are never read. Lengths in headers are not trusted: reading continues until the audio ends, and `summary`
/// contains both the number of frames found and the number claimed. If the rate or channel count changes in mid-stream,
/// the audio is converted to the rate and channel count it started with. Not thread-safe.
public struct AudioSource: ~Copyable {
  /// Increased whenever files that failed before may now be decodable, or the reason for a failure changes. Failed and
  /// damaged files are then retried.
  public static let version = 6

  /// Samples beyond ± this value are clamped to it, and counted. Full scale is 1, so this is +24 dBFS: more than the
  /// overshoot of clipped masters in lossy codecs and of float mixes, and small enough that one damaged frame does not
  /// dominate the sums of squares of a whole track.
  public static let sampleLimit: Float = 16

  /// Once `read` has reached the end of the audio, `frameCount` is known and, if there is no problem, the actual
  /// `bitRate`.
  public private(set) var format: AudioFormat
  public let encoding: SampleEncoding
  public let decoder: AudioDecoder
  /// Complete once `read` has returned `false`.
  public private(set) var summary = DecodeSummary()

  private let stream: any StreamDecoder
  private let layout: AudioLayout
  /// The first block, decoded when the file was opened.
  private var firstBlock: AudioBlock?
  private var isEnded = false
  private var end = SilentEnd()

  /// Opens a file and decodes its first block.
  ///
  /// - Parameters:
  ///   - decoder: The only decoder to use. By default, the most suitable decoder for the format, or the faster one if
  ///     both are suitable; if it fails, the other decoder, provided that it suits the format.
  ///   - verifiesChecksum: `true` to compare completely decoded audio with the MD5 that FLAC encoders store. This takes
  ///     50 to 80% more time than decoding alone.
  /// - Throws: `DecodeError` if not a single frame can be decoded; such a file should be skipped.
  public init(path: FilePath, decoder: AudioDecoder? = nil, verifiesChecksum: Bool = false) throws(DecodeError) {
    let (file, layout) = try AudioLayout.open(path)
    try self.init(
      file, layout, decoder.map { [$0] } ?? Self.preference(for: layout), verifiesChecksum: verifiesChecksum)
  }

  /// Inspects the structure of a file without decoding it.
  /// - Returns: `true` if the file is in a known audio format.
  package static func recognizes(_ path: FilePath) -> Bool {
    guard let (_, layout) = try? AudioLayout.open(path) else { return false }
    if case .unknown = layout.kind { return false }
    return true
  }

  /// Duration of MPEG audio in seconds according to FFmpeg, and therefore to other programs that use it. It includes
  /// the encoder's delay and padding, which `format` leaves out. Without a table of contents, it is estimated from the
  /// bit rate. `nil` for other formats, or if it is unknown.
  package var demuxerDuration: Double? {
    guard case .mpeg(let mpeg) = layout.kind, format.sampleRate > 0 else { return nil }
    let count = mpeg.untrimmedFrameCount ?? (stream as? LibAVDecoder)?.demuxerFrameCount
    return count.map { Double($0) / Double(format.sampleRate) }
  }

  /// The `demuxerDuration` of a file; `nil` also if the file cannot be opened. No decoder is opened if the file has a
  /// table of contents.
  package static func demuxerDuration(of path: FilePath, sampleRate: Double) -> Double? {
    guard sampleRate > 0, let (_, layout) = try? AudioLayout.open(path), case .mpeg(let mpeg) = layout.kind else {
      return nil
    }
    if let count = mpeg.untrimmedFrameCount { return Double(count) / sampleRate }
    return try? AudioSource(path: path).demuxerDuration
  }

  /// Opens audio as described by the caller, without inspecting its content first.
  ///
  /// - Throws: `DecodeError` if not a single frame can be decoded, or FFmpeg cannot or must not read such a format.
  public init(_ input: AudioInput) throws(DecodeError) {
    let file: ByteSource
    switch input.place {
    case .file(let path):
      do throws(FileReadError) { file = try ByteSource(path: path) } catch { throw DecodeError(error) }
      guard file.size > 0 else { throw DecodeError(.empty, "The file is empty.") }
    case .stream(let descriptor): file = ByteSource(stream: descriptor.rawValue)
    }
    try self.init(file, AudioLayout(declared: input), [.ffmpeg], verifiesChecksum: false)
  }

  private init(
    _ file: ByteSource, _ layout: AudioLayout, _ decoders: [AudioDecoder], verifiesChecksum: Bool
  ) throws(DecodeError) {
    let opened: Opened
    do throws(DecodeError) {
      opened = try Opened(file, layout, decoders, verifiesChecksum: verifiesChecksum)
    } catch {
      var error = error
      error.format = StreamLimits.plausible(error.format, in: layout)
      throw error
    }
    self.layout = layout
    stream = opened.stream
    self.decoder = opened.decoder
    firstBlock = opened.block
    format = opened.stream.format
    encoding = opened.stream.encoding
    // FFmpeg writes absurd page positions when it copies a part of an Ogg file.
    var isAbsurd = false
    if case .ogg(let stream) = layout.kind, stream.fault == nil {
      isAbsurd = StreamLimits.plausible(format, in: layout)?.claimedFrameCount == nil
    }
    if let claimed = format.claimedFrameCount,
      isAbsurd || claimed / Int64(format.sampleRate) > StreamLimits.seconds
    {
      format.claimedFrameCount = nil
      remark("absurd_length", "The header claims \(claimed) frames, which is implausible.")
    }
    summary.claimedFrameCount = format.claimedFrameCount
  }

  /// Returns the decoders in order of preference. According to measurements, libsndfile is as fast as FFmpeg for PCM,
  /// slightly faster for FLAC and slower for MP3; FFmpeg is 2.3 times as fast for Vorbis and 2.2 times for Opus. Only
  /// libsndfile decodes free-format MP3. libsndfile loses everything after the first damaged frame of a FLAC file and
  /// after junk in an MP3 file, decodes damaged ADPCM without reporting it, and reads only the first link of a chain.
  /// FFmpeg loses the last 128 to 256 frames of a Vorbis stream on a single page, and rejects some Vorbis setup headers
  /// that libvorbis (used by libsndfile) accepts.
  private static func preference(for layout: AudioLayout) -> [AudioDecoder] {
    switch layout.kind {
    case .pcm(let header) where header.lengthIsWrapped: [.ffmpeg]
    case .pcm(let header): header.hasPackets ? [.ffmpeg, .libsndfile] : [.libsndfile, .ffmpeg]
    case .flac: [.ffmpeg, .libsndfile]
    case .ogg(let stream) where stream.isVorbisOnOnePage: [.libsndfile, .ffmpeg]
    case .ogg(let stream) where stream.links.count == 1: [.ffmpeg, .libsndfile]
    case .freeFormat: [.libsndfile]
    case .ogg, .mpeg, .other, .declared, .unknown: [.ffmpeg]
    }
  }

  /// Reads up to `AudioBlock.capacity` frames; any read may return fewer.
  ///
  /// - Parameter block: Its channel count is set to that of `format`.
  /// - Returns: `false` at the end, with an empty block. The end may come early: see `summary.problem`.
  public mutating func read(into block: inout AudioBlock) -> Bool {
    if let first = firstBlock.take() {
      block = first
    } else {
      if block.channelCount != format.channelCount { block = AudioBlock(channelCount: format.channelCount) }
      if isEnded { block.frameCount = 0 } else { block.fill(from: stream) }
    }
    guard block.frameCount > 0 else {
      if !isEnded { finish() }
      return false
    }
    summary.frameCount += Int64(block.frameCount)
    end.take(block)
    let check = block.sanitize(limit: Self.sampleLimit)
    summary.nonFiniteSampleCount += check.nonFiniteCount
    summary.absurdSampleCount += check.absurdCount
    return true
  }

  /// Stops reading early: later reads return nothing, and `summary.problem` covers the part that was decoded.
  public mutating func stop() {
    guard !isEnded else { return }
    isEnded = true
    firstBlock = nil
    stream.stop()
    summary.problem = stream.fault
  }

  private mutating func finish() {
    isEnded = true
    format.frameCount = summary.frameCount
    format.estimatedFrameCount = nil
    let seconds = Double(summary.frameCount) / Double(format.sampleRate)
    summary.problem = problem
    // The audio size of a truncated stream is unknown.
    if summary.problem == nil, let bytes = stream.encodedByteCount ?? layout.encodedByteCount, bytes > 0 {
      format.bitRate = Int((Double(bytes) * 8 / seconds).rounded())
    }
    let hasProblem = summary.problem != nil
    // If there is a problem, padding is not worth a separate remark.
    let remarks = layout.remarks.filter { !hasProblem || $0.code != AudioLayout.padding }
    summary.remarks = remarks + summary.remarks + stream.remarks
    if let tail = layout.emptyTail, layout.unfinished() != nil, !hasProblem, end.isAbrupt(summary.frameCount) {
      remark(
        "empty_end",
        "The file has only zeros from byte \(tail.start) on, \(self.seconds(end.silentFrameCount)) s: digital "
          + "silence, or a download that did not finish.")
    }
    if let claimed = summary.claimedFrameCount, summary.frameCount > claimed + max(8_192, stream.claimTolerance) {
      remark("longer_than_claimed", "The header claims \(claimed) frames, but there are \(summary.frameCount).")
    }
    if seconds < 0.1 {
      remark("very_short", "There is less than a tenth of a second of audio.")
    }
    if summary.nonFiniteSampleCount > 0 {
      remark("non_finite_samples", "\(summary.nonFiniteSampleCount) samples are not finite; they were replaced with 0.")
    }
    if summary.absurdSampleCount > 0 {
      remark(
        "absurd_samples",
        "\(summary.absurdSampleCount) samples are more than 24 dB above full scale; they were limited.")
    }
  }

  private mutating func remark(_ code: String, _ message: String) {
    summary.remarks.append(Problem(stage: .decode, code: code, message: message))
  }

  private var problem: DecodeError? {
    let fault = stream.fault ?? layout.fault
    if fault?.code == .readError { return fault }
    let missing = (summary.claimedFrameCount ?? 0) - summary.frameCount
    let isShort = missing > stream.claimTolerance + stream.faultyFrameCount
    // Zeros that are digital silence do not explain why audio was cut off.
    let unfinished = zerosAreSilence && layout.hole == nil ? nil : layout.unfinished(isShort: isShort)
    let isEmptied = layout.lacksLength && layout.emptyTail?.isLong ?? false && !zerosAreSilence
    if let unfinished, isShort || fault != nil || isEmptied { return unfinished }
    if isShort {
      let claimed = seconds(summary.frameCount + missing)
      let found = seconds(summary.frameCount)
      return DecodeError(
        .truncated,
        "The file claims \(claimed) s of audio, but \(found) s were found" + (fault.map { ": \($0.message)" } ?? "."))
    }
    return fault
  }

  /// `true` if zero bytes are digital silence in this encoding.
  private var zerosAreSilence: Bool {
    let codec = format.codec
    return codec.hasPrefix("adpcm_") || codec.hasPrefix("pcm_") && !["pcm_u8", "pcm_mulaw", "pcm_alaw"].contains(codec)
  }

  /// A number of frames in seconds, rounded to hundredths for messages.
  private func seconds(_ frames: Int64) -> Double {
    (Double(frames) / Double(format.sampleRate) * 100).rounded() / 100
  }
}

/// Digital silence at the end of the blocks read so far.
private struct SilentEnd {
  private(set) var silentFrameCount: Int64 = 0
  /// Largest magnitude of a sample in the last frames before the silence.
  private var level: Float = 0

  /// Minimum level of an abrupt end; anything quieter is the end of a fade.
  private static let minAbruptLevel: Float = 0.01
  /// Number of frames whose level counts: a single frame may be where the signal crosses zero.
  private static let levelFrameCount = 512

  mutating func take(_ block: AudioBlock) {
    let ranges = (0..<block.channelCount).map { block.range(ofChannel: $0) }
    for index in (0..<block.frameCount).reversed() {
      let peak = ranges.reduce(0) { max($0, block.samples[$1.lowerBound + index].magnitude) }
      guard peak == 0 else {
        // If few frames of this block precede the silence, the level at the end of the previous block counts too.
        level = index < Self.levelFrameCount && silentFrameCount == 0 ? level : 0
        let frames = max(0, index - Self.levelFrameCount)...index
        for range in ranges {
          level = frames.reduce(level) { max($0, block.samples[range.lowerBound + $1].magnitude) }
        }
        silentFrameCount = Int64(block.frameCount - 1 - index)
        return
      }
    }
    silentFrameCount += Int64(block.frameCount)
  }

  /// `true` if the silence at the end takes more than an eighth of all frames, without a fade before it.
  func isAbrupt(_ frameCount: Int64) -> Bool { silentFrameCount > frameCount / 8 && level > Self.minAbruptLevel }
}

/// A stream whose first block could be decoded.
private struct Opened {
  var stream: any StreamDecoder
  var decoder: AudioDecoder
  var block: AudioBlock

  /// Uses the first of `candidates` that can decode the file, or throws the error that best explains the failure.
  init(
    _ file: ByteSource, _ layout: AudioLayout, _ candidates: [AudioDecoder], verifiesChecksum: Bool
  ) throws(DecodeError) {
    if case .pcm(let header) = layout.kind, !header.description.isEmpty {
      try StreamLimits.check(sampleRate: header.sampleRate, channelCount: header.channelCount)
      if header.hasEmptyBlocks { throw DecodeError(.absurdHeader, "The header claims blocks without bytes.") }
    }
    var firstError = DecodeError(.unknownFormat, "Unrecognized file format.")
    for candidate in candidates {
      do throws(DecodeError) {
        let stream: any StreamDecoder =
          switch candidate {
          case .libsndfile: try SndfileDecoder(file, layout: layout)
          case .ffmpeg: try LibAVDecoder(file, layout: layout, verifiesChecksum: verifiesChecksum)
          }
        var block = AudioBlock(channelCount: stream.format.channelCount)
        block.fill(from: stream)
        guard block.frameCount > 0 else {
          var error = stream.fault ?? DecodeError(.noAudio, "The file holds no audio, or none that can be decoded.")
          error.format = stream.format
          throw error
        }
        self.stream = stream
        self.block = block
        decoder = candidate
        return
      } catch {
        if firstError.code == .unknownFormat { firstError = error }
      }
    }
    if case .pcm(let header) = layout.kind, header.description.isEmpty || header.audio == nil {
      throw DecodeError(
        .corrupt, "The header leads to no audio, or does not state its encoding.", format: firstError.format)
    }
    if case .flac(let stream) = layout.kind, stream.bitDepth > StreamLimits.flacBitDepth {
      throw DecodeError(
        .unsupportedCodec,
        "This is FLAC with \(stream.bitDepth) bits per sample, which the installed decoders do not support; convert "
          + "it to \(StreamLimits.flacBitDepth) bits.", format: firstError.format)
    }
    if case .freeFormat = layout.kind, firstError.code == .unsupportedCodec {
      throw DecodeError(.unsupportedCodec, "This is free-format MP3, which the installed libsndfile does not decode.")
    }
    if var unfinished = layout.unfinished(), firstError.code != .readError {
      unfinished.format = firstError.format
      throw unfinished
    }
    if var fault = layout.fault, fault.code == .corrupt || firstError.code == .corrupt {
      fault.format = firstError.format
      throw fault
    }
    throw firstError
  }
}

extension AudioBlock {
  fileprivate mutating func fill(from stream: any StreamDecoder) {
    frameCount = samples.withUnsafeMutableBufferPointer { stream.read(into: $0.baseAddress!) }
  }
}
