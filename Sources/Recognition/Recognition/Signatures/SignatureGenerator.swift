public import Landmarks

/// Makes a signature of audio that comes in buffers: of a track, to put into a catalog, or of a clip.
///
///     var generator = SignatureGenerator(sampleRate: 44_100)
///     generator.append(samples.span)
///     let signature = generator.signature()
///
/// Memory does not grow with the audio but for the signature, 60 bytes a second. For clips in noise a
/// `RecognitionQueryGenerator` is the better choice: it keeps more than a signature may hold.
public struct SignatureGenerator: PCMReceiver {
  public let sampleRate: Int
  private var stream: LevelStream
  private var builder = SignatureBuilder()

  /// - Parameter sampleRate: Frames per second of the buffers, greater than zero.
  public init(sampleRate: Int) {
    self.sampleRate = sampleRate
    stream = LevelStream(sampleRate: sampleRate)
  }

  public mutating func append(_ frames: Span<Float>) {
    stream.push(frames) { builder.push($0) }
  }

  /// Ends the signature. The generator is used up then.
  public mutating func signature() -> Signature {
    stream.finish { builder.push($0) }
    return builder.finish()
  }
}
