internal import CKernels

/// A small network that hears beats: from the onsets and the sound of some ten seconds around a moment, how likely a
/// beat, and the beginning of a bar, is at that moment.
///
/// A temporal convolutional network (Davies and Böck, EUSIPCO 2019): a convolution over three frames of
/// `BeatNetworkInput`, then layers with five taps that are 1, 2, 4 … 256 frames apart and whose rectified outputs are
/// added to their inputs, and a weighted sum of the channels for each of the two outputs. Trained by
/// `Benchmarks/tempo/network.py`, which names the training material.
struct BeatNetwork {
  static let channelCount = CBEATNETWORK_CHANNELS
  static let outputCount = 2
  private static let layerCount = 9
  private static let taps = 5
  private static let tapsOfFirst = 3

  /// The first convolution, then the layers.
  private let convolutions: [Convolution]
  /// The channel weights for each output, then the constants of the outputs.
  private let last: [Float]

  /// The network the analyzer uses; docs/tempo.md describes it.
  static let trained = BeatNetwork(TempoResources.beatNetwork)

  /// How many weights a network has.
  static let weightCount =
    channelCount * (tapsOfFirst * BeatNetworkInput.width + 1) + layerCount * channelCount * (taps * channelCount + 1)
    + outputCount * (channelCount + 1)

  /// - Parameter weights: For each convolution, tap by tap and input by input, the weight for each channel, then the
  ///   constants of the channels; finally the weights of the outputs and their constants.
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

  /// The logits of beats and downbeats, frame by frame.
  func callAsFunction(_ input: BeatNetworkInput) -> (beats: [Float], downbeats: [Float]) {
    let count = input.frameCount
    // Zero frames on both sides, so that every tap has something to read.
    let margin = convolutions.map(\.margin).max() ?? 0
    var channels = [Float](repeating: 0, count: (count + 2 * margin) * Self.channelCount)
    convolutions[0].add(
      input.paddedValues, margin: BeatNetworkInput.padding, to: &channels, margin: margin, frameCount: count)
    // The input of a layer; its taps must not read what it has already added to.
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

/// A weighted sum of the values a few frames before, at, and a few frames after each frame, rectified.
private struct Convolution {
  private let weights: [Float]
  private let constants: [Float]
  private let taps: Int
  private let inputCount: Int
  private let dilation: Int

  /// Frames that the taps reach on either side.
  var margin: Int { taps / 2 * dilation }

  init(_ values: inout ArraySlice<Float>, taps: Int, inputCount: Int, dilation: Int) {
    weights = Array(values.prefix(taps * inputCount * BeatNetwork.channelCount))
    values = values.dropFirst(weights.count)
    constants = Array(values.prefix(BeatNetwork.channelCount))
    values = values.dropFirst(constants.count)
    (self.taps, self.inputCount, self.dilation) = (taps, inputCount, dilation)
  }

  /// - Parameters:
  ///   - values: `inputCount` for each frame.
  ///   - inputMargin: Extra frames in them, before the first and after the last.
  ///   - channels: `BeatNetwork.channelCount` for each frame.
  ///   - margin: Extra frames in these.
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
