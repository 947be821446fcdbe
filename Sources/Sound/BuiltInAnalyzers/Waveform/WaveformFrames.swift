internal import DSP

/// The measurements of a frame of about 20 ms, or of several frames that were merged.
struct WaveformFrame: Mergeable {
  var minimum: Float
  var maximum: Float
  /// Peak magnitudes of the low, middle and high band.
  var peaks: SIMD4<Float>
  /// Sums of squares of the low, middle and high band, and of the whole signal.
  var squares: SIMD4<Float>

  mutating func merge(_ other: WaveformFrame) {
    minimum = min(minimum, other.minimum)
    maximum = max(maximum, other.maximum)
    peaks = pointwiseMax(peaks, other.peaks)
    squares += other.squares
  }
}

/// Divides the signal into frames of 20 ms and measures them, eight at a time.
///
/// Recursive filters cannot process neighboring samples in parallel, so here they run over eight frames in parallel.
/// Each lane starts a little before its frame, early enough for the filters to settle.
struct WaveformFrames {
  private static let laneCount = BandFilters.laneCount
  /// Maximum magnitude of samples. Float files may contain any value, and the squares of larger values could overflow.
  private static let limit: Float = 1e6

  /// Number of samples per frame.
  let frameLength: Int
  private let settlingLength: Int
  private let filters: BandFilters
  /// The end of the previous frame, then up to eight frames.
  private var samples: [Float]
  private var count: Int
  /// The eight frames measured last.
  private var measured = [WaveformFrame](
    repeating: WaveformFrame(minimum: 0, maximum: 0, peaks: .zero, squares: .zero), count: laneCount)

  init(sampleRate: Int) {
    frameLength = max(1, sampleRate / 50)
    settlingLength = Int((BandFilters.settlingTime * Double(sampleRate)).rounded(.up))
    filters = BandFilters(sampleRate: sampleRate)
    // Samples before the start are zero.
    samples = [Float](repeating: 0, count: settlingLength + Self.laneCount * frameLength)
    count = settlingLength
  }

  /// Appends samples, and passes completed frames to `body`.
  mutating func push(_ values: Span<Float>, each body: (WaveformFrame) -> Void) {
    var start = 0
    while start < values.count {
      let part = min(samples.count - count, values.count - start)
      append(values.extracting(start..<start + part))
      start += part
      if count == samples.count {
        measure()
        for frame in measured { body(frame) }
        for index in 0..<settlingLength { samples[index] = samples[count - settlingLength + index] }
        count = settlingLength
      }
    }
  }

  /// Passes the remaining frames to `body`. The last one may be shorter.
  mutating func finish(each body: (WaveformFrame) -> Void) {
    let left = count - settlingLength
    guard left > 0 else { return }
    for index in count..<samples.count { samples[index] = 0 }
    measure()
    var frames = measured.prefix((left + frameLength - 1) / frameLength)
    // This excludes the zeros after the end.
    let last = samples[(settlingLength + (frames.count - 1) * frameLength)..<count]
    frames[frames.count - 1].minimum = last.min() ?? 0
    frames[frames.count - 1].maximum = last.max() ?? 0
    for frame in frames { body(frame) }
    count = settlingLength
  }

  private mutating func append(_ values: Span<Float>) {
    samples.withUnsafeMutableBufferPointer { samples in
      if areBelowTwo(values) {
        values.withUnsafeBufferPointer { _ = unsafe samples[count...].update(fromContentsOf: $0) }
        return
      }
      for index in values.indices {
        let value = values[index]
        // The comparison is false for NaN, which becomes zero.
        unsafe samples[count + index] =
          abs(value) <= Self.limit ? value : value > 0 ? Self.limit : value < 0 ? -Self.limit : 0
      }
    }
    count += values.count
  }

  private mutating func measure() {
    filters.measure(samples, settlingLength: settlingLength, length: frameLength, into: &measured)
  }
}
