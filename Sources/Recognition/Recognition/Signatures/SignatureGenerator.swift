public import Landmarks

/// Creates a signature from audio that arrives in buffers: a track for a catalog, or a clip.
///
///     var generator = SignatureGenerator(sampleRate: 44_100)
///     generator.append(samples.span)
///     let signature = generator.signature()
///
/// Apart from the signature, which takes 60 bytes per second, memory use does not grow with the duration of the audio.
/// For noisy clips, use a `RecognitionQueryGenerator` instead, because a query keeps more of the audio than a signature
/// does.
public struct SignatureGenerator: PCMReceiver {
  public let sampleRate: Int
  private var stream: LevelStream
  private var builder = SignatureBuilder()

  /// - Parameter sampleRate: Sample rate of the buffers in Hz, greater than zero.
  public init(sampleRate: Int) {
    self.sampleRate = sampleRate
    stream = LevelStream(sampleRate: sampleRate)
  }

  public mutating func append(_ frames: Span<Float>) {
    stream.push(frames) { builder.push($0) }
  }

  /// Completes the signature. The generator must not be used afterwards.
  public mutating func signature() -> Signature {
    stream.finish { builder.push($0) }
    return builder.finish()
  }
}
