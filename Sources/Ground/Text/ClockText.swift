internal import Foundation

/// Formats a time in a recording in the same way as players: `4:51`, `1:02:03`, or `1:27.35` with decimals.
/// - Parameters:
///   - seconds: Number of seconds from the start. Negative numbers and NaN count as 0, numbers above 1e9 as 1e9.
///   - decimals: Number of decimals of the seconds, from 0 to 3.
public func clockText(_ seconds: Double, decimals: Int = 0) -> String {
  let places = min(max(decimals, 0), 3)
  let parts = [1, 10, 100, 1000][places]
  let whole = Int((min(seconds > 0 ? seconds : 0, 1e9) * Double(parts)).rounded())
  let (hours, minutes, rest) = (whole / parts / 3600, whole / parts / 60 % 60, whole / parts % 60)
  let clock =
    hours > 0 ? String(format: "%d:%02d:%02d", hours, minutes, rest) : String(format: "%d:%02d", minutes, rest)
  return places == 0 ? clock : clock + String(format: ".%0*d", places, whole % parts)
}
