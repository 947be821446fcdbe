internal import Chromaprint
internal import Foundation
internal import Landmarks

/// Further evidence for an alignment. A song shares many landmarks with its karaoke version, but the voice adds strong
/// landmarks that the karaoke version lacks.
struct Corroboration {
  private let alignment: Alignment
  private let first: ComparableSound
  private let second: ComparableSound

  init(of alignment: Alignment, _ first: ComparableSound, _ second: ComparableSound) {
    self.alignment = alignment
    self.first = first
    self.second = second
  }

  /// Share of one recording's dominant landmarks, within the stretches, that the other recording has as well: the
  /// smaller of the shares in the two directions. `nil` without signatures.
  var dominantShare: Double? {
    guard let one = first.map, let other = second.map else { return nil }
    let there = alignment.stretches.map { ($0.first, $0.second) }
    let back = alignment.stretches.map { ($0.second, $0.first) }
    return min(
      Self.share(of: one, in: other, there, speed: 1 / alignment.speed),
      Self.share(of: other, in: one, back, speed: alignment.speed))
  }

  /// - Parameter speed: Seconds of the other recording per second of this one.
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
      }) {
        found += 1
      }
    }
    return count > 0 ? Double(found) / Double(count) : 0
  }

  /// Share of one recording's clear landmarks that the other one has as well, where the two agree least: the mean over
  /// the worst tenth of the 2 s windows, in the direction in which this mean is smaller. Encoders lose about the same
  /// share of landmarks everywhere, whereas another mix or a voice adds and hides landmarks only while it sounds. `nil`
  /// without signatures, or if fewer than `minWindows` windows can be compared.
  var weakestShare: Double? {
    guard let one = first.map, let other = second.map else { return nil }
    let inner = alignment.stretches.map { inside($0) }
    let there = inner.map { ($0.first, $0.second) }
    let back = inner.map { ($0.second, $0.first) }
    guard let ours = Self.weakestShare(of: one, in: other, there, speed: 1 / alignment.speed),
      let theirs = Self.weakestShare(of: other, in: one, back, speed: alignment.speed)
    else { return nil }
    return min(ours, theirs)
  }

  /// Trims each end of a stretch beyond which a recording continues for more than `edge`, since the audio beyond that
  /// end affects the landmarks near it.
  private func inside(_ stretch: Alignment.Stretch) -> Alignment.Stretch {
    let continuesBefore = max(stretch.first.lowerBound, stretch.second.lowerBound) > Self.edge
    let rest = (
      first.sound.duration - stretch.first.upperBound, second.sound.duration - stretch.second.upperBound
    )
    let continuesAfter = max(rest.0, rest.1) > Self.edge
    func inside(_ range: Range<Double>) -> Range<Double> {
      let start = range.lowerBound + (continuesBefore ? Self.edge : 0)
      return start..<max(start, range.upperBound - (continuesAfter ? Self.edge : 0))
    }
    return Alignment.Stretch(first: inside(stretch.first), second: inside(stretch.second))
  }

  /// Minimum strength of a clear landmark: 9 dB.
  private static let clearStrength = 6
  /// Length of a window: 2 s, in columns.
  private static let windowLength = 62
  /// Minimum number of clear landmarks in a window that is compared.
  private static let minClearLandmarks = 8
  private static let minWindows = 3
  /// Duration to trim at an end of a stretch, in seconds.
  private static let edge = 2.0
  /// Share of the windows that count as the worst.
  private static let weakestPart = 0.1

  private static func weakestShare(
    of own: LandmarkMap, in other: LandmarkMap, _ stretches: [(own: Range<Double>, other: Range<Double>)], speed: Double
  ) -> Double? {
    let rate = LandmarkSpectrum.columnsPerSecond
    let bands = LandmarkBlocks.bands(atSpeed: speed)
    var shares: [Double] = []
    /// Places in the other recording where the landmarks of a window are expected.
    var expected: [(column: Int, band: Int)] = []
    func endWindow() {
      defer { expected.removeAll(keepingCapacity: true) }
      guard expected.count >= minClearLandmarks else { return }
      let counts = (-2...2).map { shift in
        expected.count { place in
          bands.contains { band in
            (-1...1).contains { other.has(place.column + shift + $0, band: place.band + band) }
          }
        }
      }
      shares.append(Double(counts.max() ?? 0) / Double(expected.count))
    }
    var window = 0
    for landmark in own.landmarks where landmark.strength >= clearStrength {
      if landmark.column / windowLength != window {
        endWindow()
        window = landmark.column / windowLength
      }
      let time = Double(landmark.column) / rate
      guard let stretch = stretches.first(where: { $0.own.contains(time) }) else { continue }
      let place = (stretch.other.lowerBound + (time - stretch.own.lowerBound) * speed) * rate
      expected.append((Int(place.rounded()), landmark.band))
    }
    endWindow()
    guard shares.count >= minWindows else { return nil }
    let worst = shares.sorted().prefix(max(1, Int((Double(shares.count) * weakestPart).rounded())))
    return worst.reduce(0, +) / Double(worst.count)
  }

  /// Similarity of the fingerprints where both cover the stretches, 0 to 1; `nil` without fingerprints, or if they
  /// cover fewer than two audible blocks of the stretches.
  var fingerprintAgreement: Double? {
    guard let own = first.sound.fingerprint, let other = second.sound.fingerprint else { return nil }
    let rate = FingerprintBlocks.framesPerSecond
    let blocks = FingerprintBlocks(own, in: other)
    var scores: [Double] = []
    for block in 0..<blocks.blockCount where blocks.isAudible(block) {
      let start = Double(block * FingerprintBlocks.length) / rate
      let end = Double((block + 1) * FingerprintBlocks.length) / rate
      guard
        let stretch = alignment.stretches.first(where: { $0.first.lowerBound <= start && end <= $0.first.upperBound })
      else { continue }
      let place = (stretch.second.lowerBound + (start - stretch.first.lowerBound) / alignment.speed - start) * rate
      let last = Double((block + 1) * FingerprintBlocks.length) + place
      guard last < Double(other.count) else { continue }
      scores.append(blocks.score(of: block, at: place, speed: 1 / alignment.speed))
    }
    return scores.count >= 2 ? scores.reduce(0, +) / Double(scores.count) : nil
  }
}
