import AnalysisTesting
import Chromaprint
import Duplicates
import Landmarks
import Testing

/// Alignments of two recordings, and the relations that follow from them.
@Suite(.bounded) struct AlignmentTests {
  private let music = MadeSounds.music(seed: 1, seconds: 120)

  private func compare(_ one: Sound, _ other: Sound) -> (alignment: Alignment, relation: Relation)? {
    guard let alignment = ComparableSound(one).alignment(with: ComparableSound(other)),
      let relation = RelationRule().relation(of: alignment, first: one.duration, second: other.duration)
    else { return nil }
    return (alignment, relation)
  }

  private func isNear(_ value: Double?, _ expected: Double, _ tolerance: Double = 0.3) -> Bool {
    value.map { abs($0 - expected) <= tolerance } ?? false
  }

  @Test func anotherEncoding() throws {
    let found = try #require(
      compare(
        MadeSounds.sound(music, seconds: 120), MadeSounds.sound(MadeSounds.encoded(music, seed: 2), seconds: 120.1)))
    #expect(found.relation == .encoding && found.alignment.speed == 1 && found.alignment.coverage > 0.95)
    #expect(found.alignment.stretches.count == 1 && found.alignment.basis == .signature)
  }

  @Test(arguments: [(20.0, 120.0), (0, 100), (13, 101)]) func aCut(start: Double, end: Double) throws {
    let cut = MadeSounds.encoded(MadeSounds.slice(music, from: start, to: end), seed: 3)
    let found = try #require(
      compare(MadeSounds.sound(music, seconds: 120), MadeSounds.sound(cut, seconds: end - start)))
    #expect(found.relation == .cut)
    let stretch = try #require(found.alignment.stretches.first)
    #expect(isNear(stretch.first.lowerBound, start) && isNear(stretch.first.upperBound, end))
    #expect(isNear(stretch.second.lowerBound, 0) && isNear(stretch.second.upperBound, end - start))
    // The reversed alignment.
    let other = try #require(
      compare(MadeSounds.sound(cut, seconds: end - start), MadeSounds.sound(music, seconds: 120)))
    #expect(isNear(other.alignment.stretches.first?.second.lowerBound, start))
  }

  @Test func anotherSpeed() throws {
    let factor = 1.01
    let fast = MadeSounds.encoded(MadeSounds.faster(music, by: factor), seed: 4)
    let found = try #require(
      compare(MadeSounds.sound(music, seconds: 120), MadeSounds.sound(fast, seconds: 120 / factor)))
    #expect(found.relation == .speed && abs(found.alignment.speed - factor) < 0.001)
  }

  /// Fingerprints follow the pitch, so they agree less at another speed; those of an overdub hardly agree.
  @Test(arguments: [(0.42, 1.01, Relation.speed), (0.24, 1.01, nil), (0.42, 1, nil), (0.84, 1, .encoding)])
  func fingerprintsMustAgree(agreement: Double, speed: Double, relation: Relation?) {
    let stretch = Alignment.Stretch(first: 0..<100 * speed, second: 0..<100)
    var alignment = Alignment(
      basis: .signature, stretches: [stretch], speed: speed, coverage: 1, agreement: 0.8, mainCoverage: 1,
      blockCount: 25)
    (alignment.dominantShare, alignment.weakestShare) = (0.9, 0.7)
    alignment.fingerprintAgreement = agreement
    #expect(RelationRule().relation(of: alignment, first: 100 * speed, second: 100) == relation)
  }

  @Test func somethingInTheMiddleIsMissing() throws {
    let edit = MadeSounds.joined([
      (MadeSounds.slice(music, from: 0, to: 48), 48), (MadeSounds.slice(music, from: 76, to: 120), 44),
    ])
    let found = try #require(
      compare(
        MadeSounds.sound(MadeSounds.encoded(edit, seed: 5), seconds: 92), MadeSounds.sound(music, seconds: 120)))
    #expect(found.relation == .edit && found.alignment.stretches.count == 2)
    #expect(isNear(found.alignment.stretches.first?.second.upperBound, 48, 4))
    #expect(isNear(found.alignment.stretches.last?.second.lowerBound, 76, 4))
  }

  @Test func aPartOfALongerFile() throws {
    let parts = (10..<15).map { (landmarks: MadeSounds.music(seed: $0, seconds: 80), seconds: 80.0) }
    let album = MadeSounds.sound(MadeSounds.encoded(MadeSounds.joined(parts), seed: 6), seconds: 400)
    let found = try #require(compare(MadeSounds.sound(parts[3].landmarks, seconds: 80), album))
    #expect(found.relation == .part && found.alignment.stretches.count == 1)
    #expect(isNear(found.alignment.stretches.first?.second.lowerBound, 240))
    #expect(isNear(found.alignment.stretches.first?.second.upperBound, 320))
  }

  /// A voice over half a minute adds landmarks and hides some. A noisy encoding loses as many everywhere.
  @Test func anotherMixIsNoDuplicate() throws {
    let voice = MadeSounds.slice(MadeSounds.music(seed: 7, seconds: 120), from: 70, to: 90)
    let (start, end) = (Int(70 * MadeSounds.columnsPerSecond), Int(90 * MadeSounds.columnsPerSecond))
    let hidden = music.enumerated().filter { !(start..<end).contains($0.element.column) || $0.offset % 3 == 0 }.map(
      \.element)
    let mix = MadeSounds.joined([(hidden, 70), (voice, 50)])
    let found = try #require(
      compare(MadeSounds.sound(music, seconds: 120), MadeSounds.sound(MadeSounds.encoded(mix, seed: 8), seconds: 120)))
    #expect(found.relation == .version && !found.relation.makesDuplicates)
    let noisy = MadeSounds.encoded(MadeSounds.encoded(music, seed: 9), seed: 10)
    #expect(
      compare(MadeSounds.sound(music, seconds: 120), MadeSounds.sound(noisy, seconds: 120))?.relation == .encoding)
  }

  @Test func otherMusicIsNoDuplicate() {
    for seed in UInt64(20)..<30 {
      #expect(
        compare(
          MadeSounds.sound(music, seconds: 120),
          MadeSounds.sound(MadeSounds.music(seed: seed, seconds: 120), seconds: 120)) == nil)
    }
  }

  /// A track of the same four bars throughout shares them with another one that has them for a third of its length.
  @Test func sharedLoopsAreNoDuplicates() {
    let loop = MadeSounds.music(seed: 40, seconds: 8)
    let first = MadeSounds.joined(
      (0..<15).map { $0 % 3 == 0 ? (loop, 8) : (MadeSounds.music(seed: 50 + $0, seconds: 8), 8) })
    let second = MadeSounds.joined(
      (0..<15).map { $0 % 3 == 0 ? (loop, 8) : (MadeSounds.music(seed: 90 + $0, seconds: 8), 8) })
    #expect(compare(MadeSounds.sound(first, seconds: 120), MadeSounds.sound(second, seconds: 120)) == nil)
  }

  @Test func piecesOfATrackInAnotherOrderAreNoDuplicate() {
    let order = [7, 2, 11, 4, 0, 9, 13, 5, 1, 12, 3, 10, 8, 14, 6]
    let shuffled = MadeSounds.joined(
      order.map { (MadeSounds.slice(music, from: Double($0) * 8, to: Double($0 + 1) * 8), 8) })
    #expect(compare(MadeSounds.sound(music, seconds: 120), MadeSounds.sound(shuffled, seconds: 120)) == nil)
  }

  @Test func silenceAndShortSoundsAreComparedWithNothing() {
    let silence = MadeSounds.sound([], seconds: 120)
    #expect(compare(silence, silence) == nil)
    #expect(compare(silence, MadeSounds.sound(music, seconds: 120)) == nil)
    let short = MadeSounds.slice(music, from: 0, to: 6)
    #expect(compare(MadeSounds.sound(short, seconds: 6), MadeSounds.sound(short, seconds: 6)) == nil)
    #expect(compare(Sound(fingerprint: nil, signature: nil, duration: 9), silence) == nil)
  }

  @Test func fingerprintsAreComparedWhereThereAreNoSignatures() throws {
    let items = MadeSounds.items(seed: 7, count: 900)
    func sound(_ items: [UInt32], seconds: Double) -> Sound {
      Sound(fingerprint: Fingerprint(items: items), signature: nil, duration: seconds)
    }
    let one = sound(items, seconds: 200)
    let encoded = sound(MadeSounds.noisy(items, percent: 6, seed: 8), seconds: 200.2)
    let found = try #require(compare(one, encoded))
    #expect(found.relation == .encoding && found.alignment.basis == .fingerprint)
    let later = sound(MadeSounds.noisy(Array(items[160...]), percent: 6, seed: 9), seconds: 180)
    #expect(compare(one, later)?.relation == .cut)
    // An instrumental version: much is alike, but not enough.
    #expect(compare(one, sound(MadeSounds.noisy(items, percent: 22, seed: 10), seconds: 200)) == nil)
    #expect(compare(one, sound(MadeSounds.items(seed: 11, count: 900), seconds: 200)) == nil)
  }
}
