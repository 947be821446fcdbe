/// A small network that hears beats: from the onsets and the sound of some ten seconds around a moment, how likely it is that
/// a beat lies there, and that a bar begins.
///
/// A temporal convolutional network (Davies and Böck, EUSIPCO 2019): a convolution over three frames of `BeatNetworkInput`, then
/// layers whose five taps lie 1, 2, 4 … 256 frames apart and whose rectified outputs are added to what they were given, and a
/// weighted sum of the channels for each of the two outputs. Trained by `Benchmarks/tempo/network.py`, which says on what.
struct BeatNetwork {
  typealias Channels = SIMD32<Float>
  static let channelCount = Channels.scalarCount
  static let outputCount = 2
  private static let layerCount = 9
  private static let taps = 5
  private static let tapsOfFirst = 3
  /// What is left of values below zero.
  private static let leak: Float = 0.1

  private let first: Convolution
  private let layers: [Convolution]
  /// Per output the weights of the channels, and at the end the constants.
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
    var channels = [Channels](repeating: .zero, count: count + 2 * margin)
    let padding = [Float](repeating: 0, count: first.margin * BeatNetworkInput.width)
    first.apply(to: padding + input.values + padding, firstFrame: first.margin, count: count) { frame, sum in
      channels[margin + frame] = Self.rectified(sum)
    }
    for layer in layers {
      var next = channels
      channels.withUnsafeBytes { bytes in
        let values = unsafe bytes.bindMemory(to: Float.self)
        unsafe layer.apply(to: values, firstFrame: margin, count: count) { frame, sum in
          next[margin + frame] += Self.rectified(sum)
        }
      }
      channels = next
    }
    let outputs = (0..<Self.outputCount).map { output in
      let weights = Channels(last[(output * Self.channelCount)..<((output + 1) * Self.channelCount)])
      let constant = last[Self.outputCount * Self.channelCount + output]
      return channels[margin..<(margin + count)].map { ($0 * weights).sum() + constant }
    }
    return (outputs[0], outputs[1])
  }

  @inline(__always)
  private static func rectified(_ x: Channels) -> Channels { x.replacing(with: leak * x, where: x .< 0) }
}

/// A weighted sum of what was a few frames before, at, and a few after each frame.
private struct Convolution {
  private typealias Channels = BeatNetwork.Channels

  private let weights: [Channels]
  private let constant: Channels
  private let taps: Int
  private let inputCount: Int
  private let dilation: Int

  /// Frames on either side that the taps reach.
  var margin: Int { taps / 2 * dilation }

  init(_ values: inout ArraySlice<Float>, taps: Int, inputCount: Int, dilation: Int) {
    func next() -> Channels {
      defer { values = values.dropFirst(Channels.scalarCount) }
      return Channels(values.prefix(Channels.scalarCount))
    }
    weights = (0..<taps * inputCount).map { _ in next() }
    constant = next()
    (self.taps, self.inputCount, self.dilation) = (taps, inputCount, dilation)
  }

  /// - Parameter values: `inputCount` for each frame, with `margin` frames at least before `firstFrame` and after the last.
  @inline(__always)
  func apply(
    to values: UnsafeBufferPointer<Float>, firstFrame: Int, count: Int, _ body: (Int, BeatNetwork.Channels) -> Void
  ) {
    weights.withUnsafeBufferPointer { weights in
      guard let values = values.baseAddress, let weights = weights.baseAddress else { return }
      for frame in 0..<count {
        var sum = constant
        for tap in 0..<taps {
          let start = unsafe values + (firstFrame + frame + (tap - taps / 2) * dilation) * inputCount
          let row = unsafe weights + tap * inputCount
          for input in 0..<inputCount { unsafe sum += start[input] * row[input] }
        }
        body(frame, sum)
      }
    }
  }

  @inline(__always)
  func apply(to values: [Float], firstFrame: Int, count: Int, _ body: (Int, BeatNetwork.Channels) -> Void) {
    values.withUnsafeBufferPointer { unsafe apply(to: $0, firstFrame: firstFrame, count: count, body) }
  }
}
