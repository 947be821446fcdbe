import AnalysisTesting
import CKernels
import Glibc
import Testing

/// The loops in C compared with their definitions, on random numbers. Sizes are below, equal to and above the width of
/// vectors, and not only multiples of it.
@Suite(.bounded) struct KernelTests {
  private func random(
    _ count: Int, _ generator: inout SplitMix64, in range: ClosedRange<Float> = -1...1
  ) -> [Float] {
    (0..<count).map { _ in Float.random(in: range, using: &generator) }
  }

  private func product(_ one: Float, _ other: Float) -> Double { Double(one) * Double(other) }

  private func agree(_ found: [Float], _ expected: [Double], within tolerance: Double = 1e-4) -> Bool {
    found.count == expected.count
      && zip(found, expected).allSatisfy { abs(Double($0) - $1) <= tolerance * max(1, abs($1)) }
  }

  private func rectified(_ sum: Double) -> Double { sum < 0 ? 0.1 * sum : sum }

  // MARK: - Spectra and filter banks

  @Test(arguments: [0, 1, 7, 8, 9, 31, 33]) func productsAndPowers(count: Int) {
    var generator = SplitMix64.fresh()
    let (samples, window) = (random(count + 1, &generator), random(count + 1, &generator))
    var products = [Float](repeating: 9, count: count + 1)
    cspectra_weigh(samples, window, count, &products)
    #expect(products == (0..<count).map { samples[$0] * window[$0] } + [9])
    let bins = random(2 * count + 2, &generator)
    var powers = [Float](repeating: 9, count: count + 1)
    cspectra_powers(bins, count, &powers)
    let expected = (0..<count).map { bin in
      let (real, imaginary) = (bins[2 * bin], bins[2 * bin + 1])
      return real * real + imaginary * imaginary
    }
    #expect(powers == expected + [9])
  }

  @Test func bandsAreWeightedSums() {
    var generator = SplitMix64.fresh()
    let counts = [1, 3, 4, 5, 8, 9, 0, 12, 2, 7]
    let bands = counts.map {
      cfilterbank_band(first_bin: Int32.random(in: 0...20, using: &generator), bin_count: Int32($0))
    }
    let (bins, weights) = (random(32, &generator), random(counts.reduce(0, +), &generator))
    var sums = [Float](repeating: 9, count: counts.count + 1)
    cfilterbank_apply(bins, bands, counts.count, weights, &sums)
    var start = 0
    let expected = bands.map { band in
      defer { start += Int(band.bin_count) }
      return (0..<Int(band.bin_count)).reduce(0.0) {
        $0 + Double(bins[Int(band.first_bin) + $1]) * Double(weights[start + $1])
      }
    }
    #expect(agree(sums, expected + [9]))
  }

  // MARK: - Networks

  @Test(arguments: [0, 1, 2, 3, 6]) func beatConvolutions(frameCount: Int) {
    var generator = SplitMix64.fresh()
    let width = CBEATNETWORK_CHANNELS
    for (inputCount, taps, dilation) in [(1, 1, 1), (3, 3, 1), (5, 5, 2), (2, 3, 4)] {
      let reach = taps / 2 * dilation
      let values = random((frameCount + 2 * reach) * inputCount + 1, &generator)
      let weights = random(taps * inputCount * width, &generator)
      let constants = random(width, &generator)
      let before = random((frameCount + 1) * width, &generator)
      var channels = before
      values.withUnsafeBufferPointer {
        cbeatnetwork_add_convolution(
          $0.baseAddress! + reach * inputCount, inputCount, frameCount, taps, dilation, weights, constants, &channels)
      }
      var expected = before.map(Double.init)
      for frame in 0..<frameCount {
        for channel in 0..<width {
          var sum = Double(constants[channel])
          for tap in 0..<taps {
            for input in 0..<inputCount {
              let row = frame + reach + (tap - taps / 2) * dilation
              let weight = weights[(tap * inputCount + input) * width + channel]
              sum += product(values[row * inputCount + input], weight)
            }
          }
          expected[frame * width + channel] += rectified(sum)
        }
      }
      #expect(agree(channels, expected), "\(inputCount) inputs, \(taps) taps")
    }
  }

