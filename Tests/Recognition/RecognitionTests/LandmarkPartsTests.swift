import AnalysisTesting
import Foundation
import Testing

@testable import Landmarks

/// The steps to landmarks, compared with their definitions.
@Suite(.bounded) struct LandmarkPartsTests {
  private static let bandCount = LandmarkSpectrum.bandCount

  // MARK: - Spectrum

  @Test func levelsAreDecibels() {
    var random = SplitMix64(seed: 3)
    var powers: [Float] = [0, 1e-8, 1e-7, 1e-3, 0.5, 1, 1.5, 2, 1_000, 3e9]
    for _ in 0..<400 { powers.append(powf(10, 6 * random.nextSample() - 2)) }
    for power in powers {
      let found = LandmarkSpectrum.levels(ofPowers: SIMD8(repeating: power))[7]
      let expected = 256 * 10 * log10(Double(power) + 1e-7)
      #expect(abs(Double(found) - expected) <= 0.6, "\(power)")
    }
    for power in [Float.nan, .infinity, -.infinity] {
      let found = LandmarkSpectrum.levels(ofPowers: SIMD8(repeating: power))[0]
      if power != -.infinity { #expect(abs(found + 17_920) <= 1) }
    }
  }

  /// Triangles of a 36th of an octave to each side, but at least of a bin.
  @Test func bandsAreTriangles() {
    let spectrum = LandmarkSpectrum()
    let binWidth = 8_000.0 / 2_048
    var random = SplitMix64(seed: 5)
    for _ in 0..<4 {
      let power = (0..<1_025).map { _ in abs(random.nextSample()) + 0.01 }
      var levels = [Int32](repeating: 0, count: Self.bandCount)
      spectrum.levels(of: power.span, into: &levels)
      for band in 0..<Self.bandCount {
        let center = 250 * exp2(Double(band) / 36)
        let half = max(binWidth, center * (exp2(1 / 36.0) - 1))
        var (sum, weights) = (0.0, 0.0)
        for bin in power.indices {
          let weight = max(0, 1 - abs(Double(bin) * binWidth - center) / half)
          sum += weight * Double(power[bin])
          weights += weight
        }
        #expect(abs(Double(levels[band]) - 2_560 * log10(sum / weights + 1e-7)) < 2, "band \(band)")
      }
    }
  }

  // MARK: - Whitening

  @Test(arguments: [(12, 31, 100), (12, 31, 20), (2, 3, 9), (2, 3, 3), (1, 1, 1), (200, 2, 12)])
  func whiteningSubtractsTheMeanOfABox(bandRadius: Int, columnRadius: Int, count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    let columns = (0..<count).map { _ in
      (0..<Self.bandCount).map { _ in Int32.random(in: -20_000...9_000, using: &random) }
    }
    var whitener = LandmarkWhitener(bandRadius: bandRadius, columnRadius: columnRadius)
    var found: [[Float]] = []
    for (index, column) in columns.enumerated() {
      let isReady = whitener.push(column.span)
      #expect(isReady == (index >= columnRadius))
      if isReady { found.append(whitener.whitened) }
    }
    while whitener.drain() { found.append(whitener.whitened) }
    #expect(found.count == count && !whitener.drain())
    for (index, column) in columns.enumerated() {
      let near = columns[max(0, index - columnRadius)...min(count - 1, index + columnRadius)]
      for band in stride(from: index % 17, to: Self.bandCount, by: 17) {
        let bands = max(0, band - bandRadius)...min(Self.bandCount - 1, band + bandRadius)
        let sum = near.reduce(0) { $0 + $1[bands].reduce(0) { $0 + Int($1) } }
        let mean = Double(sum) / Double(near.count * bands.count)
        #expect(abs(Double(found[index][band]) - (Double(column[band]) - mean) / 256) < 0.001)
      }
    }
  }

  // MARK: - Peaks

  private static func vertex(_ left: Float?, _ center: Float, _ right: Float?) -> Float {
    guard let left, let right, left - 2 * center + right < 0 else { return 0 }
    return min(max(0.5 * (left - right) / (left - 2 * center + right), -0.5), 0.5)
  }

  /// Columns of few different values, so that many are equal.
  @Test(arguments: [(3, 40, 9), (3, 3, 4), (3, 1, 30), (1, 12, 3), (2, 25, 40)])
  func peaksAreTheLargestNearby(radius: Int, count: Int, steps: Int) {
    var random = SplitMix64(seed: UInt64(steps))
    let columns = (0..<count).map { _ in
      (0..<Self.bandCount).map { _ in Float(Int.random(in: -steps / 2...steps, using: &random)) / 2 }
    }
    var peaks = LandmarkPeaks(radius: radius)
    var found: [LandmarkPeaks.Peak] = []
    for column in columns { peaks.push(column, into: &found) }
    peaks.finish(into: &found)
    var expected: [LandmarkPeaks.Peak] = []
    for column in 0..<count {
      for band in 0..<Self.bandCount {
        let value = columns[column][band]
        let bands = max(0, band - radius)...min(Self.bandCount - 1, band + radius)
        let isEarliest = columns[max(0, column - radius)..<column].allSatisfy { $0[bands].allSatisfy { value > $0 } }
        let isLargest = columns[column...min(count - 1, column + radius)].allSatisfy {
          $0[bands].allSatisfy { value >= $0 }
        }
        guard value > 0, isEarliest, isLargest else { continue }
        func at(_ column: Int, _ band: Int) -> Float? {
          columns.indices.contains(column) && (0..<Self.bandCount).contains(band) ? columns[column][band] : nil
        }
        expected.append(
          LandmarkPeaks.Peak(
            column: column, band: band, strength: value,
            columnOffset: Self.vertex(at(column - 1, band), value, at(column + 1, band)),
            bandOffset: Self.vertex(at(column, band - 1), value, at(column, band + 1))))
      }
    }
    #expect(found.map { [$0.column, $0.band] } == expected.map { [$0.column, $0.band] })
    #expect(
      found.map { [$0.strength, $0.columnOffset, $0.bandOffset] }
        == expected.map { [$0.strength, $0.columnOffset, $0.bandOffset] })
  }

