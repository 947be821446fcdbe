/// Creates a query from a clip that arrives in buffers.
///
///     var generator = RecognitionQueryGenerator(sampleRate: 16_000)
///     generator.append(samples.span)
///     let result = session.match(generator.query())
public struct RecognitionQueryGenerator: PCMReceiver {
  public let sampleRate: Int
  private var stream: LevelStream
  private var levels: [Int32] = []

  /// - Parameter sampleRate: Sample rate of the buffers in Hz, greater than zero.
  public init(sampleRate: Int) {
    self.sampleRate = sampleRate
    stream = LevelStream(sampleRate: sampleRate)
  }

  /// Appends the next frames of one channel. Memory use grows by 17 kB per second of audio.
  public mutating func append(_ frames: Span<Float>) {
    stream.push(frames) { levels += $0 }
  }

  /// Completes the query. The generator must not be used afterwards.
  public mutating func query() -> RecognitionQuery {
    stream.finish { levels += $0 }
    return RecognitionQuery(levels: levels)
  }
}
