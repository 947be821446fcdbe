import Analysis
import AnalysisTesting
import DSP
import Glibc
import Testing

@testable import Tempo

/// Measurements of made music from the bands to the finding. A change of a recorded finding needs a higher version of
/// the analyzer.
@Suite(.bounded) struct RecordedTempoTests {
  /// Chords over drums, with a swing, a bar length and a change of tempo per beat.
  private static func music(_ bpm: Double, bar: Int = 4, swing: Double = 0.5, drift: Double = 0, seconds: Double = 12)
    -> [Float]
  {
    var (time, beats) = (0.15, [Double]())
    while time < seconds {
      beats.append(time)
      time += 60 / (bpm + drift * Double(beats.count))
    }
    let offbeats = zip(beats, beats.dropFirst()).map { $0 + swing * ($1 - $0) }
    func every(_ remainder: Int) -> [Double] { beats.indices.filter { $0 % bar == remainder }.map { beats[$0] } }
    let drums = signal(
      seconds: seconds, [(.kick, every(0) + (bar > 3 ? every(2) : [])), (.snare, every(1)), (.hat, beats + offbeats)])
    let chords = Signal.chords(seed: UInt64(bpm), sampleRate: Int(sampleRate), seconds: seconds).mono
    return zip(drums, chords).map { 0.5 * $0 + $1 }
  }

  private static let pieces: [(name: String, samples: [Float], bands: BandSpectrogram)] = [
    ("four", music(118)), ("waltz", music(150, bar: 3)), ("swing", music(96, swing: 0.66)),
    ("slower", music(130, drift: -0.8)),
    ("golden", Signal.golden(sampleRate: Int(sampleRate), seconds: 12).mono),
    ("clicks", signal(seconds: 12, [(.click, pulse(84, seconds: 12))])),
    ("noise", noise(seconds: 10, level: 0.2)),
  ].map { ($0.0, $0.1, bands(of: $0.1)) }

  private static func lanes(_ lanes: OnsetEnvelopes.Lanes) -> [Float] { (0..<8).map { lanes[$0] } }

  private static func every(_ step: Int, of values: [Float]) -> [Float] {
    stride(from: step / 2, to: values.count, by: step).map { values[$0] }
  }

