internal import DSP

/// The presence of an onset near a column: the logarithm of the strongest onset within 20 ms, lane by lane. Its mean
/// over the beats is low if some beats have no onset, no matter how strong the other onsets are.
struct OnsetPresence {
  private static let reach = 2

  private let logarithms: [OnsetEnvelopes.Lanes]

  init(_ values: [OnsetEnvelopes.Lanes]) {
    logarithms = values.indices.map { column in
      var most = values[column]
      for near in max(0, column - Self.reach)...min(values.count - 1, column + Self.reach) {
        most = larger(most, values[near])
      }
      return naturalLog(most + 0.1)
    }
  }

  var columnCount: Int { logarithms.count }

  /// The presence of an onset near a column, which must be within the stretch.
  subscript(column: Double) -> OnsetEnvelopes.Lanes { logarithms[min(Int(column.rounded()), logarithms.count - 1)] }

  /// - Parameter places: Columns; columns outside the stretch are ignored.
  func mean(at places: [Double]) -> OnsetEnvelopes.Lanes {
    var sum = OnsetEnvelopes.Lanes.zero
    var count: Float = 0
    for place in places {
      let column = Int(place.rounded())
      guard logarithms.indices.contains(column) else { continue }
      sum += logarithms[column]
      count += 1
    }
    return count > 0 ? sum / count : sum
  }
}
