import AnalysisTesting
import CKernels
import Glibc
import Testing

/// The loops in C that measure samples, compared with their definitions.
@Suite(.bounded) struct SampleKernelTests {
  private func random(_ count: Int, _ generator: inout SplitMix64) -> [Float] {
    (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
  }

  private func isNear(_ found: Float, _ expected: Double, within tolerance: Double = 1e-4) -> Bool {
    abs(Double(found) - expected) <= tolerance * max(1, abs(expected))
  }

  // MARK: - Cells

  @Test(arguments: [0, 1, 7, 8, 9, 17]) func unusualSamplesAreReplaced(count: Int) {
    let limits: [Float] = [1e6, -1e6, Float(1e6).nextUp, -Float(1e6).nextUp, .nan, .infinity, -.infinity, 0, -0.5]
    for shift in limits.indices {
      let source = (0..<count).map { limits[(shift + $0) % limits.count] }
      let expected = source.map { abs($0) <= 1e6 ? $0 : 0 } + [9]
      var target = [Float](repeating: 9, count: count + 1)
      csamplecells_copy(source + [7], count, &target)
      #expect(target == expected)
      // The target may begin before the source in the same array.
      var whole = [1, 2, 3] + source
      whole.withUnsafeMutableBufferPointer { csamplecells_copy($0.baseAddress! + 3, count, $0.baseAddress!) }
      #expect(Array(whole.prefix(count)) == Array(expected.dropLast()))
    }
  }

  @Test(arguments: [0, 1, 4]) func measuresOfCells(cellCount: Int) {
    var generator = SplitMix64.fresh()
    let length = CSAMPLECELLS_LENGTH
    var samples = random(cellCount * length + 4, &generator)
    for index in samples.indices where Int.random(in: 0..<8, using: &generator) == 0 { samples[index] = 0 }
    var cells = [csamplecells_cell](repeating: csamplecells_cell(), count: cellCount + 1)
    samples.withUnsafeBufferPointer { csamplecells_measure($0.baseAddress! + 2, cellCount, &cells) }
    for cell in 0..<cellCount {
      let own = (0..<length).map { cell * length + 2 + $0 }
      let x = samples.map(Double.init)
      let found = cells[cell]
      #expect(isNear(found.sum, own.reduce(0) { $0 + x[$1] }))
      #expect(isNear(found.squares, own.reduce(0) { $0 + x[$1] * x[$1] }))
      #expect(isNear(found.steps, own.reduce(0) { $0 + (x[$1] - x[$1 - 1]) * (x[$1] - x[$1 - 1]) }))
      #expect(found.largest == own.map { samples[$0] }.max() && found.smallest == own.map { samples[$0] }.min())
      #expect(Int(found.zeros) == own.count { samples[$0] == 0 })
      let residuals = own.map { index in
        let (inner, outer) = (x[index - 1] + x[index + 1], x[index - 2] + x[index + 2])
        return abs((4 * inner - outer) / 6 - x[index])
      }
      #expect(isNear(found.residual, residuals.max() ?? 0))
    }
    #expect(cells[cellCount].squares == 0)
  }

  /// The largest and the smallest sample may be anywhere.
  @Test func extremesAreFound() {
    for place in 0..<CSAMPLECELLS_LENGTH {
      for sign: Float in [1, -1] {
        var samples = [Float](repeating: 0.25 * sign, count: CSAMPLECELLS_LENGTH + 4)
        samples[2 + place] = sign
        var cell = csamplecells_cell()
        samples.withUnsafeBufferPointer { csamplecells_measure($0.baseAddress! + 2, 1, &cell) }
        #expect(cell.largest == max(sign, 0.25 * sign) && cell.smallest == min(sign, 0.25 * sign) && cell.zeros == 0)
      }
    }
  }

  @Test(arguments: [0, 1, 3]) func channelsAreCompared(cellCount: Int) {
    var generator = SplitMix64.fresh()
    let count = cellCount * CSAMPLECELLS_LENGTH
    let (left, right) = (random(count, &generator), random(count, &generator))
    var quarters = [Float](repeating: 9, count: 4 * cellCount + 1)
    var totals: [Float] = [9, 9]
    csamplecells_compare(left, right, cellCount, &quarters, &totals)
    var (means, sides) = (0.0, 0.0)
    var sums = [Double](repeating: 0, count: 4 * cellCount)
    for index in 0..<count {
      let mean = (Double(left[index]) + Double(right[index])) / 2
      let side = (Double(left[index]) - Double(right[index])) / 2
      sums[index / CSAMPLECELLS_QUARTER] += mean
      means += mean * mean
      sides += side * side
    }
    #expect(zip(quarters, sums).allSatisfy { isNear($0, $1) } && quarters.last == 9)
    #expect(isNear(totals[0], means) && isNear(totals[1], sides))
  }

  @Test(arguments: [0, 8, 2048]) func anchorsHaveHashes(count: Int) {
    var generator = SplitMix64.fresh()
    // Few different values, so that neighbors are often equal.
    let samples = (0..<count + 3).map { _ in Float(Int.random(in: -6...6, using: &generator)) / 32_768 }
    var places = [Int32](repeating: 0, count: count + 1)
    var hashes = [UInt32](repeating: 0, count: count + 1)
    let found = csamplecells_find_anchors(samples, count, &places, &hashes)
    var expected: [(place: Int, hash: UInt32)] = []
    let bits = samples.map(\.bitPattern)
    for place in 0..<count {
      let one = bits[place] &* 0x9e37_79b1 ^ bits[place + 1] &* 0x85eb_ca6b
      let other = bits[place + 2] &* 0xc2b2_ae35 ^ bits[place + 3] &* 0x27d4_eb2f
      let hash = (one ^ other &* 0x1656_67b1) &* 0x9e37_79b1
      if hash >> 27 == 0, samples[place] != samples[place + 1] { expected.append((place, hash)) }
    }
    #expect(found == expected.count && (count < 2048 || found > 0))
    #expect(zip(places, expected).allSatisfy { Int($0) == $1.place })
    #expect(zip(hashes, expected).allSatisfy { $0 == $1.hash })
  }

  @Test(arguments: [0, 4, 8, 20], [0, 3, 8]) func correlationsAndFilters(count: Int, order: Int) {
    var generator = SplitMix64.fresh()
    let samples = (0..<count).map { _ in Double.random(in: -1...1, using: &generator) }
    let padded = samples + [Double](repeating: 0, count: order + 1)
    var r = [Double](repeating: 9, count: order + 2)
    csamplecells_autocorrelate(padded, count, order, &r)
    for lag in 0...order {
      let expected = (0..<count).reduce(0.0) { $0 + padded[$1] * padded[min($1 + lag, padded.count - 1)] }
      #expect(abs(r[lag] - expected) < 1e-9)
    }
    #expect(r[order + 1] == 9)
    let before = (0..<order).map { _ in Double.random(in: -1...1, using: &generator) }
    let h = (0...order).map { _ in Double.random(in: -1...1, using: &generator) }
    let whole = before + samples
    var result = [Double](repeating: 9, count: count + 1)
    (whole + [0]).withUnsafeBufferPointer { csamplecells_filter($0.baseAddress! + order, count, h, order, &result) }
    for n in 0..<count {
      let expected = (0...order).reduce(0.0) { $0 + h[$1] * whole[order + n - $1] }
      #expect(abs(result[n] - expected) < 1e-9)
    }
    #expect(result[count] == 9)
  }

  // MARK: - Peaks and bands

  /// Coefficients of a windowed sinc, for each tap and phase.
  private static let coefficients: [[Double]] = (0..<CTRUEPEAK_TAPS).map { tap in
    (0..<CTRUEPEAK_PHASES).map { phase in
      let distance = Double(tap) - Double(CTRUEPEAK_TAPS / 2 - 1) - Double(phase) / Double(CTRUEPEAK_PHASES)
      let window = cos(Double.pi * distance / Double(CTRUEPEAK_TAPS + 2))
      return distance == 0 ? 1 : sin(Double.pi * distance) / (Double.pi * distance) * window * window
    }
  }

  private static var interpolator: ctruepeak_interpolator {
    var result = ctruepeak_interpolator()
    let table = coefficients
    withUnsafeMutableBytes(of: &result.coefficients) { bytes in
      let floats = bytes.bindMemory(to: Float.self)
      for (index, value) in table.joined().enumerated() { floats[index] = Float(value) }
    }
    let skipped = (CTRUEPEAK_TAPS - CTRUEPEAK_MIDDLE_TAPS) / 2
    let every = CTRUEPEAK_PHASES / CTRUEPEAK_MIDDLE_PHASES
    withUnsafeMutableBytes(of: &result.middle) { bytes in
      let floats = bytes.bindMemory(to: Float.self)
      for tap in 0..<CTRUEPEAK_MIDDLE_TAPS {
        for phase in 0..<CTRUEPEAK_MIDDLE_PHASES {
          floats[tap * CTRUEPEAK_MIDDLE_PHASES + phase] = Float(table[skipped + tap][every * phase])
        }
      }
    }
    let inside = skipped..<(skipped + CTRUEPEAK_MIDDLE_TAPS)
    let beside = [CTRUEPEAK_TAPS / 2 - 1, CTRUEPEAK_TAPS / 2]
    for phase in 0..<CTRUEPEAK_PHASES {
      let column = table.map { $0[phase] }
      let all = column.reduce(0) { $0 + abs($1) }
      let near = beside.reduce(0) { $0 + abs(column[$1]) }
      let rest = (0..<CTRUEPEAK_MIDDLE_PHASES).map { tried in
        table.indices.reduce(0.0) { sum, tap in
          sum + abs(column[tap] - (inside.contains(tap) ? table[tap][every * tried] : 0))
        }
      }
      result.bound = max(result.bound, Float(all))
      result.bound_beside = max(result.bound_beside, Float(near))
      result.bound_of_others = max(result.bound_of_others, Float(all - near))
      result.bound_of_rest = max(result.bound_of_rest, Float(rest.min() ?? 0))
    }
    return result
  }

  /// Nothing that is passed over contains a larger peak.
  @Test(arguments: [1, 8, 9, 31, 32, 33, 64, 100, 200]) func peaksBetweenSamples(count: Int) {
    var generator = SplitMix64.fresh()
    var interpolator = Self.interpolator
    for round in 0..<6 {
      let length = CTRUEPEAK_TAPS - 1 + count
      // Bursts of different levels, whose peaks are between samples.
      var level: Float = 0
      let samples = (0..<length).map { index -> Float in
        if index % 12 == 0 { level = Float.random(in: 0...1, using: &generator) }
        let noise = Float.random(in: -0.1...0.1, using: &generator)
        return level * Float(sin(Double(index) * 1.6 + Double(round)) + Double(noise))
      }
      let largest = samples.map(abs).max() ?? 0
      var between = 0.0
      for step in 0..<count {
        for phase in 0..<CTRUEPEAK_PHASES {
          var point = 0.0
          for tap in 0..<CTRUEPEAK_TAPS { point += Double(samples[step + tap]) * Self.coefficients[tap][phase] }
          between = max(between, abs(point))
        }
      }
      for start: Float in [0, 0.6, 5] {
        var (peak, samplePeak): (Float, Float) = (start, start / 2)
        ctruepeak_raise(&interpolator, samples, count, &peak, &samplePeak)
        #expect(samplePeak == max(start / 2, largest))
        #expect(isNear(peak, max(Double(max(start, largest)), between), within: 1e-5))
      }
    }
  }

  @Test func withoutStepsOnlySamplesCount() {
    var interpolator = Self.interpolator
    var samples = [Float](repeating: 0.1, count: CTRUEPEAK_TAPS - 1)
    for place in samples.indices {
      samples[place] = place.isMultiple(of: 2) ? 0.7 : -0.7
      var (peak, samplePeak): (Float, Float) = (0.2, 0)
      ctruepeak_raise(&interpolator, samples, 0, &peak, &samplePeak)
      #expect(peak == 0.2 && samplePeak == 0.7)
      samples[place] = 0.1
    }
  }

  private struct Crossover {
    let filter: cwaveformbands_crossover
    var last = 0.0
    var lastButOne = 0.0

    init(_ filter: cwaveformbands_crossover) { self.filter = filter }

    mutating func split(_ x: Double) -> (low: Double, high: Double) {
      let next = x - Double(filter.a2) * lastButOne - Double(filter.a1) * last
      let (ends, middle) = (next + lastButOne, 2 * last)
      (lastButOne, last) = (last, next)
      return (Double(filter.low_gain) * (ends + middle), Double(filter.high_gain) * (ends - middle))
    }
  }

  @Test(arguments: [0, 3, 8, 13], [1, 7, 8, 9, 20]) func bandsOfFrames(settling: Int, length: Int) {
    var generator = SplitMix64.fresh()
    let lanes = CWAVEFORMBANDS_LANES
    let samples = random(settling + lanes * length, &generator)
    var lower = cwaveformbands_crossover(a1: -1.2, a2: 0.45, low_gain: 0.06, high_gain: 0.66)
    var upper = cwaveformbands_crossover(a1: 0.3, a2: 0.2, low_gain: 0.37, high_gain: 0.22)
    var measures = cwaveformbands_measures()
    cwaveformbands_measure(samples, settling, length, &lower, &upper, &measures)
    func values<Row>(_ row: Row) -> [Float] {
      withUnsafeBytes(of: row) { Array($0.bindMemory(to: Float.self)) }
    }
    for lane in 0..<lanes {
      var (first, second) = (Crossover(lower), Crossover(upper))
      var (minimum, maximum) = (Double.infinity, -Double.infinity)
      var peaks: [Double] = [0, 0, 0]
      var sums: [Double] = [0, 0, 0]
      var whole = 0.0
      for index in 0..<settling + length {
        let x = Double(samples[lane * length + index])
        let (low, rest) = first.split(x)
        let (mid, high) = second.split(rest)
        guard index >= settling else { continue }
        (minimum, maximum) = (min(minimum, x), max(maximum, x))
        whole += x * x
        for (band, value) in [low, mid, high].enumerated() {
          peaks[band] = max(peaks[band], abs(value))
          sums[band] += value * value
        }
      }
      #expect(isNear(values(measures.minimum)[lane], minimum) && isNear(values(measures.maximum)[lane], maximum))
      #expect(isNear(values(measures.low_peak)[lane], peaks[0]) && isNear(values(measures.mid_peak)[lane], peaks[1]))
      #expect(isNear(values(measures.high_peak)[lane], peaks[2]) && isNear(values(measures.whole)[lane], whole))
      #expect(isNear(values(measures.low)[lane], sums[0]) && isNear(values(measures.mid)[lane], sums[1]))
      #expect(isNear(values(measures.high)[lane], sums[2]))
    }
  }
}
