/// The harmonic change: how much the bands between 100 and 2,500 Hz rise from their mean over the last 0.2 s to their
/// mean over the next 0.2 s.
struct HarmonicChange {
  /// Number of columns that are compared on each side.
  static let reach = Int((0.2 * OnsetEnvelopes.columnsPerSecond).rounded())
  private static let first = OnsetEnvelopes.index(of: 100)

  /// The sum over `reach` columns, starting at a column, minus the sum over as many columns before that column.
  private var difference = [SIMD8<Float>](
    repeating: .zero, count: (OnsetEnvelopes.index(of: 2500) - first) / 8)

  /// Processes a column.
  /// - Parameter logs: Log levels of this column and of at least the `2 * reach` columns before it.
  /// - Returns: The change at the column that is `reach` columns earlier; `nil` if fewer than `reach` columns precede
  ///   that column.
  mutating func next(_ logs: borrowing LogRows, _ column: Int) -> Float? {
    let reach = Self.reach
    let next = unsafe logs[column] + Self.first
    guard column >= 2 * reach else {
      for vector in difference.indices {
        unsafe difference[vector] += column < reach ? -load(next, 8 * vector) : load(next, 8 * vector)
      }
      return nil
    }
    var sum = SIMD8<Float>.zero
    let past = unsafe logs[column - 2 * reach] + Self.first
    let now = unsafe logs[column - reach] + Self.first
    for vector in difference.indices {
      let current = difference[vector]
      sum += larger(current, .zero)
      unsafe difference[vector] =
        current + load(past, 8 * vector) - 2 * load(now, 8 * vector) + load(next, 8 * vector)
    }
    return sum.sum() / Float(reach)
  }
}
