import AnalysisTesting
import DSP
import Glibc
import Testing

@Suite(.bounded) struct VectorMathTests {
  private static let sizes = [0, 1, 7, 8, 9, 15, 16, 17, 31, 33]

  @Test(arguments: sizes) func sumsUseWholeVectors(count: Int) {
    let values = noise(count + 6)
    for first in [0, 1, 5] {
      let end = first + count
      let (sums, next) = sumsOfEight(values.span, from: first, to: end)
      #expect(next == first + count / 8 * 8)
      for lane in 0..<8 {
        let expected = stride(from: first + lane, to: next, by: 8).reduce(Float(0)) { $0 + values[$1] }
        #expect(sums[lane] == expected)
      }
    }
  }

  @Test(arguments: sizes) func theLargestIsFoundAnywhere(count: Int) {
    #expect(largest(of: [Float](repeating: -1, count: count).span) == 0)
    for place in 0..<count {
      var values = noise(count).map { 0.5 * $0 }
      values[place] = 0.75
      #expect(largest(of: values.span) == 0.75)
      values[place] = .nan
      let rest = values.filter { !$0.isNaN }.max() ?? 0
      #expect(largest(of: values.span) == max(0, rest))
    }
  }

  private func areBelow(_ samples: [Float]) -> Bool { areBelowTwo(samples.span) }

  @Test(arguments: sizes) func samplesBelowTwo(count: Int) {
    let usual: [Float] = [1.999_999_9, -1.999_999_9, 0, -0.0, .leastNonzeroMagnitude]
    #expect(areBelow((0..<count).map { usual[$0 % usual.count] }))
    for place in 0..<count {
      for value: Float in [2, -2, .infinity, -.infinity, .nan, 1e30] {
        var values = noise(count)
        values[place] = value
        #expect(!areBelow(values), "\(value) at \(place)")
      }
    }
  }

