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
  /// Samples beyond ± this value are handed out as ± this value, and counted. Full scale is 1, so it is +36 dBFS: more
  /// than any mix in float reaches, and small enough that squares and sums stay finite and one click does not drown a
  /// whole track.
  public static let sampleLimit: Float = 64

  public let format: AudioFormat
  public let encoding: SampleEncoding
  public let decoder: AudioDecoder
  /// Complete once `read` has returned `false`.
  public private(set) var summary = DecodeSummary()

  /// - Parameter decoder: Use this one or fail; by default the one that is right, and then the one that is fast.
  /// - Throws: `DecodeError` if there is no audio to decode: skip the file.
  public init(path: FilePath, decoder: AudioDecoder? = nil) throws(DecodeError)

  /// Reads the next frames, up to `AudioBlock.capacity`; fewer than that can come at any time.
  ///
  /// - Parameter block: Its channel count is made that of `format`.
  /// - Returns: `false` at the end, with an empty block. The end may come early: see `summary.problem`.
  /// - Throws: `DecodeError` if not a single frame could be decoded; later damage ends the stream or leaves a gap, and is
  ///   told in `summary.problem`.
  public mutating func read(into block: inout AudioBlock) throws(DecodeError) -> Bool
}

/// What a file's encoded audio is, without its tags.
public struct AudioContent: Hashable, Sendable {
  /// XXH3-128 over the encoded audio of the file: the same after re-tagging, moving and copying.
  public let id: ContentID

  /// Reads the file once, without decoding it.
  /// - Throws: `DecodeError` if there is no audio.
  public init(path: FilePath) throws(DecodeError)
}

/// fpcalc's conversion: any rate and channels to 11,025 Hz mono 16-bit, by libswresample.
public struct AcoustIDConverter: ~Copyable {
  public static let outputRate = 11_025
  public init(format: AudioFormat, encoding: SampleEncoding)
  /// Whole numbers from −32,768 to 32,767 are written to the start of `output`, which is lengthened when too short.
  /// - Returns: How many.
  public mutating func push(_ block: borrowing AudioBlock, into output: inout [Float]) -> Int
  public mutating func finish(into output: inout [Float]) -> Int
}

extension AudioBlock {
  /// The mean of all channels, written to the start of `mono` (lengthened when too short); returns `frameCount`.
  public func downmix(into mono: inout [Float]) -> Int
}
