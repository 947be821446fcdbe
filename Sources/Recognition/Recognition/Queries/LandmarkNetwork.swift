internal import CKernels
internal import DSP
internal import Landmarks

/// A small convolutional network for the spectrum of a clip with noise and voices. It estimates, for each place, the
/// probability that the undisturbed track has a landmark there.
///
/// It is based on Akesbi et al., "Music Augmentation and Denoising for Peak-Based Audio Fingerprinting" (2023), but is
/// trained to output the landmarks instead of the undisturbed spectrum. A 4 × 4 convolution halves the number of
/// columns and bands. It is followed by 3 × 3 layers whose rectified outputs are added to their inputs. The last
/// convolution outputs four places for each input place. The receptive field extends about 25 columns and bands to each
/// side. `Benchmarks/recognition/network.py` trains the network, and documents the data.
struct LandmarkNetwork {
  private static let channelCount = Int(CLANDMARKNETWORK_CHANNELS)
  /// The inputs at each place: whitened level, level, and band.
  private static let inputCount = 3
  private static let tapsOfFirst = 4
  private static let taps = 3
  private static let outputCount = Int(CLANDMARKNETWORK_OUTPUTS)
  /// Distance between the taps of each layer, in places.
  private static let dilations = [1, 2, 4, 2, 1, 1]

  private let first: Layer
  private let layers: [Layer]
  private let last: Layer

  /// The network that recognition uses. docs/recognition.md describes it.
  static let trained = LandmarkNetwork(RecognitionResources.landmarkNetwork)

  /// - Parameter weights: For the first convolution and the layers, tap by tap and input by input, the weight of each
  ///   channel, followed by one bias per channel. For the last convolution, output by output and tap by tap, the weight
  ///   of each channel, followed by one bias per output.
  init(_ weights: [Float]) {
    var rest = weights[...]
    let channels = Self.channelCount
    first = Layer(&rest, count: Self.tapsOfFirst * Self.tapsOfFirst * Self.inputCount * channels, constants: channels)
    layers = Self.dilations.map { _ in
      Layer(&rest, count: Self.taps * Self.taps * channels * channels, constants: channels)
    }
    last = Layer(&rest, count: Self.taps * Self.taps * channels * Self.outputCount, constants: Self.outputCount)
    precondition(rest.isEmpty && last.constants.count == Self.outputCount)
  }

  fileprivate struct Layer {
    let weights: [Float]
    let constants: [Float]

    init(_ values: inout ArraySlice<Float>, count: Int, constants: Int) {
      weights = Array(values.prefix(count))
      values = values.dropFirst(count)
      self.constants = Array(values.prefix(constants))
      values = values.dropFirst(constants)
    }
  }

  /// Whitens columns of `LandmarkSpectrum` in the same way as for the training data.
  static func whitened(_ levels: [Int32]) -> [Float] {
    let bandCount = LandmarkSpectrum.bandCount
    var whitener = LandmarkWhitener(bandRadius: 6, columnRadius: 10)
    var whitened: [Float] = []
    whitened.reserveCapacity(levels.count)
    for first in stride(from: 0, to: levels.count, by: bandCount) {
      if whitener.push(levels.span.extracting(first..<first + bandCount)) { whitened += whitener.whitened }
    }
    while whitener.drain() { whitened += whitener.whitened }
    return whitened
  }

  /// Computes the log odds (natural logarithm) that there is a landmark, for each place.
  /// - Parameters:
  ///   - levels: Columns of `LandmarkSpectrum`, one after the other.
  ///   - whitened: The same columns, whitened.
  /// - Returns: One value for each input level, column by column.
  func callAsFunction(levels: [Int32], whitened: [Float]) -> [Float] {
    let input = Input(levels: levels, whitened: whitened)
    var before = Plane(rowCount: input.rowCount)
    first.convolve(
      input.values, origin: input.origin, rowStep: 2 * Input.rowStep, columnStep: 2 * Self.inputCount,
      taps: (-1...2).map { $0 * Input.rowStep - Self.inputCount }, inputCount: Self.tapsOfFirst * Self.inputCount,
      addsPicture: false, to: &before)
    var after = before
    for (layer, dilation) in zip(layers, Self.dilations) {
      let places = (-1...1).flatMap { row in (-1...1).map { (row * Plane.rowLength + $0) * dilation } }
      layer.convolve(
        before.values, origin: Plane.origin, rowStep: Plane.rowStep, columnStep: Self.channelCount,
        taps: places.map { $0 * Self.channelCount }, inputCount: Self.channelCount, addsPicture: true, to: &after)
      swap(&before, &after)
    }
    return output(of: before, columnCount: levels.count / LandmarkSpectrum.bandCount)
  }

