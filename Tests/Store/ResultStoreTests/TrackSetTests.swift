import AnalysisTesting
import LibraryTesting
import ResultStore
import SystemPackage
import Testing

@testable import ResultStore

/// Sets of tracks, which are sets of numbers or all other numbers.
@Suite(.bounded) struct TrackSetTests {
  private static let universe = Set((0..<400).map { Int64($0) } + [4_095, 4_096, 100_000])

  /// Returns those of a universe that are in a set, as SQL finds them.
  private func members(_ set: TrackSet, of ids: Set<Int64> = universe, _ library: ScannedLibrary) throws -> Set<Int64> {
    let argument = TrackSet.Argument(set)
    return try library.store.read { db in
      let select = try Query(
        db, "SELECT value FROM json_each(?1) WHERE \(TrackSet.condition(on: "value", parameter: 2))")
      var found: Set<Int64> = []
      try select.forEachRow(.list(ids.sorted()), .tracks(argument)) { found.insert(select.integer(0)) }
      return found
    }
  }

  private func set(_ ids: [Int64], limit: Int? = nil, _ library: ScannedLibrary) throws -> TrackSet {
    try library.store.read { try TrackSet($0, "value", from: "json_each(?)", [.list(ids)], limit: limit) }
  }

  @Test func setsAreThoseOfTheirIDs() throws {
    let library = try ScannedLibrary()
    for ids in [[], [0], [63], [64], [0, 63, 64, 127, 128], [4_096, 7, 7, 4_095], [100_000], Array(0..<400)]
      as [[Int64]]
    {
      let set = try set(ids, library)
      let expected = Set(ids)
      #expect(try members(set, library) == expected)
      #expect(try members(set.complement, library) == Self.universe.subtracting(expected))
      #expect(set.count(ofAll: -1) == expected.count && set.complement.count(ofAll: 1_000) == 1_000 - expected.count)
      #expect(set.ids(atMost: expected.count) == expected.sorted() && set.ids(atMost: 1_000) == expected.sorted())
      if !ids.isEmpty { #expect(set.ids(atMost: expected.count - 1) == nil) }
      #expect(set.complement.ids(atMost: 1_000) == nil)
      #expect(!set.isAll && set.complement.isAll == ids.isEmpty)
    }
    #expect(TrackSet.all.isAll && !TrackSet.none.isAll)
    #expect(try members(.all, library) == Self.universe && members(.none, library) == [])
    #expect(TrackSet.all.count(ofAll: 7) == 7 && TrackSet.none.count(ofAll: 7) == 0)
    #expect(TrackSet.none.ids(atMost: 0) == [] && TrackSet.all.ids(atMost: 9) == nil)
  }

  /// Any sets, and all others, can be joined and intersected, in whatever order.
  @Test func setsAreCombined() throws {
    let library = try ScannedLibrary()
    var random = SplitMix64.fresh()
    for _ in 0..<40 {
      var sets: [(set: TrackSet, expected: Set<Int64>)] = []
      for _ in 0..<2 {
        // The sizes in words differ.
        let end = Int64.random(in: 1...400, using: &random)
        let ids = (0..<Int.random(in: 0...60, using: &random)).map { _ in Int64.random(in: 0..<end, using: &random) }
        let set = try set(ids, library)
        sets.append(
          Bool.random(using: &random) ? (set, Set(ids)) : (set.complement, Self.universe.subtracting(ids)))
      }
      let (a, b) = (sets[0], sets[1])
      #expect(try members(a.set.union(b.set), library) == a.expected.union(b.expected))
      #expect(try members(b.set.union(a.set), library) == a.expected.union(b.expected))
      #expect(try members(a.set.intersection(b.set), library) == a.expected.intersection(b.expected))
      #expect(try members(b.set.intersection(a.set), library) == a.expected.intersection(b.expected))
      let both = a.set.intersection(b.set)
      #expect(both.count(ofAll: Self.universe.count) == a.expected.intersection(b.expected).count)
    }
  }

  @Test func limitsAndOddNumbers() throws {
    let library = try ScannedLibrary()
    for (limit, expected) in [(0, []), (2, [5, 9]), (3, [5, 7, 9]), (4, [5, 7, 9]), (nil, [5, 7, 9])]
      as [(Int?, [Int64])]
    {
      #expect(try set([9, 5, 7], limit: limit, library).ids(atMost: 9) == expected)
    }
    // No row has such a number.
    #expect(try set([-1, 3, .min, .max, 1 << 32], library).ids(atMost: 9) == [3])
    #expect(try members(set([3], library), of: [-1, .min, .max, 1 << 32, 3], library) == [3])
    // The condition is wrong for an argument that is not a set.
    let answer = try library.store.read { db in
      let select = try Query(db, "SELECT in_track_set(NULL, 3), in_track_set(1, 3)")
      return try select.first { [select.isNull(0), select.flag(0), select.isNull(1), select.flag(1)] }
    }
    #expect(answer == [false, false, false, false])
  }
}
