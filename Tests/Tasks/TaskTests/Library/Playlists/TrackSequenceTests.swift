import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing

@testable import LibraryTasks

/// The orders of `TrackSequence` as documented, computed without short cuts: each attempt counts the cost and the
/// repeats of the whole order.
private struct PlainSequence {
  let tracks: [PlaylistTrack]
  let spacing: Int
  private let sequence: TrackSequence

  init(_ tracks: [PlaylistTrack], spacing: Int) {
    self.tracks = tracks
    self.spacing = spacing
    sequence = TrackSequence(tracks, spacing: spacing)
  }

  func cost(_ order: [Int]) -> Double {
    zip(order, order.dropFirst()).reduce(0) { $0 + Double(sequence.cost($1.0, $1.1)) }
  }

  func isRepeat(_ first: Int, _ second: Int) -> Bool {
    guard let artist = tracks[first].artist else { return false }
    return artist == tracks[second].artist
  }

  /// The cost of a track between the neighbors of a position.
  func cost(_ track: Int, at place: Int, of order: [Int]) -> Float {
    (place > 0 ? sequence.cost(order[place - 1], track) : 0)
      + (place + 1 < order.count ? sequence.cost(track, order[place + 1]) : 0)
  }

  func repeats(_ order: [Int]) -> Int {
    var count = 0
    for (position, track) in order.enumerated() {
      for other in order.dropFirst(position + 1).prefix(spacing) where isRepeat(track, other) { count += 1 }
    }
    return count
  }

  func chain(_ list: [Int], while shouldContinue: ([Int]) -> Bool = { _ in true }) -> [Int] {
    guard let first = list.first else { return [] }
    var (order, rest) = ([first], Array(list.dropFirst()))
    while !rest.isEmpty, shouldContinue(order) {
      let costs = rest.map { track in
        sequence.cost(order[order.count - 1], track)
          + (order.suffix(spacing).contains { isRepeat($0, track) } ? 10 : 0)
      }
      let best = costs.firstIndex(of: costs.min() ?? 0) ?? 0
      order.append(rest[best])
      rest[best] = rest[rest.count - 1]
      rest.removeLast()
    }
    return order
  }

  func spaced(_ list: [Int]) -> [Int] {
    var (order, rest) = ([Int](), list)
    while spacing > 0, !rest.isEmpty {
      let counts = Dictionary(grouping: rest.compactMap { tracks[$0].artist }, by: \.self).mapValues(\.count)
      let most = counts.values.max() ?? 0
      let artists = Set(counts.filter { $0.value == most }.map(\.key))
      let isCrowded = most > 1 && (most - 1) * (spacing + 1) + artists.count + spacing >= rest.count
      let fitting = rest.indices.filter { place in !order.suffix(spacing).contains { isRepeat($0, rest[place]) } }
      let urgent = fitting.first { place in tracks[rest[place]].artist.map(artists.contains) ?? false }
      order.append(rest.remove(at: (isCrowded ? urgent : nil) ?? fitting.first ?? 0))
    }
    return spacing > 0 ? order : list
  }

  func improved(_ list: [Int]) -> [Int] {
    let order = exchanged(list)
    let apart = exchanged(spaced(order))
    return repeats(apart) < repeats(order) ? apart : order
  }

  private func exchanged(_ list: [Int]) -> [Int] {
    var order = list
    guard order.count > 2 else { return order }
    func improves(_ new: [Int]) -> Bool {
      let gain = cost(order) - cost(new)
      return gain > 1e-4 && Double(repeats(new) - repeats(order)) * 10 < gain
    }
    for _ in 0..<8 {
      var isBetter = false
      for start in 0..<order.count - 1 {
        for end in start + 1..<order.count {
          var new = order
          new[start...end].reverse()
          if improves(new) { (order, isBetter) = (new, true) }
        }
      }
      for length in 1...3 where length < order.count {
        for start in 0...order.count - length {
          for target in 0...order.count - length where target != start {
            var new = order
            new.removeSubrange(start..<start + length)
            new.insert(contentsOf: order[start..<start + length], at: target)
            if improves(new) {
              (order, isBetter) = (new, true)
              break
            }
          }
        }
      }
      if !isBetter { break }
    }
    return order
  }
}

