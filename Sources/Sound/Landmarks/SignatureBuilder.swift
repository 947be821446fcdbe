/// Builds a signature from columns of levels. Except for the signature itself, it uses constant memory.
package struct SignatureBuilder {
  private var whitener = LandmarkWhitener(bandRadius: 12, columnRadius: 31)
  private var peaks = LandmarkPeaks(radius: 3)
  private var quota = LandmarkQuota(perThird: 10)
  private var encoder = SignatureEncoder()
  private var columnCount = 0
  private var found: [LandmarkPeaks.Peak] = []
  private var chosen: [LandmarkPeaks.Peak] = []

  package init() {}

  /// Processes the next column of `LandmarkSpectrum`.
  package mutating func push(_ levels: [Int32]) {
    columnCount += 1
    if whitener.push(levels.span) { takeWhitened() }
  }

  /// Completes the signature. The builder can't be used afterwards.
  package mutating func finish() -> Signature {
    while whitener.drain() { takeWhitened() }
    peaks.finish(into: &found)
    choose()
    quota.flush(into: &chosen)
    encode()
    return Signature(encoder: encoder, columnCount: columnCount)
  }

  private mutating func takeWhitened() {
    peaks.push(whitener.whitened, into: &found)
    choose()
    encode()
  }

  private mutating func choose() {
    for peak in found { quota.push(peak, into: &chosen) }
    found.removeAll(keepingCapacity: true)
  }

  private mutating func encode() {
    for peak in chosen {
      encoder.append(
        Landmark(column: peak.column, band: peak.band, strength: Landmark.strength(ofDecibels: peak.strength)))
    }
    chosen.removeAll(keepingCapacity: true)
  }
}
