/// The onset strength at each beat, lane by lane, and how much the chords and the sound change there.
struct BeatAccents {
  /// Names of the features, in the order of `rows`.
  static let names =
    OnsetEnvelopes.laneNames + ["strong_to_150_hz", "strong_above_5000_hz", "strong_all_bands", "strong_loud"]
    + ["new_chord", "new_chord_of_two_beats", "new_section", "network"]
  typealias Row = SIMD16<Float>

  var values: [OnsetEnvelopes.Lanes] = []
  /// Amounts of change at each beat: of the chords in one beat before and after it, of the chords in two beats, and of
  /// the chords and onsets in four beats.
  var novelty: [SIMD4<Float>]

  /// - Parameter novelty: A vector for each beat; empty if the chords are unknown.
  init(values: [OnsetEnvelopes.Lanes], novelty: [SIMD4<Float>] = []) {
    self.values = values
    self.novelty = novelty.isEmpty ? .init(repeating: .zero, count: values.count) : novelty
  }

  /// - Parameter beats: Columns of the beats in `envelopes`, in ascending order.
  init(_ envelopes: OnsetEnvelopes, at beats: [Double]) {
    let last = envelopes.columnCount - 1
    guard last >= 0 else {
      self.init(values: [])
      return
    }
    self.init(
      values: beats.map { beat in
        let column = min(max(0, Int(beat.rounded())), last)
        var most = OnsetEnvelopes.Lanes.zero
        for near in max(0, column - 2)...min(last, column + 3) { most = pointwiseMax(most, envelopes.values[near]) }
        return most
      })
    for (place, reach) in [1, 2, 4].enumerated() {
      addNovelty(place, reach: reach, at: beats, chords: envelopes.chords)
    }
  }

  private mutating func addNovelty(_ place: Int, reach: Int, at beats: [Double], chords: ChordCourse) {
    let inner = reach..<max(reach, beats.count - reach)
    guard !inner.isEmpty else { return }
    var sum: Float = 0
    for index in inner {
      let (start, middle, end) = (beats[index - reach], beats[index], beats[index + reach])
      var found = 1 - chords.notes(from: start, to: middle).likeness(to: chords.notes(from: middle, to: end))
      if reach == 4 {
        var change = OnsetEnvelopes.Lanes.zero
        for offset in 0..<reach { change += values[index + offset] - values[index + offset - reach] }
        found += (change * change).sum() / 16
      }
      novelty[index][place] = found
      sum += found
    }
    // Beats too close to an end get the mean change.
    let mean = sum / Float(inner.count)
    for index in novelty.indices where !inner.contains(index) { novelty[index][place] = mean }
  }

  /// Returns, for each beat, the features that identify the first beat of a bar: accents and changes with mean 0 and a
  /// standard deviation near 1, the excess of four accents over 1.5, and the logits of the network minus their mean.
  ///
  /// - Parameter downbeats: The value of `BeatActivation.downbeats` at each beat.
  func rows(downbeats: [Float]) -> [Row] {
    let accents = Self.normalized(values, least: 0.05)
    let changes = Self.normalized(novelty, least: 0.1)
    let mean = downbeats.reduce(0, +) / Float(max(1, downbeats.count))
    return accents.indices.map { beat in
      let (lanes, novelty) = (accents[beat], changes[beat])
      let strong = pointwiseMax(SIMD4(lanes[0], lanes[4], lanes[5], lanes[7]) - 1.5, .zero)
      return Row(
        lowHalf: lanes,
        highHalf: SIMD8(lowHalf: strong, highHalf: SIMD4(novelty[0], novelty[1], novelty[2], downbeats[beat] - mean)))
    }
  }

  private static func normalized<Values: SIMD<Float>>(_ values: [Values], least: Float) -> [Values] {
    let count = Float(max(1, values.count))
    let mean = values.reduce(Values.zero, +) / count
    let variance = values.reduce(Values.zero) { $0 + ($1 - mean) * ($1 - mean) } / count
    return values.map { ($0 - mean) / (variance.squareRoot() + least) }
  }
}
