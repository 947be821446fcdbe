internal import CSndfile
internal import DSP
internal import Glibc
internal import Platform
public import SystemPackage

/// Writes audio to a WAV, FLAC or Ogg Opus file, block by block, through libsndfile.
///
/// Memory use does not depend on the length of the audio. Until `finish` returns, the audio is in a hidden file in the
/// same folder, which is removed if `finish` is never called (see `FileReplacement`). Not thread-safe.
public final class AudioFileWriter {
  public struct Summary: Hashable, Sendable {
    /// Sample rate of the file, in Hz.
    public var sampleRate: Int
    /// Number of frames passed to the encoder, at the file's sample rate.
    public var frameCount: Int64
    /// Number of samples clipped to full scale.
    public var clippedSampleCount: Int64
    public var byteCount: Int64
  }

  public let path: FilePath
  public let layout: AudioFileLayout
  /// Sample rate of the file, in Hz.
  public let sampleRate: Int

  private let replacesExisting: Bool
  private let view: OutputView
  private var handle: OpaquePointer?
  private var quantizer: SampleQuantizer
  /// One resampler for each channel; empty if the rate stays the same.
  private var resamplers: [any Resampler] = []
  private var resampled: [[Float]] = []
  private var integers: [Int32] = []
  private var floats: [Float] = []
  private var frameCount: Int64 = 0

  /// Bit rate of Opus per channel, in kbit/s: stereo at 128 kbit/s is hard to tell from the original (Xiph.Org, Opus
  /// Recommended Settings).
  private static let opusBitRate = 64.0
  /// Maximum number of bytes of samples in a WAV file. Its lengths have 32 bits, and the header needs some room.
  private static let wavLimit: Int64 = (1 << 32) - (1 << 16)

  /// - Parameters:
  ///   - path: The file to write, in an existing folder.
  ///   - replacesExisting: `true` to replace a file that already exists.
  public init(_ path: FilePath, _ layout: AudioFileLayout, replacesExisting: Bool = false) throws(AudioWriteError) {
    self.path = path
    self.layout = layout
    self.replacesExisting = replacesExisting
    sampleRate = layout.format.sampleRate(for: layout.sampleRate)
    try Self.check(path, replacesExisting: replacesExisting)
    guard layout.format.channelCounts.contains(layout.channelCount) else {
      throw .unsupported(
        path,
        reason: "\(layout.format.rawValue) supports \(layout.format.channelCounts.upperBound) channels at most, and "
          + "there are \(layout.channelCount). Use FLAC or WAV.")
    }
    var info = SF_INFO()
    info.samplerate = CInt(clamping: sampleRate)
    info.channels = CInt(layout.channelCount)
    info.format = Self.format(of: layout)
    guard layout.sampleRate > 0, libsndfile.sf_format_check(&info) != 0 else {
      throw .unsupported(
        path,
        reason: "\(layout.format.rawValue) does not have \(layout.depth.rawValue) bits at \(sampleRate) Hz.")
    }
    do {
      view = OutputView(try FileReplacement(path))
    } catch {
      throw .cannotWrite(path, reason: "\(error)")
    }
    quantizer = SampleQuantizer(layout.depth, isDithered: layout.isDithered)
    handle = view.open(&info)
    guard handle != nil else {
      throw .cannotWrite(path, reason: view.problem ?? "the encoder cannot be started")
    }
    prepareEncoder()
    if sampleRate != layout.sampleRate {
      resamplers = (0..<layout.channelCount).map { _ in
        ResamplerKind.soxr.makeResampler(from: layout.sampleRate, to: sampleRate)
      }
      resampled = Array(repeating: [], count: layout.channelCount)
    }
  }

  deinit {
    view.isDiscarded = true
    if let handle { withExtendedLifetime(view) { _ = libsndfile.sf_close(handle) } }
  }

  /// Checks that `path` is free or leads to a regular file that may be replaced, so that a command can fail before a
  /// long computation rather than after it.
  ///
  /// - Throws: `exists`, `notAFile` or `cannotWrite`.
  public static func check(_ path: FilePath, replacesExisting: Bool) throws(AudioWriteError) {
    do {
      guard try FileStatus(at: path, followingLinks: true).kind == .regular else {
        throw AudioWriteError.notAFile(path)
      }
    } catch let error as AudioWriteError {
      throw error
    } catch Errno.noSuchFileOrDirectory {
      // A dangling link also counts as an existing file.
      if path.exists, !replacesExisting { throw .exists(path) }
      return
    } catch {
      throw .cannotWrite(path, reason: "\(error)")
    }
    if !replacesExisting { throw .exists(path) }
  }

