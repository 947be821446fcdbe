/// Counts the frames that pass through a resampler, so that the output has exactly `round(n * outputRate / inputRate)`
/// frames.
struct ResampledLength {
  let inputRate: Int
  let outputRate: Int
  private(set) var consumed: Int64 = 0
  private(set) var produced: Int64 = 0

  init(inputRate: Int, outputRate: Int) {
    precondition(inputRate > 0 && outputRate > 0, "sample rates are positive")
    self.inputRate = inputRate
    self.outputRate = outputRate
  }

  /// Number of frames that the output must have if the input ends here; halves are rounded up.
  private var total: Int64 {
    (2 * consumed * Int64(outputRate) + Int64(inputRate)) / (2 * Int64(inputRate))
  }

  /// Number of frames still missing if the input ends here.
  var due: Int { Int(max(0, total - produced)) }

  /// Returns an upper bound on the output for `count` more frames, including what the filter may have held back.
  func room(for count: Int) -> Int {
    Int((Int64(count) * Int64(outputRate)) / Int64(inputRate)) + due + 64
  }

  mutating func consume(_ count: Int) { consumed += Int64(count) }
  mutating func produce(_ count: Int) { produced += Int64(count) }
}

extension [Float] {
  /// Grows a reusable buffer to at least `count` elements. Their values are unspecified.
  package mutating func ensureCount(_ count: Int) {
    if self.count < count { append(contentsOf: repeatElement(0, count: count - self.count)) }
  }
}