  @Test func logarithmsAreAccurate() {
    var x: Float = 1e-37
    while x < 1e37 {
      let values = SIMD8<Float>((0..<8).map { x * (1 + Float($0) / 7) })
      let found = naturalLog(values)
      for lane in 0..<8 { #expect(abs(Double(found[lane]) - log(Double(values[lane]))) < 2e-5) }
      x *= 1.7
    }
    #expect(naturalLog(SIMD8(repeating: 1))[0] == 0)
  }

  @Test func numbersAreRounded() {
    #expect(1.2345.rounded(toPlaces: 2) == 1.23 && 1.235.rounded(toPlaces: 0) == 1)
    #expect((-0.05).rounded(toPlaces: 1) == -0.1 && 12.5.rounded(toPlaces: 0) == 13)
  }

  // MARK: - Series

  private struct Sum: Mergeable, Equatable {
    var first: Int
    var count = 1
    mutating func merge(_ next: Sum) { count += next.count }
  }

  @Test(arguments: [2, 4, 6]) func seriesAreBounded(limit: Int) {
    for total in 0...60 {
      var series = BoundedSeries<Sum>(limit: limit)
      for number in 0..<total { series.append(Sum(first: number)) }
      var merged = 1
      while (total + merged - 1) / merged > limit { merged *= 2 }
      #expect(series.merged == merged && series.limit == limit)
      let expected = stride(from: 0, to: total, by: merged).map { Sum(first: $0, count: min(merged, total - $0)) }
      #expect(series.elements == expected, "\(total) of \(limit)")
    }
  }

  @Test func groupsMayBeShorterAtTheEnd() {
    var series = BoundedSeries<Sum>(limit: 10)
    for number in 0..<7 { series.append(Sum(first: number)) }
    #expect(series.grouped(by: 3) == [Sum(first: 0, count: 3), Sum(first: 3, count: 3), Sum(first: 6, count: 1)])
    #expect(series.grouped(by: 1) == series.elements && series.grouped(by: 7) == [Sum(first: 0, count: 7)])
    #expect(series.grouped(by: 100).count == 1 && BoundedSeries<Sum>(limit: 2).grouped(by: 2).isEmpty)
  }

  // MARK: - Peaks

  @Test func peaksAreInterpolated() {
    let peak = peaks(of: ([0, 1, 2, 1.5, 0] as [Float]).span)
    // The parabola through (1, 1), (2, 2) and (3, 1.5).
    #expect(peak.count == 1 && abs(peak[0].position - (2 + 1.0 / 6)) < 1e-6)
    #expect(abs(Double(peak[0].value) - (2 + 1.0 / 48)) < 1e-6)
    let circle = peaks(of: ([3, 1, 0, 2] as [Float]).span, isCircular: true)
    #expect(circle.count == 1 && abs(circle[0].position + 1.0 / 6) < 1e-6)
    let end = peaks(of: ([2, 0, 1, 3] as [Float]).span, isCircular: true)
    #expect(end.count == 1 && abs(end[0].position - (3 + 1.0 / 6)) < 1e-6)
  }

  @Test func equalPeaksStayInOrder() {
    let curve: [Float] = [0, 1, 0, 1, 0, 2, 0, 1, 0]
    #expect(peaks(of: curve.span).map(\.position) == [5, 1, 3, 7])
    #expect(peaks(of: curve.span, limit: 4).count == 4 && peaks(of: curve.span, limit: 0).isEmpty)
    for short: [Float] in [[], [1], [0, 1]] {
      #expect(peaks(of: short.span).isEmpty && peaks(of: short.span, isCircular: true).isEmpty)
    }
    // The first sample of a plateau counts, also if the curve falls only later.
    #expect(peaks(of: ([0, 1, 1, 0] as [Float]).span).map { Int($0.position) } == [1])
    #expect(peaks(of: ([0, 1, 1, 2, 0] as [Float]).span).map { Int($0.position.rounded()) } == [3, 2])
  }

  // MARK: - Filter banks

  /// Weights of triangles by their definition.
  @Test func bandsAreTriangles() {
    let frequencies: [Float] = [0, 35, 90, 120, 128, 131, 250, 252, 255, 700, 1_000]
    let (width, binCount): (Float, Int) = (10, 81)
    let bank = FilterBank(frequencies: frequencies, binWidth: width, binCount: binCount)
    #expect(bank.count == frequencies.count - 2 && bank.centers == Array(frequencies.dropFirst().dropLast()))
    for bin in 0..<binCount {
      var spectrum = [Float](repeating: 0, count: binCount)
      spectrum[bin] = 1
      var bands = [Float](repeating: 9, count: bank.count)
      var span = bands.mutableSpan
      bank.apply(to: spectrum.span, into: &span)
      for band in 0..<bank.count {
        let (low, center, high) = (frequencies[band], frequencies[band + 1], frequencies[band + 2])
        func weight(_ bin: Int) -> Float {
          let frequency = Float(bin) * width
          return max(0, min((frequency - low) / (center - low), (high - frequency) / (high - center)))
        }
        let sum = (0..<binCount).reduce(Float(0)) { $0 + weight($1) }
        let nearest = Int((center / width).rounded())
        let expected = sum > 0 ? weight(bin) / sum : bin == nearest ? 1 : 0
        #expect(abs(bands[band] - expected) < 1e-6, "bin \(bin), band \(band)")
      }
    }
  }

  // MARK: - Histograms

  @Test func loudnessAndPowerAreInverse() {
    #expect(abs(LoudnessHistogram.loudness(ofPower: 1) + 0.691) < 1e-12)
    #expect(abs(LoudnessHistogram.loudness(ofPower: 0.1) + 10.691) < 1e-12)
    #expect(abs(LoudnessHistogram.power(ofLoudness: -0.691) - 1) < 1e-12)
    #expect(abs(LoudnessHistogram.power(ofLoudness: LoudnessHistogram.loudness(ofPower: 0.37)) - 0.37) < 1e-12)
    #expect(LoudnessHistogram.loudness(ofPower: 0) == -.infinity)
  }

  private func histogram(_ blocks: [(loudness: Double, count: Int)]) -> LoudnessHistogram {
    var histogram = LoudnessHistogram()
    for block in blocks { for _ in 0..<block.count { histogram.add(block.loudness) } }
    return histogram
  }

  /// Blocks up to 10 LU below the mean count. These levels are in the middle of bins.
  @Test func theRelativeGateIsTenBelow() throws {
    let level = -20.01
    let loud = LoudnessHistogram.power(ofLoudness: level)
    for (below, isCounted) in [(9.9, true), (10.1, false)] {
      // Few quiet blocks hardly change the mean.
      let quiet = LoudnessHistogram.power(ofLoudness: level - below)
      let found = try #require(histogram([(level, 1_000), (level - below, 5)]).integrated)
      let both = LoudnessHistogram.loudness(ofPower: (1_000 * loud + 5 * quiet) / 1_005)
      #expect(abs(found - (isCounted ? both : level)) < 0.002)
      #expect(abs(found - (isCounted ? level : both)) > 0.01)
    }
  }

  @Test func theRangeIsBetweenPercentiles() throws {
    func range(_ blocks: [(loudness: Double, count: Int)]) -> Double { histogram(blocks).range ?? .nan }
    // The 10th and the 95th of 101 steps of 0.1 LU.
    let blocks = (0...100).map { (loudness: -30 + Double($0) / 10 + 0.01, count: 1) }
    #expect(abs(range(blocks) - 8.5) < 0.001)
    #expect(abs(range(blocks + [(loudness: -60.01, count: 300)]) - 8.5) < 0.001)
    #expect(range([(-20.01, 1)]) == 0)
    // Blocks up to 20 LU below the mean count.
    #expect(abs(range([(-20.01, 80), (-40.91, 20)]) - 20.9) < 0.001)
    #expect(range([(-20.01, 80), (-41.11, 20)]) == 0)
  }

  @Test(
    arguments: [
      ([(-69.999, 1)], [0, 1]), ([(-69.97, 1)], [1, 1]), ([(-69.999, 1), (-69.97, 2)], [0, 1, 0, 2]),
      ([(-67.43, 127)], [0x80, 1, 127]), ([(-67.45, 128)], [127, 0x80, 1]), ([(50.1, 1)], [0xEF, 0x2E, 1]),
      ([(49.99, 1)], [0xEF, 0x2E, 1]), ([(49.97, 1)], [0xEE, 0x2E, 1]),
    ] as [([(Double, Int)], [UInt8])]) func histogramsAreBytes(blocks: [(Double, Int)], bytes: [UInt8])
  {
    let found = histogram(blocks.map { (loudness: $0.0, count: $0.1) })
    #expect(found.bytes == bytes && LoudnessHistogram(bytes: bytes) == found)
  }

  @Test(
    arguments: [
      ([0xEF, 0x2E, 1], true), ([0xF0, 0x2E, 1], false), ([0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], true),
      ([0, 0xFF, 0xFF, 0xFF, 0xFF, 0x10], false), ([0, 0x80, 0x80, 0x80, 0x80, 0x80, 0], false), ([0, 0x80], false),
      ([0], false), ([0, 1, 0xEE, 0x2E, 1], true), ([0, 1, 0xEF, 0x2E, 1], false),
    ] as [([UInt8], Bool)]) func bytesOfHistogramsHaveLimits(bytes: [UInt8], isHistogram: Bool)
  {
    #expect((LoudnessHistogram(bytes: bytes) != nil) == isHistogram)
  }
}
