import Analysis
import AnalysisTesting
import DSP
import Glibc
import SystemPackage
import Testing

@testable import Likeness

/// Features, statistics and neighbors of made sounds. A change of a recorded descriptor needs a higher version.
@Suite(.bounded) struct RecordedLikenessTests {
  /// Columns of noise with a few tones, which change over time.
  private static func columns(_ count: Int, seed: UInt64) -> [[Float]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { column in
      (0..<SoundFrame.layout.binCount).map { bin in
        let tone: Float = bin % (17 + column / 40 % 5) == 3 ? 30 : 1
        let pulse: Float = column % 12 < 3 ? 4 : 1
        return abs(random.nextSample()) * tone * pulse / Float(1 + bin / 8)
      }
    }
  }

  private static func read(_ column: [Float], into frame: inout SoundFrame) { frame.read(column.span) }

  private static func every(_ step: Int, of values: [Float]) -> [Float] {
    stride(from: 0, to: values.count, by: step).map { values[$0] }
  }

  @Test func framesAndStatistics() throws {
    var results = RecordedResults("Sound/likeness.txt")
    for seed in 1...3 {
      var (frame, statistics) = (SoundFrame(), SoundStatistics())
      for (index, column) in Self.columns(90, seed: UInt64(seed)).enumerated() {
        Self.read(column, into: &frame)
        statistics.append(frame)
        if index % 40 == 0 {
          results.add("sound \(seed), bands \(index)", numbers: frame.bands)
          results.add("sound \(seed), tones \(index)", numbers: frame.tones)
        }
      }
      #expect(statistics.frameCount == 90)
      let next = statistics.next()
      let block = try #require(next)
      #expect(block.numbers.count == SoundStatistics.count && statistics.frameCount == 0)
      results.add("sound \(seed), statistics", numbers: block.numbers)
      results.add("sound \(seed), weight", block.weight)
      let descriptor = SoundProjection.fitted(block.numbers.map { Double($0) })
      results.add("sound \(seed), descriptor", numbers: descriptor.bytes.map { Float(Int8(bitPattern: $0)) / 127 })
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func blocksThatSayNothing() {
    var statistics = SoundStatistics()
    let none = statistics.next()
    #expect(none == nil)
    var frame = SoundFrame()
    let columns = Self.columns(2, seed: 4)
    Self.read(columns[0], into: &frame)
    statistics.append(frame)
    let one = statistics.next()
    #expect(one == nil && statistics.frameCount == 0)
    statistics.append(frame)
    Self.read(columns[1], into: &frame)
    statistics.append(frame)
    let two = statistics.next()
    #expect(two != nil)
  }

  /// A block of mean power 1e-6 is sound.
  @Test(arguments: [(1.02, true), (0.98, false)] as [(Float, Bool)]) func quietBlocks(factor: Float, isSound: Bool) {
    let columns = Self.columns(8, seed: 5)
    func frames(_ scale: Float) -> [SoundFrame] {
      var frame = SoundFrame()
      return columns.map { column in
        Self.read(column.map { $0 * scale }, into: &frame)
        return frame
      }
    }
    let plain = frames(1).flatMap(\.bands)
    let mean = plain.reduce(0, +) / Float(plain.count)
    var statistics = SoundStatistics()
    for frame in frames(factor * 1e-6 / mean) { statistics.append(frame) }
    let found = statistics.next()
    #expect((found != nil) == isSound)
  }

  private static func feed(
    _ column: [Float], at index: Int, to session: inout LikenessAnalyzer.Session
  ) throws {
    try session.consume(column.span, at: Int64(index))
  }

  /// Feeds columns to an analyzer's session.
  private func descriptor(_ columns: [[Float]]) throws -> LikenessFinding {
    var session = LikenessAnalyzer(.init()).makeSession(for: AudioFile(path: "columns"))
    for index in columns.indices { try Self.feed(columns[index], at: index, to: &session) }
    return try session.finish()
  }

  @Test func blocksAreWeighed() throws {
    var results = RecordedResults("Sound/likeness-descriptor.txt")
    let loud = Self.columns(1_024, seed: 6)
    var random = SplitMix64(seed: 7)
    let soft = (0..<1_024).map { _ in
      (0..<SoundFrame.layout.binCount).map { _ in 1e-3 * abs(random.nextSample()) }
    }
    func add(_ name: String, _ columns: [[Float]]) throws {
      let found = try descriptor(columns)
      results.add(name, numbers: found.descriptor.map { Float(Int8(bitPattern: $0)) / 127 })
    }
    // A block is 1,024 columns. A short one at the end counts only from 256 columns on.
    try add("a block", Array(loud.prefix(1_024)))
    try add("both", Array(loud.prefix(1_024)) + soft.prefix(1_024))
    #expect(try descriptor(Array(loud.prefix(1_024)) + soft.prefix(252)) == descriptor(Array(loud.prefix(1_024))))
    #expect(try descriptor(Array(loud.prefix(1_024)) + soft.prefix(256)) != descriptor(Array(loud.prefix(1_024))))
    // Three of four columns are left out.
    var others = Array(loud.prefix(1_024))
    for index in others.indices where index % 4 != 0 {
      others[index] = [Float](repeating: 9, count: others[index].count)
    }
    #expect(try descriptor(others) == descriptor(Array(loud.prefix(1_024))))
    // Five seconds are 126 frames.
    #expect(try descriptor(Array(loud.prefix(501))).reason == nil)
    #expect(try descriptor(Array(loud.prefix(500))).reason == "too_short")
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  // MARK: - Collections

  private static func descriptors(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    let centers = (0..<7).map { _ in (0..<SoundDescriptor.count).map { _ in 60 * random.nextSample() } }
    return (0..<count).flatMap { number in
      centers[number % 7].map { UInt8(bitPattern: Int8(min(max($0 + 40 * random.nextSample(), -127), 127))) }
    }
  }

  private func descriptor(_ index: Int, of bytes: [UInt8]) throws -> SoundDescriptor {
    try #require(
      SoundDescriptor(bytes: Array(bytes[index * SoundDescriptor.count..<(index + 1) * SoundDescriptor.count])))
  }

  @Test func neighborsOfTracks() throws {
    var results = RecordedResults("Sound/neighbors.txt")
    for count in [3, 60, 900] {
      let bytes = Self.descriptors(count, seed: UInt64(count))
      let collection = SoundCollection(bytes)
      #expect(collection.count == count)
      for index in [0, count / 2, count - 1] {
        let near = try collection.nearest(to: descriptor(index, of: bytes), limit: 6)
        results.add(
          "\(index) of \(count)", near.map { "\($0.index) \($0.cosine) \($0.likeness)" }.joined(separator: ", "))
      }
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// More tracks than are corrected, and as many as are asked for.
  @Test func manyNeighbors() throws {
    let bytes = Self.descriptors(700, seed: 3)
    let collection = SoundCollection(bytes)
    let own = try descriptor(5, of: bytes)
    for limit in [1, 128, 300, 700, 900] {
      let near = collection.nearest(to: own, limit: limit)
      #expect(near.count == min(limit, 700) && Set(near.map(\.index)).count == near.count)
      #expect(zip(near, near.dropFirst()).allSatisfy { $0.likeness >= $1.likeness })
      #expect(near[0].index == 5)
    }
  }

  @Test func reducedDescriptors() throws {
    var results = RecordedResults("Sound/principal-components.txt")
    let bytes = Self.descriptors(60, seed: 12)
    for width in [2, 9] {
      let components = try #require(PrincipalComponents(sample: bytes, width: width))
      #expect(components.width == width)
      for index in [0, 31, 59] {
        let numbers = try #require(try components.reduced(descriptor(index, of: bytes).bytes))
        results.add("\(index) to \(width)", numbers: numbers.map { Float($0) / 127 })
      }
    }
    #expect(PrincipalComponents(sample: bytes, width: 129) == nil)
    // Bytes of a part of a descriptor do not count.
    let whole = try #require(PrincipalComponents(sample: bytes, width: 3))
    let cut = try #require(PrincipalComponents(sample: bytes + [1, 2, 3], width: 3))
    #expect(try whole.reduced(descriptor(1, of: bytes).bytes) == cut.reduced(descriptor(1, of: bytes).bytes))
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Numbers beyond a byte are limited.
  @Test func descriptorsAreBytes() {
    let numbers: [Float] = [0, 0.03, 0.04, 1, -1, 7.9, 8, -7.94, -9]
    let bytes = SoundDescriptor(numbers).bytes.map { Int8(bitPattern: $0) }
    #expect(bytes == [0, 0, 1, 16, -16, 126, 127, -127, -127])
  }
}
