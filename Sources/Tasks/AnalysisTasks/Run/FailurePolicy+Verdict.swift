package import Pipeline
package import Records

extension FailurePolicy {
  /// - Parameters:
  ///   - knownDamaged: Number of cached files that are damaged.
  ///   - news: Number of files that are newly failed or damaged.
  package func isViolated(by totals: RunTotals, knownDamaged: Int, news: Int) -> Bool {
    let bad = totals.failed + totals.partial + knownDamaged
    return switch self {
    case .never: false
    case .new: news > 0
    case .any: bad > 0
    case .percent(let limit): totals.seen > 0 && Double(bad) * 100 > limit * Double(totals.seen)
    }
  }
}
