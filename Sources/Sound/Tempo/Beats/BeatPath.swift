internal import CKernels
internal import Mathematics

/// The beat sequence that best follows an envelope of varying tempo, found by dynamic programming over time and period.
///
/// S(t, p) = c(t) − μ·|ln(p/T)| + max over p′ of [S(t − p, p′) − cost(p, p′)], after Ellis (JNMR 2007). The period is a
/// second dimension, as in the bar-pointer model (Krebs, Böck and Widmer, ISMIR 2015). A change of period costs
/// min(λ·|ln(p/p′)|, 10·λ·ln²(p/p′)). Small changes are cheap, because periods can only change by whole columns.
struct BeatPath {
  /// Columns of the beats, ascending; empty unless the envelope is at least two columns longer than the longest period.
  private(set) var beats: [Int] = []

  /// - Parameters:
  ///   - envelope: Onset strengths with mean 0 and standard deviation 1.
  ///   - period: Number of columns per beat at the center of the search.
  ///   - range: Maximum factor by which a period may be longer or shorter than `period`.
  ///   - changeCost: λ.
  ///   - distanceCost: μ.
  init(_ envelope: [Float], period: Double, range: Double = 1.38, changeCost: Float = 100, distanceCost: Float = 3) {
    let shortest = max(4, Int((period / range).rounded(.up)))
    let longest = max(shortest + 1, Int((period * range).rounded(.down)))
    let count = envelope.count
    guard count > longest + 1 else { return }
    let width = longest - shortest + 1
    precondition(width <= CBEATPATH_PERIODS, "the origin of a period must fit in a byte")
    let costs = Costs(shortest: shortest, longest: longest, period: period, change: changeCost, distance: distanceCost)
    let padded = costs.padded
    // For each column and period, the best score up to the previous beat, written when that beat was processed.
    let rows = longest + 1
    var arrivals = [Float](repeating: 0, count: rows * padded)
    var origins = [UInt8](repeating: 0, count: count * padded)
    // The scores of the current column, period by period, padded with values that never win.
    var scores = [Float](repeating: -.infinity, count: padded + 2 * Costs.rim)
    var changed = [Float](repeating: 0, count: padded)
    var changedFrom = [Int32](repeating: 0, count: padded)
    var end: (column: Int, index: Int, score: Float) = (0, 0, -.infinity)
    let first = Costs.rim
    scores.withUnsafeMutableBufferPointer { scores in
      for column in 0..<count {
        let base = column % rows * padded
        let onset = envelope[column]
        arrivals.withUnsafeBufferPointer { arrivals in
          for index in 0..<width {
            unsafe scores[first + index] = onset - costs.distance[index] + arrivals[base + index]
          }
        }
        if column >= count - longest {
          for index in 0..<width where unsafe scores[first + index] > end.score {
            end = unsafe (column, index, scores[first + index])
          }
        }
        unsafe costs.apply(to: scores, width: width, into: &changed, from: &changedFrom)
        origins.withUnsafeMutableBufferPointer { origins in
          for index in 0..<width {
            unsafe origins[column * padded + index] = UInt8(truncatingIfNeeded: changedFrom[index])
          }
        }
        arrivals.withUnsafeMutableBufferPointer { arrivals in
          var target = (column + shortest) % rows
          for index in 0..<width {
            unsafe arrivals[target * padded + index] = changed[index]
            target += 1
            if target == rows { target = 0 }
          }
        }
      }
    }
    var (column, index) = (end.column, end.index)
    while column >= 0 {
      beats.append(column)
      column -= shortest + index
      if column >= 0 { index = Int(origins[column * padded + index]) }
    }
    beats.reverse()
  }

  /// The costs of periods, and of changes between periods.
  private struct Costs {
    /// Number of neighboring periods on either side for which the quadratic cost is tried.
    static let reach = CBEATPATH_REACH
    static let rim = 8

    let padded: Int
    /// μ·|ln(p/T)| for each period.
    var distance: [Float]
    /// λ·ln of the ratio of each period to the next shorter one.
    var step: [Float]
    /// 10·λ·ln²(p/p′) for each offset of p′ from p, and each p.
    var near: [Float]

    init(shortest: Int, longest: Int, period: Double, change: Float, distance: Float) {
      let width = longest - shortest + 1
      padded = (width + CBEATPATH_LANES - 1) / CBEATPATH_LANES * CBEATPATH_LANES
      let logs = (0..<padded + 2 * Self.rim).map { Float(log(max(1, Double($0 - Self.rim + shortest)) / period)) }
      self.distance = (0..<padded).map { distance * abs(logs[$0 + Self.rim]) }
      step = (0..<padded).map { change * (logs[$0 + Self.rim] - logs[$0 + Self.rim - 1]) }
      near = []
      for offset in -Self.reach...Self.reach {
        near += (0..<padded).map { index in
          let ratio = logs[index + Self.rim] - logs[index + Self.rim + offset]
          return 10 * change * ratio * ratio
        }
      }
    }

    /// Finds, for each period, the previous period with the best score after subtracting the cost of the change, and
    /// that score.
    func apply(
      to scores: UnsafeMutableBufferPointer<Float>, width: Int, into changed: inout [Float], from: inout [Int32]
    ) {
      unsafe cbeatpath_change(scores.baseAddress! + Self.rim, width, padded, step, near, &changed, &from)
    }
  }
}
