import AnalysisTesting
import Chromaprint
import Landmarks
import Testing

@testable import Duplicates

/// The shares of landmarks that two aligned recordings have in common, compared with their definitions.
@Suite(.bounded) struct CorroborationTests {
  private static let rate = 31.25
  private static let music = MadeSounds.music(seed: 12, seconds: 60)

  /// A recording that is 20 columns later in the other one, which lacks a part of the landmarks and has some moved by
  /// one to four columns.
  private static let other: [Landmark] = {
    var random = SplitMix64(seed: 3)
    var landmarks: [Landmark] = []
    for landmark in music {
      // Worse in the middle.
      let isMiddle = (600..<1_100).contains(landmark.column)
      if Int.random(in: 0..<100, using: &random) < (isMiddle ? 50 : 10) { continue }
      var moved = landmark
      moved.column += 20
      if Int.random(in: 0..<3, using: &random) == 0 { moved.column += Int.random(in: -4...4, using: &random) }
      landmarks.append(moved)
    }
    return landmarks.sorted { ($0.column, $0.band) < ($1.column, $1.band) }
  }()

  private static func alignment(_ stretches: [(Range<Double>, Double)]) -> Alignment {
    Alignment(
      basis: .signature,
      stretches: stretches.map { range, shift in
        Alignment.Stretch(first: range, second: range.lowerBound + shift..<range.upperBound + shift)
      }, speed: 1, coverage: 1, agreement: 1, mainCoverage: 1, blockCount: 15)
  }

  private static func sound(_ landmarks: [Landmark], seconds: Double) -> ComparableSound {
    ComparableSound(MadeSounds.sound(landmarks, seconds: seconds))
  }

  private struct Places {
    private let places: Set<[Int]>

    init(_ landmarks: [Landmark]) { places = Set(landmarks.map { [$0.column, $0.band] }) }

    func has(_ column: Int, _ band: Int, within reach: Int) -> Bool {
      (-reach...reach).contains { places.contains([column + $0, band]) }
    }
  }

  private typealias Stretch = (own: Range<Double>, other: Double)

  /// The column of the other recording that corresponds to a landmark; `nil` outside the stretches.
  private static func column(of landmark: Landmark, _ stretches: [Stretch]) -> Int? {
    let time = Double(landmark.column) / rate
    return stretches.first { $0.own.contains(time) }.map {
      Int((($0.other + time - $0.own.lowerBound) * rate).rounded())
    }
  }

  private static func dominantShare(_ own: [Landmark], _ other: [Landmark], _ stretches: [Stretch]) -> Double {
    let places = Places(other)
    var (count, found) = (0, 0)
    for landmark in SketchKeys.dominant(own) {
      guard let column = column(of: landmark, stretches) else { continue }
      count += 1
      if places.has(column, landmark.band, within: 3) { found += 1 }
    }
    return count > 0 ? Double(found) / Double(count) : 0
  }

  /// The mean of the worst tenth of two-second windows with eight clear landmarks or more, of three at least.
  private static func weakestShare(_ own: [Landmark], _ other: [Landmark], _ stretches: [Stretch]) -> Double? {
    let places = Places(other)
    var windows: [Int: [(column: Int, band: Int)]] = [:]
    for landmark in own where landmark.strength >= 6 {
      guard let column = column(of: landmark, stretches) else { continue }
      windows[landmark.column / 62, default: []].append((column, landmark.band))
    }
    let shares = windows.values.filter { $0.count >= 8 }.map { window in
      let counts = (-2...2).map { shift in
        window.count { places.has($0.column + shift, $0.band, within: 1) }
      }
      return Double(counts.max() ?? 0) / Double(window.count)
    }
    guard shares.count >= 3 else { return nil }
    let worst = shares.sorted().prefix(max(1, Int((Double(shares.count) / 10).rounded())))
    return worst.reduce(0, +) / Double(worst.count)
  }

