extension TempoFinding {
  /// Returns the beats per bar of a `metre` as musicians count them: 4 for `4/4` and `12/8`, 3 for `3/4` and `9/8`, 6
  /// for `6/8`; `nil` if `metre` does not begin with a number.
  public static func beatsPerBar(_ metre: String) -> Int? {
    let numerator = metre.split(separator: "/").first.flatMap { Int($0) }
    return metre.hasSuffix("/8") && (numerator ?? 0) > 6 ? numerator.map { $0 / 3 } : numerator
  }

  /// The numbers of the beats that are downbeats, ascending.
  package var downbeatNumbers: [Int] {
    guard let timeline = BeatTimeline(beats), let downbeats else { return [] }
    return downbeats.map { Int(timeline.position(at: $0).rounded()) }.filter(beats.indices.contains)
  }

  /// The usual number of beats per bar. It follows from the downbeats, or from the meter if there is only one downbeat.
  /// `nil` if the bars are unknown.
  package var beatsPerBar: Int? {
    let numbers = downbeatNumbers
    guard !numbers.isEmpty, let metre else { return nil }
    let lengths = zip(numbers.dropFirst(), numbers).map { $0 - $1 }.sorted()
    let length = lengths.isEmpty ? Self.beatsPerBar(metre) : lengths[lengths.count / 2]
    return length.flatMap { $0 > 0 ? $0 : nil }
  }

  /// `true` if a beat is a dotted quarter note. In 6/8, this is the case unless the downbeats show that a bar does not
  /// have two beats.
  package var hasDottedBeats: Bool {
    guard let metre, metre.hasSuffix("/8") else { return false }
    return metre != "6/8" || downbeats == nil || beatsPerBar == 2
  }
}