  @Test(arguments: [0, 1, 7, 8, 9, 17]) func keyConnections(rowCount: Int) {
    var generator = SplitMix64.fresh()
    for (inputCount, stride, outputCount) in [(1, 1, 8), (5, 5, 8), (6, 2, 16), (3, 4, 24)] {
      let values = random(rowCount * stride + inputCount, &generator)
      let weights = random(inputCount * outputCount, &generator)
      let constants = random(outputCount, &generator)
      var result = [Float](repeating: 9, count: rowCount * outputCount + 1)
      ckeynetwork_connect(values, rowCount, stride, inputCount, weights, constants, outputCount, &result)
      let expected = (0..<rowCount).flatMap { row in
        (0..<outputCount).map { output in
          rectified(
            (0..<inputCount).reduce(Double(constants[output])) {
              $0 + Double(values[row * stride + $1]) * Double(weights[$1 * outputCount + output])
            })
        }
      }
      #expect(agree(result, expected + [9]), "\(inputCount) inputs, \(outputCount) outputs")
    }
  }

  @Test(arguments: [8, 3, 1], [1, 11, 12, 13]) func landmarkConvolutions(columnStep: Int, columns: Int) {
    var generator = SplitMix64.fresh()
    let width = CLANDMARKNETWORK_CHANNELS
    let block = CLANDMARKNETWORK_BLOCK
    let (rows, inputCount, whole) = (3, 2, (columns + block - 1) / block * block)
    let inputStep = whole * columnStep + 8
    let (start, taps) = (inputStep + columnStep, [-inputStep - columnStep, 0, 1, inputStep + columnStep])
    let values = random(start + rows * inputStep + inputStep + 2 * columnStep + 16, &generator)
    let weights = random(taps.count * inputCount * width, &generator)
    let constants = random(width, &generator)
    let rowStep = whole * width + 8
    let before = random(rows * rowStep, &generator)
    for isAdded in [false, true] {
      var channels = [Float](repeating: 9, count: rows * rowStep)
      values.withUnsafeBufferPointer { values in
        let picture = clandmarknetwork_picture(
          values: values.baseAddress! + start, row_step: inputStep, column_step: columnStep)
        taps.withUnsafeBufferPointer { taps in
          weights.withUnsafeBufferPointer { weights in
            constants.withUnsafeBufferPointer { constants in
              before.withUnsafeBufferPointer { before in
                let convolution = clandmarknetwork_convolution(
                  taps: taps.baseAddress, tap_count: taps.count, input_count: inputCount, weights: weights.baseAddress,
                  constants: constants.baseAddress)
                clandmarknetwork_convolve(
                  picture, rows, columns, convolution, isAdded ? before.baseAddress : nil, &channels, rowStep)
              }
            }
          }
        }
      }
      var expected = [Double](repeating: 9, count: rows * rowStep)
      for row in 0..<rows {
        for column in 0..<whole {
          for channel in 0..<width {
            let place = row * rowStep + column * width + channel
            guard column < columns else {
              expected[place] = 0
              continue
            }
            var sum = Double(constants[channel])
            for (tap, offset) in taps.enumerated() {
              for input in 0..<inputCount {
                let value = values[start + row * inputStep + column * columnStep + offset + input]
                sum += product(value, weights[(tap * inputCount + input) * width + channel])
              }
            }
            expected[place] = rectified(sum) + (isAdded ? Double(before[place]) : 0)
          }
        }
      }
      #expect(agree(channels, expected))
    }
  }

  @Test func landmarkOutputs() {
    var generator = SplitMix64.fresh()
    let width = CLANDMARKNETWORK_CHANNELS
    let outputCount = CLANDMARKNETWORK_OUTPUTS
    let (rows, columns, step) = (2, 3, 5 * 8)
    let taps = [-step, 0, 8]
    let values = random(step * (rows + 2), &generator)
    let weights = random(outputCount * taps.count * width, &generator)
    let constants = random(outputCount, &generator)
    var outputs = [Float](repeating: 9, count: rows * columns * outputCount + 1)
    values.withUnsafeBufferPointer { values in
      let picture = clandmarknetwork_picture(values: values.baseAddress! + step, row_step: step, column_step: width)
      taps.withUnsafeBufferPointer { taps in
        weights.withUnsafeBufferPointer { weights in
          constants.withUnsafeBufferPointer { constants in
            let convolution = clandmarknetwork_convolution(
              taps: taps.baseAddress, tap_count: taps.count, input_count: width, weights: weights.baseAddress,
              constants: constants.baseAddress)
            clandmarknetwork_output(picture, rows, columns, convolution, &outputs)
          }
        }
      }
    }
    var expected: [Double] = []
    for row in 0..<rows {
      for column in 0..<columns {
        for output in 0..<outputCount {
          var sum = Double(constants[output])
          for (tap, offset) in taps.enumerated() {
            for lane in 0..<width {
              let value = values[step + row * step + column * width + offset + lane]
              sum += product(value, weights[(output * taps.count + tap) * width + lane])
            }
          }
          expected.append(sum)
        }
      }
    }
    #expect(agree(outputs, expected + [9]))
  }

