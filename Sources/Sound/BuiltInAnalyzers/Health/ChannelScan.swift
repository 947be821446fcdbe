internal import CKernels

/// Finds clipped peaks, gaps and clicks within one channel. It works on windows of samples with margins on both sides,
/// and examines samples only in cells whose measures indicate a fault.
struct ChannelScan {
  /// Number of cells measured on either side of the examined cells.
  static let rim = 32
  /// Number of samples in a window on either side of the examined part.
  let margin: Int
  let sampleRate: Int

  private(set) var positive = ClippedPeaks()
  private(set) var negative = ClippedPeaks()
  private(set) var gaps: [Gap] = []
  /// Number of certain gaps.
  private(set) var gapCount = 0
  /// Number of gaps that are not certain.
  private(set) var doubtfulCount = 0
  /// Number of runs of zeros that quantization explains.
  private(set) var coarseCount = 0
  /// Number of runs of zeros between sounds, abrupt or not.
  private(set) var restCount = 0
  private(set) var clicks: [Click] = []
  /// Number of clicks, including those rejected because a note begins or ends there.
  private(set) var clickCount = 0
  /// Number of clicks that are not rejected.
  private(set) var mendedCount = 0

  /// A run of zeros between sounds.
  struct Gap {
    var range: Range<Int64>
    /// Abruptness: the larger of the jumps at both ends, relative to the mean step of the surrounding signal.
    var jump: Float
    /// RMS before the gap.
    var before: Float
    /// RMS after the gap.
    var after: Float
    /// `true` if there is a jump and the level is similar on both sides. Otherwise, the run counts as a gap only if
    /// there are few rests.
    var isCertain: Bool
  }

  private static let limit = 500
  /// Minimum length of a gap, relative to the longest run of zeros around it.
  private static let minRunRatio = 6
  /// Minimum ratio of a candidate's residual to the largest one around it. In noise, few ratios are higher.
  private static let minRatio: Float = 1.3
  /// Minimum ratio for a candidate after which the level changes: with a residual this large, the candidate is not the
  /// onset of the following sound.
  private static let loneRatio: Float = 6
  /// Maximum number of candidates tested per call of `scan`. Those with the highest ratios are tested.
  private static let testLimit = 8

  private struct Surroundings {
    var rms: Float
    var step: Float
    var last: Float
    /// Largest magnitude of a sample within 0.2 ms of the zeros.
    var edge: Float
    /// RMS of the 2 ms next to the zeros.
    var edgeRMS: Float
    /// Smallest magnitude of a sample that is not zero: the quantization step of coarse samples, such as those of 8
    /// bits.
    var quantum: Float
    /// Number of samples in the longest run of zeros.
    var zeroRun: Int

    /// `true` if there is no fade or decay.
    var isAtLevel: Bool { edge > 1.2 * step && edgeRMS > 0.3 * rms }
  }

  /// A run of zeros that has not ended yet.
  private struct Run {
    var start: Int64 = 0
    var length = 0
    /// Signal before the run; set once the run is long enough to be a gap.
    var before: Surroundings?
  }

  private var run = Run()
  private let minGap: Int
  private let contextLength: Int
  private let clickReach: Int
  private var clickTest = ClickTest()

  init(sampleRate: Int, margin: Int) {
    self.sampleRate = sampleRate
    self.margin = margin
    minGap = max(8, sampleRate / 4000)
    contextLength = max(64, sampleRate / 100)
    clickReach = max(8, min(Self.rim - 2, sampleRate / 44_100 * 16))
  }

  /// - Parameters:
  ///   - window: `margin` samples, the samples to examine, and `margin` more samples. Samples beyond the ends of the
  ///     file are zero.
  ///   - cells: `rim` cells, the cells of the samples to examine, and `rim` more cells.
  ///   - count: Number of samples to examine.
  ///   - start: Index of the first sample to examine.
  mutating func scan(_ window: Span<Float>, _ cells: Span<SampleCells.Cell>, count: Int, start: Int64) {
    let cellCount = (count + SampleCells.length - 1) / SampleCells.length
    for cell in 0..<cellCount {
      let measures = cells[Self.rim + cell]
      let first = margin + cell * SampleCells.length
      let end = min(first + SampleCells.length, margin + count)
      if measures.zeros >= 5 || run.length > 0 {
        followZeros(window, first..<end, isSilent: measures.zeros == Float(SampleCells.length), start: start)
      }
      if positive.isReached(by: measures.largest) {
        positive.look(window, first..<end, largest: measures.largest, sign: 1, offset: start - Int64(margin))
      }
      if negative.isReached(by: -measures.smallest) {
        negative.look(window, first..<end, largest: -measures.smallest, sign: -1, offset: start - Int64(margin))
      }
    }
    findClicks(window, cells, cellCount: cellCount, start: start)
  }

  // MARK: Gaps

  private mutating func followZeros(_ window: Span<Float>, _ range: Range<Int>, isSilent: Bool, start: Int64) {
    var index = range.lowerBound
    if run.length == 0, window[index] == 0 {
      // The run may have begun earlier.
      var first = index
      while first > 0, index - first < SampleCells.length, window[first - 1] == 0 { first -= 1 }
      run = Run(start: start + Int64(first - margin), length: index - first)
    }
    if isSilent, run.length >= minGap {
      run.length += range.count
      return
    }
    while index < range.upperBound {
      if window[index] == 0 {
        if run.length == 0 { run.start = start + Int64(index - margin) }
        run.length += 1
        if run.length >= minGap, run.before == nil {
          let end = index - run.length + 1
          run.before = surroundings(window, end - contextLength, edge: end)
        }
      } else if run.length > 0 {
        endGap(window, at: index, position: start + Int64(index - margin))
        run = Run()
      }
      index += 1
    }
  }