  @Test func onsets() throws {
    var results = RecordedResults("Sound/tempo-onsets.txt")
    for (name, _, bands) in Self.pieces {
      let envelopes = OnsetEnvelopes(bands)
      results.add("\(name), columns", [envelopes.columnCount, bands.columnCount])
      results.add("\(name), mean square", bands.meanSquare)
      results.add("\(name), activity", numbers: Self.lanes(envelopes.activity))
      for column in stride(from: 0, to: envelopes.columnCount, by: 97) {
        results.add("\(name), onsets at \(column)", numbers: Self.lanes(envelopes.values[column]))
      }
      for lane in 0..<8 {
        let sum = envelopes.values.reduce(Float(0)) { $0 + $1[lane] }
        results.add("\(name), sum of lane \(lane)", sum)
      }
      for start in [0.0, 130, 641] {
        let notes = envelopes.chords.notes(from: start, to: start + 97)
        results.add(
          "\(name), chord after \(start)", numbers: [notes.low, notes.middle, notes.high].flatMap(Self.lanes))
      }
      let input = envelopes.networkInput
      for frame in stride(from: 0, to: input.frameCount, by: 211) {
        results.add("\(name), input in \(frame)", numbers: input[frame])
      }
      let activation = BeatActivation(input)
      results.add("\(name), beats", numbers: Self.every(50, of: activation.beats))
      results.add("\(name), downbeats", numbers: Self.every(50, of: activation.downbeats))
      results.add(
        "\(name), envelope", numbers: Self.every(70, of: activation.envelope(columnCount: envelopes.columnCount)))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func pulses() throws {
    var results = RecordedResults("Sound/tempo-pulses.txt")
    for (name, _, bands) in Self.pieces {
      let envelopes = OnsetEnvelopes(bands)
      let survey = PulseSurvey(envelopes)
      results.add("\(name), strongest", numbers: survey.strongest)
      results.add("\(name), tempi", numbers: survey.tempi)
      results.add("\(name), clarity", "\(survey.tempogram.clarity) \(survey.hasPulse)")
      results.add("\(name), comb", numbers: Self.every(64, of: survey.tempogram.comb))
      results.add("\(name), whole spectrum", numbers: Self.every(64, of: survey.tempogram.wholeSpectrum))
      results.add("\(name), local spectrum", numbers: Self.every(64, of: survey.tempogram.localSpectrum))
      for isWholeFile in [true, false] {
        let hypotheses = survey.hypotheses(isWholeFile: isWholeFile)
        results.add("\(name), whole file \(isWholeFile), count", hypotheses.count)
        for (rank, found) in hypotheses.prefix(8).enumerated() {
          let candidate = found.candidate
          results.add(
            "\(name), whole file \(isWholeFile), \(rank)",
            "\(candidate.bpm) \(found.phase) \(found.score) \(found.isBare) \(candidate.isConstant) \(candidate.isLoop)"
          )
          results.add(
            "\(name), whole file \(isWholeFile), \(rank), views",
            numbers: [candidate.comb, candidate.wholeSpectrum, candidate.localSpectrum])
          if rank < 3, isWholeFile {
            results.add("\(name), features \(rank)", numbers: found.features)
            let beats = survey.beats(of: found)
            results.add("\(name), beats \(rank)", numbers: beats.prefix(6) + beats.suffix(2))
            let accents = BeatAccents(envelopes, at: beats)
            let heard = survey.activation.downbeats(at: beats)
            for (number, row) in accents.rows(downbeats: heard).prefix(9).enumerated() where number % 4 == 0 {
              results.add("\(name), accents \(rank) \(number)", numbers: (0..<16).map { row[$0] })
            }
            let bar = BarReading(accents, downbeats: heard, bpm: candidate.bpm)
            results.add("\(name), bar \(rank)", bar.map { "\($0)" } ?? "none")
            let profile = BarProfile(envelopes.values, over: BeatGrid(beats: beats))
            results.add("\(name), profile \(rank)", numbers: Self.every(7, of: profile.means.map { $0.sum() }))
          }
        }
      }
      for near in [72.0, 119] {
        let found = survey.hypotheses(near: near).first
        results.add("\(name), near \(near)", found.map { "\($0.candidate.bpm) \($0.phase) \($0.score)" } ?? "none")
      }
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func findings() throws {
    var results = RecordedResults("Sound/tempo.txt")
    for (name, samples, _) in Self.pieces {
      let found = try analyze(samples)
      results.add(
        name,
        "\(found.bpm ?? 0) \(found.confidence) \(found.octaveConfidence) \(found.isStable) \(found.metre ?? "none") "
          + "\(found.reason ?? "found") \(found.beats.count)")
      results.add("\(name), beats", numbers: found.beats.prefix(8) + found.beats.suffix(3))
      results.add("\(name), downbeats", numbers: found.downbeats ?? [])
      results.add("\(name), candidates", found.candidates)
      results.add("\(name), map", found.map)
      results.add("\(name), onsets", numbers: found.onsets.values.prefix(20))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  // MARK: - Parts

  /// Onsets at beats of a tempo that changes, with mean 0.
  private func envelope(_ tempi: [(bpm: Double, seconds: Double)], noise: Float = 0.2) -> [Float] {
    var random = Randomness(17)
    let total = tempi.reduce(0) { $0 + $1.seconds }
    var values = (0..<Int(total * OnsetEnvelopes.columnsPerSecond)).map { _ in noise * random.next() }
    var (time, start) = (0.0, 0.0)
    for (bpm, seconds) in tempi {
      start += seconds
      while time < start {
        let column = Int((time * OnsetEnvelopes.columnsPerSecond).rounded())
        for (offset, height) in [(-1, 0.5), (0, 1), (1, 0.4)] as [(Int, Float)]
        where values.indices.contains(column + offset) {
          values[column + offset] += height
        }
        time += 60 / bpm
      }
    }
    return PulseSurvey.standardized(values)
  }

  @Test func changesOfTempo() throws {
    var results = RecordedResults("Sound/tempo-changes.txt")
    for ratio in [1.01, 1.02, 1.04, 1.08, 1.2, 1.33, 1.5, 2, 0.8, 0.67] {
      results.add("ratio \(ratio)", TempoChanges(envelope([(110, 45), (110 * ratio, 45)])).columns)
    }
    for seconds in [12.0, 18, 24, 27, 30, 33, 36] {
      results.add("\(seconds) s before", TempoChanges(envelope([(110, seconds), (131, 70 - seconds)])).columns)
      results.add("\(seconds) s after", TempoChanges(envelope([(110, 70 - seconds), (131, seconds)])).columns)
      results.add("\(seconds) s between", TempoChanges(envelope([(110, 30), (131, seconds), (96, 30)])).columns)
    }
    for noise in [0.5, 1, 2] as [Float] {
      results.add("noise of \(noise)", TempoChanges(envelope([(110, 40), (131, 40)], noise: noise)).columns)
    }
    // The shortest envelope that is searched.
    for seconds in [41.0, 42, 43, 60] {
      results.add("\(seconds) s", TempoChanges(envelope([(110, seconds / 2), (131, seconds / 2)])).columns)
    }
    results.add("a glide", TempoChanges(envelope((0..<40).map { (110 + Double($0), 2) })).columns)
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func sections() throws {
    var results = RecordedResults("Sound/tempo-sections.txt")
    func add(_ name: String, _ steps: [(bpm: Double, count: Int)], jitter: Float = 0.004) {
      var random = Randomness(23)
      var (time, beats) = (0.5, [Double]())
      for (bpm, count) in steps {
        for _ in 0..<count {
          beats.append(time + Double(jitter * random.next()))
          time += 60 / bpm
        }
      }
      let found = TempoSections.sections(of: beats)
      results.add(name, found.map { "\($0.start) \($0.beatCount) \($0.period) \($0.error)" }.joined(separator: "; "))
    }
    for change in [0.1, 0.3, 0.6, 1, 2, 4] { add("\(change) BPM faster", [(120, 40), (120 + change, 40)]) }
    for count in [1, 2, 6, 7, 8, 9, 16] {
      add("\(count) beats", [(120, count)])
      add("\(count) beats before", [(120, count), (150, 30)])
      add("\(count) beats between", [(120, 30), (150, count), (100, 30)])
    }
    for jitter in [0.01, 0.03, 0.06] as [Float] { add("jitter of \(jitter)", [(120, 40), (126, 40)], jitter: jitter) }
    add("a ramp", (0..<100).map { (100 + 0.5 * Double($0), 1) })
    #expect(TempoSections.sections(of: []).isEmpty && TempoSections.sections(of: [1]).isEmpty)
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func pathsAndCoherentTempi() throws {
    var results = RecordedResults("Sound/tempo-paths.txt")
    for (name, tempi) in [
      ("steady", [(100.0, 12.0)]), ("faster", (0..<12).map { (100 + 3 * Double($0), 1) }),
      ("a jump", [(100, 6), (125, 6)]),
    ] {
      let onsets = envelope(tempi)
      for (changeCost, distanceCost) in [(100, 3), (10, 1), (30, 1)] as [(Float, Float)] {
        let path = BeatPath(onsets, period: 60, changeCost: changeCost, distanceCost: distanceCost)
        results.add("\(name), cost \(changeCost)", path.beats)
      }
      results.add("\(name), narrow", BeatPath(onsets, period: 55, range: 1.1).beats)
      let rate = OnsetEnvelopes.columnsPerSecond
      for center in [99.0, 100.7, 60] {
        let tempo = CoherentTempo(onsets, near: center, columnsPerSecond: rate)
        results.add(
          "\(name), near \(center)",
          numbers: [tempo.strongest(within: 0.02), tempo.strength(at: center), tempo.strength(at: 100)])
      }
      let view = Tempogram(onsets, columnsPerSecond: rate)
      results.add(
        "\(name), views at 100",
        numbers: [view.comb, view.wholeSpectrum, view.localSpectrum].map { Tempogram.value($0, at: 100) } + [
          view.clarity
        ])
    }
    #expect(BeatPath([Float](repeating: 0, count: 83), period: 60).beats.isEmpty)
    #expect(!BeatPath([Float](repeating: 0, count: 84), period: 60).beats.isEmpty)
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Random onsets on beats and between, for grids and bars.
  @Test func gridsAndBars() throws {
    var results = RecordedResults("Sound/tempo-grids.txt")
    var random = Randomness(31)
    for number in 0..<24 {
      let period = 40 + 3.3 * Double(number % 8)
      let values = (0..<1_500).map { column -> OnsetEnvelopes.Lanes in
        let place = (Double(column) / period).truncatingRemainder(dividingBy: 4)
        let nearBeat = abs(place - place.rounded()) < 0.05 ? Float(1 + Int(place.rounded()) % 4) : 0
        let third = abs(3 * place - (3 * place).rounded()) < 0.1 ? Float(number % 3) : 0
        var lanes = OnsetEnvelopes.Lanes(repeating: 0.02)
        for lane in 0..<8 { lanes[lane] += 0.1 * (nearBeat + third) * (1 + random.next() * Float(number) / 30) }
        return lanes
      }
      let grid = BeatGrid(period: period, phase: 3.7, columnCount: values.count)
      let profile = BarProfile(values, over: grid)
      let bpm = 60 / period * OnsetEnvelopes.columnsPerSecond
      let smoothed = GridFeatures.smoothed(profile, bpm: bpm)
      let phases = GridFeatures.phases(of: smoothed)
      results.add("grid \(number), phases", numbers: phases)
      results.add(
        "grid \(number)",
        "\(profile.hasThirds) \(grid.beats.count) \(grid.medianPeriod) "
          + "\(phases.map { GridFeatures.isBare(smoothed, phase: $0, bpm: bpm) })")
      results.add("grid \(number), profile", numbers: Self.every(13, of: smoothed.map { $0.sum() }))
      let shifted = grid.beats(after: 0.3)
      results.add("grid \(number), later", numbers: shifted.prefix(3) + shifted.suffix(2))
      let metre = MetricalFeatures(grid.beats, presence: OnsetPresence(values), course: ChordCourse())
      results.add("grid \(number), bars", numbers: metre.values(named: false).values)
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }
}
