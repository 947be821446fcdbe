import Analysis
import AnalysisTesting
import SystemPackage
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct SectionsAnalyzerTests {
  private static let parts: [Part] = [.first, .second, .first, .third, .first, .second]
  private static let signal = song(parts)
  private static let withBeats = Result { try analyze(signal, after: beats(until: signal.duration)) }

  @Test func partsThatComeAgainHaveTheSameLabel() throws {
    let finding = try Self.withBeats.get()
    #expect(finding.form == "A B A C A B")
    #expect(finding.reason == nil)
    try #require(finding.map.count == Self.parts.count)
    for (index, section) in finding.map.enumerated() {
      #expect(abs(section.startSeconds - Double(index) * Part.seconds) < 0.01)
      #expect(index == 0 || section.startSeconds == finding.map[index - 1].endSeconds)
    }
    #expect(abs(finding.map[5].endSeconds - Self.signal.duration) < 0.3)
  }

  @Test func withoutBeats() throws {
    let finding = try analyze(Self.signal)
    #expect(finding.form == "A B A C A B")
    for (index, section) in finding.map.enumerated() {
      #expect(abs(section.startSeconds - Double(index) * Part.seconds) <= 0.5)
    }
  }

  @Test func harmonyAloneMakesAForm() throws {
    var other = Part.second
    other.harmonics = Part.first.harmonics
    let signal = song([.first, other, .first, other])
    #expect(try analyze(signal, after: beats(until: signal.duration)).form == "A B A B")
  }

  @Test func timbreAloneMakesAForm() throws {
    var other = Part.first
    other.harmonics = Part.third.harmonics
    let signal = song([.first, other, .first, other])
    #expect(try analyze(signal, after: beats(until: signal.duration)).form == "A B A B")
  }

  /// The first 16 beats of the part recur in its middle: only the end of the previous part is a new start.
  @Test func neighborsWithOneLabel() throws {
    let longer = Part(chords: Part.first.chords + Part.third.chords, harmonics: Part.first.harmonics)
    let signal = song([longer, longer, .second, longer])
    #expect(try analyze(signal, after: beats(until: signal.duration)).form == "A A B A")
  }

  @Test func levelDoesNotMatter() throws {
    let finding = try Self.withBeats.get()
    for gain: Float in [0.03, 8] {
      let scaled = try analyze(Self.signal.scaled(by: gain), after: beats(until: Self.signal.duration))
      #expect(scaled == finding)
    }
  }

  @Test func levelAloneMakesNoForm() throws {
    var signal = song([.first, .first, .first, .first])
    let quarter = signal.frameCount / 4
    for frame in quarter..<2 * quarter { signal.channels[0][frame] *= 0.1 }
    let finding = try analyze(signal, after: beats(until: signal.duration))
    #expect(!(finding.form ?? "").contains("B"))
  }

  @Test func levelsAreRelativeToTheTrack() throws {
    var signal = Self.signal
    for frame in signal.frameCount / 6..<signal.frameCount / 3 { signal.channels[0][frame] *= 0.1 }
    let levels = try analyze(signal, after: beats(until: signal.duration)).map.map(\.levelDecibels)
    let before = try Self.withBeats.get().map.map(\.levelDecibels)
    try #require(levels.count == before.count)
    #expect(abs((levels[1] - levels[5]) - (before[1] - before[5]) + 20) < 1)
  }

  @Test(arguments: [1000, 4096, 100_000])
  func cutsDoNotMatter(block: Int) throws {
    #expect(try analyze(Self.signal, after: beats(until: Self.signal.duration), block: block) == Self.withBeats.get())
  }

  @Test func silenceAndShortTracks() throws {
    #expect(try analyze(.silence(sampleRate: sampleRate, seconds: 60)).reason == "silence")
    #expect(try analyze(.silence(sampleRate: sampleRate, seconds: 0)).reason == "silence")
    #expect(try analyze(song([.first])).reason == "too_short")
  }

  static let monotonous: [Signal] = [
    .noise(sampleRate: sampleRate, seconds: 60), .noise(seed: 5, sampleRate: sampleRate, seconds: 180),
    .sine(440, sampleRate: sampleRate, seconds: 60), .clickTrack(bpm: 120, sampleRate: sampleRate, seconds: 60),
    Signal(sampleRate: sampleRate, seconds: 60) { _ in 1 },
  ]

  @Test(arguments: monotonous.indices)
  func soundWithoutSections(index: Int) throws {
    for tempo in [nil, beats(until: Self.monotonous[index].duration)] {
      let finding = try analyze(Self.monotonous[index], after: tempo)
      #expect(finding.reason == "no_structure" && finding.map.isEmpty && finding.form == nil)
    }
  }

  @Test func valuesThatAreNoNumbers() throws {
    var session = try SectionsAnalyzer(.init()).makeSession(for: AudioFile(path: "signal"))
    let column = [Float](repeating: .nan, count: SoundProfile.layout.binCount)
    for index in 0..<200 { try session.consume(column.span, at: Int64(index)) }
    #expect(try session.finish().reason == "silence")
  }
}
