internal import Foundation
internal import Text

/// Seconds of audio per second: `450x realtime`, and `0.4x realtime` where whole numbers would tell nothing.
package func realtimeFactor(_ factor: Double) -> String {
  factor < 10 ? String(format: "%.*fx realtime", factor < 0.1 ? 3 : 1, factor) : "\(Int(factor))x realtime"
}

/// `12.3 s`, `4 min 05 s`, `2 h 03 min`.
package func describe(_ duration: Duration) -> String {
  let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  return describe(seconds: seconds)
}
