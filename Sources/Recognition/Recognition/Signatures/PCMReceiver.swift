/// Receives PCM audio, one buffer at a time, as one channel with full scale at ±1. Buffer boundaries do not affect the
/// result.
///
/// Pass the buffers of audio systems as pointers, and arrays as `array.span`. Neither is copied.
public protocol PCMReceiver: ~Copyable {
  /// Sample rate in Hz.
  var sampleRate: Int { get }

  /// Appends the next frames of one channel.
  mutating func append(_ frames: Span<Float>)
}

extension PCMReceiver where Self: ~Copyable {
  /// Appends the next frames of one channel.
  public mutating func append(_ frames: UnsafeBufferPointer<Float>) { append(frames.span) }

  /// Appends the next frames of several interleaved channels, which are downmixed to their mean.
  /// - Precondition: `channelCount` is greater than zero. An incomplete last frame is dropped.
  public mutating func append(interleaved samples: Span<Float>, channelCount: Int) {
    precondition(channelCount > 0, "no channels")
    if channelCount == 1 { return append(samples) }
    let scale = 1 / Float(channelCount)
    let mono = (0..<samples.count / channelCount).map { frame in
      var sum: Float = 0
      for channel in 0..<channelCount { sum += samples[frame * channelCount + channel] }
      return sum * scale
    }
    append(mono.span)
  }

  /// Appends the next frames of interleaved 16-bit PCM, which are downmixed to the mean of the channels.
  /// - Precondition: `channelCount` is greater than zero. An incomplete last frame is dropped.
  public mutating func append(interleaved samples: Span<Int16>, channelCount: Int) {
    let floats = samples.indices.map { Float(samples[$0]) / 32_768 }
    append(interleaved: floats.span, channelCount: channelCount)
  }
}
