/// Divides files into partitions of roughly equal work. The files are assigned in order of decreasing work, each to the
/// partition with the least work so far (Graham, “Bounds on Multiprocessing Timing Anomalies”, SIAM J. Appl. Math. 17,
/// 1969). The largest partition then has at most 4/3 of the work of the largest partition in the optimal division.
package struct WorkPartitions {
  /// The partition of each file, counted from 0.
  package let parts: [UInt32]
  package let count: Int

  /// Default amount of work per partition, in seconds: enough to be worth starting a worker, but not too much to repeat
  /// after a failure.
  package static let defaultSeconds = 300.0

  /// - Parameters:
  ///   - seconds: Expected work of each file.
  ///   - count: Number of partitions, at most the number of files; `nil` for partitions of `defaultSeconds`.
  package init(seconds: [Float], count wanted: Int?) {
    let total = seconds.reduce(0) { $0 + Double($1) }
    count = min(seconds.count, max(1, wanted ?? Int((total / Self.defaultSeconds).rounded(.up))))
    var parts = [UInt32](repeating: 0, count: seconds.count)
    var loads = LoadHeap(count: count)
    let order = (0..<UInt32(seconds.count)).sorted { a, b in
      (seconds[Int(b)], a) < (seconds[Int(a)], b)
    }
    for file in order { parts[Int(file)] = UInt32(loads.add(Double(seconds[Int(file)]))) }
    self.parts = parts
  }

  /// The indices of the files in each partition, in ascending order.
  package func files() -> [[UInt32]] {
    var files = [[UInt32]](repeating: [], count: count)
    for (file, part) in parts.enumerated() { files[Int(part)].append(UInt32(file)) }
    return files
  }
}

/// A binary min-heap of partitions by load.
private struct LoadHeap {
  private var items: [(load: Double, part: Int)]

  init(count: Int) {
    items = (0..<count).map { (0, $0) }
  }

  /// Adds a load to the least loaded partition; ties go to the first one.
  /// - Returns: The partition.
  mutating func add(_ load: Double) -> Int {
    let part = items[0].part
    items[0].load += load
    var place = 0
    while let child = [2 * place + 1, 2 * place + 2].filter({ $0 < items.count }).min(by: { items[$0] < items[$1] }),
      items[child] < items[place]
    {
      items.swapAt(place, child)
      place = child
    }
    return part
  }
}
