import Analysis
import AnalysisTesting
import DSP
import Glibc
import Testing

@testable import Tempo

/// Drums, bass and chords of a band with known tempo, bars and phrases.
private struct Band {
  var bpm: Double
  var seconds = 44.0
  /// Hi-hat strokes per beat.
  var strokes = 2.0
  var beatsOfBar = 4
  /// Start of the first bar, in seconds.
  var start = 0.2

  func every(_ step: Double, offset: Double = 0) -> [Double] {
    pulse(bpm, from: start, seconds: seconds, every: step, offset: offset)
  }

  /// Kick on one (and three of four), snare between; one chord per bar, and a bass note on each beat of the kick.
  var music: [Float] {
    let bar = Double(beatsOfBar)
    let back = beatsOfBar == 4 ? every(4, offset: 1) + every(4, offset: 3) : every(3, offset: 1) + every(3, offset: 2)
    let kick = beatsOfBar == 4 ? every(4) + every(4, offset: 2) + every(4, offset: 2.5) : every(3)
    var sound = signal(seconds: seconds, [(.kick, kick), (.snare, back), (.hat, every(1 / strokes))])
    let roots = [0.0, 7, 9, 5]
    for (number, time) in every(bar).enumerated() {
      let root = 110 * exp2(roots[number % 4] / 12)
      let minor = number % 4 == 2
      add([2, 2 * exp2((minor ? 3 : 4) / 12), 2 * exp2(7 / 12.0)].map { $0 * root }, at: time, beats: bar, to: &sound)
      add([root / 2], at: time, beats: 1.8, to: &sound)
    }
    return sound
  }

  /// Tones of six harmonics that decay slowly.
  private func add(_ frequencies: [Double], at time: Double, beats: Double, to sound: inout [Float]) {
    let first = Int(time * sampleRate)
    let count = Int(beats * 60 / bpm * sampleRate)
    for offset in 0..<count where first + offset < sound.count {
      let t = Double(offset) / sampleRate
      let envelope = min(1, t * 200) * exp(-0.8 * t) * min(1, Double(count - offset) / 500)
      var sum = 0.0
      for frequency in frequencies {
        for harmonic in 1...6 { sum += sin(2 * .pi * frequency * Double(harmonic) * t) / Double(harmonic * harmonic) }
      }
      sound[first + offset] += Float(0.08 * envelope * sum)
    }
  }
}

@Suite(.bounded) struct BandTests {
  /// Backbeats and chords that last a bar distinguish slow music with sixteenths from music twice as fast.
  @Test(arguments: [64.0, 72, 80, 88])
  func slow(bpm: Double) throws {
    let band = Band(bpm: bpm, strokes: 4)
    let finding = try analyze(band.music)
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.1)
    #expect(agreement(finding.beats, band.every(1)) > 0.9)
  }

  @Test(arguments: [104.0, 128, 144, 160])
  func notSlow(bpm: Double) throws {
    let band = Band(bpm: bpm)
    let finding = try analyze(band.music)
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.1)
    #expect(agreement(finding.beats, band.every(1)) > 0.9)
  }

  /// The recording may begin anywhere in the bar.
  @Test(arguments: [0.0, 1, 2, 3], [76.0, 112])
  func firstBeats(late: Double, bpm: Double) throws {
    let band = Band(bpm: bpm, strokes: bpm < 90 ? 4 : 2, start: 0.2 + late * 60 / bpm)
    let finding = try analyze(band.music)
    #expect(finding.metre == "4/4")
    let downbeats = try #require(finding.downbeats)
    #expect(agreement(downbeats, band.every(4), after: band.start - 0.1) > 0.9)
  }

  @Test(arguments: [92.0, 116, 138])
  func barsOfThree(bpm: Double) throws {
    let band = Band(bpm: bpm, beatsOfBar: 3)
    let finding = try analyze(band.music)
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.1)
    #expect(finding.metre != "4/4")
    if let downbeats = finding.downbeats { #expect(agreement(downbeats, band.every(3)) > 0.9) }
  }

  /// Two dotted beats are not a bar of three quarters.
  @Test(arguments: [54.0, 62])
  func dottedBeats(bpm: Double) throws {
    let band = Band(bpm: bpm, strokes: 3)
    let finding = try analyze(band.music)
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.1)
    #expect(finding.metre == "12/8")
    #expect(agreement(finding.downbeats ?? [], band.every(4)) > 0.9)
  }
}

