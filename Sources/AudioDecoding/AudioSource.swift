public import AudioAnalysis
public import SystemPackage

/// Which library decodes.
public enum AudioDecoder: String, Hashable, Sendable, CaseIterable {
  case libsndfile
  case ffmpeg
}

/// The decoded audio of one file, read once from start to end.
///
/// A file is opened by its content, whatever its name; only regular files are opened, and nothing beside the file is ever
/// read. Lengths in headers are not trusted: the stream goes on until the audio ends, and `summary` says how that compares
/// with what the file claims. A stream whose rate or channel count changes on the way is handed out at the rate and with
/// the channel count it started with. One thread at a time.
public struct AudioSource: ~Copyable {
  /// Raised whenever files may decode that did not before: those that failed are then tried again.
  public static let version = 1

  /// Samples beyond ± this value are handed out as ± this value, and counted. Full scale is 1, so this is +24 dBFS: beyond
  /// what clipped masters overshoot in lossy codecs and float mixes reach, and small enough that one damaged frame does not
  /// drown a whole track in sums of squares.
  public static let sampleLimit: Float = 16

  /// `frameCount`, and `bitRate` if the file does not give it, are known once `read` has returned `false`.
  public private(set) var format: AudioFormat
  public let encoding: SampleEncoding
  public let decoder: AudioDecoder
  /// Complete once `read` has returned `false`.
  public private(set) var summary = DecodeSummary()

  private let stream: any StreamDecoder
  private let container: Container?
  private let fileSize: Int64
  /// The first block, decoded when the file was opened.
  private var firstBlock: AudioBlock?
  private var isEnded = false

  /// Opens a file and decodes its first block.
  ///
  /// - Parameter decoder: Use this one or fail. By default it is the one that is right for the format and then the one that
  ///   is fast, and the other one if that fails.
  /// - Throws: `DecodeError` if not a single frame can be decoded: skip the file.
  public init(path: FilePath, decoder: AudioDecoder? = nil) throws(DecodeError) {
    let file = try InputFile(path: path)
    let container = try Container(of: file)
    let opened = try Opened(file, container, decoder.map { [$0] } ?? Self.preference(for: container))
    self.container = container
    fileSize = file.size
    stream = opened.stream
    self.decoder = opened.decoder
    firstBlock = opened.block
    format = opened.stream.format
    encoding = opened.stream.encoding
    if let claimed = format.claimedFrameCount, claimed / Int64(format.sampleRate) > StreamLimits.seconds {
      format.claimedFrameCount = nil
      remark("absurd_length", "The header claims \(claimed) frames, which nobody can believe.")
    }
    summary.claimedFrameCount = format.claimedFrameCount
  }

  /// Measured: libsndfile is as fast as FFmpeg for FLAC and MP3, FFmpeg 2.4 times as fast for Vorbis and 2.2 times for Opus;
  /// libsndfile loses an MP3 behind junk, the links of a chain after the first one, and FLAC of odd depths.
  private static func preference(for container: Container?) -> [AudioDecoder] {
    switch container {
    case .pcm: [.libsndfile, .ffmpeg]
    case .flac(let stream): [8, 16, 24].contains(stream.bitDepth) ? [.libsndfile, .ffmpeg] : [.ffmpeg]
    case .mpeg: [.ffmpeg, .libsndfile]
    case .ogg, .other, nil: [.ffmpeg]
    }
  }

