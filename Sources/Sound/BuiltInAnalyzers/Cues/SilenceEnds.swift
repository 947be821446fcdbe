/// The first and last frame of a track in which any channel is not silent.
struct SilenceEnds {
  /// Samples below -60 dBFS are silent, as in Mixxx.
  static let threshold: Float = 0.001

  private(set) var first: Int64?
  private(set) var last: Int64?

  /// - Parameters:
  ///   - values: Planar samples.
  ///   - start: Index of the first frame.
  mutating func append(_ values: Span<Float>, channelCount: Int, at start: Int64) {
    let frames = values.count / channelCount
    var (earliest, latest) = (frames, -1)
    for channel in 0..<channelCount {
      let samples = values.extracting(channel * frames..<(channel + 1) * frames)
      if first == nil {
        var index = 0
        while index < earliest, !(abs(samples[index]) >= Self.threshold) { index += 1 }
        earliest = min(earliest, index)
      }
      // In music, this loop ends immediately.
      var index = frames - 1
      while index > latest, !(abs(samples[index]) >= Self.threshold) { index -= 1 }
      latest = max(latest, index)
    }
    if first == nil, earliest < frames { first = start + Int64(earliest) }
    if latest >= 0 { last = start + Int64(latest) }
  }
}
