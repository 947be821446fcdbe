public import Landmarks

/// Makes a signature from audio that arrives in buffers: a track for a catalog, or a clip.
///
///     var generator = SignatureGenerator(sampleRate: 44_100)
///     generator.append(samples.span)
///     let signature = generator.signature()
///
/// Apart from the signature, which takes 60 bytes per second, memory use does not grow with the duration. For noisy
/// clips, a `RecognitionQueryGenerator` is the better choice: a query keeps more of the audio than a signature.
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

  /// Ends the signature. The generator must not be used afterwards.
  public mutating func signature() -> Signature {
    stream.finish { builder.push($0) }
    return builder.finish()
  }
}
