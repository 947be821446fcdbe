internal import Analysis
internal import CSndfile
internal import Glibc
internal import MediaContainers

/// Decodes with libsndfile.
final class SndfileDecoder: StreamDecoder {
  private let view: FileView
  private let handle: OpaquePointer
  private var interleaved: [Float]
  private(set) var format: AudioFormat
  let encoding: SampleEncoding
  private(set) var claimTolerance: Int64 = 0
  private(set) var fault: DecodeError?
  let faultyFrameCount: Int64 = 0
  let remarks: [Problem] = []
  let encodedByteCount: Int64? = nil

  init(_ file: ByteSource, layout: AudioLayout) throws(DecodeError) {
    var info = SF_INFO()
    var audio: Range<Int>?
    var start = 0
    if case .pcm(let header) = layout.kind {
      audio = header.audio ?? 0..<0
      start = header.start
    }
    // libmpg123, which libsndfile uses for MP3, prints messages about data that it does not recognize, so it is shown
    // only the audio.
    var end = file.size
    if case .freeFormat(let stream) = layout.kind { (start, end) = (stream.audio.lowerBound, stream.audio.upperBound) }
    let view = FileView(file, from: start, to: end, audio: audio)
    guard let handle = view.open(&info) else {
      if let error = view.error { throw error }
      // libsndfile stores the reason in a variable shared by all threads, so it is not reliable.
      throw DecodeError(.unsupportedCodec, "The header is damaged, or no decoder reads this encoding.")
    }
    do throws(DecodeError) {
      try StreamLimits.check(sampleRate: Int(info.samplerate), channelCount: Int(info.channels))
    } catch {
      _ = withExtendedLifetime(view) { libsndfile.sf_close(handle) }
      throw error
    }
    self.view = view
    self.handle = handle
    let subtype = Subtype(info.format)
    format = AudioFormat(
      container: Self.containerName(info.format), codec: subtype.codec, sampleRate: Int(info.samplerate),
      channelCount: Int(info.channels), bitDepth: subtype.bitDepth, isLossless: subtype.isLossless)
    interleaved = [Float](repeating: 0, count: format.channelCount * AudioBlock.capacity)
    var channelMask: UInt64 = 0
    switch layout.kind {
    case .pcm(let header):
      format.claimedFrameCount = header.claimedFrameCount
      format.container = header.name
      channelMask = header.channelMask
    case .flac(let stream):
      format.claimedFrameCount = stream.claimedFrameCount
      channelMask = stream.channelMask
    case .freeFormat(let stream):
      format.claimedFrameCount = stream.frameCount
      // Allows for the table of contents, and the encoder's delay and padding.
      claimTolerance = 8 * 1_152
    default: break
    }
    encoding = SampleEncoding(sampleType: subtype.sampleType, channelMask: channelMask)
  }

  deinit { _ = libsndfile.sf_close(handle) }

  func read(into samples: UnsafeMutablePointer<Float>) -> Int {
    let channelCount = format.channelCount
    return interleaved.withUnsafeMutableBufferPointer { buffer in
      let count = Int(libsndfile.sf_readf_float(handle, buffer.baseAddress, sf_count_t(AudioBlock.capacity)))
      guard count > 0 else {
        recordFault()
        return 0
      }
      deinterleave(
        UnsafePointer(buffer.baseAddress!), channelCount: channelCount, frameCount: count, into: samples,
        stride: AudioBlock.capacity)
      return count
    }
  }

  func stop() { recordFault() }

  private func recordFault() {
    let code = libsndfile.sf_error(handle)
    if let error = view.error {
      fault = error
    } else if code != CInt(SF_ERR_NO_ERROR) {
      fault = DecodeError(.corrupt, "The stream is damaged: \(libsndfile.message(of: code))")
    }
  }

  private static func containerName(_ format: CInt) -> String {
    switch Int(format) & SF_FORMAT_TYPEMASK {
    case SF_FORMAT_WAV, SF_FORMAT_WAVEX: "wav"
    case SF_FORMAT_RF64: "rf64"
    case SF_FORMAT_W64: "w64"
    case SF_FORMAT_AIFF: "aiff"
    case SF_FORMAT_AU: "au"
    case SF_FORMAT_CAF: "caf"
    case SF_FORMAT_FLAC: "flac"
    case SF_FORMAT_OGG: "ogg"
    case SF_FORMAT_MPEG: "mp3"
    default: "other"
    }
  }
}

/// A file that libsndfile reads through callbacks. `sf_open_fd` is unusable: on failure it closes the descriptor even
/// if told not to.
private final class FileView {
  private let file: ByteSource
  /// Start of the PCM container or of free-format MP3 audio; 0 for other files. If libsndfile skips a preceding tag
  /// itself, it loses as many bytes at the end as the tag has.
  private let start: Int
  private let end: Int
  /// Range of the audio in a PCM container; `nil` for other files.
  private let audio: Range<Int>?
  /// The next byte to read, relative to `start`.
  private var position = 0
  private(set) var error: DecodeError?

  init(_ file: ByteSource, from start: Int, to end: Int, audio: Range<Int>?) {
    self.file = file
    self.start = start
    self.end = end
    self.audio = audio
  }

