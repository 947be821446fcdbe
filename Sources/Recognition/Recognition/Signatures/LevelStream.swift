internal import Analysis
internal import DSP
internal import Landmarks

/// Converts PCM at any sample rate to columns of `LandmarkSpectrum`.
struct LevelStream {
  private let resampler: (any Resampler)?
  private var stft = STFT(
    windowLength: LandmarkSpectrum.layout.windowLength, hop: LandmarkSpectrum.layout.hop)
  private let spectrum = LandmarkSpectrum()
  private var levels = [Int32](repeating: 0, count: LandmarkSpectrum.bandCount)
  private var resampled: [Float] = []

  /// - Parameter sampleRate: Sample rate of the input in Hz.
  init(sampleRate: Int) {
    let target = LandmarkSpectrum.layout.sampleRate
    resampler = sampleRate == target ? nil : SoxrResampler(inputRate: sampleRate, outputRate: target)
  }

  /// Appends the next frames of one channel, and passes the columns that they complete to `each`.
  mutating func push(_ frames: Span<Float>, _ each: ([Int32]) -> Void) {
    guard let resampler else { return transform(frames, each) }
    let count = resampler.push(frames, into: &resampled)
    let ready = resampled
    transform(ready.span.extracting(0..<count), each)
  }

  /// Passes the last columns to `each`. No frames may be pushed afterwards.
  mutating func finish(_ each: ([Int32]) -> Void) {
    if let resampler {
      let count = resampler.finish(into: &resampled)
      let ready = resampled
      transform(ready.span.extracting(0..<count), each)
    }
    stft.finish { power, _ in
      spectrum.levels(of: power, into: &levels)
      each(levels)
    }
  }

  private mutating func transform(_ frames: Span<Float>, _ each: ([Int32]) -> Void) {
    stft.push(frames) { power, _ in
      spectrum.levels(of: power, into: &levels)
      each(levels)
    }
  }
}
