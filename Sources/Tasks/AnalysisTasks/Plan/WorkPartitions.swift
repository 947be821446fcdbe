/// Files divided into parts of equal work: the longest first, each to the part that has least so far (Graham, “Bounds on
/// Multiprocessing Timing Anomalies”, SIAM J. Appl. Math. 17, 1969). The largest part then has at most 4/3 of the work that it
/// would have in the best division.
package struct WorkPartitions {
  /// For each file its part, from 0.
  package let parts: [UInt32]
  package let count: Int

  /// Seconds of work in a part if their number is not given: long enough to make up for starting a worker, short
  /// enough to be done again.
  package static let usualSeconds = 300.0

  /// - Parameters:
  ///   - seconds: Of each file.
  ///   - count: Of parts; `nil` for parts of `usualSeconds`. There are never more than files.
  package init(seconds: [Float], count wanted: Int?) {
    let total = seconds.reduce(0) { $0 + Double($1) }
    count = min(seconds.count, max(1, wanted ?? Int((total / Self.usualSeconds).rounded(.up))))
    var parts = [UInt32](repeating: 0, count: seconds.count)
    var loads = LoadHeap(count: count)
    let order = (0..<UInt32(seconds.count)).sorted { a, b in
      (seconds[Int(b)], a) < (seconds[Int(a)], b)
    }
    for file in order { parts[Int(file)] = UInt32(loads.add(Double(seconds[Int(file)]))) }
    self.parts = parts
  }

  /// The files of each part, in their order.
  package func files() -> [[UInt32]] {
    var files = [[UInt32]](repeating: [], count: count)
    for (file, part) in parts.enumerated() { files[Int(part)].append(UInt32(file)) }
    return files
  }
}

/// Parts with their loads, the least one first: a binary heap.
private struct LoadHeap {
  private var items: [(load: Double, part: Int)]

  init(count: Int) {
    items = (0..<count).map { (0, $0) }
  }

  /// Adds to the part with the least load, of equal ones to the first.
  /// - Returns: The part.
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
