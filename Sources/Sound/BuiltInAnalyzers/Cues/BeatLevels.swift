internal import Mathematics

/// The mean level and bass between beats, in dB.
struct BeatLevels {
  /// Cumulative sums of levels, starting at the first beat.
  private var sums: [SIMD2<Double>] = [.zero]
  /// Cumulative slot counts, starting at the first beat.
  private var counts = [0]
  /// Power, relative to the loudest slot, that is added to every slot; anything below is practically silent.
  private static let floor: Float = 1e-6

  init(_ beats: [Double], slots: [LevelCurve.Slot], slotSeconds: Double) {
    let loudest = slots.reduce(SIMD2<Float>.zero) { pointwiseMax($0, SIMD2($1.energy, $1.bass)) }
    let floors = SIMD2<Double>(loudest * Self.floor) + 1e-12
    func slot(_ beat: Double) -> Int { min(slots.count, max(0, Int((beat / slotSeconds).rounded()))) }
    for (beat, next) in zip(beats, beats.dropFirst()) {
      let part = slots[slot(beat)..<max(slot(beat), slot(next))]
      sums.append(sums[sums.count - 1] + Self.logarithms(part, floors))
      counts.append(counts[counts.count - 1] + part.count)
    }
  }

  /// Sums logarithms by taking the logarithm of products of 16 powers, which fit into a `Double`. Taking a logarithm
  /// for each slot would be a large part of the analyzer's time.
  private static func logarithms(_ slots: ArraySlice<LevelCurve.Slot>, _ floors: SIMD2<Double>) -> SIMD2<Double> {
    var (sum, product) = (SIMD2<Double>.zero, SIMD2<Double>(repeating: 1))
    for (index, slot) in slots.enumerated() {
      product *= SIMD2(Double(slot.energy), Double(slot.bass)) + floors
      if index % 16 == 15 {
        sum += SIMD2(log10(product[0]), log10(product[1]))
        product = SIMD2(repeating: 1)
      }
    }
    return sum + SIMD2(log10(product[0]), log10(product[1]))
  }

  /// - Parameter beats: The indices of the beats.
  func mean(_ beats: Range<Int>) -> SIMD2<Double> {
    let count = counts[beats.upperBound] - counts[beats.lowerBound]
    return 10 * (sums[beats.upperBound] - sums[beats.lowerBound]) / Double(max(1, count))
  }
}
