internal import Chromaprint
internal import Foundation
internal import Landmarks

/// What else an alignment must explain: a voice over a karaoke version leaves many landmarks of that where they were, but it
/// brings strong ones of its own.
struct Corroboration {
  private let alignment: Alignment
  private let first: ComparableSound
  private let second: ComparableSound

  init(of alignment: Alignment, _ first: ComparableSound, _ second: ComparableSound) {
    self.alignment = alignment
    self.first = first
    self.second = second
  }

  /// The share of the dominant landmarks on the stretches of one sound that are in the other one, too: the lesser one of
  /// both directions. `nil` without signatures.
  var dominantShare: Double? {
    guard let one = first.map, let other = second.map else { return nil }
    let there = alignment.stretches.map { ($0.first, $0.second) }
    let back = alignment.stretches.map { ($0.second, $0.first) }
    return min(
      Self.share(of: one, in: other, there, speed: 1 / alignment.speed),
      Self.share(of: other, in: one, back, speed: alignment.speed))
  }

  /// - Parameter speed: Seconds of the other sound for each second of this one.
  private static func share(
    of own: LandmarkMap, in other: LandmarkMap, _ stretches: [(own: Range<Double>, other: Range<Double>)], speed: Double
  ) -> Double {
    let rate = LandmarkSpectrum.columnsPerSecond
    let bands = LandmarkBlocks.bands(atSpeed: speed)
    var (count, found) = (0, 0)
    for landmark in SketchKeys.dominant(own.landmarks) {
      let time = Double(landmark.column) / rate
      guard let stretch = stretches.first(where: { $0.own.contains(time) }) else { continue }
      let column = Int(((stretch.other.lowerBound + (time - stretch.own.lowerBound) * speed) * rate).rounded())
      count += 1
      if bands.contains(where: { band in
        (-3...3).contains { other.has(column + $0, band: landmark.band + band) }
      }) { found += 1 }
    }
    return count > 0 ? Double(found) / Double(count) : 0
  }

  /// How alike the fingerprints are where both cover the stretches, 0 to 1; `nil` where they do not.
  var fingerprintAgreement: Double? {
    guard let own = first.sound.fingerprint, let other = second.sound.fingerprint else { return nil }
    let rate = FingerprintBlocks.framesPerSecond
    let blocks = FingerprintBlocks(own, in: other)
    var scores: [Double] = []
    for block in 0..<blocks.blockCount where blocks.isAudible(block) {
      let start = Double(block * FingerprintBlocks.length) / rate
      let end = Double((block + 1) * FingerprintBlocks.length) / rate
      guard let stretch = alignment.stretches.first(where: { $0.first.lowerBound <= start && end <= $0.first.upperBound })
      else { continue }
      let place = (stretch.second.lowerBound + (start - stretch.first.lowerBound) / alignment.speed - start) * rate
      let last = Double((block + 1) * FingerprintBlocks.length) + place
      guard last < Double(other.count) else { continue }
      scores.append(blocks.score(of: block, at: place, speed: 1 / alignment.speed))
    }
    return scores.count >= 2 ? scores.reduce(0, +) / Double(scores.count) : nil
  }
}
