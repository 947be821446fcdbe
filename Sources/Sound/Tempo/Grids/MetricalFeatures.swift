internal import DSP
internal import Mathematics

/// Features that distinguish a beat from its double, half and third: how onsets and chords alternate and repeat over
/// bars and phrases. The four beats of a `BarProfile` are too few for that.
///
/// Snare and kick alternate from beat to beat; in a grid that is twice as fast, they alternate every second beat.
/// Chords last two, four or eight beats, but seldom one or sixteen. Patterns repeat after bars of three or four beats,
/// and after phrases of eight or sixteen.
struct MetricalFeatures {
  typealias Lanes = OnsetEnvelopes.Lanes
  private typealias Notes = ChordCourse.Notes

  /// The onsets at each beat, with mean 0.
  private var onBeats: [Lanes] = []
  /// The onsets at each half-beat, with mean 0.
  private var onHalves: [Lanes] = []
  /// The notes during each beat, scaled to length 1.
  private var chords: [Notes] = []
  /// The notes from each half-beat to the next, scaled to length 1.
  private var betweenHalves: [Notes] = []

  /// Lags, in beats, at which repetition is measured.
  private static let lags: [(beats: Int, onsets: StaticString, chords: StaticString)] = [
    (1, "onsets_repeat_after_1", "chord_lasts_1"), (2, "onsets_repeat_after_2", "chord_lasts_2"),
    (3, "onsets_repeat_after_3", "chord_lasts_3"), (4, "onsets_repeat_after_4", "chord_lasts_4"),
    (6, "onsets_repeat_after_6", "chord_lasts_6"), (8, "onsets_repeat_after_8", "chord_lasts_8"),
    (12, "onsets_repeat_after_12", "chord_lasts_12"), (16, "onsets_repeat_after_16", "chord_lasts_16"),
    (32, "onsets_repeat_after_32", "chord_lasts_32"),
  ]

  /// - Parameter grid: Columns of the beats, ascending; columns outside the stretch are ignored.
  init(_ grid: [Double], presence: OnsetPresence, course: ChordCourse) {
    let end = Double(presence.columnCount)
    let inside = grid.filter { $0 >= 0 && $0 < end }
    guard inside.count > 1 else { return }
    onBeats.reserveCapacity(inside.count)
    onHalves.reserveCapacity(inside.count)
    chords.reserveCapacity(inside.count)
    betweenHalves.reserveCapacity(inside.count)
    var (soFar, soFarAtHalf) = (course.sum(before: inside[0]), Notes())
    for index in 0..<(inside.count - 1) {
      let (beat, next) = (inside[index], inside[index + 1])
      let half = (beat + next) / 2
      onBeats.append(presence[beat])
      onHalves.append(presence[half])
      let (sum, sumAtHalf) = (course.sum(before: next), course.sum(before: half))
      chords.append((sum - soFar).normalized)
      if index > 0 { betweenHalves.append((sumAtHalf - soFarAtHalf).normalized) }
      (soFar, soFarAtHalf) = (sum, sumAtHalf)
    }
    Self.center(&onBeats)
    Self.center(&onHalves)
  }

  private static func center(_ values: inout [Lanes]) {
    let mean = values.reduce(Lanes.zero, +) / Float(max(1, values.count))
    for index in values.indices { values[index] -= mean }
  }

  /// - Parameter named: `true` to return the names as well.
  func values(named: Bool) -> NamedValues {
    var found = NamedValues(capacity: 72, named: named)
    addAlternation(to: &found)
    addRepetition(to: &found)
    addChords(to: &found)
    return found
  }

  /// Adds the share of the differences between beats that a bar of 2, 3, 4 or 8 beats explains, beyond chance and
  /// beyond a bar of half the length; and how the halves of bars of 2, 4 and 8 beats differ.
  private func addAlternation(to found: inout NamedValues) {
    let squares = onBeats.reduce(Lanes.zero) { $0 + $1 * $1 } + 0.02 * Float(onBeats.count) + 1e-6
    let (two, three, four, eight) = (folded(2), folded(3), folded(4), folded(8))
    let (ofTwo, ofThree, ofFour, ofEight) = (
      share(two, of: squares), share(three, of: squares), share(four, of: squares), share(eight, of: squares)
    )
    found.add("alternates_over_2", ofTwo)
    found.add("alternates_over_3", ofThree)
    found.add("alternates_over_4", ofFour - ofTwo)
    found.add("alternates_over_8", ofEight - ofFour)
    let scale = Float(onBeats.count) / squares
    addOpposition("kick_with_over_2", two, scale, to: &found)
    addOpposition("kick_with_over_4", four, scale, to: &found)
    addOpposition("kick_with_over_8", eight, scale, to: &found)
  }

