/// The similarity of the units to each other, in harmony and timbre.
struct Resemblance {
  /// Minimum RMS distance from the mean, for harmony and timbre. Music reaches 2.5 to 11; noise, tones and clicks reach
  /// at most 0.8.
  private static let minDeviation: Float = 1.2

  /// Timbre vectors of length 1, whose dot products are cosines.
  let timbre: [SIMD16<Float>]
  /// Change of harmony from each unit to the next: 0 for the same harmony, 2 for the opposite one.
  let changes: [Float]
  let recurrences: (harmony: Recurrence, timbre: Recurrence, both: Recurrence)

  init(_ profile: SoundProfile, units: BeatUnits) {
    let harmony = Self.directions(
      profile.means(of: profile.chroma, between: units.edges).map { values in
        var relative = values - values.sum() / Float(SoundProfile.classCount)
        for index in SoundProfile.classCount..<16 { relative[index] = 0 }
        return relative
      })
    timbre = Self.directions(profile.means(of: profile.timbre, between: units.edges))
    let (first, second) = (Self.cosines(harmony), Self.cosines(timbre))
    let count = units.count
    changes = (0..<max(count - 1, 0)).map { 1 - first[$0 * count + $0 + 1] }
    recurrences = (
      Recurrence(first, count: units.count), Recurrence(second, count: units.count),
      Recurrence(zip(first, second).map { 0.5 * ($0 + $1) }, count: units.count)
    )
  }

  /// Returns the deviations from the mean, scaled to length 1. A vector near the mean becomes zero. If all vectors are
  /// about the same, all become zero.
  private static func directions(_ vectors: [SIMD16<Float>]) -> [SIMD16<Float>] {
    let mean = vectors.reduce(SIMD16<Float>(), +) / Float(max(vectors.count, 1))
    let deviations = vectors.map { $0 - mean }
    let variance = deviations.reduce(0) { $0 + ($1 * $1).sum() } / Float(max(vectors.count, 1))
    guard variance > minDeviation * minDeviation else { return deviations.map { _ in SIMD16<Float>() } }
    return deviations.map { deviation in
      let length = (deviation * deviation).sum().squareRoot()
      // Shorter deviations are rounding errors.
      return length > 1e-3 ? deviation / length : SIMD16<Float>()
    }
  }

  /// Returns all dot products, in row-major order.
  private static func cosines(_ vectors: [SIMD16<Float>]) -> [Float] {
    let count = vectors.count
    var products = [Float](repeating: 0, count: count * count)
    for row in 0..<count {
      let vector = vectors[row]
      for column in row..<count {
        let product = (vector * vectors[column]).sum()
        products[row * count + column] = product
        products[column * count + row] = product
      }
    }
    return products
  }
}