  // MARK: - Paths and cells

  @Test(arguments: [1, 2, 4, 7, 8, 9, 17, 40]) func changesOfThePeriod(count: Int) {
    var generator = SplitMix64.fresh()
    let reach = CBEATPATH_REACH
    let padded = (count + 7) / 8 * 8
    for _ in 0..<5 {
      let outside = [Float](repeating: -.infinity, count: reach)
      let scores = random(count, &generator, in: 0...10)
      let all = outside + scores + [Float](repeating: -.infinity, count: padded - count) + outside
      let steps = random(count, &generator, in: 0.1...2)
      let costs = random((2 * reach + 1) * padded, &generator, in: 0.1...4)
      var changed = [Float](repeating: 0, count: padded)
      var origins = [Int32](repeating: 0, count: padded)
      all.withUnsafeBufferPointer {
        cbeatpath_change($0.baseAddress! + reach, count, padded, steps, costs, &changed, &origins)
      }
      for place in 0..<count {
        let choices = (0..<count).map { origin in
          let between = steps[min(place, origin) + 1..<max(place, origin) + 1].reduce(0.0) { $0 + Double($1) }
          let neighbor = origin - place + reach
          let cost = (0...2 * reach).contains(neighbor) ? Double(costs[neighbor * padded + place]) : .infinity
          return Double(scores[origin]) - min(between, cost)
        }
        let best = choices.max() ?? 0
        #expect(abs(Double(changed[place]) - best) < 1e-4)
        #expect(scores.indices.contains(Int(origins[place])) && best - choices[Int(origins[place])] < 1e-4)
      }
    }
  }

  @Test(arguments: [0, 8, 16, 40]) func cellsNearPairs(count: Int) {
    var generator = SplitMix64.fresh()
    let (lowest, highest): ([Float], [Float]) = ([0, 2, -3], [6, 9, 4])
    let index = cpaircells_index(lowest: (0, 2, -3), highest: (6, 9, 4))
    let axes = [
      random(count, &generator, in: -1...8), random(count, &generator, in: 1...10),
      random(count, &generator, in: -4...5),
    ]
    let rarities = random(count, &generator, in: 0...3)
    let search = cpaircells_search(shift: 0.37, slope: 1.04, reach: 0.8, per_cell: 1.5, limit: 3.2)
    var cells = [cpaircells_cell](repeating: cpaircells_cell(), count: 8 * count + 1)
    let found = axes[0].withUnsafeBufferPointer { a in
      axes[1].withUnsafeBufferPointer { b in
        axes[2].withUnsafeBufferPointer { c in
          rarities.withUnsafeBufferPointer { rarities in
            var pairs = cpaircells_pairs(
              axes: (a.baseAddress, b.baseAddress, c.baseAddress), rarities: rarities.baseAddress, count: count)
            var (index, search) = (index, search)
            return cpaircells_find(&index, &pairs, &search, &cells)
          }
        }
      }
    }
    var expected: [(key: Int, pair: Int, rarity: Float)] = []
    let sizes = (0..<3).map { Int(highest[$0] - lowest[$0]) + 1 }
    for pair in 0..<count {
      let values = [axes[0][pair] - search.shift, axes[1][pair], axes[2][pair] * search.slope]
      for bits in 0..<8 {
        var (key, distance, isNear) = (0, Float(0), true)
        for axis in 0..<3 {
          let lower = -(search.reach - values[axis]).rounded(.down)
          let isUpper = bits >> (2 - axis) & 1 == 1
          let cell = isUpper ? lower + 1 : lower
          isNear =
            isNear && (lowest[axis]...highest[axis]).contains(cell)
            && (!isUpper || cell <= (values[axis] + search.reach).rounded(.down))
          distance += abs(values[axis] - cell)
          key = key * sizes[axis] + Int(cell - lowest[axis])
        }
        let rarity = rarities[pair] + search.per_cell * distance
        if isNear, rarity < search.limit { expected.append((key, pair, rarity)) }
      }
    }
    #expect(found == expected.count && (count < 40 || found > 0))
    for (cell, (key, pair, rarity)) in zip(cells, expected) {
      #expect(Int(cell.key) == key && Int(cell.pair) == pair && abs(cell.rarity - rarity) < 1e-5)
    }
  }

