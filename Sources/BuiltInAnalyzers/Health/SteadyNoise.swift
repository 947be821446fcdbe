internal import Foundation

/// Hum of 50 or 60 Hz with its harmonics, and hiss that never ceases.
struct SteadyNoise {
  private static let cellLength = 64
  /// Frames that are kept of the course of hum.
  private static let frameLimit = 2400
  private let cellRate: Double
  private let frameLength: Int
  private var cell: (sum: Float, count: Int) = (0, 0)
  /// Sums of cells: the signal at a 64th of its rate, roughly low-passed.
  private var cells: [Float] = []
  /// Power near multiples of 50 and 60 Hz, and beside them, for each frame.
  private var frames: [[Float]] = []
  private static let lines: [Double] = [50, 100, 150, 60, 120, 180]

  /// Blocks of 50 ms by their level, a class for each dB from -120 up; and the power of first differences there.
  private let blockLength: Int
  private var block: (squares: Float, differences: Float, count: Int) = (0, 0, 0)
  private var before: Float = 0
  private var classes = [Int](repeating: 0, count: 121)
  private var classRatios = [Float](repeating: 0, count: 121)
  private var blockCount = 0

  init(sampleRate: Int) {
    cellRate = Double(sampleRate) / Double(Self.cellLength)
    // Three seconds or so.
    frameLength = max(64, Int(3 * cellRate))
    blockLength = max(64, sampleRate / 20)
  }

  mutating func push(_ left: Span<Float>, _ right: Span<Float>) {
    for index in left.indices {
      let value = 0.5 * (left[index] + right[index])
      cell.sum += value
      cell.count += 1
      if cell.count == Self.cellLength {
        cells.append(cell.sum / Float(Self.cellLength))
        cell = (0, 0)
        if cells.count == frameLength {
          measureLines()
          cells.removeAll(keepingCapacity: true)
        }
      }
      let difference = value - before
      before = value
      block.squares += value * value
      block.differences += difference * difference
      block.count += 1
      if block.count == blockLength { closeBlock() }
    }
  }

  private mutating func closeBlock() {
    let power = block.squares / Float(blockLength)
    if power > 0 {
      let place = max(0, min(120, Int(120 + 10 * log10(power))))
      classes[place] += 1
      classRatios[place] += block.differences / max(block.squares, 1e-20)
      blockCount += 1
    }
    block = (0, 0, 0)
  }

  /// Power at each line, and the mean of four places beside it.
  private mutating func measureLines() {
    guard frames.count < Self.frameLimit, cellRate > 420 else { return }
    var window: [Float] = []
    for index in 0..<frameLength {
      window.append(cells[index] * Float(0.5 - 0.5 * cos(2 * Double.pi * (Double(index) + 0.5) / Double(frameLength))))
    }
    func power(_ frequency: Double) -> Float {
      let coefficient = Float(2 * cos(2 * Double.pi * frequency / cellRate))
      var (a, b): (Float, Float) = (0, 0)
      for value in window {
        let next = value + coefficient * a - b
        b = a
        a = next
      }
      return max(0, a * a + b * b - coefficient * a * b) / Float(frameLength * frameLength) * 16
    }
    var frame: [Float] = []
    for line in Self.lines {
      frame.append([-0.25, 0, 0.25].map { power(line + $0) }.max() ?? 0)
      frame.append([-3.1, -1.9, 1.9, 3.1].map { power(line + $0) }.max() ?? 0)
    }
    frames.append(frame)
  }

  func faults(frameCount: Int64) -> [Fault] {
    var faults: [Fault] = []
    if let hum { faults.append(Fault(kind: .hum, start: 0, end: frameCount, channel: nil, strength: hum.level, confidence: hum.confidence)) }
    if let hiss { faults.append(Fault(kind: .hiss, start: 0, end: frameCount, channel: nil, strength: hiss, confidence: 0.8)) }
    return faults
  }

  /// In dB relative to full scale: a line and one of its harmonics that stand out in most frames, with a steady level.
  private var hum: (level: Double, confidence: Double)? {
    guard frames.count >= 4 else { return nil }
    var best: (level: Double, confidence: Double)?
    for first in [0, 3] {
      var steady: [Double] = []
      for line in first..<first + 3 {
        let levels = frames.map { $0[2 * line] }.sorted()
        let beside = frames.map { $0[2 * line + 1] }.sorted()
        let middle = levels[levels.count / 2]
        guard middle > 4 * beside[beside.count / 2], middle > 1e-9 else { continue }
        // The middle three fifths: loud notes cover the line now and then.
        if levels[levels.count * 4 / 5] < 2.5 * levels[levels.count / 5] { steady.append(10 * log10(Double(middle))) }
      }
      if steady.count >= 2, let level = steady.max(), level > best?.level ?? -200 {
        best = (level, steady.count == 3 ? 0.95 : 0.8)
      }
    }
    return best
  }

  /// The level of the quietest twentieth, in dB relative to full scale, if it is that of noise and not of music.
  private var hiss: Double? {
    guard blockCount >= 60 else { return nil }
    var (count, ratio): (Int, Float) = (0, 0)
    for place in classes.indices {
      count += classes[place]
      ratio += classRatios[place]
      if count * 20 >= blockCount {
        // First differences of white noise have twice its power.
        let level = Double(place) - 120
        return level > -62 && ratio / Float(count) > 0.7 && level < -25 ? level : nil
      }
    }
    return nil
  }
}