  // MARK: - Quota

  @Test func partsOfBandsAndSeconds() {
    #expect((0..<3).map { LandmarkQuota.share(of: 30, third: $0) } == [10, 10, 10])
    #expect((0..<3).map { LandmarkQuota.share(of: 31, third: $0) } == [11, 10, 10])
    #expect((0..<3).map { LandmarkQuota.share(of: 32, third: $0) } == [11, 11, 10])
    #expect([0, 45, 46, 91, 92, 137].map(LandmarkQuota.third) == [0, 0, 1, 1, 2, 2])
    #expect([0, 31, 32, 62, 63, 93, 94, 124, 125].map(LandmarkQuota.second) == [0, 0, 1, 1, 2, 2, 3, 3, 4])
  }

  @Test(arguments: [1, 4, 10]) func theStrongestPeaksAreKept(perThird: Int) {
    var random = SplitMix64(seed: 8)
    // Strengths are all different.
    let peaks = (0..<300).map { number in
      LandmarkPeaks.Peak(
        column: number / 2, band: number % 2 * 60 + Int.random(in: 0..<60, using: &random),
        strength: Float(number * 7_919 % 3_001), columnOffset: 0, bandOffset: 0)
    }
    var quota = LandmarkQuota(perThird: perThird)
    var chosen: [LandmarkPeaks.Peak] = []
    for peak in peaks { quota.push(peak, into: &chosen) }
    quota.flush(into: &chosen)
    let groups = Dictionary(grouping: peaks) {
      [LandmarkQuota.second(of: $0.column), LandmarkQuota.third(of: $0.band)]
    }
    let kept = groups.values.flatMap { $0.sorted { $0.strength > $1.strength }.prefix(perThird) }
    let expected = kept.map { [$0.column, $0.band] }.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }
    #expect(chosen.map { [$0.column, $0.band] } == expected)
    quota.flush(into: &chosen)
    #expect(chosen.count == expected.count)
  }

  /// Equally strong peaks are kept in the order of time.
  @Test func equalPeaksAreKeptInOrder() {
    var quota = LandmarkQuota(perThird: 2)
    var chosen: [LandmarkPeaks.Peak] = []
    for column in 0..<4 {
      quota.push(
        LandmarkPeaks.Peak(column: column, band: 3, strength: 5, columnOffset: 0, bandOffset: 0), into: &chosen)
    }
    #expect(chosen.isEmpty)
    quota.flush(into: &chosen)
    #expect(chosen.map(\.column) == [0, 1])
  }

  // MARK: - Signatures

  @Test func strengthsHaveSteps() {
    for (decibels, strength) in [(-3, 0), (0, 0), (1.49, 0), (1.5, 1), (22.4, 14), (22.5, 15), (90, 15)]
      as [(Float, Int)]
    {
      #expect(Landmark.strength(ofDecibels: decibels) == strength)
    }
  }

  /// Distances at which a landmark needs no skip, one, or two.
  @Test(arguments: [(28, 1), (29, 2), (1_504, 2), (1_505, 2), (1_532, 2), (1_533, 3), (3_008, 3), (3_037, 4)])
  func distantLandmarks(distance: Int, codes: Int) throws {
    let landmarks = [
      Landmark(column: 5, band: 137, strength: 15), Landmark(column: 5 + distance, band: 0, strength: 0),
      Landmark(column: 5 + distance, band: 137, strength: 3),
    ]
    let signature = Signature(landmarks: landmarks, columnCount: 6 + distance)
    #expect(signature.landmarks == landmarks && signature.landmarkCount == 3)
    #expect(signature.bodyBytes.count == 2 * (2 + codes))
    #expect(try Signature(bytes: signature.bytes) == signature)
    #expect(try Signature(body: signature.bodyBytes, columnCount: 6 + distance) == signature)
    // The last landmark would be outside.
    #expect(throws: SignatureError.damaged) { try Signature(body: signature.bodyBytes, columnCount: 5 + distance) }
  }

  @Test func slicesHaveTheirOwnColumns() {
    let landmarks = (0..<100).map { Landmark(column: $0, band: $0, strength: 1) }
    let signature = Signature(landmarks: landmarks, columnCount: 100)
    #expect(abs(signature.duration - 3.2) < 1e-9)
    // Columns are 32 ms long.
    for (start, end, columns) in [
      (0.32, 0.64, 10..<20), (0.33, 0.655, 10..<20), (0.337, 0.657, 11..<21), (-1, 0.064, 0..<2), (3.136, 9, 98..<100),
      (1, 0.5, 31..<31), (5, 6, 100..<100),
    ] {
      let slice = signature.slice(from: start, to: end)
      #expect(slice.columnCount == columns.count)
      #expect(slice.landmarks == columns.map { Landmark(column: $0 - columns.lowerBound, band: $0, strength: 1) })
    }
  }

  @Test func bytesHaveAHeader() throws {
    let signature = Signature(landmarks: [Landmark(column: 258, band: 3, strength: 2)], columnCount: 0x01_02_03)
    let bytes = signature.bytes
    #expect(Array(bytes[..<16]) == Array("NSig".utf8) + [1, 0, 0, 0, 3, 2, 1, 0, 1, 0, 0, 0])
    #expect(bytes.count == 20 + signature.bodyBytes.count)
    var other = bytes
    other[4] = 2
    #expect(throws: SignatureError.otherVersion(2)) { try Signature(bytes: other) }
    #expect(throws: SignatureError.notASignature) { try Signature(bytes: Array(bytes[..<19])) }
    #expect(try Signature(bytes: Signature(landmarks: [Landmark](), columnCount: 0).bytes).columnCount == 0)
    #expect(throws: SignatureError.damaged) { try Signature(body: [0], columnCount: 9) }
    #expect("\(SignatureError.otherVersion(2))".contains("version 2, but this program reads version 1"))
  }

  /// Codes are decoded in parts: until a column, or until there is no more room.
  @Test func codesAreDecodedInParts() {
    let landmarks = (0..<20).map { Landmark(column: 40 * $0, band: $0, strength: $0 % 16) }
    let bytes = Signature(landmarks: landmarks, columnCount: 900).bodyBytes
    var (next, column, found) = (0, 0, [PackedLandmark]())
    for _ in 0..<9 {
      let part = [PackedLandmark](unsafeUninitializedCapacity: 3) { buffer, count in
        buffer.initialize(repeating: PackedLandmark(landmarks[0]))
        count = bytes.withUnsafeBytes {
          SignatureCoding.decode($0, next: &next, column: &column, until: 481, into: buffer)
        }
      }
      found += part
    }
    #expect(found == landmarks.prefix(13).map(PackedLandmark.init))
    #expect(column >= 481)
  }
}