  @Test(arguments: [0, 1, 15, 16, 17, 33, 50]) func sumsAtOffsets(count: Int) {
    var generator = SplitMix64.fresh()
    let lanes = CMATCHEDFILTER_LANES
    let values = (0..<200).map { _ in Int16.random(in: -100...100, using: &generator) }
    let offsets = (0..<count).map { _ in Int.random(in: 0...200 - lanes, using: &generator) }
    let weights = (0..<count).map { _ in Int16.random(in: 1...20, using: &generator) }
    var sums = [Int32](repeating: 9, count: lanes)
    cmatchedfilter_add_at(values, offsets, weights, count, &sums)
    let expected = (0..<lanes).map { lane -> Int32 in
      var sum: Int32 = 0
      for (offset, weight) in zip(offsets, weights) { sum += Int32(values[offset + lane]) * Int32(weight) }
      return sum
    }
    #expect(sums == expected)
  }

  @Test(arguments: [0, 1, 7, 8, 9, 16, 17, 40, 161]) func sumsAtLandmarks(count: Int) {
    var generator = SplitMix64.fresh()
    let (lanes, margin) = (CMATCHEDFILTER_LANES, CMATCHEDFILTER_MARGIN)
    let (columnCount, bandCount) = (30, 5)
    let step = columnCount + 2 * margin
    var values = [Int16](repeating: 0, count: bandCount * step)
    for band in 0..<bandCount {
      for column in 0..<columnCount {
        values[band * step + margin + column] = Int16.random(in: -50...50, using: &generator)
      }
    }
    let landmarks = (0..<count).map { _ in
      cmatchedfilter_landmark(
        column: Int32.random(in: -25...55, using: &generator), band: Int16.random(in: -1...6, using: &generator),
        strength: Int16.random(in: 0...30, using: &generator))
    }
    for (inverse, origin, shift) in [(1, 0, 0), (0.93, 1.25, -1), (1.1, -3.75, 1)] as [(Float, Float, Int32)] {
      var score = cmatchedfilter_score()
      values.withUnsafeBufferPointer { values in
        var rows = cmatchedfilter_rows(
          values: values.baseAddress! + margin, row_step: step, column_count: Int32(columnCount),
          band_count: Int32(bandCount))
        var placement = cmatchedfilter_placement(inverse: inverse, origin: origin, shift: shift)
        cmatchedfilter_add(&rows, landmarks, count, &placement, &score)
      }
      var sums = [Int](repeating: 0, count: lanes)
      var (inner, squares) = (0, 0)
      for landmark in landmarks {
        let column = Int((Float(landmark.column) * inverse + origin).rounded(.down))
        let band = Int(landmark.band) + Int(shift)
        let weight = max(1, (Int(landmark.strength) + 1) / 2)
        #expect(weight == Int(cmatchedfilter_weight(landmark.strength)))
        guard (0..<bandCount).contains(band), ((-lanes / 2)..<(columnCount + lanes / 2)).contains(column) else {
          continue
        }
        for lane in 0..<lanes { sums[lane] += weight * Int(values[band * step + margin + column + lane - lanes / 2]) }
        guard (0..<columnCount).contains(column) else { continue }
        inner += 1
        squares += weight * weight
      }
      let found = withUnsafeBytes(of: score.sums) { $0.bindMemory(to: Int32.self).map { Int($0) } }
      #expect(found == sums && Int(score.count) == inner && Int(score.squares) == squares)
    }
  }
}
