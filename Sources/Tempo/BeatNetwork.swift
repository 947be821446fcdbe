/// A small network that hears beats: from the onsets and the sound of some ten seconds around a moment, how likely it is that
/// a beat lies there, and that a bar begins.
///
/// A temporal convolutional network (Davies and Böck, EUSIPCO 2019): a convolution over three frames of `BeatNetworkInput`, then
/// layers whose five taps lie 1, 2, 4 … 256 frames apart and whose rectified outputs are added to what they were given, and a
/// weighted sum of the channels for each of the two outputs. Trained by `Benchmarks/tempo/network.py`, which says on what.
struct BeatNetwork {
  static let channelCount = 2 * Half.scalarCount
  static let outputCount = 2
  private static let layerCount = 9
  private static let taps = 5
  private static let tapsOfFirst = 3
  /// What is left of values below zero.
  private static let leak: Float = 0.1

  /// Half of the channels of a frame: what the registers of any processor hold beside two sums.
  fileprivate typealias Half = SIMD16<Float>

  private let first: Convolution
  private let layers: [Convolution]
  /// The weights of the channels for each output, then the constants of the outputs.
  private let last: [Float]

  /// The one that `BeatNetworkWeights` holds.
  static let trained = BeatNetwork(BeatNetworkWeights.values)

  /// How many numbers make a network.
  static let weightCount =
    channelCount * (tapsOfFirst * BeatNetworkInput.width + 1) + layerCount * channelCount * (taps * channelCount + 1)
    + outputCount * (channelCount + 1)

  /// - Parameter weights: for each convolution, tap by tap and input by input, what it adds to each channel, then the
  ///   constants of the channels; at last the weights of the outputs and their constants.
  init(_ weights: [Float]) {
    precondition(weights.count == Self.weightCount)
    var rest = weights[...]
    first = Convolution(&rest, taps: Self.tapsOfFirst, inputCount: BeatNetworkInput.width, dilation: 1)
    layers = (0..<Self.layerCount).map {
      Convolution(&rest, taps: Self.taps, inputCount: Self.channelCount, dilation: 1 << $0)
    }
    last = Array(rest)
  }

  /// The logits of beats and of first beats of bars, frame by frame.
  func callAsFunction(_ input: BeatNetworkInput) -> (beats: [Float], downbeats: [Float]) {
    let count = input.frameCount
    // Frames of zeros on both sides, so that every tap has something to read.
    let margin = layers.map(\.margin).max() ?? 0
    var channels = [Half](repeating: .zero, count: 2 * (count + 2 * margin))
    let padding = [Float](repeating: 0, count: first.margin * BeatNetworkInput.width)
    first.apply(to: padding + input.values + padding, firstFrame: first.margin, count: count) { half, sum in
      channels[2 * margin + half] = Self.rectified(sum)
    }
    for layer in layers {
      var next = channels
      channels.withUnsafeBytes { bytes in
        unsafe layer.apply(to: bytes.bindMemory(to: Float.self), firstFrame: margin, count: count) { half, sum in
          next[2 * margin + half] += Self.rectified(sum)
        }
      }
      channels = next
    }
    let outputs = (0..<Self.outputCount).map { output in
      let start = output * Self.channelCount
      let weights = (
        Half(last[start..<(start + Half.scalarCount)]),
        Half(last[(start + Half.scalarCount)..<(start + Self.channelCount)])
      )
      let constant = last[Self.outputCount * Self.channelCount + output]
      return (margin..<(margin + count)).map { frame in
        (channels[2 * frame] * weights.0 + channels[2 * frame + 1] * weights.1).sum() + constant
      }
    }
    return (outputs[0], outputs[1])
  }

  @inline(__always)
  private static func rectified(_ x: Half) -> Half { x.replacing(with: leak * x, where: x .< 0) }
}

/// A weighted sum of what was a few frames before, at, and a few after each frame.
private struct Convolution {
  typealias Half = BeatNetwork.Half

  /// All of the first half of the channels, then of the second.
  private let weights: [Half]
  private let constants: [Half]
  private let taps: Int
  private let inputCount: Int
  private let dilation: Int

  /// Frames on either side that the taps reach.
  var margin: Int { taps / 2 * dilation }

  init(_ values: inout ArraySlice<Float>, taps: Int, inputCount: Int, dilation: Int) {
    func next() -> Half {
      defer { values = values.dropFirst(Half.scalarCount) }
      return Half(values.prefix(Half.scalarCount))
    }
    let rows = (0..<taps * inputCount).map { _ in (next(), next()) }
    weights = rows.map(\.0) + rows.map(\.1)
    constants = [next(), next()]
    (self.taps, self.inputCount, self.dilation) = (taps, inputCount, dilation)
  }

  /// - Parameters:
  ///   - values: `inputCount` for each frame, with `margin` frames at least before `firstFrame` and after the last.
  ///   - body: gets each sum with its index among the halves of all frames.
  @inline(__always)
  func apply(to values: UnsafeBufferPointer<Float>, firstFrame: Int, count: Int, _ body: (Int, Half) -> Void) {
    weights.withUnsafeBufferPointer { weights in
      guard let values = values.baseAddress, let weights = weights.baseAddress else { return }
      // Two frames at a time: every weight that is fetched is used twice.
      for frame in stride(from: 0, to: count, by: 2) {
        let hasSecond = frame + 1 < count
        let toSecond = hasSecond ? inputCount : 0
        for half in 0..<2 {
          var sums = (constants[half], constants[half])
          for tap in 0..<taps {
            let start = unsafe values + (firstFrame + frame + (tap - taps / 2) * dilation) * inputCount
            let row = unsafe weights + (half * taps + tap) * inputCount
            for input in 0..<inputCount {
              let weight = unsafe row[input]
              unsafe sums.0 += start[input] * weight
              unsafe sums.1 += start[toSecond + input] * weight
            }
          }
          body(2 * frame + half, sums.0)
          if hasSecond { body(2 * frame + 2 + half, sums.1) }
        }
      }
    }
  }

  @inline(__always)
  func apply(to values: [Float], firstFrame: Int, count: Int, _ body: (Int, Half) -> Void) {
    values.withUnsafeBufferPointer { unsafe apply(to: $0, firstFrame: firstFrame, count: count, body) }
  }
}
