/// How strongly sounds begin at each beat, lane by lane, and how new what follows it is.
struct BeatAccents {
  /// What a beat is compared by, in the order of `rows`.
  static let names =
    OnsetEnvelopes.laneNames + ["strong_to_150_hz", "strong_above_5000_hz", "strong_all_bands", "strong_loud"]
    + ["new_chord", "new_chord_of_two_beats", "new_section", "network"]
  typealias Row = SIMD16<Float>

  var values: [OnsetEnvelopes.Lanes] = []
  /// How unlike the chord before a beat is to the one after it, the chords of two beats, and the sound of four beats.
  var news: [SIMD4<Float>]

  /// - Parameter news: By beat; none if nothing is known of chords.
  init(values: [OnsetEnvelopes.Lanes], news: [SIMD4<Float>] = []) {
    self.values = values
    self.news = news.isEmpty ? .init(repeating: .zero, count: values.count) : news
  }

  /// - Parameter beats: Columns, ascending, within the stretch.
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
    for (place, reach) in [1, 2, 4].enumerated() { addNews(place, reach: reach, at: beats, chords: envelopes.chords) }
  }

  private mutating func addNews(_ place: Int, reach: Int, at beats: [Double], chords: ChordCourse) {
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
      news[index][place] = found
      sum += found
    }
    // At the ends nothing is known.
    let mean = sum / Float(inner.count)
    for index in news.indices where !inner.contains(index) { news[index][place] = mean }
  }

  /// By beat, everything that tells the first beat of a bar: accents and news with mean 0 and a standard deviation
  /// near 1, what of the accents is strong, and the logits of the network without their mean.
  ///
  /// - Parameter downbeats: `BeatActivation.downbeats` at each beat.
  func rows(downbeats: [Float]) -> [Row] {
    let accents = Self.normalized(values, least: 0.05)
    let changes = Self.normalized(news, least: 0.1)
    let mean = downbeats.reduce(0, +) / Float(max(1, downbeats.count))
    return accents.indices.map { beat in
      let (lanes, news) = (accents[beat], changes[beat])
      let strong = pointwiseMax(SIMD4(lanes[0], lanes[4], lanes[5], lanes[7]) - 1.5, .zero)
      return Row(
        lowHalf: lanes,
        highHalf: SIMD8(lowHalf: strong, highHalf: SIMD4(news[0], news[1], news[2], downbeats[beat] - mean)))
    }
  }

  private static func normalized<Values: SIMD<Float>>(_ values: [Values], least: Float) -> [Values] {
    let count = Float(max(1, values.count))
    let mean = values.reduce(Values.zero, +) / count
    let variance = values.reduce(Values.zero) { $0 + ($1 - mean) * ($1 - mean) } / count
    return values.map { ($0 - mean) / (variance.squareRoot() + least) }
  }
}
