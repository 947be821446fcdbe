/// Faults within one channel that are a matter of a few milliseconds. Works on windows of samples with some before and after.
struct ChannelScan {
  /// Samples before and behind the part of a window that is looked at.
  let margin: Int
  let sampleRate: Int

  private(set) var positive = ClippedPeaks()
  private(set) var negative = ClippedPeaks()
  private(set) var gaps: [Gap] = []
  private(set) var gapCount = 0
  private(set) var clicks: [Click] = []
  private(set) var clickCount = 0

  /// Zeros between sound.
  struct Gap {
    var range: Range<Int64>
    /// How abrupt it begins and ends: jumps by the mean step of the signal around.
    var jump: Float
    /// RMS before and after.
    var before: Float
    var after: Float
  }

  struct Click {
    var place: Int64
    /// By the largest of the surroundings.
    var strength: Float
    var size: Float
  }

  private static let limit = 500

  private struct Surroundings {
    var rms: Float
    var step: Float
    var last: Float
  }

  private struct Run {
    var start: Int64 = 0
    var value: Float = .nan
    var length = 0
    /// Before the run; there only for runs of zeros that are long enough to be a gap.
    var before: Surroundings?
    var steps: (Float, Float) = (0, 0)
  }

  private var run = Run()
  private let leastGap: Int
  private let contextLength: Int
  private var residual: [Float] = []
  private var cells: [Float] = []
  private static let cellLength = 64
  /// How far a click stands out of its surroundings: hits of drums and synthesizers reach 18 times theirs.
  private static let leastRatio: Float = 19

  init(sampleRate: Int, margin: Int) {
    self.sampleRate = sampleRate
    self.margin = margin
    leastGap = max(8, sampleRate / 4000)
    contextLength = max(64, sampleRate / 100)
  }

  /// - Parameters:
  ///   - window: `margin` samples, those to look at, and `margin` samples more. Beyond the ends of the file they are zero.
  ///   - start: The first sample to look at.
  mutating func scan(_ window: Span<Float>, start: Int64) {
    followRuns(window, start: start)
    findClicks(window, start: start)
  }

  // MARK: Runs

  private mutating func followRuns(_ window: Span<Float>, start: Int64) {
    let count = window.count - 2 * margin
    var largest: Float = 0
    var smallest: Float = 0
    for index in margin..<margin + count {
      let value = window[index]
      largest = max(largest, value)
      smallest = min(smallest, value)
      if value == run.value {
        run.length += 1
        if run.length == leastGap, value == 0 {
          run.before = surroundings(window, index - run.length + 1 - contextLength)
        }
        continue
      }
      if run.length >= 3 { end(window, at: index, position: start + Int64(index - margin)) }
      run = Run(start: start + Int64(index - margin), value: value, length: 1)
      run.steps = (window[index - 1], window[index - 2])
    }
    positive.note(peak: largest)
    negative.note(peak: -smallest)
  }

  private mutating func end(_ window: Span<Float>, at index: Int, position: Int64) {
    let range = run.start..<position
    if run.value == 0 {
      guard let before = run.before else { return }
      let after = surroundings(window, index)
      let step = max((before.step + after.step) / 2, 1e-5)
      let (entry, exit) = (abs(before.last), abs(window[index]))
      let gap = Gap(
        range: range, jump: max(entry, exit) / step, before: before.rms, after: after.rms)
      guard before.rms > 0.003, after.rms > 0.003, max(entry, exit) > 2.5 * step, min(entry, exit) > 0.7 * step,
        before.rms < 4 * after.rms, after.rms < 4 * before.rms
      else { return }
      gapCount += 1
      if gaps.count < Self.limit { gaps.append(gap) }
    } else {
      let after = (window[index], window[index + 1])
      if run.value > 0 {
        positive.add(range, value: run.value, before: run.steps, after: after)
      } else {
        negative.add(range, value: -run.value, before: (-run.steps.0, -run.steps.1), after: (-after.0, -after.1))
      }
    }
  }

  private func surroundings(_ window: Span<Float>, _ first: Int) -> Surroundings {
    let first = max(1, first)
    let last = min(window.count, first + contextLength)
    var (squares, steps): (Float, Float) = (0, 0)
    for index in first..<last {
      squares += window[index] * window[index]
      steps += abs(window[index] - window[index - 1])
    }
    let count = Float(last - first)
    return Surroundings(rms: (squares / count).squareRoot(), step: steps / count, last: window[last - 1])
  }

  // MARK: Clicks

  /// What cubic interpolation of the neighbors leaves of each sample, largest by cells: a click stands out of the cells around.
  private mutating func findClicks(_ window: Span<Float>, start: Int64) {
    let length = Self.cellLength
    let cellCount = window.count / length
    residual.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    for cell in 0..<cellCount {
      var largest: Float = 0
      for index in max(2, cell * length)..<min(window.count - 2, (cell + 1) * length) {
        let guess = (4 * (window[index - 1] + window[index + 1]) - (window[index - 2] + window[index + 2])) * (1 / 6)
        largest = max(largest, abs(window[index] - guess))
      }
      cells.append(largest)
    }
    let first = margin / length
    let last = (window.count - margin) / length
    let reach = max(8, sampleRate / 44_100 * 16)
    for cell in first..<last where cells[cell] > 0.004 {
      let size = cells[cell]
      var around: Float = 0
      for other in max(0, cell - reach)...min(cellCount - 1, cell + reach) where abs(other - cell) > 1 {
        around = max(around, cells[other])
      }
      guard size > Self.leastRatio * around, cells[cell - 1] <= size, cells[cell + 1] < size || cells[cell + 1] < 0.9 * size else { continue }
      if let click = click(window, cell: cell, size: size, around: around, start: start) {
        clickCount += 1
        if clicks.count < Self.limit { clicks.append(click) }
      }
    }
  }

  private func click(_ window: Span<Float>, cell: Int, size: Float, around: Float, start: Int64) -> Click? {
    var place = cell * Self.cellLength
    for index in max(2, place)..<min(window.count - 2, place + Self.cellLength) {
      let guess = (4 * (window[index - 1] + window[index + 1]) - (window[index - 2] + window[index + 2])) * (1 / 6)
      if abs(window[index] - guess) == size { place = index }
    }
    guard place >= 80, place + 80 < window.count else { return nil }
    // A step stays, a click returns; and what sounds after it is no louder than before.
    func mean(_ range: Range<Int>) -> Float {
      var sum: Float = 0
      for index in range { sum += window[index] }
      return sum / Float(range.count)
    }
    func level(_ range: Range<Int>) -> Float {
      var sum: Float = 0
      for index in range { sum += abs(window[index] - window[index - 1]) }
      return sum / Float(range.count)
    }
    // The slope of the signal on either side, over the distance between both means.
    let slope = (window[place - 5] - window[place - 15] + window[place + 15] - window[place + 5]) / 20
    let (before, after) = (mean(place - 7..<place - 4), mean(place + 5..<place + 8))
    guard abs(after - before - 12 * slope) < 0.6 * size + around else { return nil }
    let (left, right) = (level(place - 78..<place - 14), level(place + 15..<place + 79))
    guard right < 2.5 * left + 1e-4, left < 2.5 * right + 1e-4, left > 0, right > 0 else { return nil }
    return Click(place: start + Int64(place - margin), strength: size / max(around, 1e-6), size: size)
  }
}