  private mutating func endGap(_ window: Span<Float>, at index: Int, position: Int64) {
    guard let before = run.before else { return }
    let after = surroundings(window, index, edge: index)
    let step = max((before.step + after.step) / 2, 1e-5)
    let (entry, exit) = (abs(before.last), abs(window[index]))
    guard before.rms > 0.003, after.rms > 0.003 else { return }
    restCount += 1
    // Both ends must be abrupt, or one very abrupt and the other slightly abrupt. A cut at a zero crossing is not a
    // jump.
    let (more, less) = (max(entry, exit) / step, min(entry, exit) / step)
    let hasJump = (more > 2.2 && less > 0.7) || (more > 4 && less > 0.35)
    let change = max(before.rms / after.rms, after.rms / before.rms)
    guard hasJump || (before.isAtLevel && after.isAtLevel), change < 10 else { return }
    // Coarse samples are zero wherever the signal is close to zero.
    let isCoarse =
      max(before.edge, after.edge) < 2.5 * min(before.quantum, after.quantum)
      || run.length < Self.minRunRatio * max(before.zeroRun, after.zeroRun)
    if isCoarse {
      coarseCount += 1
      return
    }
    let isCertain = hasJump && change < 4
    if isCertain { gapCount += 1 } else { doubtfulCount += 1 }
    guard (isCertain ? gapCount : doubtfulCount) <= Self.limit else { return }
    gaps.append(
      Gap(range: run.start..<position, jump: more, before: before.rms, after: after.rms, isCertain: isCertain))
  }

  /// - Parameter edge: Position of the zeros, at the beginning or the end of the samples.
  private func surroundings(_ window: Span<Float>, _ first: Int, edge: Int) -> Surroundings {
    let first = max(1, first)
    let last = min(window.count, first + contextLength)
    var (squares, steps, quantum): (Float, Float, Float) = (0, 0, 1)
    var (zeros, zeroRun) = (0, 0)
    for index in first..<last {
      squares += window[index] * window[index]
      if window[index] != 0 { quantum = min(quantum, abs(window[index])) }
      zeros = window[index] == 0 ? zeros + 1 : 0
      zeroRun = max(zeroRun, zeros)
      steps += abs(window[index] - window[index - 1])
    }
    let count = Float(last - first)
    var surroundings = Surroundings(
      rms: (squares / count).squareRoot(), step: steps / count, last: window[last - 1], edge: 0, edgeRMS: 0,
      quantum: quantum, zeroRun: zeroRun)
    let near = contextLength / 5
    let side = edge >= last ? max(first, last - near)..<last : first..<min(last, first + near)
    for index in side {
      surroundings.edgeRMS += window[index] * window[index]
      let distance = edge >= last ? last - 1 - index : index - first
      if distance < contextLength / 55 { surroundings.edge = max(surroundings.edge, abs(window[index])) }
    }
    surroundings.edgeRMS = (surroundings.edgeRMS / Float(side.count)).squareRoot()
    return surroundings
  }

  // MARK: Clicks

  /// Cells with a larger residual than their neighbors are candidates; `ClickTest` decides.
  private mutating func findClicks(
    _ window: Span<Float>, _ cells: Span<SampleCells.Cell>, cellCount: Int, start: Int64
  ) {
    var candidates: [(cell: Int, ratio: Float)] = []
    for cell in Self.rim..<Self.rim + cellCount where cells[cell].residual > 0.004 {
      let size = cells[cell].residual
      guard cells[cell - 1].residual <= size, cells[cell + 1].residual < size else { continue }
      var around: Float = 1e-6
      var distance = 2
      while distance <= clickReach, Self.minRatio * around < size {
        around = max(around, cells[cell - distance].residual, cells[cell + distance].residual)
        distance += 1
      }
      guard Self.minRatio * around < size else { continue }
      if size > Self.loneRatio * around || isAsLoudBehind(cells, cell) { candidates.append((cell, size / around)) }
    }
    if candidates.count > Self.testLimit {
      candidates.sort { ($0.ratio, $1.cell) > ($1.ratio, $0.cell) }
      candidates.removeSubrange(Self.testLimit...)
      candidates.sort { $0.cell < $1.cell }
    }
    for (cell, _) in candidates {
      let first = margin + (cell - Self.rim) * SampleCells.length
      guard let click = clickTest.click(window, in: first..<first + SampleCells.length) else { continue }
      clickCount += 1
      guard click.isMended else { continue }
      mendedCount += 1
      if clicks.count < Self.limit {
        clicks.append(Click(place: start + Int64(click.index - margin), strength: click.strength, score: click.score))
      }
    }
  }

  /// Returns `true` unless the level changes by more than about 11 dB. Drum hits change it, but clicks do not.
  private func isAsLoudBehind(_ cells: Span<SampleCells.Cell>, _ cell: Int) -> Bool {
    var (before, after): (Float, Float) = (1e-9, 1e-9)
    for distance in 2..<8 {
      before += cells[cell - distance].steps
      after += cells[cell + distance].steps
    }
    return after < 12 * before && before < 12 * after
  }

  struct Click {
    var place: Int64
    /// Prediction error relative to the largest one nearby.
    var strength: Double
    var score: Double
  }
}
