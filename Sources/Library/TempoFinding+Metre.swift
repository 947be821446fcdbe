public import Analysis

extension TempoFinding {
  /// The beats of a `metre`, as musicians count: 4 of `4/4` and `12/8`, 3 of `3/4` and `9/8`, 6 of `6/8`.
  public static func beatsPerBar(_ metre: String) -> Int? {
    let numerator = metre.split(separator: "/").first.flatMap { Int($0) }
    return metre.hasSuffix("/8") && (numerator ?? 0) > 6 ? numerator.map { $0 / 3 } : numerator
  }

  /// Whether a beat is a dotted quarter: of 6/8, where a bar has two beats and not six.
  var hasDottedBeats: Bool {
    guard let metre, metre.hasSuffix("/8") else { return false }
    return metre != "6/8" || downbeats == nil || downbeatNumbers.barLength == 2
  }
}

extension [Int] {
  /// Of the numbers of beats that are downbeats: how many beats a bar mostly has; `nil` if there is only one downbeat.
  package var barLength: Int? {
    let lengths = zip(dropFirst(), self).map { $0 - $1 }.sorted()
    return lengths.isEmpty ? nil : lengths[lengths.count / 2]
  }
}
