import AnalysisTesting
import Foundation
import Testing

@testable import Tempo

@Suite(.bounded) struct OnsetPresenceTests {
  private typealias Lanes = OnsetEnvelopes.Lanes

  /// - Returns: Presence in 20 columns, of which these have an onset of this strength.
  private func presence(_ onsets: [Int: Float]) -> OnsetPresence {
    OnsetPresence((0..<20).map { Lanes(repeating: onsets[$0] ?? 0) })
  }

  private func isClose(_ value: Lanes, _ strength: Float) -> Bool {
    (0..<Lanes.scalarCount).allSatisfy { abs(value[$0] - log(strength + 0.1)) < 0.01 }
  }

  /// An onset counts within two columns of 10 ms, and no farther.
  @Test func onsetsCountNearby() {
    let found = presence([10: 1])
    for column in 8...12 { #expect(isClose(found[Double(column)], 1), "\(column)") }
    for column in [0, 6, 7, 13, 14, 19] { #expect(isClose(found[Double(column)], 0), "\(column)") }
    // Places between columns are rounded.
    #expect(isClose(found[12.4], 1) && isClose(found[12.6], 0) && isClose(found[7.6], 1) && isClose(found[7.4], 0))
  }

  @Test func theStrongestNearbyCounts() {
    let found = presence([0: 3, 3: 0.5, 7: 2, 19: 4])
    for (column, strength): (Double, Float) in [(0, 3), (2, 3), (3, 0.5), (4, 0.5), (5, 2), (17, 4), (19, 4)] {
      #expect(isClose(found[column], strength), "\(column)")
    }
  }

  /// The logarithm makes a missing onset count as much as a strong one; places outside do not count.
  @Test func meansOverPlaces() {
    let found = presence([4: 1, 12: 1])
    #expect(isClose(found.mean(at: [4, 12]), 1))
    #expect(isClose(found.mean(at: [4, 12, -1, 20, 300]), 1))
    let half = found.mean(at: [4, 8])
    #expect(abs(half[0] - (log(1.1 as Float) + log(0.1 as Float)) / 2) < 0.01)
    #expect(found.mean(at: [-3, 25]) == .zero && found.mean(at: []) == .zero)
  }
}
