internal import CKernels
internal import Foundation

/// Detects faults of whole channels: silence, DC offset, and dead, identical and inverted channels.
struct ChannelSums {
  private let channelCount: Int
  private var sums: [Double]
  private var squares: [Double]
  /// Sum of squares of the mean of left and right.
  private var meanSquares = 0.0
  /// Sum of squares of half the difference between left and right.
  private var sideSquares = 0.0
  /// Means of blocks of about a second, used to check whether an offset is steady.
  private var blockMeans: [[Float]]
  private static let blockLimit = 4000
  /// Minimum offset as a share of full scale.
  private static let minOffset = 0.005
  /// Maximum level of silence in dB: above dither, and below any music.
  private static let maxSilence = -85.0
  private var frameCount = 0

  init(channelCount: Int) {
    self.channelCount = channelCount
    sums = Array(repeating: 0, count: channelCount)
    squares = sums
    blockMeans = Array(repeating: [], count: channelCount)
  }

  /// Adds the cells of a part of a channel.
  mutating func add(_ cells: Span<SampleCells.Cell>, channel: Int) {
    var (sum, square) = (0.0, 0.0)
    for index in cells.indices {
      sum += Double(cells[index].sum)
      square += Double(cells[index].squares)
    }
    sums[channel] += sum
    squares[channel] += square
    let count = cells.count * SampleCells.length
    if blockMeans[channel].count < Self.blockLimit, count > 4096 {
      blockMeans[channel].append(Float(sum / Double(count)))
    }
    if channel == 0 { frameCount += count }
  }

  /// - Parameters:
  ///   - mean: Sum of squares of the mean of left and right.
  ///   - side: Sum of squares of half their difference.
  mutating func compare(mean: Float, side: Float) {
    meanSquares += Double(mean)
    sideSquares += Double(side)
  }

  /// RMS of all channels, full scale 1.
  var rms: Double {
    (squares.reduce(0, +) / Double(max(1, frameCount * channelCount))).squareRoot()
  }

  func faults(frameCount: Int64) -> [Fault] {
    guard frameCount > 0 else { return [] }
    let count = Double(frameCount)
    func fault(_ kind: Fault.Kind, _ channel: Int?, _ strength: Double, _ confidence: Double) -> Fault {
      Fault(kind: kind, start: 0, end: frameCount, channel: channel, strength: strength, confidence: confidence)
    }
    var faults: [Fault] = []
    let levels = squares.map { 10 * log10($0 / count + 1e-20) }
    if let loudest = levels.max(), loudest < Self.maxSilence {
      return [fault(.silent, nil, loudest, squares.allSatisfy { $0 == 0 } ? 0.99 : 0.9)]
    }
    for channel in 0..<channelCount {
      let mean = sums[channel] / count
      // An offset is constant, whereas a wave with unequal halves comes and goes.
      let blocks = blockMeans[channel].sorted()
      guard abs(mean) > Self.minOffset, !blocks.isEmpty else { continue }
      let (low, high) = (Double(blocks[blocks.count / 10]), Double(blocks[blocks.count - 1 - blocks.count / 10]))
      let (least, most) = (min(abs(low), abs(high)), max(abs(low), abs(high)))
      if low * high > 0, least > Self.minOffset || (least > 0.6 * abs(mean) && most < 1.6 * abs(mean)) {
        faults.append(fault(.offset, channel, 20 * log10(abs(mean)), abs(mean) > 0.01 ? 0.95 : 0.8))
      }
    }
    guard channelCount == 2, let loudest = levels.max(), loudest > -60 else { return faults }
    if let dead = levels.firstIndex(where: { $0 < -80 && $0 < loudest - 50 }) {
      return faults + [fault(.deadChannel, dead, levels[dead], levels[dead] < -100 ? 0.99 : 0.9)]
    }
    let (mean, side) = (10 * log10(meanSquares / count + 1e-20), 10 * log10(sideSquares / count + 1e-20))
    if sideSquares == 0 {
      faults.append(fault(.identical, nil, mean, 0.99))
    } else if side < mean - 60 {
      faults.append(fault(.identical, nil, mean - side, 0.9))
    } else if mean < side - 20 {
      faults.append(fault(.inverted, nil, side - mean, mean < side - 40 ? 0.99 : 0.9))
    }
    return faults
  }
}
