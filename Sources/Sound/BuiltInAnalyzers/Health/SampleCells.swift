internal import CKernels

/// Measures samples in cells of 64.
enum SampleCells {
  typealias Cell = csamplecells_cell

  static let length = Int(CSAMPLECELLS_LENGTH)
  /// Number of quarters per cell, for which `compare` returns sums.
  static let quarterCount = length / Int(CSAMPLECELLS_QUARTER)

  /// Copies samples; NaN and magnitudes above a million become zero.
  static func copy(_ source: Span<Float>, into target: inout [Float], at place: Int) {
    precondition(place >= 0 && place + source.count <= target.count)
    source.withUnsafeBufferPointer { source in
      target.withUnsafeMutableBufferPointer { target in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        unsafe csamplecells_copy(from, source.count, to + place)
      }
    }
  }

  /// Moves the samples in `first..<end` to the front.
  static func move(_ samples: inout [Float], from first: Int, to end: Int) {
    precondition(first >= 0 && first <= end && end <= samples.count)
    samples.withUnsafeMutableBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      unsafe base.update(from: base + first, count: end - first)
    }
  }

  /// Measures `count` cells of samples, starting at `first`, and stores them in `cells`, starting at `place`.
  static func measure(_ samples: Span<Float>, from first: Int, count: Int, into cells: inout [Cell], at place: Int) {
    precondition(first >= 2 && first + count * length + 2 <= samples.count && place + count <= cells.count)
    samples.withUnsafeBufferPointer { samples in
      cells.withUnsafeMutableBufferPointer { cells in
        guard let from = samples.baseAddress, let to = cells.baseAddress else { return }
        unsafe csamplecells_measure(from + first, count, to + place)
      }
    }
  }

  /// Sums the mean of both channels over each quarter of a cell.
  /// - Returns: Sums of squares of that mean and of half the difference.
  static func compare(
    _ left: Span<Float>, _ right: Span<Float>, from first: Int, count: Int, quarters: inout [Float]
  ) -> (mean: Float, side: Float) {
    precondition(first + count * length <= min(left.count, right.count) && quarterCount * count <= quarters.count)
    var totals: [Float] = [0, 0]
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return }
        unsafe csamplecells_compare(left + first, right + first, count, &quarters, &totals)
      }
    }
    return (totals[0], totals[1])
  }
}
