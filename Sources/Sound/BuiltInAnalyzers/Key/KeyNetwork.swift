internal import CKernels
internal import Mathematics

/// A small network that estimates keys. It is equivariant to the twelve tonics by construction.
///
/// Thirds of a semitone become channels of semitones, and semitones become pitch classes in four overlapping registers.
/// From there on, every connection between pitch classes depends only on their distance. Together, the blocks reach 3.6
/// s before and after a frame. The decision depends only on two weighted means over time, so sums over stretches of
/// time can be added up (Korzeniowski and Widmer, ISMIR 2018, average over time as well). The network is trained by
/// `Benchmarks/key/network.py`, which names the training data.
struct KeyNetwork {
  static let channels = 24
  static let heads = 2
  /// Number of values per frame: the channels of each pitch class, one pitch class after the other.
  static let width = 12 * channels
  /// Number of frames on either side that affect the output of a frame.
  static let reach = dilations.reduce(0, +)
  private static let dilations = [1, 2, 4]
  private static let semitones = 72
  /// MIDI pitch of the lowest semitone with neighbors on both sides.
  private static let lowestPitch = PitchSpectrum.lowestPitch + 1
  private static let local = 10
  /// `local` rounded up to a multiple of eight.
  private static let paddedLocal = 16
  private static let registers = 4
  private static let inputsPerBin = 2
  /// Number of bins per semitone: three of its own and three of each neighbor.
  private static let binsPerSemitone = 3 * PitchSpectrum.binsPerSemitone
  private static let hidden = 16

  private struct Connection {
    /// Weights ordered by input, then output.
    var weights: [Float]
    var constants: [Float]

    var inputCount: Int { weights.count / constants.count }

    /// - Parameter stride: Number of values from one row to the next.
    func callAsFunction(_ values: [Float], rowCount: Int, stride: Int) -> [Float] {
      precondition(values.count >= (rowCount - 1) * stride + inputCount)
      var result = [Float](repeating: 0, count: rowCount * constants.count)
      result.withUnsafeMutableBufferPointer { result in
        guard let base = result.baseAddress else { return }
        unsafe ckeynetwork_connect(values, rowCount, stride, inputCount, weights, constants, constants.count, base)
      }
      return result
    }
  }

  private struct Block {
    let dilation: Int
    /// Maps three frames of a pitch class to one frame.
    let time: Connection
    let circle: Connection
  }

  private let semitone: Connection
  private let entrance: Connection
  private let blocks: [Block]
  private let attention: [Float]
  private let exit: Connection
  private let key: [Float]
  private let presence: [Float]

  /// The trained network; docs/key.md describes it.
  static let trained = KeyNetwork(KeyResources.keyNetwork)