  /// Opens the file with libsndfile; `nil` if that fails. The handle must not outlive the view.
  func open(_ info: inout SF_INFO) -> OpaquePointer? {
    var callbacks = SF_VIRTUAL_IO(
      get_filelen: { sf_count_t(FileView.from($0).size) },
      seek: { sf_count_t(FileView.from($2).seek(to: Int($0), from: $1)) },
      read: { FileView.from($2).read(into: $0, count: Int($1)) },
      write: { _, _, _ in 0 },
      tell: { sf_count_t(FileView.from($0).position) })
    return libsndfile.sf_open_virtual(&callbacks, CInt(SFM_READ), &info, Unmanaged.passUnretained(self).toOpaque())
  }

  private var size: Int { end - start }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> FileView {
    Unmanaged<FileView>.fromOpaque(pointer!).takeUnretainedValue()
  }

  private func seek(to offset: Int, from origin: CInt) -> Int {
    let base =
      switch origin {
      case SEEK_CUR: position
      case SEEK_END: size
      default: 0
      }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0, target <= .max / 2 else { return -1 }
    position = target
    return target
  }

  /// Renames text lists (`LIST`) in WAV files to `JUNK`, so they are skipped: libsndfile 1.2.0 never finishes reading
  /// one with an item that claims 4 GiB. The texts are not needed here. Each chunk name arrives in a single read.
  private func hideLists(in bytes: UnsafeMutableRawBufferPointer) {
    let offset = start + position
    guard let audio, !audio.contains(offset) || offset + bytes.count > audio.upperBound else { return }
    for index in bytes.indices.dropLast(3) where !audio.contains(offset + index) {
      guard bytes[index...].starts(with: Self.list) else { continue }
      for (place, byte) in Self.junk.enumerated() { bytes[index + place] = byte }
    }
  }

  private static let list = Array("LIST".utf8)
  private static let junk = Array("JUNK".utf8)

  private func read(into destination: UnsafeMutableRawPointer?, count: Int) -> sf_count_t {
    guard let destination, count > 0, error == nil else { return 0 }
    do throws(FileReadError) {
      let bytes = UnsafeMutableRawBufferPointer(start: destination, count: max(0, min(count, size - position)))
      let got = try file.read(into: bytes, at: start + position)
      hideLists(in: UnsafeMutableRawBufferPointer(rebasing: bytes[..<got]))
      position += got
      return sf_count_t(got)
    } catch {
      self.error = DecodeError(error)
      return 0
    }
  }
}

/// A sample encoding of libsndfile in terms of `AudioFormat`.
private struct Subtype {
  var codec: String
  var bitDepth: Int?
  var isLossless: Bool
  /// The sample type that FFmpeg's decoder for the same codec returns.
  var sampleType: SampleEncoding.SampleType

  init(_ format: CInt) {
    let isFLAC = Int(format) & SF_FORMAT_TYPEMASK == SF_FORMAT_FLAC
    switch Int(format) & SF_FORMAT_SUBMASK {
    case SF_FORMAT_PCM_S8: self.init("pcm_s8", 8, isFLAC ? .int16 : .uint8)
    case SF_FORMAT_PCM_U8: self.init("pcm_u8", 8, .uint8)
    case SF_FORMAT_PCM_16: self.init("pcm_s16", 16, .int16)
    case SF_FORMAT_PCM_24: self.init("pcm_s24", 24, .int32)
    case SF_FORMAT_PCM_32: self.init("pcm_s32", 32, .int32)
    case SF_FORMAT_FLOAT: self.init("pcm_f32", 32, .float)
    case SF_FORMAT_DOUBLE: self.init("pcm_f64", 64, .double)
    case SF_FORMAT_ALAC_16: self.init("alac", 16, .int16)
    case SF_FORMAT_ALAC_20: self.init("alac", 20, .int32)
    case SF_FORMAT_ALAC_24: self.init("alac", 24, .int32)
    case SF_FORMAT_ALAC_32: self.init("alac", 32, .int32)
    case SF_FORMAT_ULAW: self.init("pcm_mulaw", nil, .int16)
    case SF_FORMAT_ALAW: self.init("pcm_alaw", nil, .int16)
    case SF_FORMAT_IMA_ADPCM: self.init("adpcm_ima_wav", nil, .int16)
    case SF_FORMAT_MS_ADPCM: self.init("adpcm_ms", nil, .int16)
    case SF_FORMAT_GSM610: self.init("gsm_ms", nil, .int16)
    case SF_FORMAT_VORBIS: self.init("vorbis", nil, .float)
    case SF_FORMAT_OPUS: self.init("opus", nil, .float)
    case SF_FORMAT_MPEG_LAYER_I: self.init("mp1", nil, .float)
    case SF_FORMAT_MPEG_LAYER_II: self.init("mp2", nil, .float)
    case SF_FORMAT_MPEG_LAYER_III: self.init("mp3", nil, .float)
    default: self.init("other", nil, .int16)
    }
    if isFLAC { codec = "flac" }
  }

  private init(_ codec: String, _ bitDepth: Int?, _ sampleType: SampleEncoding.SampleType) {
    self.codec = codec
    self.bitDepth = bitDepth
    self.sampleType = sampleType
    isLossless = bitDepth != nil
  }
}
