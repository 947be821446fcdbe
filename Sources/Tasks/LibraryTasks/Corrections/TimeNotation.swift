internal import Foundation

/// A short text for ascending times, such as those of beats, that is lossless for multiples of 0.1 ms. `0.41
/// 1.02+0.4762*830` means a time at 0.41 s, then 830 times that start at 1.02 s and are 0.4762 s apart, all rounded to
/// 0.1 ms.
///
/// The encoder repeatedly looks for the longest run of even steps. A run is a digitized straight line (Rosenfeld, IEEE
/// Transactions on Computers 23, 1974): each additional time narrows the interval of possible slopes.
package enum TimeNotation {
  /// Ticks per second. A tick is 0.1 ms, as in the database.
  private static let resolution = 10_000.0
  /// The offsets, in ticks, that are tried for the start of a run, because the offset determines how long the run can
  /// be.
  private static let offsets = Array(stride(from: 0.0, to: 0.5, by: 0.05)) + stride(from: -0.05, to: -0.5, by: -0.05)
  /// Tolerance in ticks. It is slightly below one half, so that rounding leads back to the same tick despite
  /// floating-point errors.
  private static let tolerance = 0.499
  /// Maximum number of time values that a text may contain, enough for 100 h at 166 beats per minute.
  private static let maxTimes = 1_000_000

  package static func text(of times: [Double]) -> String {
    let ticks = times.map { ($0 * resolution).rounded() }
    var runs: [String] = []
    var index = 0
    while index < ticks.count {
      let run = longestRun(in: ticks[index...])
      runs.append(run.text)
      index += run.count
    }
    return runs.joined(separator: " ")
  }

  /// - Returns: `nil` if the text does not have this form, if it contains too many times, or if they are negative or
  /// not
  ///   ascending.
  package static func times(in text: String) -> [Double]? {
    var times: [Double] = []
    for word in text.split(separator: " ") {
      guard let run = run(word), times.count + run.count <= maxTimes else { return nil }
      for number in 0..<run.count {
        let time = ((run.start + Double(number) * run.step) * resolution).rounded() / resolution
        guard time.isFinite, time > times.last ?? -1, time >= 0 else { return nil }
        times.append(time)
      }
    }
    return times
  }

  private static func run(_ word: Substring) -> (start: Double, step: Double, count: Int)? {
    if let time = Double(word) { return (time, 0, 1) }
    guard let plus = word.firstIndex(of: "+"), let star = word.lastIndex(of: "*"), plus < star,
      let start = Double(word[..<plus]), let step = Double(word[word.index(after: plus)..<star]),
      let count = Int(word[word.index(after: star)...]), count > 0
    else { return nil }
    return (start, step, count)
  }

  private struct Run {
    /// Offset of the first time, in ticks, within `tolerance`.
    var offset = 0.0
    var count = 1
    /// Slopes, in ticks, that reproduce all times.
    var slopes = -Double.infinity...Double.infinity
    var first: Double

    var text: String {
      let start = TimeNotation.text(first + offset, decimals: offset == 0 ? 4 : 6)
      if count == 1 { return start }
      // Uses as few digits as the interval allows.
      var scale = 1.0
      var decimals = 4
      while (slopes.lowerBound * scale).rounded(.up) > slopes.upperBound * scale, decimals < 12 {
        scale *= 10
        decimals += 1
      }
      let middle = (slopes.lowerBound + slopes.upperBound) / 2
      let rounded = (middle * scale).rounded() / scale
      let slope = slopes.contains(rounded) ? rounded : (slopes.lowerBound * scale).rounded(.up) / scale
      return start + "+" + TimeNotation.text(slope, decimals: decimals) + "*\(count)"
    }
  }

  private static func longestRun(in ticks: ArraySlice<Double>) -> Run {
    var longest = Run(first: ticks[ticks.startIndex])
    for offset in offsets where longest.first + offset >= 0 {
      var run = Run(offset: offset, first: longest.first)
      for (index, tick) in ticks.dropFirst().enumerated() {
        let steps = Double(index + 1)
        let least = max(run.slopes.lowerBound, (tick - run.first - offset - tolerance) / steps)
        let greatest = min(run.slopes.upperBound, (tick - run.first - offset + tolerance) / steps)
        guard least <= greatest, greatest > 0 else { break }
        run.slopes = least...greatest
        run.count += 1
      }
      if run.count > longest.count { longest = run }
      if longest.count == ticks.count { break }
    }
    return longest
  }

  /// Formats ticks as seconds.
  private static func text(_ ticks: Double, decimals: Int) -> String {
    var text = String(format: "%.\(decimals)f", ticks / resolution)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}
