internal import Analysis
internal import CEBUR128
internal import DSP
internal import Glibc

/// K-weighted power of all channels, weighted and summed (ITU-R BS.1770-5), by libebur128.
///
/// Owns one state of the library, in the mode that filters and keeps 400 ms, and nothing more: gates, range and true peak
/// of the library together would take five times as long. `LoudnessMeter` and `TruePeak` have these.
final class KWeightedPower {
  /// Below this rate the filter's shelf lies near or beyond half the rate.
  static let leastSampleRate = 4_000

  private let state: UnsafeMutablePointer<ebur128_state>
  private let channelCount: Int
  private var interleaved: [Float] = []

  /// - Parameter roles: One for each channel.
  init(sampleRate: Int, roles: [ChannelRole]) throws(AnalysisError) {
    channelCount = roles.count
    let mode = CInt(EBUR128_MODE_M.rawValue)
    guard let state = ebur128_init(CUnsignedInt(roles.count), CUnsignedLong(sampleRate), mode) else {
      throw .failed("libebur128 takes no \(roles.count) channels at \(sampleRate) Hz, or memory is short.")
    }
    self.state = state
    for (index, role) in roles.enumerated() {
      _ = ebur128_set_channel(state, CUnsignedInt(index), CInt(role.channel.rawValue))
    }
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = state
    ebur128_destroy(&state)
  }

  /// Takes frames of a planar span.
  /// - Parameter stride: From a channel to the next.
  func push(_ planar: Span<Float>, _ frames: Range<Int>, stride: Int) throws(AnalysisError) {
    let status = planar.withUnsafeBufferPointer { planar in
      guard let start = planar.baseAddress, !frames.isEmpty else { return CInt(EBUR128_SUCCESS.rawValue) }
      if channelCount == 1 { return ebur128_add_frames_float(state, start + frames.lowerBound, frames.count) }
      let count = frames.count * channelCount
      if interleaved.count < count { interleaved = [Float](repeating: 0, count: count) }
      return interleaved.withUnsafeMutableBufferPointer { buffer in
        guard let output = buffer.baseAddress else { return CInt(EBUR128_SUCCESS.rawValue) }
        if channelCount == 2 {
          // A loop of its own, which is compiled to shuffles.
          let left = start + frames.lowerBound
          let right = left + stride
          for frame in 0..<frames.count { (output[2 * frame], output[2 * frame + 1]) = (left[frame], right[frame]) }
          return ebur128_add_frames_float(state, output, frames.count)
        }
        for channel in 0..<channelCount {
          let plane = start + (channel * stride + frames.lowerBound)
          for frame in 0..<frames.count { output[frame * channelCount + channel] = plane[frame] }
        }
        return ebur128_add_frames_float(state, output, frames.count)
      }
    }
    guard status == EBUR128_SUCCESS.rawValue else { throw .failed("libebur128 refuses audio (status \(status)).") }
  }

  /// The mean over the last milliseconds, at most 400; 0 for silence, and for what is not finite.
  func mean(ofMilliseconds milliseconds: Int) -> Double {
    var loudness = 0.0
    guard ebur128_loudness_window(state, CUnsignedLong(milliseconds), &loudness) == EBUR128_SUCCESS.rawValue,
      loudness.isFinite
    else { return 0 }
    return LoudnessHistogram.power(ofLoudness: loudness)
  }
}

extension ChannelRole {
  /// What libebur128 calls a speaker with this weight.
  fileprivate var channel: channel {
    switch self {
    case .front: EBUR128_CENTER
    case .surround: EBUR128_LEFT_SURROUND
    case .lowFrequency: EBUR128_UNUSED
    }
  }
}