  // MARK: - Samples

  /// Writes frames of planar audio with full scale at ±1. Sample `f` of channel `c` is `samples[c * stride + f]`.
  ///
  /// To write an `AudioBlock`, call `write(planar: block.samples, stride: AudioBlock.capacity, frames:
  /// 0..<block.frameCount)`.
  public func write(planar samples: [Float], stride: Int, frames: Range<Int>) throws(AudioWriteError) {
    guard !frames.isEmpty else { return }
    let channelCount = layout.channelCount
    precondition(
      frames.lowerBound >= 0 && frames.upperBound <= stride
        && samples.count >= (channelCount - 1) * stride + frames.upperBound,
      "frames lie within the samples")
    if resamplers.isEmpty {
      try encode(frames.count) { channel, frame in samples[channel * stride + frames.lowerBound + frame] }
    } else {
      var count = 0
      for channel in 0..<channelCount {
        let range = channel * stride + frames.lowerBound..<channel * stride + frames.upperBound
        count = resamplers[channel].push(samples.span.extracting(range), into: &resampled[channel])
      }
      try encodeResampled(count)
    }
  }

  /// Writes interleaved audio with full scale at ±1: one sample per channel, frame after frame.
  public func write(interleaved samples: [Float]) throws(AudioWriteError) {
    let channelCount = layout.channelCount
    precondition(samples.count.isMultiple(of: channelCount), "there are whole frames")
    let frameCount = samples.count / channelCount
    if resamplers.isEmpty {
      try encode(frameCount) { channel, frame in samples[frame * channelCount + channel] }
    } else {
      var planar = [Float](repeating: 0, count: samples.count)
      for frame in 0..<frameCount {
        for channel in 0..<channelCount {
          planar[channel * frameCount + frame] = samples[frame * channelCount + channel]
        }
      }
      try write(planar: planar, stride: frameCount, frames: 0..<frameCount)
    }
  }

  /// Completes the file and moves it to its path. Nothing can be written afterwards.
  public func finish() throws(AudioWriteError) -> Summary {
    if !resamplers.isEmpty {
      var count = 0
      for channel in 0..<layout.channelCount { count = resamplers[channel].finish(into: &resampled[channel]) }
      try encodeResampled(count)
    }
    if let handle = self.handle.take() {
      let status = withExtendedLifetime(view) { libsndfile.sf_close(handle) }
      if status != 0 || view.error != nil { throw failure(status) }
    }
    // The file may have been created since the writer was opened.
    try Self.check(path, replacesExisting: replacesExisting)
    do throws(Errno) {
      try view.file.commit()
    } catch {
      throw .cannotWrite(path, reason: "\(error)")
    }
    return Summary(
      sampleRate: sampleRate, frameCount: frameCount, clippedSampleCount: quantizer.clippedCount,
      byteCount: view.size)
  }

  // MARK: - Encoding

  private static func format(of layout: AudioFileLayout) -> CInt {
    let subtype =
      switch layout.depth {
      case .int16: SF_FORMAT_PCM_16
      case .int24: SF_FORMAT_PCM_24
      case .float32: SF_FORMAT_FLOAT
      }
    return switch layout.format {
    case .flac: CInt(SF_FORMAT_FLAC | subtype)
    case .opus: CInt(SF_FORMAT_OGG | SF_FORMAT_OPUS)
    case .wav where needsRF64(layout): CInt(SF_FORMAT_RF64 | subtype)
    // With more than two channels, players need the speaker positions.
    case .wav: CInt((layout.channelCount > 2 ? SF_FORMAT_WAVEX : SF_FORMAT_WAV) | subtype)
    }
  }

  private static func needsRF64(_ layout: AudioFileLayout) -> Bool {
    guard layout.format == .wav, let frames = layout.expectedFrameCount else { return false }
    return frames > wavLimit / Int64(layout.channelCount * layout.depth.rawValue / 8)
  }

  private func prepareEncoder() {
    // The peak chunk contains a timestamp, so the file would differ on each run.
    _ = libsndfile.sf_command(handle, CInt(SFC_SET_ADD_PEAK_CHUNK), nil, 0)
    if Self.needsRF64(layout) { _ = libsndfile.sf_command(handle, CInt(SFC_RF64_AUTO_DOWNGRADE), nil, CInt(SF_TRUE)) }
    if layout.format == .opus {
      // libsndfile maps the level to a bit rate between 6 and 256 kbit/s per channel.
      var level = 1 - (Self.opusBitRate - 6) / 250
      _ = libsndfile.sf_command(handle, CInt(SFC_SET_COMPRESSION_LEVEL), &level, CInt(MemoryLayout<Double>.size))
    }
    let tags = layout.tags
    let texts = [
      (SF_STR_TITLE, tags.title), (SF_STR_ARTIST, tags.artist), (SF_STR_ALBUM, tags.album), (SF_STR_DATE, tags.date),
      (SF_STR_TRACKNUMBER, tags.trackNumber), (SF_STR_GENRE, tags.genre), (SF_STR_COMMENT, tags.comment),
    ]
    for (name, text) in texts {
      if let text, !text.isEmpty { _ = libsndfile.sf_set_string(handle, CInt(name), text) }
    }
  }

