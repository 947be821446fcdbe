internal import CKernels
internal import Foundation

/// Detects constant noise: files whose quietest passages are white noise.
struct Hiss {
  /// Number of cells per block of 50 ms.
  private let blockLength: Int
  private var block: (squares: Float, differences: Float, count: Int) = (0, 0, 0)
  /// Number of blocks in each class of levels, 1 dB wide from -120 dB up.
  private var classes = [Int](repeating: 0, count: 121)
  /// For each class, the sum of the blocks' ratios of the power of first differences to the power of the block.
  private var classRatios = [Float](repeating: 0, count: 121)
  private var blockCount = 0

  init(sampleRate: Int) {
    blockLength = max(1, sampleRate / 20 / SampleCells.length)
  }

  /// Adds cells of both channels.
  mutating func push(_ left: Span<SampleCells.Cell>, _ right: Span<SampleCells.Cell>) {
    var first = 0
    while first < left.count {
      let end = min(left.count, first + blockLength - block.count)
      var (squares, differences) = (block.squares, block.differences)
      for cell in first..<end {
        squares += left[cell].squares + right[cell].squares
        differences += left[cell].steps + right[cell].steps
      }
      block = (squares, differences, block.count + end - first)
      if block.count == blockLength { endBlock() }
      first = end
    }
  }

  private mutating func endBlock() {
    let power = block.squares / Float(2 * blockLength * SampleCells.length)
    if power > 0 {
      let place = max(0, min(120, Int(120 + 10 * log10(power))))
      classes[place] += 1
      classRatios[place] += block.differences / block.squares
      blockCount += 1
    }
    block = (0, 0, 0)
  }

  /// Returns a fault if the quietest twentieth of the blocks are noise rather than music, with a level between -60 and
  /// -25 dB. Its strength is the highest level of these blocks, in dB relative to full scale.
  func fault(frameCount: Int64) -> Fault? {
    guard blockCount >= 60 else { return nil }
    var (count, ratio): (Int, Float) = (0, 0)
    for place in classes.indices {
      count += classes[place]
      ratio += classRatios[place]
      if count * 20 >= blockCount {
        // First differences of white noise have twice its power.
        let level = Double(place) - 120
        guard level > -60, level < -25, ratio / Float(count) > 0.7 else { return nil }
        return Fault(kind: .hiss, start: 0, end: frameCount, channel: nil, strength: level, confidence: 0.8)
      }
    }
    return nil
  }
}
