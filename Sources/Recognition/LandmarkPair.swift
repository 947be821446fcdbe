internal import Fingerprinting

/// Two landmarks of one signature, an anchor and a later target: the hash that is looked up (Wang, ISMIR 2003).
///
/// The key says the anchor's band, the distance in bands and the distance in columns, one cell each: keys count up
/// without gaps, and the keys of a pair that is a column longer or shorter are neighbours.
enum LandmarkPair {
  /// Columns from the anchor to the target.
  static let gaps = 2...60
  /// Bands from the anchor to the target.
  static let intervals = -24...24
  static let keyCount = LandmarkSpectrum.bandCount * intervals.count * gaps.count

  /// Landmarks of each second that form pairs in a catalog, and targets of each.
  static let referencePeaksPerSecond = 20
  static let referenceFanOut = 2

  @inline(__always)
  static func key(band: Int, interval: Int, gap: Int) -> Int {
    (band * intervals.count + interval - intervals.lowerBound) * gaps.count + gap - gaps.lowerBound
  }

  /// Calls `body` with the key and the anchor's column of each pair by which a reference is found, anchors in order.
  static func forEach(in landmarks: [Landmark], _ body: (_ key: Int, _ column: Int) -> Void) {
    let anchors = strongest(of: landmarks)
    for index in anchors.indices {
      let anchor = anchors[index]
      var best: Landmark?
      var second: Landmark?
      var next = index + 1
      while next < anchors.count {
        let target = anchors[next]
        next += 1
        let gap = target.column - anchor.column
        if gap > gaps.upperBound { break }
        guard gap >= gaps.lowerBound, intervals.contains(target.band - anchor.band) else { continue }
        if target.strength > best?.strength ?? -1 {
          second = best
          best = target
        } else if target.strength > second?.strength ?? -1 {
          second = target
        }
      }
      for target in [best, second] {
        guard let target else { continue }
        body(
          key(band: anchor.band, interval: target.band - anchor.band, gap: target.column - anchor.column),
          anchor.column)
      }
    }
  }

  /// The strongest landmarks of each second, an equal share from each third of the bands, in order.
  private static func strongest(of landmarks: [Landmark]) -> [Landmark] {
    var result: [Landmark] = []
    var first = 0
    while first < landmarks.count {
      let second = LandmarkQuota.second(of: landmarks[first].column)
      var end = first
      while end < landmarks.count, LandmarkQuota.second(of: landmarks[end].column) == second { end += 1 }
      var chosen: [Int] = []
      for third in 0..<LandmarkQuota.thirdCount {
        let members = (first..<end).filter { LandmarkQuota.third(of: landmarks[$0].band) == third }
        let ranked = members.sorted { (landmarks[$1].strength, $0) < (landmarks[$0].strength, $1) }
        chosen += ranked.prefix(LandmarkQuota.share(of: referencePeaksPerSecond, third: third))
      }
      result += chosen.sorted().map { landmarks[$0] }
      first = end
    }
    return result
  }
}
