import Analysis
import AnalysisTesting
import DSP
import Glibc
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct SoundMeasuresTests {
  private func near(_ found: Double, _ expected: Double) -> Bool { abs(found - expected) < 1e-9 }

  /// Each ramp at its ends, in its middle and beyond.
  @Test func ramps() {
    func activity(_ all: Double, _ bass: Double) -> Double { SoundMeasures(novelty: all, bassNovelty: bass).activity }
    #expect(near(activity(0.06, 0.012), 0) && near(activity(0.24, 0.012), 0.5) && near(activity(0.06, 0.096), 0.5))
    #expect(near(activity(0.12, 0.012), 0.25) && near(activity(0.06, 0.024), 1 / 6.0) && near(activity(1, 1), 1))
    #expect(near(activity(0.01, 0.001), 0) && near(activity(0.48, 0.001), 0.5))
    for (dynamics, density) in [(14.0, 0.0), (15, 0), (8, 0.5), (5, 0.75), (2, 1), (1, 1)] {
      #expect(near(SoundMeasures(dynamics: dynamics).density, density))
    }
    for (decibels, brightness) in [(-28.0, 0.0), (-40, 0), (-18, 0.5), (-13, 0.75), (-8, 1), (-1, 1)] {
      #expect(near(SoundMeasures(brightShare: pow(10, decibels / 10)).brightness, brightness))
    }
  }

  @Test func traits() {
    let measures = SoundMeasures(
      novelty: 0.12, bassNovelty: 0.024, dynamics: 5, brightShare: pow(10, -1.8), pulse: 0.8, syllables: 0.2)
    let activity = (0.5 + 1 / 3.0) / 2
    #expect(near(measures.energy, (activity + 0.75 + 0.5) / 3))
    #expect(near(measures.danceability, 0.8 * (1 + activity) / 2))
    #expect(measures.speechiness == 0)
    func speechiness(_ syllables: Double, _ pulse: Double) -> Double {
      SoundMeasures(pulse: pulse, syllables: syllables).speechiness
    }
    #expect(near(speechiness(0.4, 0.15), 1) && near(speechiness(0.9, 0), 1))
    #expect(near(speechiness(0.2, 0.15), 0.2) && near(speechiness(0.15, 0.1), 0) && near(speechiness(0.1, 0.1), 0))
    #expect(
      near(speechiness(0.5, 0.35), 0.2) && near(speechiness(0.5, 0.4), 0) && near(speechiness(0.275, 0.275), 0.25))
  }
}

@Suite(.bounded) struct LevelDistributionLimitsTests {
  private func levels(_ decibels: [Double]) -> LevelDistribution {
    var levels = LevelDistribution()
    for level in decibels { levels.add(meanSquare: pow(10, level / 10)) }
    return levels
  }

  @Test func levelsAreCountedInTenths() {
    #expect(levels([]).loudest == nil && levels([]).soundCount == 0 && levels([]).percentile(0.5) == -200)
    #expect(abs((levels([-20.05]).loudest ?? 0) + 20) < 1e-9)
    #expect(abs((levels([-20.15, -40]).loudest ?? 0) + 20.1) < 1e-9)
    // Levels outside of the range count at its ends.
    #expect(abs((levels([-300]).loudest ?? 0) + 199.9) < 1e-9 && abs((levels([250]).loudest ?? 0) - 200) < 1e-9)
    var none = LevelDistribution()
    none.add(meanSquare: 0)
    none.add(meanSquare: -1)
    #expect(none.loudest == nil)
  }

  /// Sixty decibels below the loudest.
  @Test func onlyTheSoundCounts() {
    #expect(levels([-10.05, -69.95]).soundCount == 2 && levels([-10.05, -70.15]).soundCount == 1)
  }

  @Test func percentilesLieWithinTheirBin() {
    let found = levels([-30.05, -30.05, -20.05, -10.05])
    for (share, level) in [(0.25, -30.05), (0.5, -30), (0.75, -20), (1, -10), (0.6, -20.06), (0, -30.1)] {
      #expect(abs(found.percentile(share) - level) < 1e-6, "\(share)")
    }
  }
}