  private func output(of plane: Plane, columnCount: Int) -> [Float] {
    let bandCount = LandmarkSpectrum.bandCount
    let taps = (-1...1).flatMap { row in (-1...1).map { (row * Plane.rowLength + $0) * Self.channelCount } }
    var outputs = [Float](repeating: 0, count: plane.rowCount * Plane.columnCount * Self.outputCount)
    last.convolution(taps: taps, inputCount: Self.channelCount) { convolution in
      plane.values.withUnsafeBufferPointer { values in
        guard let base = values.baseAddress else { return }
        unsafe clandmarknetwork_output(
          clandmarknetwork_picture(
            values: base + Plane.origin, row_step: Plane.rowStep, column_step: Self.channelCount),
          plane.rowCount, Plane.columnCount, convolution, &outputs)
      }
    }
    // The outputs at each place belong to two columns of two bands.
    var logits = [Float](repeating: 0, count: columnCount * bandCount)
    for column in 0..<columnCount {
      let row = column / 2 * Plane.columnCount
      for band in 0..<bandCount {
        logits[column * bandCount + band] = outputs[(row + band / 2) * Self.outputCount + column % 2 * 2 + band % 2]
      }
    }
    return logits
  }

  /// The input of the network, padded with zeros.
  struct Input {
    /// Number of values per row. A row contains one column of the spectrum, with one place before its first band, and
    /// as many places after its last band as blocks extend beyond it.
    static let rowStep = (LandmarkSpectrum.bandCount + 10) * inputCount
    /// Offset of the first row, which is preceded by one row of zeros.
    let origin = rowStep + inputCount
    /// Number of output rows of the first convolution.
    let rowCount: Int
    private(set) var values: [Float]

    subscript(column: Int, band: Int, input: Int) -> Float {
      values[origin + column * Self.rowStep + band * inputCount + input]
    }

    /// Scale, in dB, that brings the deviation of the whitened levels close to 1.
    private static let whitenedScale: Float = 8
    /// Range to which the scaled whitened levels are clipped.
    private static let whitenedLimits: ClosedRange<Float> = -2.5...4
    /// Scale, in dB, that brings the deviation of the levels close to 1.
    private static let levelScale: Float = 20

    init(levels: [Int32], whitened: [Float]) {
      let bandCount = LandmarkSpectrum.bandCount
      let columnCount = levels.count / bandCount
      rowCount = (columnCount + 1) / 2
      values = [Float](repeating: 0, count: (2 * rowCount + 3) * Self.rowStep)
      let sum = levels.reduce(0) { $0 + Int($1) }
      let mean = Float(sum) / Float(max(1, levels.count))
      let scale = 1 / (Self.levelScale * LandmarkSpectrum.levelsPerDecibel)
      values.withUnsafeMutableBufferPointer { values in
        for column in 0..<columnCount {
          var place = origin + column * Self.rowStep
          for index in column * bandCount..<(column + 1) * bandCount {
            let value = whitened[index] * (1 / Self.whitenedScale)
            values[place] = min(max(value, Self.whitenedLimits.lowerBound), Self.whitenedLimits.upperBound)
            values[place + 1] = (Float(levels[index]) - mean) * scale
            values[place + 2] = Float(2 * (index - column * bandCount)) / Float(bandCount - 1) - 1
            place += inputCount
          }
        }
      }
    }
  }

  /// The channels of all places, at half the number of columns and bands, padded with zeros.
  fileprivate struct Plane {
    static let columnCount = LandmarkSpectrum.bandCount / 2
    /// Maximum distance between a tap and its place.
    static let margin = dilations.max() ?? 0
    /// Number of places per row. The margin after a row is also the margin before the next row, and has room for the
    /// rest of the last block.
    static let rowLength = columnCount + margin + Int(CLANDMARKNETWORK_BLOCK) - 1
    static let rowStep = rowLength * channelCount
    static let origin = margin * (rowStep + channelCount)

    let rowCount: Int
    var values: [Float]

    init(rowCount: Int) {
      self.rowCount = rowCount
      values = [Float](
        repeating: 0, count: (rowCount + 2 * Self.margin) * Self.rowStep + 2 * Self.margin * channelCount)
    }
  }
}

extension LandmarkNetwork.Layer {
  /// - Parameter taps: Offsets of each tap's inputs, relative to a place.
  fileprivate func convolution(taps: [Int], inputCount: Int, _ body: (clandmarknetwork_convolution) -> Void) {
    weights.withUnsafeBufferPointer { weights in
      constants.withUnsafeBufferPointer { constants in
        taps.withUnsafeBufferPointer { taps in
          body(
            clandmarknetwork_convolution(
              taps: taps.baseAddress, tap_count: taps.count, input_count: inputCount, weights: weights.baseAddress,
              constants: constants.baseAddress))
        }
      }
    }
  }

  /// - Parameter addsPicture: `true` to add the input to the output.
  fileprivate func convolve(
    _ picture: [Float], origin: Int, rowStep: Int, columnStep: Int, taps: [Int], inputCount: Int,
    addsPicture: Bool, to plane: inout LandmarkNetwork.Plane
  ) {
    let rowCount = plane.rowCount
    convolution(taps: taps, inputCount: inputCount) { convolution in
      picture.withUnsafeBufferPointer { picture in
        plane.values.withUnsafeMutableBufferPointer { channels in
          guard let picture = picture.baseAddress, let channels = channels.baseAddress else { return }
          unsafe clandmarknetwork_convolve(
            clandmarknetwork_picture(values: picture + origin, row_step: rowStep, column_step: columnStep), rowCount,
            LandmarkNetwork.Plane.columnCount, convolution, addsPicture ? picture + origin : nil,
            channels + LandmarkNetwork.Plane.origin, LandmarkNetwork.Plane.rowStep)
        }
      }
    }
  }
}
