internal import CKernels

/// A small network that detects beats. From the onsets and levels of up to 20 s before and after a frame, it estimates
/// the probability of a beat and of a downbeat in that frame.
///
/// It is a temporal convolutional network (Davies and Böck, EUSIPCO 2019). First comes a convolution over three frames
/// of `BeatNetworkInput`. Then come nine layers with five taps each, which are 1, 2, 4 … 256 frames apart; each layer
/// adds its rectified output to its input. Each of the two outputs is a weighted sum of the channels. The network is
/// trained by `Benchmarks/tempo/network.py`, which names the training data.
struct BeatNetwork {
  static let channelCount = CBEATNETWORK_CHANNELS
  static let outputCount = 2
  private static let layerCount = 9
  private static let taps = 5
  private static let tapsOfFirst = 3

  /// The first convolution, followed by the layers.
  private let convolutions: [Convolution]
  /// The channel weights of each output, then the biases of the outputs.
  private let last: [Float]

  /// The trained network; docs/tempo.md describes it.
  static let trained = BeatNetwork(TempoResources.beatNetwork)

  static let weightCount =
    channelCount * (tapsOfFirst * BeatNetworkInput.width + 1) + layerCount * channelCount * (taps * channelCount + 1)
    + outputCount * (channelCount + 1)

  /// - Parameter weights: For each convolution, the weights by tap, input and channel, followed by the biases of the
  ///   channels; at the end, the weights of the outputs and their biases.
  init(_ weights: [Float]) {
    precondition(weights.count == Self.weightCount)
    var rest = weights[...]
    var convolutions = [Convolution(&rest, taps: Self.tapsOfFirst, inputCount: BeatNetworkInput.width, dilation: 1)]
    for layer in 0..<Self.layerCount {
      convolutions.append(Convolution(&rest, taps: Self.taps, inputCount: Self.channelCount, dilation: 1 << layer))
    }
    self.convolutions = convolutions
    last = Array(rest)
  }

  /// Returns the logits of beats and downbeats, frame by frame.
  func callAsFunction(_ input: BeatNetworkInput) -> (beats: [Float], downbeats: [Float]) {
    let count = input.frameCount
    // Frames of zeros on both sides let every tap read without a bounds check.
    let margin = convolutions.map(\.margin).max() ?? 0
    var channels = [Float](repeating: 0, count: (count + 2 * margin) * Self.channelCount)
    convolutions[0].add(
      input.paddedValues, margin: BeatNetworkInput.padding, to: &channels, margin: margin, frameCount: count)
    // The taps read a copy of the layer's input, because the layer changes `channels` in place.
    var before = channels
    for layer in convolutions.dropFirst() {
      before.withUnsafeMutableBytes { copy in channels.withUnsafeBytes { unsafe copy.copyMemory(from: $0) } }
      layer.add(before, margin: margin, to: &channels, margin: margin, frameCount: count)
    }
    let outputs = (0..<Self.outputCount).map { output($0, of: channels, margin: margin, frameCount: count) }
    return (outputs[0], outputs[1])
  }

  private func output(_ index: Int, of channels: [Float], margin: Int, frameCount: Int) -> [Float] {
    let width = Self.channelCount
    return (margin..<(margin + frameCount)).map { frame in
      var sum = last[Self.outputCount * width + index]
      for channel in 0..<width { sum += last[index * width + channel] * channels[frame * width + channel] }
      return sum
    }
  }
}

/// A dilated convolution with a rectified output.
private struct Convolution {
  private let weights: [Float]
  private let constants: [Float]
  private let taps: Int
  private let inputCount: Int
  private let dilation: Int

  /// Number of frames that the taps reach on either side.
  var margin: Int { taps / 2 * dilation }

  init(_ values: inout ArraySlice<Float>, taps: Int, inputCount: Int, dilation: Int) {
    weights = Array(values.prefix(taps * inputCount * BeatNetwork.channelCount))
    values = values.dropFirst(weights.count)
    constants = Array(values.prefix(BeatNetwork.channelCount))
    values = values.dropFirst(constants.count)
    (self.taps, self.inputCount, self.dilation) = (taps, inputCount, dilation)
  }

  /// - Parameters:
  ///   - values: The input, with `inputCount` values per frame.
  ///   - inputMargin: Number of extra frames at each end of `values`.
  ///   - channels: The values to which the output is added, with `BeatNetwork.channelCount` values per frame.
  ///   - margin: Number of extra frames at each end of `channels`.
  func add(
    _ values: [Float], margin inputMargin: Int, to channels: inout [Float], margin: Int, frameCount: Int
  ) {
    precondition(inputMargin >= self.margin && values.count == (frameCount + 2 * inputMargin) * inputCount)
    precondition(channels.count == (frameCount + 2 * margin) * BeatNetwork.channelCount)
    values.withUnsafeBufferPointer { values in
      channels.withUnsafeMutableBufferPointer { channels in
        guard let values = values.baseAddress, let channels = channels.baseAddress else { return }
        unsafe cbeatnetwork_add_convolution(
          values + inputMargin * inputCount, inputCount, frameCount, taps, dilation, weights, constants,
          channels + margin * BeatNetwork.channelCount)
      }
    }
  }
}
