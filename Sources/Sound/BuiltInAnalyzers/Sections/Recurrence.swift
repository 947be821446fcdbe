/// The recurrence matrix, which marks pairs of units that are mutual nearest neighbors (Serrà et al. 2014).
struct Recurrence {
  /// Number of neighbors of each unit, as a share of all units.
  private static let share = 0.08
  private static let steps = 2048

  let count: Int
  /// Values in row-major order: 1 for two units that are mutual nearest neighbors, otherwise 0.
  let values: [Float]
  /// The mean of all values.
  let density: Double

  /// - Parameter similarities: A symmetric matrix of values from -1 to 1, in row-major order.
  init(_ similarities: [Float], count: Int) {
    self.count = count
    let neighbors = max(2, Int(Self.share * Double(count)))
    var thresholds = [Float](repeating: 0, count: count)
    var histogram = [Int](repeating: 0, count: Self.steps)
    for row in 0..<count {
      for step in histogram.indices { histogram[step] = 0 }
      for column in row * count..<(row + 1) * count { histogram[Self.step(similarities[column])] += 1 }
      var (above, step) = (0, Self.steps)
      // The unit itself is counted, too.
      while above <= neighbors, step > 0 {
        step -= 1
        above += histogram[step]
      }
      thresholds[row] = 2 * Float(step) / Float(Self.steps - 1) - 1
    }
    var values = [Float](repeating: 0, count: count * count)
    var sum = 0
    for row in 0..<count {
      let threshold = thresholds[row]
      for column in 0..<count where similarities[row * count + column] >= max(threshold, thresholds[column]) {
        values[row * count + column] = 1
        sum += 1
      }
    }
    self.values = values
    density = Double(sum) / Double(max(count * count, 1))
  }

  private static func step(_ similarity: Float) -> Int {
    Int(min(max(0.5 * (similarity + 1), 0), 1) * Float(steps - 1))
  }

  /// Returns the share of units that recur when two ranges of units are aligned.
  func share(from first: Int, and second: Int, length: Int) -> Float {
    var sum: Float = 0
    for offset in 0..<length { sum += values[(first + offset) * count + second + offset] }
    return sum / Float(max(length, 1))
  }

  /// Computes the novelty at each edge: how much the resemblance to all other units changes. For each lag, the windows
  /// before and after the edge each have a share of units that recur after that lag. The novelty is the sum of the
  /// squared differences between these shares.
  ///
  /// - Returns: The novelty, which is reduced where a window is cut off, and the novelty as a multiple of the value
  ///   expected by chance.
  func novelty(over width: Int) -> (values: [Float], evidence: [Float]) {
    // Row n counts, for each lag, how many of the first n units recur after that lag. Lags wrap around at the end.
    var sums = [Float](repeating: 0, count: (count + 1) * count)
    for row in 0..<count {
      let (before, after) = (row * count, (row + 1) * count)
      for lag in 0..<count - row { sums[after + lag] = sums[before + lag] + values[before + row + lag] }
      for lag in count - row..<count { sums[after + lag] = sums[before + lag] + values[before + row + lag - count] }
    }
    var novelty = [Float](repeating: 0, count: count + 1)
    var evidence = novelty
    let chance = Float(Double(count) * density * (1 - density))
    for edge in 1..<max(count, 1) {
      let (first, last) = (max(0, edge - width), min(count, edge + width))
      let (left, right) = (1 / Float(edge - first), 1 / Float(last - edge))
      let (before, here, after) = (first * count, edge * count, last * count)
      var sum: Float = 0
      for lag in 0..<count {
        let change = (sums[after + lag] - sums[here + lag]) * right - (sums[here + lag] - sums[before + lag]) * left
        sum += change * change
      }
      novelty[edge] = sum * Float(min(edge - first, last - edge)) / Float(width)
      if chance > 0 { evidence[edge] = sum / (chance * (left + right)) }
    }
    return (novelty, evidence)
  }
}
