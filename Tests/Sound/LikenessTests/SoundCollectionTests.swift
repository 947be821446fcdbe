import AnalysisTesting
import Testing

@testable import Likeness

@Suite(.bounded) struct SoundCollectionTests {
  /// Random, independent descriptors.
  private func descriptors(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count * SoundDescriptor.count).map { _ in UInt8(bitPattern: Int8(40 * random.nextSample())) }
  }

  private func descriptor(_ index: Int, of bytes: [UInt8]) throws -> SoundDescriptor {
    let size = SoundDescriptor.count
    return try #require(SoundDescriptor(bytes: Array(bytes[index * size..<(index + 1) * size])))
  }

  @Test func aTrackIsNearestToItself() throws {
    let bytes = descriptors(1000)
    let collection = SoundCollection(bytes)
    #expect(collection.count == 1000)
    for index in [0, 499, 999] {
      let near = try collection.nearest(to: descriptor(index, of: bytes), limit: 5)
      #expect(near.count == 5 && near[0].index == index)
      #expect(near[0].cosine > 0.999 && near[0].likeness > 0.999)
      #expect(near.map(\.likeness) == near.map(\.likeness).sorted(by: >))
      #expect(near.allSatisfy { (0...1).contains($0.likeness) })
    }
  }

  @Test(arguments: [0, 1, 2, 7]) func smallCollections(count: Int) throws {
    let collection = SoundCollection(descriptors(count))
    let near = try collection.nearest(to: descriptor(0, of: descriptors(1, seed: 9)), limit: 5)
    #expect(Set(near.map(\.index)).count == min(count, 5))
    #expect(near.count == min(count, 5))
  }

  @Test func equalDescriptors() throws {
    let zero = [UInt8](repeating: 0, count: 20 * SoundDescriptor.count)
    let near = try SoundCollection(zero).nearest(to: descriptor(0, of: zero), limit: 20)
    #expect(near.map(\.index) == Array(0..<20))
    #expect(near.allSatisfy { $0.likeness == 0 })
  }

  /// In a high-dimensional space, points near the center of many others are near to all of them.
  @Test func noTrackIsNearToAllOthers() throws {
    let bytes = descriptors(150)
    let size = SoundDescriptor.count
    var counts = [Int](repeating: 0, count: 150)
    let collection = SoundCollection(bytes)
    for index in 0..<150 {
      let own = try #require(SoundDescriptor(bytes: Array(bytes[index * size..<(index + 1) * size])))
      for near in collection.nearest(to: own, limit: 11) where near.index != index { counts[near.index] += 1 }
    }
    #expect((counts.max() ?? 0) < 36)
  }

  @Test func descriptorsOfAnotherSize() {
    #expect(SoundDescriptor(bytes: [1, 2, 3]) == nil)
    #expect(SoundDescriptor(bytes: []) == nil)
  }
}
