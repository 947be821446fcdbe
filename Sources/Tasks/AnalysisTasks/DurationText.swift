internal import Foundation
internal import Text

/// Formats seconds of audio per second: `450x realtime`, with decimals below 10, as in `0.4x realtime`.
package func realtimeFactor(_ factor: Double) -> String {
  factor < 10 ? String(format: "%.*fx realtime", factor < 0.1 ? 3 : 1, factor) : "\(Int(factor))x realtime"
}

/// Formats a duration as `12.3 s`, `4 min 05 s` or `2 h 03 min`.
package func describe(_ duration: Duration) -> String {
  let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  return describe(seconds: seconds)
}