  private func encodeResampled(_ count: Int) throws(AudioWriteError) {
    let planes = resampled
    try encode(count) { channel, frame in planes[channel][frame] }
  }

  /// - Parameter sample: Returns the sample for a channel and a frame.
  private func encode(_ count: Int, _ sample: (Int, Int) -> Float) throws(AudioWriteError) {
    guard count > 0 else { return }
    let channelCount = layout.channelCount
    if layout.format == .wav, !Self.needsRF64(layout) {
      let bytes = (frameCount + Int64(count)) * Int64(channelCount * layout.depth.rawValue / 8)
      guard bytes <= Self.wavLimit else { throw .tooLong(path) }
    }
    let written: sf_count_t
    if layout.format == .opus || layout.depth == .float32 {
      floats.removeAll(keepingCapacity: true)
      for frame in 0..<count {
        for channel in 0..<channelCount { floats.append(quantizer.limited(sample(channel, frame))) }
      }
      written = libsndfile.sf_writef_float(handle, floats, sf_count_t(count))
    } else {
      integers.removeAll(keepingCapacity: true)
      for frame in 0..<count {
        for channel in 0..<channelCount { integers.append(quantizer.integer(sample(channel, frame))) }
      }
      written = libsndfile.sf_writef_int(handle, integers, sf_count_t(count))
    }
    guard written == sf_count_t(count), view.error == nil else { throw failure(libsndfile.sf_error(handle)) }
    frameCount += Int64(count)
  }

  private func failure(_ status: CInt) -> AudioWriteError {
    .cannotWrite(path, reason: view.problem ?? libsndfile.message(of: status))
  }
}

/// The file that libsndfile writes through callbacks.
private final class OutputView {
  let file: FileReplacement
  private var position: Int64 = 0
  /// Size in bytes.
  private(set) var size: Int64 = 0
  private(set) var error: Errno?
  /// `true` to ignore further writes, because the file will be discarded.
  var isDiscarded = false

  init(_ file: FileReplacement) { self.file = file }

  /// The system's reason for a failed write; `nil` if no write failed.
  var problem: String? { error.map { "\($0)" } }

  /// Opens the file for libsndfile; `nil` if that fails. The handle must not outlive the view.
  func open(_ info: inout SF_INFO) -> OpaquePointer? {
    var callbacks = SF_VIRTUAL_IO(
      get_filelen: { OutputView.from($0).size },
      seek: { OutputView.from($2).seek(to: $0, from: $1) },
      read: { OutputView.from($2).read(into: $0, count: Int($1)) },
      write: { OutputView.from($2).write($0, count: Int($1)) },
      tell: { OutputView.from($0).position })
    return libsndfile.sf_open_virtual(&callbacks, CInt(SFM_WRITE), &info, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> OutputView {
    Unmanaged<OutputView>.fromOpaque(pointer!).takeUnretainedValue()
  }

  private func seek(to offset: sf_count_t, from origin: CInt) -> sf_count_t {
    let base =
      switch origin {
      case SEEK_CUR: position
      case SEEK_END: size
      default: Int64(0)
      }
    position = max(0, base + offset)
    return position
  }

  private func read(into bytes: UnsafeMutableRawPointer?, count: Int) -> sf_count_t {
    guard let bytes, count > 0, error == nil else { return 0 }
    let target = UnsafeMutableRawBufferPointer(start: bytes, count: count)
    guard let got = try? file.descriptor.read(fromAbsoluteOffset: position, into: target) else { return 0 }
    position += Int64(got)
    return sf_count_t(got)
  }

  private func write(_ bytes: UnsafeRawPointer?, count: Int) -> sf_count_t {
    guard let bytes, count > 0, error == nil else { return 0 }
    if !isDiscarded {
      do {
        try file.descriptor.writeAll(toAbsoluteOffset: position, UnsafeRawBufferPointer(start: bytes, count: count))
      } catch {
        self.error = error as? Errno ?? .ioError
        return 0
      }
    }
    position += Int64(count)
    size = max(size, position)
    return sf_count_t(count)
  }
}
