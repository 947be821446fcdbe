/// Reduces the number of dimensions of a collection's descriptors while nearly preserving the angles between them, for
/// HTML pages that have no room for full descriptors. It uses principal components (Pearson 1901); docs/likeness.md
/// states the accuracy.
public struct PrincipalComponents: Sendable {
  /// Shrinks the mean of a small collection toward zero, as in `SoundCollection`.
  private static let meanShrinkage: Float = 200
  /// Number of iterations. Only the space that the components span matters, and it converges fast.
  private static let iterations = 20
  /// Share of the numbers of a sample that must fit into a byte.
  private static let fitting = 0.9995
  /// Number of SIMD vectors per descriptor.
  private static let length = SoundDescriptor.count / 8

  /// Number of values that `reduced(_:)` returns.
  public let width: Int
  private let mean: [SIMD8<Float>]
  /// The components, scaled to the range of a signed byte.
  private let rows: [SIMD8<Float>]

  /// - Parameters:
  ///   - descriptors: The concatenated bytes of some of the collection's descriptors; a thousand are enough.
  ///   - width: Number of values to keep, at most 128.
  /// - Returns: `nil` if there are fewer than two descriptors, if all are zero, or if `width` is too large.
  public init?(sample descriptors: [UInt8], width: Int) {
    let count = descriptors.count / SoundDescriptor.count
    guard count > 1, width <= SoundDescriptor.count else { return nil }
    var vectors = Self.vectors(descriptors[..<(count * SoundDescriptor.count)])
    var mean = [SIMD8<Float>](repeating: .zero, count: Self.length)
    for index in vectors.indices { mean[index % Self.length] += vectors[index] }
    for column in mean.indices { mean[column] /= Float(count) + Self.meanShrinkage }
    for index in vectors.indices { vectors[index] -= mean[index % Self.length] }

    var rows = Self.components(of: vectors, count: width)
    var magnitudes: [Float] = []
    magnitudes.reserveCapacity(count * width)
    for vector in 0..<count {
      for row in 0..<width { magnitudes.append(abs(Self.product(rows, row, vectors, vector))) }
    }
    magnitudes.sort()
    let largest = magnitudes[min(Int(Double(magnitudes.count) * Self.fitting), magnitudes.count - 1)]
    guard largest > 0 else { return nil }
    for index in rows.indices { rows[index] *= 127 / largest }
    (self.width, self.mean, self.rows) = (width, mean, rows)
  }

  /// - Parameter descriptor: The bytes of a descriptor.
  /// - Returns: `width` numbers; `nil` if the number of bytes is wrong.
  public func reduced(_ descriptor: [UInt8]) -> [Int8]? {
    guard descriptor.count == SoundDescriptor.count else { return nil }
    var vector = Self.vectors(descriptor[...])
    for column in mean.indices { vector[column] -= mean[column] }
    return (0..<width).map { Int8(min(max(Self.product(rows, $0, vector, 0), -127), 127).rounded()) }
  }

  /// Returns the orthogonal unit vectors along which the variance of `vectors` is largest, found by orthogonal
  /// iteration on their second moments. Each vector counts as if it had length 1.
  private static func components(of vectors: [SIMD8<Float>], count: Int) -> [SIMD8<Float>] {
    let size = SoundDescriptor.count
    var moments = [SIMD8<Float>](repeating: .zero, count: size * length)
    for vector in 0..<vectors.count / length {
      let square = product(vectors, vector, vectors, vector)
      guard square > 0 else { continue }
      for row in 0..<size {
        let share = vectors[vector * length + row / 8][row % 8] / square
        for column in 0..<length { moments[row * length + column] += share * vectors[vector * length + column] }
      }
    }
    // A pseudorandom start is not orthogonal to any component.
    var rows = (0..<count * length).map { index in
      var start = SIMD8<Float>()
      for lane in 0..<8 { start[lane] = Float(((8 * index + lane) &* 2_654_435_761 >> 8) & 0xFFFF) / 0xFFFF - 0.5 }
      return start
    }
    for _ in 0..<iterations {
      var next = rows
      for row in 0..<count {
        for column in 0..<size { next[row * length + column / 8][column % 8] = product(rows, row, moments, column) }
      }
      orthonormalize(&next, count: count)
      rows = next
    }
    return rows
  }

  /// Applies the Gram-Schmidt process. A row that is linearly dependent on previous rows becomes zero.
  private static func orthonormalize(_ rows: inout [SIMD8<Float>], count: Int) {
    for row in 0..<count {
      let before = product(rows, row, rows, row)
      for other in 0..<row {
        let share = product(rows, row, rows, other)
        for column in 0..<length { rows[row * length + column] -= share * rows[other * length + column] }
      }
      let square = product(rows, row, rows, row)
      let scale = square > 1e-6 * before && square > 0 ? 1 / square.squareRoot() : 0
      for column in 0..<length { rows[row * length + column] *= scale }
    }
  }

  private static func vectors(_ bytes: ArraySlice<UInt8>) -> [SIMD8<Float>] {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: 8).map { start in
      var vector = SIMD8<Int8>()
      for lane in 0..<8 { vector[lane] = Int8(bitPattern: bytes[start + lane]) }
      return SIMD8<Float>(vector)
    }
  }

  @inline(__always)
  private static func product(_ first: [SIMD8<Float>], _ row: Int, _ second: [SIMD8<Float>], _ other: Int) -> Float {
    var sum = SIMD8<Float>.zero
    for column in 0..<length { sum += first[row * length + column] * second[other * length + column] }
    return sum.sum()
  }
}