/// Measures of made sounds, in full precision. A change of a recorded finding needs a higher version of the analyzer.
@Suite(.bounded) struct RecordedTraitsTests {
  private func measures(of signal: Signal) throws -> SoundMeasures? {
    var session = TraitsAnalyzer.Session()
    var stft = STFT(windowLength: CriticalBands.layout.windowLength, hop: CriticalBands.layout.hop)
    let samples = signal.mono
    try stft.push(samples.span) { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
    try stft.finish { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
    return session.measures
  }

  @Test func measuresOfSounds() throws {
    var results = RecordedResults("Sound/traits.txt")
    let sounds: [(String, Signal)] = [
      ("drums", drums(at: beats(every: 0.4, seconds: 10, jitter: 0.02), seconds: 10)), ("babble", babble(seconds: 10)),
      ("noise", .noise(sampleRate: sampleRate, seconds: 9)), ("golden", .golden(sampleRate: sampleRate, seconds: 17)),
      ("chirp", .chirp(from: 30, to: 10_000, sampleRate: sampleRate, seconds: 9)),
      ("clicks", .clickTrack(bpm: 100, sampleRate: sampleRate, seconds: 9)),
    ]
    for (name, signal) in sounds {
      guard let found = try measures(of: signal) else {
        results.add(name, "none")
        continue
      }
      results.add(
        name,
        numbers: [found.novelty, found.bassNovelty, found.dynamics, found.brightShare, found.pulse, found.syllables])
      results.add("\(name), traits", numbers: [found.energy, found.danceability, found.speechiness])
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func bandsOfColumns() throws {
    var results = RecordedResults("Sound/critical-bands.txt")
    var random = SplitMix64(seed: 4)
    var bands = CriticalBands()
    for number in 0..<6 {
      let column = (0..<CriticalBands.layout.binCount).map { bin in
        abs(random.nextSample()) * (bin % (number + 2) == 0 ? 4 : 1) / Float(1 + bin)
      }
      bands.read(column.span)
      results.add("powers \(number)", numbers: bands.powers)
      results.add("sums \(number)", numbers: [bands.level, bands.novelty, bands.bassNovelty])
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func pulsesOfNovelty() throws {
    var results = RecordedResults("Sound/pulse-clarity.txt")
    var random = SplitMix64(seed: 9)
    #expect(PulseClarity(segmentLength: 400).value == nil)
    for period in [20, 24, 25, 40, 110, 219, 221, 240] {
      for noise in [0.0, 0.1, 1] as [Float] {
        var clarity = PulseClarity(segmentLength: 800)
        for level in [1.0, 0.5] {
          let novelty = (0..<800).map { column in
            (column % period == 3 ? Float(1) : column % 37 == 0 ? 0.2 : 0) + noise * abs(random.nextSample())
          }
          clarity.add(novelty, level: level)
        }
        results.add("period \(period), noise \(noise)", clarity.value ?? -1)
      }
    }
    // Faint onsets count less, relative to the level.
    for level in [0.1, 1, 10, 100, 1_000] {
      var clarity = PulseClarity(segmentLength: 800)
      clarity.add((0..<800).map { $0 % 50 == 0 ? 0.1 : 0 }, level: level)
      results.add("level \(level)", clarity.value ?? -1)
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// The share of a modulation, by its rate in Hz.
  @Test func syllablesOfLevels() throws {
    var results = RecordedResults("Sound/syllables.txt")
    let rate = CriticalBands.columnsPerSecond
    #expect(SyllableRhythm(segmentLength: 800, columnsPerSecond: rate).value == 0)
    for hertz in [2.0, 2.8, 3.2, 4, 5.5, 5.9, 6.3, 8] {
      var rhythm = SyllableRhythm(segmentLength: 800, columnsPerSecond: rate)
      for (level, depth) in [(1.0, 0.5), (2, 0.3)] {
        let levels = (0..<800).map { Float(level * (1 + depth * sin(2 * .pi * hertz * Double($0) / rate))) }
        rhythm.add(levels, level: level)
      }
      results.add("\(hertz) Hz", rhythm.value)
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }
}
