/// Keeps the strongest peaks of each second in each third of the bands, so that every part of a track and every
/// register has landmarks.
package struct LandmarkQuota {
  package static let thirdCount = 3

  private let perThird: Int
  private var second = 0
  /// The strongest peaks of the current second so far, strongest first, by third.
  private var kept: [[LandmarkPeaks.Peak]]

  /// - Parameter perThird: Maximum number of peaks per second and third.
  package init(perThird: Int) {
    self.perThird = perThird
    kept = Array(repeating: [], count: Self.thirdCount)
  }

  /// Returns the second to which a column belongs.
  package static func second(of column: Int) -> Int { column * 4 / 125 }
  /// Returns the third to which a band belongs, 0 to 2.
  package static func third(of band: Int) -> Int { band * thirdCount / LandmarkSpectrum.bandCount }
  /// Returns the maximum number of peaks in a third, given the maximum per second.
  package static func share(of perSecond: Int, third: Int) -> Int { (perSecond + thirdCount - 1 - third) / thirdCount }

  /// Processes the next peak. Once a second is over, appends its peaks in order of column, then band.
  package mutating func push(_ peak: LandmarkPeaks.Peak, into chosen: inout [LandmarkPeaks.Peak]) {
    let second = Self.second(of: peak.column)
    if second != self.second {
      flush(into: &chosen)
      self.second = second
    }
    let third = Self.third(of: peak.band)
    if kept[third].count == perThird {
      guard let weakest = kept[third].last, peak.strength > weakest.strength else { return }
      kept[third].removeLast()
    }
    let place = kept[third].firstIndex { $0.strength < peak.strength } ?? kept[third].count
    kept[third].insert(peak, at: place)
  }

  /// Appends the remaining peaks.
  package mutating func flush(into chosen: inout [LandmarkPeaks.Peak]) {
    let start = chosen.count
    for third in kept.indices {
      chosen += kept[third]
      kept[third].removeAll(keepingCapacity: true)
    }
    chosen[start...].sort { ($0.column, $0.band) < ($1.column, $1.band) }
  }
}
