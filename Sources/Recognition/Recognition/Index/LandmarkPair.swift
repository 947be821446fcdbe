internal import CKernels
internal import Landmarks

/// Two landmarks of one signature, an anchor and a later target, which serve as the hash for lookups (Wang, ISMIR
/// 2003).
///
/// A key encodes three whole numbers: the anchor's band, the distance in bands and the distance in columns. Keys are
/// contiguous, and pairs that differ only in the gap, by one column, have adjacent keys.
enum LandmarkPair {
  /// Number of columns from the anchor to the target.
  static let gaps = 2...60
  /// Number of bands from the anchor to the target.
  static let intervals = -24...24
  static let keyCount = LandmarkSpectrum.bandCount * intervals.count * gaps.count

  /// The ranges in the form that the loops in C expect.
  static let cells = cpaircells_index(
    lowest: (0, Float(intervals.lowerBound), Float(gaps.lowerBound)),
    highest: (Float(LandmarkSpectrum.bandCount - 1), Float(intervals.upperBound), Float(gaps.upperBound)))

  /// Maximum number of landmarks per second that form pairs in a catalog.
  static let referencePeaksPerSecond = 20

  @inline(__always)
  static func key(band: Int, interval: Int, gap: Int) -> Int {
    (band * intervals.count + interval - intervals.lowerBound) * gaps.count + gap - gaps.lowerBound
  }

  /// Number of bits that describe the place of the anchor's other target, in 16 by 16 classes of interval and gap. The
  /// coarsest bits come first, so each prefix of a context is a coarser context. In a large catalog, the list of a key
  /// is divided by context.
  static let contextBits = 8
  private static let classCount = 1 << (contextBits / 2)

  @inline(__always)
  static func context(intervalClass: Int, gapClass: Int) -> Int {
    // Interleaves the bits of the two numbers.
    func spread(_ value: Int) -> Int { value & 1 | (value & 2) << 1 | (value & 4) << 2 | (value & 8) << 3 }
    return spread(gapClass) << 1 | spread(intervalClass)
  }

  static func intervalClass(_ interval: Int) -> Int { (interval - intervals.lowerBound) * classCount / intervals.count }
  static func gapClass(_ gap: Int) -> Int { (gap - gaps.lowerBound) * classCount / gaps.count }

  /// Calls `body` with the key, the context and the anchor's column for each pair of a reference, ordered by anchor.
  /// - Parameter bands: Bands of the anchors to include.
  static func forEach(
    in landmarks: [Landmark], bands: Range<Int> = 0..<LandmarkSpectrum.bandCount,
    _ body: (_ key: Int, _ context: Int, _ column: Int) -> Void
  ) {
    let anchors = strongest(of: landmarks)
    for index in anchors.indices where bands.contains(anchors[index].band) {
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
      guard let best else { continue }
      for (target, other) in [(best, second ?? best), (second, best)] {
        guard let target else { continue }
        body(
          key(band: anchor.band, interval: target.band - anchor.band, gap: target.column - anchor.column),
          context(
            intervalClass: intervalClass(other.band - anchor.band), gapClass: gapClass(other.column - anchor.column)),
          anchor.column)
      }
    }
  }

  /// Returns the strongest landmarks of each second, at most about an equal number from each third of the bands, in the
  /// order of `landmarks`. Earlier landmarks win ties.
  private static func strongest(of landmarks: [Landmark]) -> [Landmark] {
    var result: [Landmark] = []
    result.reserveCapacity(landmarks.count)
    let thirds = LandmarkQuota.thirdCount
    var counts = [Int](repeating: 0, count: thirds * Landmark.strengthCount)
    var first = 0
    while first < landmarks.count {
      let second = LandmarkQuota.second(of: landmarks[first].column)
      for index in counts.indices { counts[index] = 0 }
      var end = first
      while end < landmarks.count, LandmarkQuota.second(of: landmarks[end].column) == second {
        counts[LandmarkQuota.third(of: landmarks[end].band) * Landmark.strengthCount + landmarks[end].strength] += 1
        end += 1
      }
      // The number of landmarks of each strength is limited, starting with the strongest.
      for third in 0..<thirds {
        var left = LandmarkQuota.share(of: referencePeaksPerSecond, third: third)
        for strength in (0..<Landmark.strengthCount).reversed() {
          let place = third * Landmark.strengthCount + strength
          counts[place] = min(counts[place], left)
          left -= counts[place]
        }
      }
      for landmark in landmarks[first..<end] {
        let place = LandmarkQuota.third(of: landmark.band) * Landmark.strengthCount + landmark.strength
        guard counts[place] > 0 else { continue }
        counts[place] -= 1
        result.append(landmark)
      }
      first = end
    }
    return result
  }
}
