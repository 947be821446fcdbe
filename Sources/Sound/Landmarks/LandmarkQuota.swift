/// Keeps the strongest peaks of each second in each third of the bands, so every stretch of a track and every
/// register has its landmarks.
package struct LandmarkQuota {
  /// How many thirds the bands are divided into.
  package static let thirdCount = 3

  private let perThird: Int
  private var second = 0
  /// The strongest peaks so far of the current second, strongest first, per third.
  private var kept: [[LandmarkPeaks.Peak]]

  /// - Parameter perThird: How many peaks are kept in each second and third.
  package init(perThird: Int) {
    self.perThird = perThird
    kept = Array(repeating: [], count: Self.thirdCount)
  }

  /// The second that a column lies in.
  package static func second(of column: Int) -> Int { column * 4 / 125 }
  /// The third that a band lies in.
  package static func third(of band: Int) -> Int { band * thirdCount / LandmarkSpectrum.bandCount }
  /// The share of a third in a number of peaks per second.
  package static func share(of perSecond: Int, third: Int) -> Int { (perSecond + thirdCount - 1 - third) / thirdCount }

  /// Takes the next peak; appends those of the last second, in order of column, then band, once it is over.
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

  /// Appends what is left.
  package mutating func flush(into chosen: inout [LandmarkPeaks.Peak]) {
    let start = chosen.count
    for third in kept.indices {
      chosen += kept[third]
      kept[third].removeAll(keepingCapacity: true)
    }
    chosen[start...].sort { ($0.column, $0.band) < ($1.column, $1.band) }
  }
}
