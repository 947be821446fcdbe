/// A few coordinates for the descriptors of one collection, so that angles between them are nearly those between descriptors:
/// its principal components (Pearson 1901), for a page that has no room for descriptors.
///
/// With 16 coordinates, 8 to 9 of the true ten nearest are among the nearest ten of a collection of music, and nearly all among
/// its nearest twenty: docs/likeness.md.
public struct SoundReduction: Sendable {
  /// In a smaller collection the mean is rather that of much music, which is zero: as in `SoundCollection`.
  private static let meanShrinkage: Float = 200
  private static let iterations = 60
  /// Share of the coordinates of a sample that fit into a byte.
  private static let fitting = 0.9995

  /// Numbers that `reduced` gives.
  public let width: Int
  private let mean: [Float]
  /// A row for each coordinate, scaled to the steps of a signed byte.
  private let rows: [Float]

  /// - Parameters:
  ///   - descriptors: Bytes of some descriptors of the collection, one after the other; a thousand are enough.
  ///   - width: Coordinates to keep.
  /// - Returns: `nil` if there are too few to compare.
  public init?(sample descriptors: [UInt8], width: Int) {
    let size = SoundDescriptor.count
    let count = descriptors.count / size
    guard count > 1, width <= size, descriptors.count.isMultiple(of: size) else { return nil }
    var vectors = descriptors.map { Float(Int8(bitPattern: $0)) }
    var mean = [Float](repeating: 0, count: size)
    for index in vectors.indices { mean[index % size] += vectors[index] }
    for column in mean.indices { mean[column] /= Float(count) + Self.meanShrinkage }
    for index in vectors.indices { vectors[index] -= mean[index % size] }

    let moments = Self.moments(of: vectors, size: size)
    var rows = Self.eigenvectors(of: moments, size: size, count: width)
    var magnitudes: [Float] = []
    magnitudes.reserveCapacity(count * width)
    for vector in 0..<count {
      for row in 0..<width { magnitudes.append(abs(Self.product(rows, row, vectors, vector, size: size))) }
    }
    magnitudes.sort()
    let largest = magnitudes[min(Int(Double(magnitudes.count) * Self.fitting), magnitudes.count - 1)]
    guard largest > 0 else { return nil }
    for index in rows.indices { rows[index] *= 127 / largest }
    (self.width, self.mean, self.rows) = (width, mean, rows)
  }

  /// - Parameter descriptor: Its bytes.
  /// - Returns: `nil` for what is no descriptor of this version.
  public func reduced(_ descriptor: [UInt8]) -> [Int8]? {
    guard descriptor.count == mean.count else { return nil }
    let vector = descriptor.indices.map { Float(Int8(bitPattern: descriptor[$0])) - mean[$0] }
    return (0..<width).map { row in
      Int8(min(max(Self.product(rows, row, vector, 0, size: mean.count), -127), 127).rounded())
    }
  }

  /// The mean outer product of the vectors.
  private static func moments(of vectors: [Float], size: Int) -> [Float] {
    var moments = [Float](repeating: 0, count: size * size)
    for start in stride(from: 0, to: vectors.count, by: size) {
      for row in 0..<size {
        let value = vectors[start + row]
        for column in 0..<size { moments[row * size + column] += value * vectors[start + column] }
      }
    }
    let scale = Float(size) / Float(vectors.count)
    return moments.map { $0 * scale }
  }

  /// Those of the largest eigenvalues of a symmetric matrix, row by row, by orthogonal iteration.
  private static func eigenvectors(of matrix: [Float], size: Int, count: Int) -> [Float] {
    // Some start that no direction is orthogonal to.
    var vectors = (0..<count * size).map { index in
      Float((index &* 2_654_435_761 >> 8) & 0xFFFF) / 0xFFFF - 0.5
    }
    for _ in 0..<iterations {
      var next = [Float](repeating: 0, count: vectors.count)
      for row in 0..<count {
        for column in 0..<size { next[row * size + column] = product(vectors, row, matrix, column, size: size) }
      }
      orthonormalize(&next, size: size, count: count)
      vectors = next
    }
    return vectors
  }

  /// Gram and Schmidt; a row that depends on those before it becomes zero.
  private static func orthonormalize(_ rows: inout [Float], size: Int, count: Int) {
    for row in 0..<count {
      for other in 0..<row {
        let share = product(rows, row, rows, other, size: size)
        for column in 0..<size { rows[row * size + column] -= share * rows[other * size + column] }
      }
      let length = product(rows, row, rows, row, size: size).squareRoot()
      for column in 0..<size { rows[row * size + column] = length > 1e-6 ? rows[row * size + column] / length : 0 }
    }
  }

  private static func product(_ first: [Float], _ row: Int, _ second: [Float], _ other: Int, size: Int) -> Float {
    var sum: Float = 0
    for column in 0..<size { sum += first[row * size + column] * second[other * size + column] }
    return sum
  }
}
