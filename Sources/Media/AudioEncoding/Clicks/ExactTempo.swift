/// A tempo as a ratio of integers, so the position of each beat is exact.
public struct ExactTempo: Hashable, Sendable, CustomStringConvertible {
  /// Beats per minute: `numerator / denominator`.
  public let numerator: Int64
  public let denominator: Int64
  /// The text from which the tempo was parsed.
  public let description: String

  /// Accepted tempos, in beats per minute.
  public static let range = 10.0...1000.0

  /// - Parameter text: A number such as `120` or `123.45` (at most nine decimals), or a fraction such as `370/3`. Any
  ///   other text, or a tempo outside `range`, results in `nil`.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let first = Self.ratio(parts[0]),
      let second = parts.count == 2 ? Self.ratio(parts[1]) : (1, 1), second.numerator > 0
    else { return nil }
    numerator = first.numerator * second.denominator
    denominator = first.denominator * second.numerator
    description = text
    guard Self.range.contains(beatsPerMinute) else { return nil }
  }

  public var beatsPerMinute: Double { Double(numerator) / Double(denominator) }

  /// Returns the frame nearest to a beat: `round(index · 60 · sampleRate / bpm)`, with halves rounded up. Rounding
  /// errors do not accumulate.
  ///
  /// - Parameters:
  ///   - index: Index of the beat; beat 0 is at frame 0.
  ///   - sampleRate: Sample rate in Hz.
  public func frame(ofBeat index: Int64, sampleRate: Int) -> Int64 {
    let frames = Int128(index) * 60 * Int128(sampleRate) * Int128(denominator)
    return Int64((2 * frames + Int128(numerator)) / (2 * Int128(numerator)))
  }

  /// Parses a decimal number with at most nine digits on each side of the decimal point; `nil` for any other text.
  private static func ratio(_ text: Substring) -> (numerator: Int64, denominator: Int64)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ (1...9).contains($0.utf8.count) && $0.utf8.allSatisfy { (48...57).contains($0) } })
    else { return nil }
    guard let whole = Int64(parts[0]) else { return nil }
    guard parts.count == 2, let decimals = Int64(parts[1]) else { return (whole, 1) }
    let scale = (0..<parts[1].utf8.count).reduce(Int64(1)) { scale, _ in scale * 10 }
    return (whole * scale + decimals, scale)
  }
}
