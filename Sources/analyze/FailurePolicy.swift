import ArgumentParser
import AudioAnalysis

/// When failed files make the exit status 3: `--fail-on`.
enum FailurePolicy: ExpressibleByArgument, Equatable {
  case never
  /// Files failed that were not failing before.
  case new
  case any
  /// More than this share of all files seen, 0 to 100.
  case percent(Double)

  init?(argument: String) {
    switch argument {
    case "never": self = .never
    case "new": self = .new
    case "any": self = .any
    default:
      guard argument.hasSuffix("%"), let value = Double(argument.dropLast()), (0...100).contains(value) else { return nil }
      self = .percent(value)
    }
  }

  func isViolated(by totals: RunTotals, newlyFailed: Int) -> Bool {
    switch self {
    case .never: false
    case .new: newlyFailed > 0
    case .any: totals.failed > 0
    case .percent(let limit): totals.seen > 0 && Double(totals.failed) * 100 > limit * Double(totals.seen)
    }
  }
}
