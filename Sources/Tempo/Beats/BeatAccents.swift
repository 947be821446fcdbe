/// How strongly sounds begin at each beat, lane by lane.
struct BeatAccents {
  var values: [OnsetEnvelopes.Lanes] = []

  init(values: [OnsetEnvelopes.Lanes]) { self.values = values }

  /// - Parameter beats: Columns, ascending, within the stretch.
  init(_ envelopes: OnsetEnvelopes, at beats: [Double]) {
    let last = envelopes.columnCount - 1
    guard last >= 0 else { return }
    values = beats.map { beat in
      let column = min(max(0, Int(beat.rounded())), last)
      var most = OnsetEnvelopes.Lanes.zero
      for near in max(0, column - 2)...min(last, column + 3) { most = pointwiseMax(most, envelopes.values[near]) }
      return most
    }
  }
}
