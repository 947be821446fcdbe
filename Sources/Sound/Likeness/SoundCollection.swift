/// Descriptors of many tracks, among which those near to another are looked for, one by one: 100,000 take some 20 ms.
///
/// Two tracks are as near as the cosine of the angle between their descriptors, seen from the mean of the collection. Ranked by
/// that alone, some tracks would be among the nearest of very many others, as in all spaces of many dimensions (Radovanović
/// et al., JMLR 2010). So what a track has in nearness to its own neighbors counts against it: cross-domain similarity local
/// scaling (Conneau et al., ICLR 2018), for the nearest only, with neighbors from a sample.
public struct SoundCollection: Sendable {
  /// A track of a collection.
  public struct Neighbor: Hashable, Sendable {
    /// In the order in which tracks were added.
    public var index: Int
    /// -1 to 1: 1 is the same sound.
    public var cosine: Double
    /// 0 to 1, by which neighbors are ranked: the cosine, less for a track that is nearer to others than the one that
    /// neighbors are looked for, more for one that is farther.
    public var likeness: Double
  }

  /// In a smaller collection the mean is rather that of much music, which is zero.
  private static let meanShrinkage: Float = 200
  /// Tracks among which neighbors of neighbors are looked for.
  private static let sampleLimit = 1024
  /// A share of them are neighbors, and at least a fixed number.
  private static let (neighborShare, leastNeighbors) = (40, 10)
  /// How much nearness to its neighbors counts against a track.
  private static let scaling: Float = 0.75
  private static let leastCandidates = 256
  /// Vectors of a row.
  private static let width = SoundDescriptor.count / 8

  /// Rows of unit length once centered.
  private var rows: [SIMD8<Float>]
  private let mean: [SIMD8<Float>]
  /// Rows, evenly spread.
  private let sample: [Int]

  public var count: Int { rows.count / Self.width }

  /// - Parameter descriptors: Bytes of descriptors of this version, one after the other.
  public init(_ descriptors: [UInt8]) {
    precondition(descriptors.count.isMultiple(of: SoundDescriptor.count))
    var rows = Self.vectors(descriptors)
    let count = rows.count / Self.width
    var mean = [SIMD8<Float>](repeating: .zero, count: Self.width)
    for row in 0..<count { for column in 0..<Self.width { mean[column] += rows[row * Self.width + column] } }
    for column in mean.indices { mean[column] /= Float(count) + Self.meanShrinkage }
    for row in 0..<count { Self.center(&rows, row, mean) }
    let size = min(count, Self.sampleLimit)
    (self.rows, self.mean, sample) = (rows, mean, (0..<size).map { $0 * count / size })
  }

  /// The nearest tracks, best first. If the track itself is in the collection, it is among them.
  public func nearest(to descriptor: SoundDescriptor, limit: Int) -> [Neighbor] {
    var query = Self.vectors(descriptor.bytes)
    Self.center(&query, 0, mean)
    let candidates = candidates(near: query, limit: max(Self.leastCandidates, 2 * limit))
    let own = nearness(of: query, at: 0)
    let neighbors = candidates.map { candidate in
      let less = Self.scaling * (nearness(of: rows, at: candidate.index) - own)
      return Neighbor(
        index: candidate.index, cosine: Double(candidate.cosine),
        likeness: Double(min(max(candidate.cosine - less, 0), 1)))
    }
    return Array(
      neighbors.sorted { ($1.likeness, $1.cosine, $0.index) < ($0.likeness, $0.cosine, $1.index) }.prefix(limit))
  }

  private func candidates(near query: [SIMD8<Float>], limit: Int) -> [(index: Int, cosine: Float)] {
    var found: [(index: Int, cosine: Float)] = []
    var least = -Float.infinity
    func keepBest() {
      found.sort { ($1.cosine, $0.index) < ($0.cosine, $1.index) }
      guard found.count >= limit else { return }
      found.removeLast(found.count - limit)
      least = found[limit - 1].cosine
    }
    for row in 0..<count {
      let cosine = Self.product(query, 0, rows, row)
      guard cosine > least else { continue }
      found.append((row, cosine))
      if found.count >= 4 * limit { keepBest() }
    }
    keepBest()
    return found
  }

  /// The mean cosine of a row with its nearest in the sample. A sample may hold the row itself; that is not worth a look.
  private func nearness(of rows: [SIMD8<Float>], at row: Int) -> Float {
    var cosines = sample.map { Self.product(rows, row, self.rows, $0) }
    let neighbors = min(cosines.count, max(Self.leastNeighbors, cosines.count / Self.neighborShare))
    guard neighbors > 0 else { return 0 }
    cosines.sort(by: >)
    return cosines[..<neighbors].reduce(0, +) / Float(neighbors)
  }

  private static func vectors(_ bytes: [UInt8]) -> [SIMD8<Float>] {
    (0..<bytes.count / 8).map { index in
      var vector = SIMD8<Int8>()
      for lane in 0..<8 { vector[lane] = Int8(bitPattern: bytes[8 * index + lane]) }
      return SIMD8<Float>(vector)
    }
  }

  private static func center(_ rows: inout [SIMD8<Float>], _ row: Int, _ mean: [SIMD8<Float>]) {
    for column in 0..<width { rows[row * width + column] -= mean[column] }
    let square = product(rows, row, rows, row)
    guard square > 0 else { return }
    for column in 0..<width { rows[row * width + column] /= square.squareRoot() }
  }

  @inline(__always)
  private static func product(_ first: [SIMD8<Float>], _ row: Int, _ second: [SIMD8<Float>], _ other: Int) -> Float {
    var sum = SIMD8<Float>.zero
    for column in 0..<width { sum += first[row * width + column] * second[other * width + column] }
    return sum.sum()
  }
}
