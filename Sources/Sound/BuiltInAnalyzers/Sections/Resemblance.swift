/// How much each unit sounds like every other one, in harmony and in timbre.
struct Resemblance {
  /// Root mean square of the distances from the mean, in harmony as in timbre: music has 2.5 to 11, noise, tones and
  /// clicks at most 0.8.
  private static let leastDeviation: Float = 1.2

  /// Timbres of unit length, so their products are cosines.
  let timbre: [SIMD16<Float>]
  /// How much the harmony of each unit differs from that of the next one: 0 for the same, 2 for the opposite.
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

  /// Vectors from the mean of all, scaled to a length of one; zero where there is none, or if all are about the same.
  private static func directions(_ vectors: [SIMD16<Float>]) -> [SIMD16<Float>] {
    let mean = vectors.reduce(SIMD16<Float>(), +) / Float(max(vectors.count, 1))
    let aways = vectors.map { $0 - mean }
    let variance = aways.reduce(0) { $0 + ($1 * $1).sum() } / Float(max(vectors.count, 1))
    guard variance > leastDeviation * leastDeviation else { return aways.map { _ in SIMD16<Float>() } }
    return aways.map { away in
      let length = (away * away).sum().squareRoot()
      // Shorter ones are rounding errors.
      return length > 1e-3 ? away / length : SIMD16<Float>()
    }
  }

  /// All products, row by row.
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
