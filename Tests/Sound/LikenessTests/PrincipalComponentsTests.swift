import AnalysisTesting
import Testing

@testable import Likeness

@Suite(.bounded) struct PrincipalComponentsTests {
  /// Descriptors that differ in a few directions, and a little in all others.
  private func descriptors(_ count: Int, directions: Int) -> [UInt8] {
    var random = SplitMix64(seed: 3)
    let size = SoundDescriptor.count
    let axes = (0..<directions).map { _ in (0..<size).map { _ in random.nextSample() } }
    return (0..<count).flatMap { _ in
      let shares = axes.map { _ in 40 * random.nextSample() }
      return (0..<size).map { column in
        let sum = zip(shares, axes).reduce(Float(0)) { $0 + Float($1.0) * Float($1.1[column]) }
        return UInt8(bitPattern: Int8(min(max(sum + Float(random.nextSample()), -127), 127)))
      }
    }
  }

  private func nearest(_ vectors: [[Float]], to index: Int, _ count: Int) -> Set<Int> {
    func cosine(_ a: [Float], _ b: [Float]) -> Float {
      let (product, first, second) = zip(a, b).reduce((0, 0, 0) as (Float, Float, Float)) {
        ($0.0 + $1.0 * $1.1, $0.1 + $1.0 * $1.0, $0.2 + $1.1 * $1.1)
      }
      return product / (first * second + 1e-9).squareRoot()
    }
    let others = vectors.indices.filter { $0 != index }.sorted {
      cosine(vectors[$0], vectors[index]) > cosine(vectors[$1], vectors[index])
    }
    return Set(others.prefix(count))
  }

  @Test func neighborsStayNeighbors() throws {
    let (count, size) = (120, SoundDescriptor.count)
    let bytes = descriptors(count, directions: 6)
    let reduction = try #require(PrincipalComponents(sample: bytes, width: 8))
    let whole = (0..<count).map { row in bytes[row * size..<(row + 1) * size].map { Float(Int8(bitPattern: $0)) } }
    let mean = (0..<size).map { column in whole.reduce(0) { $0 + $1[column] } / (Float(count) + 200) }
    let centered = whole.map { zip($0, mean).map { $0 - $1 } }
    let reduced = try (0..<count).map { row in
      try #require(reduction.reduced(Array(bytes[row * size..<(row + 1) * size]))).map { Float($0) }
    }
    #expect(reduced.allSatisfy { $0.count == 8 && $0.allSatisfy { abs($0) <= 127 } })
    #expect(reduced.joined().contains { abs($0) > 100 })
    let kept = (0..<count).reduce(0) {
      $0 + nearest(centered, to: $1, 10).intersection(nearest(reduced, to: $1, 10)).count
    }
    #expect(Double(kept) / Double(10 * count) > 0.9)
  }

  @Test func fewOrEqualDescriptors() throws {
    #expect(PrincipalComponents(sample: [], width: 48) == nil)
    #expect(PrincipalComponents(sample: descriptors(1, directions: 1), width: 48) == nil)
    #expect(PrincipalComponents(sample: [UInt8](repeating: 0, count: 1280), width: 48) == nil)
    let equal = try #require(PrincipalComponents(sample: [UInt8](repeating: 7, count: 1280), width: 48))
    let numbers = try #require(equal.reduced([UInt8](repeating: 7, count: 128)))
    #expect(numbers.count == 48 && numbers.contains { abs($0) > 100 })
    #expect(equal.reduced([1, 2, 3]) == nil)
    let two = try #require(PrincipalComponents(sample: descriptors(2, directions: 2), width: 128))
    #expect(two.reduced(Array(descriptors(2, directions: 2).prefix(128)))?.count == 128)
  }
}
