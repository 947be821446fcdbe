extension TempoFinding {
  /// The beats of a `metre`, as musicians count: 4 of `4/4` and `12/8`, 3 of `3/4` and `9/8`, 6 of `6/8`.
  public static func beatsPerBar(_ metre: String) -> Int? {
    let numerator = metre.split(separator: "/").first.flatMap { Int($0) }
    return metre.hasSuffix("/8") && (numerator ?? 0) > 6 ? numerator.map { $0 / 3 } : numerator
  }

  /// The numbers of beats that are downbeats, ascending.
  package var downbeatNumbers: [Int] {
    guard let timeline = BeatTimeline(beats), let downbeats else { return [] }
    return downbeats.map { Int(timeline.position(at: $0).rounded()) }.filter(beats.indices.contains)
  }

  /// How many beats bars have, and mostly if they differ: by the downbeats, or by the meter if there is only one. `nil`
  /// where bars are not known.
  package var beatsPerBar: Int? {
    let numbers = downbeatNumbers
    guard !numbers.isEmpty, let metre else { return nil }
    let lengths = zip(numbers.dropFirst(), numbers).map { $0 - $1 }.sorted()
    let length = lengths.isEmpty ? Self.beatsPerBar(metre) : lengths[lengths.count / 2]
    return length.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Whether a beat is a dotted quarter: of 6/8, where a bar has two beats and not six.
  package var hasDottedBeats: Bool {
    guard let metre, metre.hasSuffix("/8") else { return false }
    return metre != "6/8" || downbeats == nil || beatsPerBar == 2
  }
}