@Suite(.bounded) struct RubatoTests {
  /// Plucked notes, two per beat, by a player who pushes and pulls.
  private func rubato(_ bpm: Double, swing: Double) -> [Float] {
    var times: [Double] = []
    var time = 0.3
    while time < 40 {
      times.append(time)
      time += 30 / bpm * exp(swing * sin(time / 2.3) + 0.5 * swing * sin(time / 0.9))
    }
    return signal(seconds: 40, [(.kick, stride(from: 0, to: times.count, by: 2).map { times[$0] }), (.click, times)])
  }

  /// Paths at a tempo, its double and its half fit about as well: the others stay among the candidates, and high
  /// confidence is rare.
  @Test(arguments: [58.0, 84, 120], [0.12, 0.25])
  func otherReadingsStay(bpm: Double, swing: Double) throws {
    let finding = try analyze(rubato(bpm, swing: swing))
    let found = try #require(finding.bpm)
    #expect(finding.candidates.count > 1)
    if finding.confidence >= 0.9 { #expect(abs(found / bpm - 1) < 0.08, "\(found)") }
  }
}

@Suite(.bounded) struct MetricalFeaturesTests {
  private func values(of band: Band, at bpm: Double) -> NamedValues {
    let onsets = OnsetEnvelopes(bands(of: band.music))
    let grid = pulse(bpm, from: band.start, seconds: band.seconds).map { $0 * OnsetEnvelopes.columnsPerSecond }
    return MetricalFeatures(grid, presence: OnsetPresence(onsets.values), course: onsets.chords).values(named: true)
  }

  @Test func chordsAndBackbeatsTellABeatFromItsDouble() throws {
    let band = Band(bpm: 80, strokes: 4)
    let (beats, doubles) = (values(of: band, at: 80), values(of: band, at: 160))
    func less(_ name: String, _ a: NamedValues, than b: NamedValues) throws {
      #expect(try #require(a[name]) < #require(b[name]), "\(name)")
    }
    // A chord lasts four beats, or eight of the doubled tempo.
    try less("chord_lasts_4", beats, than: doubles)
    #expect(try #require(beats["chord_lasts_4"]) < 0.1)
    #expect(try #require(beats["chord_lasts_16"]) > 0.8)
    // Kick and snare alternate from beat to beat, or every second beat.
    try less("kick_with_over_2.to_5000_hz", beats, than: doubles)
    try less("kick_with_over_4.to_5000_hz", doubles, than: beats)
    try less("chords_change_every_8", beats, than: doubles)
  }

  @Test func nothingIsSaidOfTooFewBeats() {
    let nothing = MetricalFeatures([], presence: OnsetPresence([]), course: ChordCourse()).values(named: true)
    #expect(nothing.values.allSatisfy { $0 == 0 })
    #expect(nothing.names == values(of: Band(bpm: 90, seconds: 6), at: 90).names)
  }
}

@Suite(.bounded) struct TempiOfHypothesesTests {
  /// Many grids of one tempo do not displace the others.
  @Test func tempiAreCountedWithAllTheirGrids() {
    let grid = BeatGrid(beats: [])
    func hypothesis(_ bpm: Double, _ score: Double) -> GridHypothesis {
      GridHypothesis(
        candidate: PulseCandidate(
          bpm: bpm, isConstant: true, grid: grid, profile: BarProfile([], over: grid), comb: 0, wholeSpectrum: 0,
          localSpectrum: 0),
        phase: 0, score: score)
    }
    let all = (0..<20).map { hypothesis(120 + 0.1 * Double($0), -0.01 * Double($0)) } + [hypothesis(60, -3)]
    let tempi = GridChoice.tempi(of: all)
    #expect(tempi.map(\.bpm) == [120, 60])
    #expect(tempi[0].hypotheses.count == 20)
    #expect(abs(tempi[0].probability + tempi[1].probability - 1) < 1e-9)
  }
}