  /// Adds how the halves of a bar differ in each lane of `opponents`: positive if the lane differs in the same way as
  /// the lowest lane, negative if it differs in the opposite way, as when kick and snare alternate.
  private func addOpposition(_ name: StaticString, _ means: [Lanes], _ scale: Lanes, to found: inout NamedValues) {
    let half = means.count / 2
    var products = Lanes.zero
    for index in 0..<half {
      let difference = (means[index] - means[index + half]) / 2
      products += difference[0] * difference
    }
    products *= (scale[0] * scale).squareRoot() / Float(half)
    for lane in Self.opponents { found.add(name, products[lane], lane: lane) }
  }

  /// The lanes of the snare, of cymbals and of chords.
  private static let opponents = [3, 4, 6]

  private func folded(_ period: Int) -> [Lanes] {
    var sums = [Lanes](repeating: .zero, count: period)
    for (index, value) in onBeats.enumerated() { sums[index % period] += value }
    for place in 0..<period { sums[place] /= Float(max(1, (onBeats.count - place + period - 1) / period)) }
    return sums
  }

  private func share(_ means: [Lanes], of squares: Lanes) -> Lanes {
    let chance = Float(means.count - 1) / Float(max(onBeats.count, 1))
    guard chance < 0.5 else { return .zero }
    let count = Float(onBeats.count) / Float(means.count)
    let explained = means.reduce(Lanes.zero) { $0 + $1 * $1 } * count / squares
    return (explained - chance) / (1 - chance)
  }

  private func addRepetition(to found: inout NamedValues) {
    var own: Float = 1e-3
    for index in onBeats.indices {
      own += (onBeats[index] * onBeats[index]).sum() + (onHalves[index] * onHalves[index]).sum()
    }
    own /= Float(max(1, onBeats.count))
    for lag in Self.lags {
      let count = onBeats.count - lag.beats
      guard count >= 4 else {
        found.add(lag.onsets, 0)
        continue
      }
      var sum = Lanes.zero
      for index in 0..<count {
        sum += onBeats[index] * onBeats[index + lag.beats] + onHalves[index] * onHalves[index + lag.beats]
      }
      found.add(lag.onsets, sum.sum() / Float(count) / own)
    }
  }

  private func addChords(to found: inout NamedValues) {
    for lag in Self.lags {
      let count = chords.count - lag.beats
      guard count >= 4 else {
        found.add(lag.chords, 0)
        continue
      }
      var sum = Lanes.zero
      for index in 0..<count {
        let (now, then) = (chords[index], chords[index + lag.beats])
        sum += now.low * then.low + now.middle * then.middle + now.high * then.high
      }
      found.add(lag.chords, sum.sum() / Float(count))
    }
    let novelty = zip(chords, chords.dropFirst()).map { 1 - $0.product($1) }
    let mean = Self.mean(novelty)
    found.add(
      "chords_change_on_beats_less_halves",
      mean - Self.mean(zip(betweenHalves, betweenHalves.dropFirst()).map { 1 - $0.product($1) }))
    let two = Self.explained(novelty, mean, every: 2)
    let four = Self.explained(novelty, mean, every: 4)
    found.add("chords_change_every_2", two)
    found.add("chords_change_every_3", Self.explained(novelty, mean, every: 3))
    found.add("chords_change_every_4", four - two)
    found.add("chords_change_every_8", Self.explained(novelty, mean, every: 8) - four)
  }

  private static func mean(_ values: [Float]) -> Float { values.reduce(0, +) / Float(max(1, values.count)) }

  private static func explained(_ values: [Float], _ mean: Float, every period: Int) -> Float {
    let chance = Float(period - 1) / Float(max(values.count, 1))
    guard chance < 0.5 else { return 0 }
    var sums = [Float](repeating: 0, count: period)
    var squares: Float = 1e-3
    for (index, value) in values.enumerated() {
      sums[index % period] += value - mean
      squares += (value - mean) * (value - mean)
    }
    let count = Float(values.count) / Float(period)
    let explained = sums.reduce(0) { $0 + $1 * $1 } / count / squares
    return (explained - chance) / (1 - chance)
  }
}
