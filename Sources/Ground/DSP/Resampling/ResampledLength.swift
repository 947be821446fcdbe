/// Counts frames through a resampler, so the output has exactly `round(n * outputRate / inputRate)` frames.
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

  /// Frames the output must have if the input ends here; halves are rounded up.
  private var total: Int64 {
    (2 * consumed * Int64(outputRate) + Int64(inputRate)) / (2 * Int64(inputRate))
  }

  /// Frames still missing if the input ends here.
  var due: Int { Int(max(0, total - produced)) }

  /// Upper bound on the output of `count` more frames, including what the filter may have held back.
  func room(for count: Int) -> Int {
    Int((Int64(count) * Int64(outputRate)) / Int64(inputRate)) + due + 64
  }

  mutating func consume(_ count: Int) { consumed += Int64(count) }
  mutating func produce(_ count: Int) { produced += Int64(count) }
}

extension [Float] {
  /// Grows a reusable buffer to at least `count` elements; their values are unspecified.
  package mutating func ensureCount(_ count: Int) {
    if self.count < count { append(contentsOf: repeatElement(0, count: count - self.count)) }
  }
}
