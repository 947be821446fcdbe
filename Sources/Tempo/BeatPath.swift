internal import Glibc

/// The sequence of beats that best follows an envelope whose tempo moves: dynamic programming over time and period.
///
/// S(t, p) = c(t) − μ·|ln(p/T)| + max over p′ of [S(t − p, p′) − cost(p, p′)], after Ellis (JNMR 2007), with the period as a
/// second dimension as in the bar-pointer model (Krebs, Böck and Widmer, ISMIR 2015). A change of period costs
/// min(λ·|ln(p/p′)|, 10·λ·ln²(p/p′)): small steps are cheap because periods are whole columns.
struct BeatPath {
  /// Columns of the beats, ascending.
  private(set) var beats: [Int] = []

  /// - Parameters:
  ///   - envelope: mean 0 and standard deviation 1.
  ///   - period: columns per beat, about which the search is done.
  ///   - range: largest ratio of a period to `period`.
  ///   - changeCost: λ.
  ///   - distanceCost: μ.
  init(_ envelope: [Float], period: Double, range: Double = 1.38, changeCost: Float = 100, distanceCost: Float = 3) {
    let shortest = max(4, Int((period / range).rounded(.up)))
    let longest = max(shortest + 1, Int((period * range).rounded(.down)))
    let count = envelope.count
    guard count > longest + 1 else { return }
    let width = longest - shortest + 1
    let logs = (shortest...longest).map { Float(log(Double($0) / period)) }
    // Scores of the last columns, after the cost of changing to each period; and from which period each came.
    let rows = longest + 1
    var ring = [Float](repeating: 0, count: rows * width)
    var origins = [UInt8](repeating: 0, count: count * width)
    var scores = [Float](repeating: 0, count: width)
    var ends: [(column: Int, index: Int, score: Float)] = []
    let reach = 4
    for column in 0..<count {
      var best = -Float.infinity
      var bestIndex = 0
      for index in 0..<width {
        let earlier = column - shortest - index
        let past = earlier >= 0 ? ring[earlier % rows * width + index] : 0
        let score = envelope[column] - distanceCost * abs(logs[index]) + past
        scores[index] = score
        if score > best { (best, bestIndex) = (score, index) }
      }
      if column >= count - longest { ends.append((column, bestIndex, best)) }
      // Linear cost: two sweeps of a distance transform. Quadratic cost: the nearest few.
      let base = column % rows * width
      let from = column * width
      var carried = -Float.infinity
      var carriedFrom = 0
      for index in 0..<width {
        if index > 0 { carried -= changeCost * (logs[index] - logs[index - 1]) }
        if scores[index] >= carried { (carried, carriedFrom) = (scores[index], index) }
        ring[base + index] = carried
        origins[from + index] = UInt8(truncatingIfNeeded: carriedFrom)
      }
      carried = -Float.infinity
      for index in stride(from: width - 1, through: 0, by: -1) {
        if index < width - 1 { carried -= changeCost * (logs[index + 1] - logs[index]) }
        if scores[index] >= carried { (carried, carriedFrom) = (scores[index], index) }
        if carried > ring[base + index] {
          ring[base + index] = carried
          origins[from + index] = UInt8(truncatingIfNeeded: carriedFrom)
        }
      }
      for index in 0..<width {
        var top = ring[base + index]
        for other in max(0, index - reach)...min(width - 1, index + reach) where other != index {
          let distance = logs[index] - logs[other]
          let score = scores[other] - 10 * changeCost * distance * distance
          if score > top {
            top = score
            origins[from + index] = UInt8(truncatingIfNeeded: other)
          }
        }
        ring[base + index] = top
      }
    }
    guard let end = ends.max(by: { $0.score < $1.score }) else { return }
    var (column, index) = (end.column, end.index)
    while column >= 0 {
      beats.append(column)
      column -= shortest + index
      if column >= 0 { index = Int(origins[column * width + index]) }
    }
    beats.reverse()
  }
}
