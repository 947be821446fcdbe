import Analysis
import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import LibraryTasks

/// Tracks of a playlist and their order.
@Suite(.bounded) struct PlaylistTests {
  /// A library of tracks with random tempi, keys and artists, some of them unknown.
  static func library(_ count: Int, seed: UInt64 = 1, artists: Int = 40) -> [PlaylistTrack] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { number in
      let isKnown = Int.random(in: 0..<20, using: &random) > 0
      let letter = Bool.random(using: &random) ? "A" : "B"
      return PlaylistTrack(
        path: FilePath("/music/\(number).flac"), contentID: ContentID(hashing: Array("\(number)".utf8)),
        artist: "Artist \(Int.random(in: 0..<artists, using: &random))", title: "\(number)",
        duration: .random(in: 120...420, using: &random), bpm: isKnown ? .random(in: 70...180, using: &random) : nil,
        key: isKnown ? "\(Int.random(in: 1...12, using: &random))\(letter)" : nil,
        energy: isKnown ? .random(in: 0...1, using: &random) : nil)
    }
  }

  private func request(
    _ order: PlaylistOrder = .mix, _ length: PlaylistLength = .all, spacing: Int = 0, seed: UInt64 = 0
  ) -> PlaylistProposal.Request {
    var request = PlaylistProposal.Request()
    (request.order, request.length, request.spacing, request.seed) = (order, length, spacing, seed)
    return request
  }

  @Test(arguments: PlaylistOrder.allCases) func eachTrackIsThereOnce(order: PlaylistOrder) {
    let library = Self.library(200)
    for spacing in [0, 3] {
      let playlist = PlaylistProposal(of: library, request(order, spacing: spacing))
      #expect(Set(playlist.tracks.map(\.path)) == Set(library.map(\.path)) && playlist.tracks.count == 200)
      #expect(PlaylistProposal(of: library, request(order, spacing: spacing)).tracks == playlist.tracks)
    }
  }

  @Test func anotherSeedGivesAnotherChoice() {
    let library = Self.library(200)
    for order in PlaylistOrder.allCases {
      let choices = (0..<3).map { seed in
        Set(PlaylistProposal(of: library, request(order, .tracks(20), seed: seed)).tracks.map(\.path))
      }
      #expect(Set(choices).count == 3)
      #expect(choices.allSatisfy { $0.count == 20 })
    }
  }

  @Test(arguments: PlaylistOrder.allCases) func lengthsAreFilled(order: PlaylistOrder) {
    for seed in 0..<10 as Range<UInt64> {
      let playlist = PlaylistProposal(of: Self.library(300), request(order, .seconds(3600), spacing: 2, seed: seed))
      #expect(abs(playlist.duration - 3600) < 30, "\(playlist.duration)")
      #expect(Set(playlist.tracks.map(\.path)).count == playlist.tracks.count)
    }
    // Takes all tracks if there are too few.
    let short = PlaylistProposal(of: Self.library(5), request(order, .seconds(36_000)))
    #expect(short.tracks.count == 5)
  }

  @Test func artistsAreKeptApart() {
    let library = Self.library(120, artists: 12)
    for order in PlaylistOrder.allCases {
      let tracks = PlaylistProposal(of: library, request(order, spacing: 4))
      #expect(tracks.repeatCount == 0, "\(order)")
      for (index, track) in tracks.tracks.enumerated() {
        #expect(!tracks.tracks[..<index].suffix(4).contains { $0.artist == track.artist })
      }
    }
    // If spacing is impossible, repeats are counted and all tracks are kept.
    let one = PlaylistProposal(of: Self.library(10, artists: 1), request(spacing: 3))
    #expect(one.tracks.count == 10 && one.repeatCount == 9 + 8 + 7)
    // Unknown artists are not the same artist.
    let unnamed = Self.library(10).map { track in
      var track = track
      track.artist = nil
      return track
    }
    #expect(PlaylistProposal(of: unnamed, request(spacing: 3)).repeatCount == 0)
  }

  @Test func mixesHaveSmallJumps() {
    let library = Self.library(300)
    func cost(_ tracks: [PlaylistTrack]) -> Float {
      let sequence = TrackSequence(tracks, spacing: 0)
      return (1..<tracks.count).reduce(0) { $0 + sequence.cost($1 - 1, $1) }
    }
    let mix = PlaylistProposal(of: library, request())
    let tempo = PlaylistProposal(of: library, request(.tempo))
    #expect(cost(mix.tracks) < 0.35 * cost(tempo.tracks) && cost(tempo.tracks) < cost(library))
    // Exchanges improve on the chain alone.
    let sequence = TrackSequence(library, spacing: 0)
    let chain = sequence.chain(Array(library.indices))
    #expect(cost(sequence.improved(chain).map { library[$0] }) < cost(chain.map { library[$0] }))
  }

  @Test func costsAreAsDocumented() throws {
    #expect(abs(Transition.tempoChange(120, 126) - 5) < 1e-9 && abs(Transition.tempoChange(126, 120) - 5) < 1e-9)
    #expect(Transition.tempoChange(87, 174) < 1e-9)
    func steps(_ first: String, _ second: String) throws -> Int {
      try Transition.keySteps(#require(WheelPosition(first)), #require(WheelPosition(second)))
    }
    #expect(try steps("8A", "8A") == 0 && steps("8A", "9A") == 1 && steps("12A", "1A") == 1 && steps("8A", "8B") == 1)
    #expect(try steps("8A", "9B") == 2 && steps("1A", "7A") == 6 && steps("1A", "7B") == 7)
    for text in ["", "A", "13A", "0B", "8C", "8", "A8"] { #expect(WheelPosition(text) == nil) }
    #expect((0...7).map(Transition.keyCost) == [0, 0.2, 1, 1.5, 2, 2.5, 3, 3])
    // The fast form equals the documented one.
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      let (a, b) = (Double.random(in: 60...200, using: &random), Double.random(in: 60...200, using: &random))
      let tracks = [a, b].map { PlaylistTrack(path: "/a", bpm: $0, key: "8A", energy: 0.5) }
      let cost = TrackSequence(tracks, spacing: 0).cost(0, 1)
      #expect(abs(cost - Transition.tempoCost(a, b)) < 0.02, "\(a) \(b)")
    }
    let tracks = [0.2, 0.8].map { PlaylistTrack(path: "/a", bpm: 120, key: "8A", energy: $0) }
    #expect(abs(TrackSequence(tracks, spacing: 0).cost(0, 1) - Transition.energyCost(0.2, 0.8)) < 1e-6)
  }

  @Test func copiesAreLeftOut() {
    var library = Self.library(10)
    for index in 5..<10 { library[index].contentID = library[index - 5].contentID }
    let playlist = PlaylistProposal(of: library, request(.path))
    #expect(playlist.tracks.map(\.path) == library.prefix(5).map(\.path) && playlist.copyCount == 5)
  }

  @Test func tracksOfUnknownLengthDoNotFillATime() {
    var library = Self.library(50)
    library[3].duration = nil
    let playlist = PlaylistProposal(of: library, request(.path, .seconds(3600)))
    #expect(playlist.unmeasuredCount == 1 && playlist.candidateCount == 49)
  }

  @Test func plainOrders() {
    let library = Self.library(60)
    let tempi = PlaylistProposal(of: library, request(.tempo)).tracks.map { $0.bpm ?? .infinity }
    #expect(tempi == tempi.sorted())
    let energies = PlaylistProposal(of: library, request(.energy)).tracks.map { $0.energy ?? .infinity }
    #expect(energies == energies.sorted())
    let keys = PlaylistProposal(of: library, request(.key)).tracks.map { track in
      track.key.flatMap { WheelPosition($0) }?.index ?? 24
    }
    #expect(keys == keys.sorted())
    #expect(PlaylistProposal(of: library.reversed(), request(.path)).tracks.first?.path == "/music/0.flac")
  }
}