  /// - Parameter weights: Weights in the order of the parameters in network.py.
  init(_ weights: [Float]) {
    var rest = weights[...]
    func take(_ count: Int) -> [Float] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    /// Reads a linear connection. PyTorch stores a row of input weights for each output.
    func linear(_ inputs: Int, _ outputs: Int) -> Connection {
      let rows = take(inputs * outputs)
      return Connection(
        weights: (0..<inputs * outputs).map { rows[$0 % outputs * inputs + $0 / outputs] }, constants: take(outputs))
    }
    /// Expands weights to a full connection. They are stored by the distance of pitch classes, then input and output.
    func circle(_ inputs: Int, _ outputs: Int) -> Connection {
      let shared = take(12 * inputs * outputs)
      let constants = take(outputs)
      var full = [Float](repeating: 0, count: 12 * inputs * 12 * outputs)
      for from in 0..<12 {
        for to in 0..<12 {
          for input in 0..<inputs {
            for output in 0..<outputs {
              full[((from * inputs + input) * 12 + to) * outputs + output] =
                shared[((to - from + 12) % 12 * inputs + input) * outputs + output]
            }
          }
        }
      }
      return Connection(weights: full, constants: (0..<12 * outputs).map { constants[$0 % outputs] })
    }
    let narrow = linear(Self.inputsPerBin * Self.binsPerSemitone, Self.local)
    var wide = Connection(
      weights: [Float](repeating: 0, count: narrow.inputCount * Self.paddedLocal),
      constants: narrow.constants + [Float](repeating: 0, count: Self.paddedLocal - Self.local))
    // `wide` has the two inputs of a bin next to each other, whereas `narrow` has all inputs of one kind next to each
    // other.
    for bin in 0..<Self.binsPerSemitone {
      for kind in 0..<Self.inputsPerBin {
        for output in 0..<Self.local {
          wide.weights[(bin * Self.inputsPerBin + kind) * Self.paddedLocal + output] =
            narrow.weights[(kind * Self.binsPerSemitone + bin) * Self.local + output]
        }
      }
    }
    semitone = wide
    entrance = circle(Self.local * Self.registers, Self.channels)
    blocks = Self.dilations.map {
      Block(dilation: $0, time: linear(3 * Self.channels, Self.channels), circle: circle(Self.channels, Self.channels))
    }
    attention = take(Self.heads * (2 * Self.channels + 1))
    exit = circle(Self.heads * Self.channels, Self.channels)
    key = take(2 * (Self.channels + 1))
    presence = take(Self.hidden * (2 * Self.heads * Self.channels + 1) + Self.hidden + 1)
    precondition(rest.isEmpty && presence.count == 16 * 97 + 17, "weights of another network")
  }

  /// Returns, for each frame, `width` features and the logarithm of its weight for each head.
  ///
  /// - Parameter levels: The levels of `PitchSpectrum`, tuned.
  func callAsFunction(_ levels: [Float]) -> (features: [Float], weights: [Float]) {
    let count = levels.count / PitchSpectrum.binCount
    let inputs = Self.inputs(levels)
    var pitchClasses: [Float] = []
    pitchClasses.reserveCapacity(count * 12 * Self.local * Self.registers)
    for frame in 0..<count {
      let first = frame * PitchSpectrum.binCount * Self.inputsPerBin
      let row = Array(inputs[first..<first + PitchSpectrum.binCount * Self.inputsPerBin])
      let found = semitone(
        row, rowCount: Self.semitones, stride: Self.inputsPerBin * PitchSpectrum.binsPerSemitone)
      pitchClasses += Self.folded(found)
    }
    var features = entrance(pitchClasses, rowCount: count, stride: entrance.inputCount)
    for block in blocks {
      let near = Self.neighbors(of: features, apart: block.dilation)
      let mixed = block.time(near, rowCount: 12 * count, stride: 3 * Self.channels)
      let added = block.circle(mixed, rowCount: count, stride: Self.width)
      for index in features.indices { features[index] += added[index] }
    }
    return (features, attend(features))
  }

  /// Returns the prominence of each bin over the nine semitones on each side, and its level within the frame.
  static func inputs(_ levels: [Float]) -> [Float] {
    let width = PitchSpectrum.binCount
    let count = levels.count / width
    var powers = levels.map { exp2($0 * (log2(10) / 10)) }
    var mean = 0.0
    for power in powers { mean += Double(power) }
    let floor = 1e-3 * Float(mean / Double(max(powers.count, 1))) + 1e-10
    for index in powers.indices { powers[index] += floor }
    var values = [Float](repeating: 0, count: 2 * powers.count)
    var sums = [Float](repeating: 0, count: width + 1)
    for frame in 0..<count {
      var highest: Float = 0
      for bin in 0..<width {
        let power = powers[frame * width + bin]
        sums[bin + 1] = sums[bin] + power
        highest = max(highest, power)
      }
      for bin in 0..<width {
        let low = max(0, bin - 27)
        let high = min(width, bin + 28)
        let around = max((sums[high] - sums[low]) / Float(high - low), 1e-12)
        let power = powers[frame * width + bin]
        values[2 * (frame * width + bin)] = log1p(4 * power / around) - 1
        values[2 * (frame * width + bin) + 1] = max(-1, 1 + log10(power / highest) / 3)
      }
    }
    return values
  }