  /// One stretch, two of which one is elsewhere, and one too short for windows.
  @Test(
    arguments: [[(0..<60, 0.64)], [(0..<20, 0.64), (30..<58, 0.7)], [(5..<12.5, 0.64)], [(10..<20, 9)]]
      as [[(Range<Double>, Double)]])
  func sharesAreThoseOfTheStretches(parts: [(Range<Double>, Double)]) throws {
    let alignment = Self.alignment(parts)
    let (first, second) = (Self.sound(Self.music, seconds: 60), Self.sound(Self.other, seconds: 64))
    let found = Corroboration(of: alignment, first, second)
    let there = alignment.stretches.map { ($0.first, $0.second.lowerBound) }
    let back = alignment.stretches.map { ($0.second, $0.first.lowerBound) }
    let dominant = min(
      Self.dominantShare(Self.music, Self.other, there), Self.dominantShare(Self.other, Self.music, back))
    #expect(found.dominantShare == dominant)
    // Two seconds at an edge do not count where either recording continues for longer.
    let inner = alignment.stretches.map { stretch in
      let start = max(stretch.first.lowerBound, stretch.second.lowerBound) > 2 ? 2.0 : 0
      let end = max(60 - stretch.first.upperBound, 64 - stretch.second.upperBound) > 2 ? 2.0 : 0
      return [stretch.first, stretch.second].map { range in
        range.lowerBound + start..<max(range.lowerBound + start, range.upperBound - end)
      }
    }
    let ours = Self.weakestShare(Self.music, Self.other, inner.map { ($0[0], $0[1].lowerBound) })
    let theirs = Self.weakestShare(Self.other, Self.music, inner.map { ($0[1], $0[0].lowerBound) })
    #expect(found.weakestShare == ours.flatMap { ours in theirs.map { min(ours, $0) } })
    if parts.count == 1, parts[0].0 == 0..<60 {
      #expect(dominant > 0.5 && (found.weakestShare ?? 1) < dominant)
    }
  }

  @Test func sharesNeedSignatures() {
    let alignment = Self.alignment([(0..<10, 0)])
    let none = ComparableSound(Sound(fingerprint: nil, signature: nil, duration: 60))
    let music = Self.sound(Self.music, seconds: 60)
    for (one, other) in [(none, music), (music, none)] {
      let found = Corroboration(of: alignment, one, other)
      #expect(found.dominantShare == nil && found.weakestShare == nil && found.fingerprintAgreement == nil)
    }
    #expect(Corroboration(of: Self.alignment([]), music, music).dominantShare == 0)
    #expect(Corroboration(of: Self.alignment([(0..<60, 0)]), music, music).dominantShare == 1)
    #expect(Corroboration(of: Self.alignment([(0..<60, 0)]), music, music).weakestShare == 1)
  }

  /// The mean of the scores of whole blocks in the stretches, of two at least.
  @Test func fingerprintsAgreeBlockByBlock() throws {
    // A block of 32 items takes 3.96 s.
    let items = MadeSounds.items(seed: 8, count: 160)
    var changed = items
    for bit in 0..<256 { changed[64 + bit % 32] ^= 1 << UInt32(bit / 32) }
    func agreement(_ range: Range<Double>, _ other: [UInt32]) -> Double? {
      let sounds = [items, other].map {
        ComparableSound(Sound(fingerprint: Fingerprint(items: $0), signature: nil, duration: 20))
      }
      return Corroboration(of: Self.alignment([(range, 0)]), sounds[0], sounds[1]).fingerprintAgreement
    }
    #expect(agreement(0..<20, items + [1]) == 1)
    // The third of five blocks has a score of 0.5.
    #expect(agreement(0..<20, changed + [1]) == 0.9)
    #expect(agreement(0..<12, changed + [1]) == 2.5 / 3)
    #expect(agreement(0..<8, changed + [1]) == 1)
    #expect(agreement(0..<7.9, changed + [1]) == nil)
    #expect(agreement(4..<12, changed + [1]) == nil)
    #expect(agreement(3.9..<12, changed + [1]) == 0.75)
    // A block that reaches the last item of the other recording is left out.
    #expect(agreement(0..<20, changed) == 3.5 / 4)
  }
}
