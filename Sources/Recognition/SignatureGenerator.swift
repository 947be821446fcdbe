public import Analysis
internal import AudioDecoding
public import Fingerprinting
public import SystemPackage

/// Makes a signature of audio that comes in buffers: of a track, to put into a catalog, or of a clip.
///
/// Memory does not grow with the audio but for the signature, 60 bytes a second. For clips in noise a `QueryGenerator`
/// is the better choice: it keeps more than a signature may hold.
public struct SignatureGenerator {
  private var stream: LevelStream
  private var builder = SignatureBuilder()

  /// - Parameter sampleRate: Frames per second of the buffers.
  public init(sampleRate: Int) {
    stream = LevelStream(sampleRate: sampleRate)
  }

  /// Takes the next frames of one channel; full scale is ±1.
  public mutating func append(_ frames: Span<Float>) {
    stream.push(frames) { builder.push($0) }
  }

  /// Ends the signature. The generator is used up then.
  public mutating func signature() -> Signature {
    stream.finish { builder.push($0) }
    return builder.finish()
  }

  /// The signature of a whole file. Throws if nothing can be decoded; of a file that is damaged further on, it is the
  /// signature of what was there.
  public static func signature(ofFile path: FilePath) throws(DecodeError) -> Signature {
    var source = try MonoSource(path: path)
    var generator = SignatureGenerator(sampleRate: source.sampleRate)
    while let frames = source.next() { generator.append(frames.span) }
    return generator.signature()
  }
}

/// Makes a query of a clip that comes in buffers.
public struct QueryGenerator {
  private var stream: LevelStream
  private var levels: [Int32] = []

  /// - Parameter sampleRate: Frames per second of the buffers.
  public init(sampleRate: Int) {
    stream = LevelStream(sampleRate: sampleRate)
  }

  /// Takes the next frames of one channel; full scale is ±1. Memory grows by 17 kB for each second.
  public mutating func append(_ frames: Span<Float>) {
    stream.push(frames) { levels += $0 }
  }

  /// Ends the query. The generator is used up then.
  public mutating func query() -> Query {
    stream.finish { levels += $0 }
    return Query(levels: levels)
  }

  /// A query of a file's audio from its start.
  /// - Parameter maximumDuration: Seconds after which the rest is not read.
  public static func query(ofFile path: FilePath, maximumDuration: Double = 60) throws(DecodeError) -> Query {
    var source = try MonoSource(path: path)
    var generator = QueryGenerator(sampleRate: source.sampleRate)
    var left = Int(maximumDuration * Double(source.sampleRate))
    while left > 0, let frames = source.next() {
      let count = min(left, frames.count)
      generator.append(frames.span.extracting(0..<count))
      left -= count
    }
    return generator.query()
  }
}

/// The mean of the channels of a file.
struct MonoSource: ~Copyable {
  private var source: AudioSource
  private var block: AudioBlock
  private var mono: [Float] = []

  var sampleRate: Int { source.format.sampleRate }

  init(path: FilePath) throws(DecodeError) {
    source = try AudioSource(path: path)
    block = AudioBlock(channelCount: source.format.channelCount)
  }

  /// The next frames, `nil` at the end.
  mutating func next() -> [Float]? {
    guard source.read(into: &block) else { return nil }
    let count = block.downmix(into: &mono)
    return Array(mono[..<count])
  }
}