  /// Reads the next frames, up to `AudioBlock.capacity`; fewer than that can come at any time.
  ///
  /// - Parameter block: Its channel count is made that of `format`.
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
    let check = block.makeHarmless(limit: Self.sampleLimit)
    summary.nonFiniteSampleCount += check.nonFiniteCount
    summary.absurdSampleCount += check.absurdCount
    summary.peak = max(summary.peak, check.peak)
    return true
  }

  private mutating func finish() {
    isEnded = true
    format.frameCount = summary.frameCount
    let seconds = Double(summary.frameCount) / Double(format.sampleRate)
    if format.bitRate == nil, seconds > 0 {
      format.bitRate = Int((Double(encodedByteCount) * 8 / seconds).rounded())
    }
    summary.problem = problem
    summary.remarks += stream.remarks
    if case .pcm(let header) = container, header.lengthIsUnknown {
      remark("unknown_length", "The header does not say how long the audio is: the writer was stopped or wrote to a pipe.")
    }
    if let claimed = summary.claimedFrameCount, summary.frameCount > claimed + max(8_192, stream.claimTolerance) {
      remark("longer_than_claimed", "The header claims \(claimed) frames, and there are \(summary.frameCount).")
    }
    if summary.nonFiniteSampleCount > 0 {
      remark("non_finite_samples", "\(summary.nonFiniteSampleCount) samples are not numbers; they were taken as 0.")
    }
    if summary.absurdSampleCount > 0 {
      remark(
        "absurd_samples", "\(summary.absurdSampleCount) samples are more than 24 dB above full scale; they were limited.")
    }
  }

  private mutating func remark(_ code: String, _ message: String) {
    summary.remarks.append(Problem(stage: .decode, code: code, message: message))
  }

  private var problem: DecodeError? {
    let fault = stream.fault
    if fault?.code == .readError { return fault }
    let missing = (summary.claimedFrameCount ?? 0) - summary.frameCount
    if missing > stream.claimTolerance + stream.faultyFrameCount {
      return DecodeError(
        .truncated,
        "The file claims \(seconds(summary.frameCount + missing)) s of audio, and \(seconds(summary.frameCount)) s were "
          + "found" + (fault.map { ": \($0.message)" } ?? "."))
    }
    if let fault { return fault }
    if case .pcm(let header) = container, header.isCutOff {
      return DecodeError(.truncated, "The file is shorter than its header claims.")
    }
    return nil
  }

  /// Hundredths of a second are enough for a reader.
  private func seconds(_ frames: Int64) -> Double {
    (Double(frames) / Double(format.sampleRate) * 100).rounded() / 100
  }

  private var encodedByteCount: Int64 {
    switch container {
    case .pcm(let header): header.audio.map { $0.upperBound - $0.lowerBound } ?? fileSize
    case .flac(let stream): stream.audio.upperBound - stream.audio.lowerBound
    case .mpeg(let stream): stream.payload.upperBound - stream.payload.lowerBound
    case .other(_, let bytes): bytes.upperBound - bytes.lowerBound
    case .ogg, nil: fileSize
    }
  }
}

/// A stream whose first block could be decoded.
private struct Opened {
  var stream: any StreamDecoder
  var decoder: AudioDecoder
  var block: AudioBlock

  /// Takes the first of `candidates` that can decode; the error is that of the most knowing one.
  init(_ file: InputFile, _ container: Container?, _ candidates: [AudioDecoder]) throws(DecodeError) {
    if case .pcm(let header) = container, !header.description.isEmpty {
      try StreamLimits.check(sampleRate: header.sampleRate, channelCount: header.channelCount)
    }
    var firstError = DecodeError(.unknownFormat, "Nothing that a decoder knows.")
    for candidate in candidates {
      do throws(DecodeError) {
        let stream: any StreamDecoder =
          switch candidate {
          case .libsndfile: try SndfileDecoder(file, container: container)
          case .ffmpeg: try LibAVDecoder(file, container: container)
          }
        var block = AudioBlock(channelCount: stream.format.channelCount)
        block.fill(from: stream)
        guard block.frameCount > 0 else {
          throw stream.fault ?? DecodeError(.noAudio, "The file holds no audio, or none that can be decoded.")
        }
        self.stream = stream
        self.block = block
        decoder = candidate
        return
      } catch {
        if firstError.code == .unknownFormat { firstError = error }
      }
    }
    throw firstError
  }
}

extension AudioBlock {
  fileprivate mutating func fill(from stream: any StreamDecoder) {
    frameCount = samples.withUnsafeMutableBufferPointer { stream.read(into: $0.baseAddress!) }
  }
}
