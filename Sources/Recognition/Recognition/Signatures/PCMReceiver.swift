/// Takes audio as PCM, buffer by buffer: one channel, full scale ±1. How the audio is cut into buffers makes no difference.
///
/// The buffers of audio systems are pointers; those of arrays are `array.span`. Neither is copied.
public protocol PCMReceiver: ~Copyable {
  /// Frames per second.
  var sampleRate: Int { get }

  /// Takes the next frames of one channel.
  mutating func append(_ frames: Span<Float>)
}

extension PCMReceiver where Self: ~Copyable {
  /// Takes the next frames of one channel.
  public mutating func append(_ frames: UnsafeBufferPointer<Float>) { append(frames.span) }

  /// Takes the next frames of several channels, interleaved: the mean of the channels counts.
  /// - Precondition: `channelCount` is greater than zero. Frames that are cut off are left out.
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

  /// Takes the next frames of 16-bit PCM, interleaved: the mean of the channels counts.
  /// - Precondition: `channelCount` is greater than zero. Frames that are cut off are left out.
  public mutating func append(interleaved samples: Span<Int16>, channelCount: Int) {
    let floats = samples.indices.map { Float(samples[$0]) / 32_768 }
    append(interleaved: floats.span, channelCount: channelCount)
  }
}
