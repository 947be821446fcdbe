/// A collection of descriptors that is searched for similar tracks by linear scan: 100,000 descriptors take about 20
/// ms.
///
/// The similarity of two tracks is the cosine of their descriptors relative to the mean of the collection. With the
/// cosine alone, some tracks (hubs) would be among the nearest of very many others, as in all high-dimensional spaces
/// (Radovanović et al., JMLR 2010). So a track's similarity to its own neighbors is subtracted: cross-domain similarity
/// local scaling (Conneau et al., ICLR 2018). Only the nearest tracks are corrected, with neighbors from a sample.
public struct SoundCollection: Sendable {
  /// A track of a collection, found by a search.
  public struct Neighbor: Hashable, Sendable {
    /// Index in the order of the descriptors.
    public var index: Int
    /// Cosine similarity, -1 to 1, where 1 means the same sound.
    public var cosine: Double
    /// The score by which neighbors are ranked, 0 to 1. It is the cosine, reduced if the track is closer to its own
    /// neighbors than the query is to its own, and raised if it is farther.
    public var likeness: Double
  }

  /// Number of zero vectors counted into the mean of the collection. They shrink it toward zero, the mean of a large
  /// body of music, which matters only in small collections.
  private static let meanShrinkage: Float = 200
  /// Maximum size of the sample in which the neighbors of neighbors are searched for.
  private static let sampleLimit = 1024
  /// The number of neighbors is the sample size divided by the first number, but at least the second.
  private static let (neighborShare, minNeighbors) = (40, 10)
  /// Weight of a track's similarity to its own neighbors.
  private static let scaling: Float = 0.75
  private static let minCandidates = 256
  /// Number of SIMD vectors per row.
  private static let width = SoundDescriptor.count / 8

  /// Centered rows, scaled to length 1.
  private var rows: [SIMD8<Float>]
  private let mean: [SIMD8<Float>]
  /// Indices of evenly spread rows.
  private let sample: [Int]

  public var count: Int { rows.count / Self.width }

  /// - Parameter descriptors: The concatenated bytes of descriptors of this version.
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

  /// Returns the tracks nearest to a descriptor, best first, including the descriptor's own track if it is in the
  /// collection.
  public func nearest(to descriptor: SoundDescriptor, limit: Int) -> [Neighbor] {
    var query = Self.vectors(descriptor.bytes)
    Self.center(&query, 0, mean)
    let candidates = candidates(near: query, limit: max(Self.minCandidates, 2 * limit))
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

  /// Returns the mean cosine of a row and its nearest rows in the sample. The row itself may be in the sample; the
  /// effect is negligible.
  private func nearness(of rows: [SIMD8<Float>], at row: Int) -> Float {
    var cosines = sample.map { Self.product(rows, row, self.rows, $0) }
    let neighbors = min(cosines.count, max(Self.minNeighbors, cosines.count / Self.neighborShare))
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
