import Analysis
import AnalysisTesting
import Glibc
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct TraitsAnalyzerTests {
  private func ascends(_ values: [Double?], by step: Double = 0.02) -> Bool {
    let values = values.compactMap(\.self)
    return zip(values, values.dropFirst()).allSatisfy { $1 > $0 + step }
  }

  // MARK: - Energy

  @Test func moreOnsetsAreMoreEnergy() throws {
    let energies = try [2.0, 0.5, 0.25].map {
      try analyze(drums(at: beats(every: $0, seconds: 24), seconds: 24, chord: 0.1)).energy
    }
    #expect(ascends(energies), "\(energies)")
  }

  @Test func quietPartsAreLessEnergy() throws {
    let energies = try [0.3, 0.5, 1].map { quiet in
      var signal = drums(at: beats(every: 0.25, seconds: 24), seconds: 24)
      for frame in 0..<signal.frameCount where frame / (8 * sampleRate) % 2 == 1 {
        signal.channels[0][frame] *= Float(quiet)
      }
      return try analyze(signal).energy
    }
    #expect(ascends(energies), "\(energies)")
  }

  @Test func trebleIsEnergy() throws {
    let chord = drums(at: [], seconds: 20)
    let energies = try [0, 0.02, 0.1].map { hiss in
      try analyze(chord + .noise(amplitude: Float(hiss), sampleRate: sampleRate, seconds: 20)).energy
    }
    #expect(ascends(energies), "\(energies)")
  }

  // MARK: - Danceability

  @Test func unevenBeatsAreLessDanceable() throws {
    let found = try [0.1, 0.05, 0].map {
      try analyze(drums(at: beats(every: 0.5, seconds: 24, jitter: $0), seconds: 24)).danceability
    }
    #expect(ascends(found), "\(found)")
    #expect((found.last ?? nil) ?? 0 > 0.6)
  }

  @Test func weakBeatsAreLessDanceable() throws {
    let found = try [0.01, 0.05, 0.5].map {
      try analyze(drums(at: beats(every: 0.5, seconds: 24), seconds: 24, chord: 0.1, hits: $0)).danceability
    }
    #expect(ascends(found), "\(found)")
  }

  @Test(arguments: [70.0, 128, 174]) func tempoDoesNotCount(bpm: Double) throws {
    let found = try analyze(drums(at: beats(every: 60 / bpm, seconds: 24), seconds: 24)).danceability ?? 0
    #expect(found > 0.6, "\(found)")
  }

  @Test func noiseAndTonesAreNotDanceable() throws {
    #expect(try analyze(.noise(sampleRate: sampleRate, seconds: 20)).danceability ?? 1 < 0.15)
    #expect(try analyze(.sine(440, sampleRate: sampleRate, seconds: 20)).danceability ?? 1 < 0.15)
  }

  // MARK: - Speechiness

  @Test func syllablesAreSpeechAndDrumsAreNot() throws {
    #expect(try analyze(babble(seconds: 32)).speechiness ?? 0 > 0.8)
    #expect(try analyze(drums(at: beats(every: 0.25, seconds: 20), seconds: 20)).speechiness == 0)
    #expect(try analyze(.chords(sampleRate: sampleRate, seconds: 20)).speechiness ?? 1 < 0.2)
    #expect(try analyze(.noise(sampleRate: sampleRate, seconds: 20)).speechiness == 0)
  }

  @Test func musicUnderSpeechIsLessSpeech() throws {
    let music = drums(at: beats(every: 0.5, seconds: 24), seconds: 24)
    let found = try [1, 0.15, 0].map { try analyze(babble(seconds: 24) + music.scaled(by: $0)).speechiness }
    #expect(found[0] == 0 && ascends(found, by: 0.005), "\(found)")
  }

  // MARK: - Invariance

  @Test(arguments: [0.1, 3, 1000] as [Float]) func volume(gain: Float) throws {
    for signal in [drums(at: beats(every: 0.3, seconds: 12, jitter: 0.05), seconds: 12), babble(seconds: 12)] {
      let found = try analyze(signal)
      let other = try analyze(signal.scaled(by: gain))
      #expect(distance(found, other) < 0.005)
    }
  }

  @Test func cuts() throws {
    let signal = drums(at: beats(every: 0.3, seconds: 10), seconds: 10)
    let found = try analyze(signal)
    for block in [1, 441, 10_007] { #expect(try analyze(signal, block: block) == found) }
  }

  @Test func silenceAroundTheSound() throws {
    let signal = drums(at: beats(every: 0.5, seconds: 24), seconds: 24)
    let silence = [Float](repeating: 0, count: 20 * sampleRate)
    let padded = Signal(sampleRate: sampleRate, channels: [silence + signal.mono + silence])
    #expect(distance(try analyze(signal), try analyze(padded)) < 0.05)
  }

  private func distance(_ first: TraitsFinding, _ second: TraitsFinding) -> Double {
    zip(
      [first.energy, first.danceability, first.speechiness], [second.energy, second.danceability, second.speechiness]
    ).map { abs(($0 ?? 9) - ($1 ?? 99)) }.max() ?? 0
  }

  /// If these values change, so do the findings of users: raise the version.
  @Test func golden() throws {
    let found = try analyze(.golden(sampleRate: sampleRate, seconds: 20))
    let expected = TraitsFinding(energy: 0.877, danceability: 0.861, speechiness: 0)
    #expect(TraitsAnalyzer.version == 1)
    #expect(distance(found, expected) < 0.003, "\(found)")
  }

  // MARK: - No finding

  @Test func reasons() throws {
    #expect(try analyze(.silence(sampleRate: sampleRate, seconds: 20)) == .none(reason: "silence"))
    #expect(try analyze(.silence(sampleRate: sampleRate, seconds: 0)) == .none(reason: "silence"))
    #expect(try analyze(.chords(sampleRate: sampleRate, seconds: 20).scaled(by: 1e-7)) == .none(reason: "silence"))
    #expect(try analyze(.noise(sampleRate: sampleRate, seconds: 5)) == .none(reason: "too_short"))
    #expect(try analyze(.noise(sampleRate: sampleRate, seconds: 7.8)).reason == "too_short")
    // Only the start is audible.
    #expect(try analyze(Signal(sampleRate: sampleRate, seconds: 20) { _ in 1 }).energy == nil)
    #expect(try analyze(.noise(sampleRate: sampleRate, seconds: 9)).reason == nil)
  }

  @Test func everythingIsFromZeroToOne() throws {
    let signals: [Signal] = [
      .noise(sampleRate: sampleRate, seconds: 12), .sine(60, sampleRate: sampleRate, seconds: 12),
      .sine(10_900, sampleRate: sampleRate, seconds: 12), .noise(amplitude: 1e15, sampleRate: sampleRate, seconds: 12),
      .clickTrack(bpm: 60, sampleRate: sampleRate, seconds: 12),
      .chirp(from: 20, to: 11_000, sampleRate: sampleRate, seconds: 12),
    ]
    for signal in signals {
      let found = try analyze(signal)
      for value in [found.energy, found.danceability, found.speechiness] {
        #expect(value.map { (0...1).contains($0) } ?? (found.reason != nil))
      }
    }
  }

  @Test func namesWithoutAValue() {
    let fields = TraitsFinding.declaration.fields
    for name in ["acousticness", "instrumentalness", "liveness", "valence"] {
      let field = fields.first { $0.name == name }
      #expect(field?.summary.hasPrefix("Always null: ") == true && field?.isNullable == true)
    }
  }
}

@Suite(.bounded) struct LevelDistributionTests {
  @Test func percentiles() {
    var levels = LevelDistribution()
    for level in 0..<100 { levels.add(meanSquare: pow(10, -Double(level) / 20)) }
    // Levels from -49.5 to 0 dB.
    #expect(levels.soundCount == 100)
    #expect(abs(levels.percentile(0.5) + 25) < 0.6)
    #expect(abs(levels.percentile(0.95) + 2.5) < 0.6)
  }

  @Test func whatIsFarBelowTheLoudestIsNoPartOfTheSound() {
    var levels = LevelDistribution()
    for _ in 0..<10 { levels.add(meanSquare: 1) }
    for _ in 0..<90 { levels.add(meanSquare: 1e-7) }
    for wild in [0, -1, .nan, .infinity, 1e-300] { levels.add(meanSquare: wild) }
    #expect(levels.loudest ?? 0 >= 0)
  }
}
