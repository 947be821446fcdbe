internal import Foundation

/// Formats a duration: `2.3 s`, `12 s`, `4 min 05 s`, `2 h 03 min`.
public func describe(seconds: Double) -> String {
  let whole = Int(seconds.rounded())
  switch whole {
  case ..<10: return String(format: "%.1f s", seconds)
  case ..<60: return "\(whole) s"
  case ..<3600: return String(format: "%d min %02d s", whole / 60, whole % 60)
  default: return String(format: "%d h %02d min", whole / 3600, whole % 3600 / 60)
  }
}

/// Formats a duration as `describe(seconds:)` does.
public func describe(_ duration: Duration) -> String {
  describe(seconds: Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18)
}

/// Formats seconds of audio per second: `450x realtime`, with decimals below 10, as in `0.4x realtime`.
public func realtimeFactor(_ factor: Double) -> String {
  factor < 10 ? String(format: "%.*fx realtime", factor < 0.1 ? 3 : 1, factor) : "\(Int(factor))x realtime"
}