  /// Weights of each semitone in the registers, which are triangles that reach an octave and a half to each side.
  private static let shares: [Float] = {
    var shares = [Float](repeating: 0, count: semitones * registers)
    for semitone in 0..<semitones {
      let heights = (0..<registers).map { max(0, 1 - abs(Float(semitone) - Float(6 + 18 * $0)) / 18) }
      let sum = heights.reduce(0, +)
      for register in 0..<registers { shares[semitone * registers + register] = heights[register] / sum }
    }
    return shares
  }()

  /// Sums semitones into pitch classes. The result is ordered by pitch class, channel and register.
  private static func folded(_ semitones: [Float]) -> [Float] {
    var classes = [Float](repeating: 0, count: 12 * local * registers)
    for semitone in 0..<Self.semitones {
      for channel in 0..<local {
        let value = semitones[semitone * paddedLocal + channel]
        let at = (semitone % 12 * local + channel) * registers
        for register in 0..<registers { classes[at + register] += value * shares[semitone * registers + register] }
      }
    }
    return classes
  }

  /// Gathers, for each frame and pitch class, the channels of three frames: the frame itself, and those `apart`
  /// frames before and after it. Frames beyond the ends are zero.
  private static func neighbors(of features: [Float], apart: Int) -> [Float] {
    let count = features.count / width
    var near = [Float](repeating: 0, count: 3 * features.count)
    for frame in 0..<count {
      for (place, other) in [frame - apart, frame, frame + apart].enumerated() where other >= 0 && other < count {
        for pitchClass in 0..<12 {
          let from = other * width + pitchClass * channels
          let to = ((frame * 12 + pitchClass) * 3 + place) * channels
          for channel in 0..<channels { near[to + channel] = features[from + channel] }
        }
      }
    }
    return near
  }

  /// Returns the mean of each channel over the pitch classes, followed by the maximum of each channel.
  private static func overClasses(_ values: ArraySlice<Float>, channels: Int) -> [Float] {
    var result = [Float](repeating: 0, count: channels) + [Float](repeating: -.infinity, count: channels)
    for (index, value) in values.enumerated() {
      let channel = index % channels
      result[channel] += value / 12
      result[channels + channel] = max(result[channels + channel], value)
    }
    return result
  }

  private func attend(_ features: [Float]) -> [Float] {
    let inputs = 2 * Self.channels
    return (0..<features.count / Self.width).flatMap { frame in
      let each = Self.overClasses(features[frame * Self.width..<(frame + 1) * Self.width], channels: Self.channels)
      return (0..<Self.heads).map { head in
        var sum = attention[Self.heads * inputs + head]
        for (index, value) in each.enumerated() { sum += attention[head * inputs + index] * value }
        return sum
      }
    }
  }

  /// Returns the log-odds of the 24 keys, with C major at 0 and C minor at 12, and the log-odds that there is a key.
  ///
  /// - Parameter means: For each pitch class, the weighted means of the features, head by head.
  func decide(_ means: [Float]) -> (keys: [Double], presence: Double) {
    let values = exit(means, rowCount: 1, stride: means.count)
    var keys = [Double](repeating: 0, count: 24)
    for place in 0..<12 {
      for mode in 0..<2 {
        var sum = key[2 * Self.channels + mode]
        for channel in 0..<Self.channels {
          sum += key[mode * Self.channels + channel] * values[place * Self.channels + channel]
        }
        keys[(place + Self.lowestPitch) % 12 + 12 * mode] = Double(sum)
      }
    }
    let each = Self.overClasses(means[...], channels: Self.heads * Self.channels)
    let constants = Self.hidden * each.count
    var log = presence[constants + 2 * Self.hidden]
    for unit in 0..<Self.hidden {
      var sum = presence[constants + unit]
      for (index, value) in each.enumerated() { sum += presence[unit * each.count + index] * value }
      log += presence[constants + Self.hidden + unit] * (sum < 0 ? 0.1 * sum : sum)
    }
    return (keys, Double(log))
  }
}