/// Chains, exchanges and spacing, compared with plain forms of the same, and costs of transitions.
@Suite(.bounded) struct TrackSequenceTests {
  /// Tracks whose costs are multiples of 0.05, so that rounding errors decide nothing.
  private static func tracks(_ count: Int, artists: Int, seed: UInt64) -> [PlaylistTrack] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { number in
      let hour = Int.random(in: 1...12, using: &random)
      let artist = Int.random(in: 0...artists, using: &random)
      return PlaylistTrack(
        path: FilePath("/music/\(number).flac"), artist: artist == artists ? nil : "Artist \(artist)",
        duration: Double(Int.random(in: 120...420, using: &random)),
        bpm: [100, 100, 150, 200, nil].randomElement(using: &random) ?? nil,
        key: Int.random(in: 0..<8, using: &random) == 0 ? nil : "\(hour)\(Bool.random(using: &random) ? "A" : "B")",
        energy: [0, 0.5, 1, nil].randomElement(using: &random) ?? nil)
    }
  }

  // MARK: Orders

  @Test(arguments: 0..<24 as Range<UInt64>) func ordersAreThoseOfThePlainForm(seed: UInt64) {
    let count = [2, 3, 4, 7, 11, 14][Int(seed % 6)]
    let spacing = Int(seed / 6)
    let tracks = Self.tracks(count, artists: seed.isMultiple(of: 2) ? 3 : 6, seed: seed)
    let (sequence, plain) = (TrackSequence(tracks, spacing: spacing), PlainSequence(tracks, spacing: spacing))
    let all = Array(tracks.indices)
    #expect(sequence.spaced(all) == plain.spaced(all))
    #expect(sequence.repeatCount(in: all) == plain.repeats(all))
    let chain = plain.chain(all)
    #expect(sequence.chain(all) == chain)
    #expect(sequence.chain(all, while: { $0.count < 3 }) == plain.chain(all, while: { $0.count < 3 }))
    #expect(sequence.improved(chain) == plain.improved(chain))
    #expect(sequence.improved(all) == plain.improved(all))
  }

  /// Long lists in which some artists have many tracks.
  @Test(arguments: 30..<60 as Range<UInt64>) func spacingIsThatOfThePlainForm(seed: UInt64) {
    let spacing = 1 + Int(seed % 4)
    let tracks = Self.tracks(40, artists: 2 + Int(seed % 5), seed: seed)
    let all = Array(tracks.indices)
    #expect(TrackSequence(tracks, spacing: spacing).spaced(all) == PlainSequence(tracks, spacing: spacing).spaced(all))
  }

  @Test func fewTracksKeepTheirOrder() {
    let tracks = Self.tracks(2, artists: 9, seed: 1)
    for count in 0...2 {
      let sequence = TrackSequence(Array(tracks.prefix(count)), spacing: 1)
      let all = Array(0..<count)
      #expect(sequence.chain(all) == all && sequence.improved(all) == all && sequence.spaced(all) == all)
    }
  }

  @Test func artistsAreTheSameInAnyCase() {
    let tracks = ["Björk", "BJÖRK", "Queen", nil, nil].map { PlaylistTrack(path: "/a", artist: $0) }
    let sequence = TrackSequence(tracks, spacing: 2)
    #expect(sequence.isRepeat(0, 1) && !sequence.isRepeat(0, 2) && !sequence.isRepeat(3, 4))
    #expect(sequence.repeats(1, after: [0, 2, 3]) == false && sequence.repeats(1, after: [2, 0, 3]))
    #expect(sequence.repeatCount(in: [0, 2, 1]) == 1 && sequence.repeatCount(in: [0, 2, 3, 1]) == 0)
  }

  // MARK: Costs

  private func cost(_ first: (bpm: Double?, key: String?), _ second: (bpm: Double?, key: String?)) -> Float {
    TrackSequence(
      [first, second].map { PlaylistTrack(path: "/a", bpm: $0.bpm, key: $0.key, energy: 0.5) }, spacing: 0
    ).cost(0, 1)
  }

  @Test func costsOfTempi() {
    for factor in [1, 1.01, 1.06, 1.1, 1.16, 1.17] {
      let cost = cost((120, "1A"), (120 * factor, "1A"))
      #expect(abs(Double(cost) - (factor - 1) * 100 / 6) < 1e-3, "\(factor)")
      #expect(abs(self.cost((120 * factor, "1A"), (240, "1A")) - cost - 0.25) < 1e-3, "\(factor)")
    }
    #expect(cost((100, "1A"), (120, "1A")) == 3 && cost((100, "1A"), (150, "1A")) == 3.25)
    // Exactly half an octave is not half or double time yet.
    #expect(cost((64, "1A"), (64 * 2.0.squareRoot(), "1A")) == 3)
    #expect(abs(Transition.tempoCost(100, 150) - 3.25) < 1e-6 && abs(Transition.tempoCost(100, 145) - 3.25) < 1e-6)
    #expect(Transition.tempoCost(100, 120) == 3 && abs(Transition.tempoCost(100, 200) - 0.25) < 1e-6)
    #expect(abs(Transition.tempoCost(100, 103) - 0.5) < 1e-6)
    for unknown in [nil, 0, -1] as [Double?] {
      #expect(cost((unknown, "1A"), (120, "1A")) == 0.75 && cost((120, "1A"), (unknown, "1A")) == 0.75)
    }
    // A tempo of one beat per minute is one.
    #expect(cost((1, "1A"), (2, "1A")) == 0.25)
  }

  @Test func costsOfKeys() throws {
    let names = (1...12).flatMap { ["\($0)A", "\($0)B"] }
    let places = try names.map { try #require(WheelPosition($0)) }
    #expect(places.map(\.index) == Array(0..<24))
    for (first, name) in names.enumerated() {
      #expect(cost((120, nil), (120, name)) == 0.75 && cost((120, name), (120, nil)) == 0.75)
      for (second, other) in names.enumerated() {
        let hours = abs(first / 2 - second / 2)
        let steps = min(hours, 12 - hours) + (first % 2 == second % 2 ? 0 : 1)
        #expect(Transition.keySteps(places[first], places[second]) == steps)
        let expected: Float = steps == 0 ? 0 : steps == 1 ? 0.2 : min(3, 0.5 * Float(steps))
        #expect(abs(cost((120, name), (120, other)) - expected) < 1e-6, "\(name) \(other)")
      }
    }
    #expect(cost((120, nil), (120, nil)) == 0.75 && cost((nil, nil), (nil, nil)) == 1.5)
  }

  @Test func costsOfEnergies() {
    func cost(_ first: Double?, _ second: Double?) -> Float {
      let tracks = [first, second].map { PlaylistTrack(path: "/a", bpm: 120, key: "1A", energy: $0) }
      return TrackSequence(tracks, spacing: 0).cost(0, 1)
    }
    #expect(cost(0.25, 0.75) == 0.25 && cost(1, 0) == 0.5 && cost(0.5, 0.5) == 0)
    #expect(cost(nil, 0.5) == 0 && cost(0.5, nil) == 0)
    #expect(Transition.energyCost(0.75, 0.25) == 0.25)
  }

  // MARK: Choice

  private func chosen(
    _ tracks: [PlaylistTrack], _ length: PlaylistLength, spacing: Int = 0, chain: Bool = false
  ) -> [Int] {
    let sequence = TrackSequence(tracks, spacing: spacing)
    return PlaylistChoice(tracks: tracks, sequence: sequence, wantsChain: chain).chosen(length)
  }

  /// The choice for a duration as documented.
  private func plainChoice(_ tracks: [PlaylistTrack], _ seconds: Double, spacing: Int, chain: Bool) -> [Int] {
    let plain = PlainSequence(tracks, spacing: spacing)
    func duration(_ indices: some Sequence<Int>) -> Double { indices.reduce(0) { $0 + (tracks[$1].duration ?? 0) } }
    var taken: [Int] = []
    if chain {
      taken = plain.chain(Array(tracks.indices)) { duration($0) < seconds }
    } else {
      for track in plain.spaced(Array(tracks.indices)) where duration(taken) < seconds { taken.append(track) }
    }
    func distance(_ indices: some Sequence<Int>) -> Double { abs(duration(indices) - seconds) }
    if taken.count > 1, distance(taken.dropLast()) < distance(taken) { taken.removeLast() }
    guard distance(taken) > 5 else { return taken }
    var (best, least) = (taken, distance(taken) / 10 + 1)
    for track in tracks.indices where !taken.contains(track) {
      for place in taken.indices {
        var new = taken
        new[place] = track
        guard distance(new) < distance(taken) else { continue }
        var loss = Double(max(0, track - taken[place])) / Double(taken.count)
        if chain {
          let near = taken.indices.filter { $0 != place && abs($0 - place) <= spacing }
          let isRepeat = near.contains { plain.isRepeat(taken[$0], track) }
          loss = Double(plain.cost(track, at: place, of: taken) - plain.cost(taken[place], at: place, of: taken))
          loss += isRepeat ? 10 : 0
        }
        let score = distance(new) / 10 + loss
        if score < least { (best, least) = (new, score) }
      }
    }
    return best
  }

  @Test(arguments: 0..<60 as Range<UInt64>) func choicesAreThoseOfThePlainForm(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let tracks = Self.tracks(Int.random(in: 3...16, using: &random), artists: 5, seed: seed)
    for _ in 0..<6 {
      // Durations are whole numbers, so no track is as much too long as another is too short.
      let seconds = Double(Int.random(in: 60...2000, using: &random)) + 0.25
      for (spacing, chain) in [(0, false), (2, false), (0, true), (2, true)] {
        #expect(
          chosen(tracks, .seconds(seconds), spacing: spacing, chain: chain)
            == plainChoice(tracks, seconds, spacing: spacing, chain: chain), "\(seconds) \(spacing) \(chain)")
      }
    }
  }

  private static func lasting(_ durations: [Double]) -> [PlaylistTrack] {
    durations.enumerated().map {
      PlaylistTrack(path: FilePath("/\($0.offset)"), duration: $0.element, bpm: 120, key: "1A", energy: 0)
    }
  }

  @Test func aFewSecondsDoNotMatter() {
    let tracks = Self.lasting([100, 100, 100, 95, 94])
    #expect(chosen(tracks, .seconds(295)) == [0, 1, 2])
    #expect(chosen(tracks, .seconds(294)) == [0, 1, 3])
    #expect(chosen(Self.lasting([300]), .seconds(100)) == [0])
    #expect(chosen(Self.lasting([100, 100]), .seconds(150)) == [0, 1])
    #expect(chosen(Self.lasting([100, 100]), .seconds(149)) == [0])
    #expect(chosen(tracks, .seconds(300)) == [0, 1, 2])
  }

  /// Only so many tracks are tried as a replacement.
  @Test(arguments: [(2001, true), (2002, false)]) func replacementsAreSearchedAmongTheFirst(place: Int, isFound: Bool) {
    var durations = [Double](repeating: 100, count: 2010)
    durations[place] = 50
    let taken = chosen(Self.lasting(durations), .seconds(250), chain: true)
    #expect(taken.count == 3 && taken.contains(place) == isFound)
    #expect(Set(taken).subtracting([0, 1, 2009, place]).isEmpty)
  }

  @Test(arguments: [false, true]) func numbersOfTracks(chain: Bool) {
    let tracks = Self.tracks(12, artists: 4, seed: 8)
    let plain = PlainSequence(tracks, spacing: 2)
    let all = chain ? plain.chain(Array(tracks.indices)) : plain.spaced(Array(tracks.indices))
    for count in 1...12 {
      #expect(chosen(tracks, .tracks(count), spacing: 2, chain: chain) == Array(all.prefix(count)))
    }
    #expect(chosen(tracks, .tracks(99), spacing: 2, chain: chain).count == 12)
    #expect(chosen(tracks, .all, spacing: 2, chain: chain) == (chain ? all : Array(tracks.indices)))
  }
}
