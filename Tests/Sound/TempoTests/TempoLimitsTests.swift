import Analysis
import AnalysisTesting
import SystemPackage
import Testing

@testable import Tempo

@Suite(.bounded) struct TempoLimitsTests {
  @Test(
    arguments: [
      (20, 40, nil), (19.9, 40, "min_bpm"), (200, 400, nil), (200.1, 400, "min_bpm"), (100, 200, nil),
      (100, 199.9, "max_bpm"), (100, 400, nil), (100, 400.1, "max_bpm"), (100, .nan, "max_bpm"),
    ] as [(Double, Double, String?)])
  func ranges(minimum: Double, maximum: Double, refused: String?) {
    var configuration = TempoAnalyzer.Configuration()
    #expect(configuration.minimumBPM == 40 && configuration.maximumBPM == 250 && configuration.roundsToInteger)
    (configuration.minimumBPM, configuration.maximumBPM) = (minimum, maximum)
    do {
      _ = try TempoAnalyzer(configuration)
      #expect(refused == nil)
    } catch {
      #expect(error.key == refused)
    }
  }

  @Test(arguments: [(40.0, true), (39.9, false), (250, true), (250.1, false)])
  func givenTempi(bpm: Double, isAccepted: Bool) {
    var configuration = BeatFitAnalyzer.Configuration()
    #expect(configuration.bpm == 120)
    configuration.bpm = bpm
    #expect(((try? BeatFitAnalyzer(configuration)) != nil) == isAccepted)
  }

  /// Four seconds of columns.
  @Test func shortAudioHasNoTempo() throws {
    func reason(_ columns: Int) throws -> String? {
      var session = TempoAnalyzer.Session(TempoAnalyzer.Configuration())
      var random = SplitMix64(seed: 1)
      for index in 0..<columns {
        let level: Float = index % 50 < 3 ? 100 : 1
        let column = (0..<BandSpectrogram.layout.binCount).map { _ in level * abs(random.nextSample()) }
        try session.consume(column.span, at: Int64(index))
      }
      return try session.finish().reason
    }
    #expect(try reason(400) == "too_short" && reason(401) != "too_short")
    #expect(try reason(0) == "silence")
  }

  /// Memory is reserved for a stretch and a half at most.
  @Test func memoryIsBounded() throws {
    let stretch = Int(300 * OnsetEnvelopes.columnsPerSecond)
    var session = TempoAnalyzer.Session(TempoAnalyzer.Configuration())
    session.expect(1e9)
    session.expect(-1)
    let column = [Float](repeating: 0, count: BandSpectrogram.layout.binCount)
    for index in 0..<stretch * 3 / 2 - 1 { try session.consume(column.span, at: Int64(index)) }
    #expect(session.keptColumns == stretch * 3 / 2 - 1)
    try session.consume(column.span, at: Int64(stretch * 3 / 2 - 1))
    #expect(session.keptColumns == stretch * 3 / 2 - stretch)
    #expect(throws: AnalysisError.self) { try session.consume([1, 2].span, at: 0) }
  }

  @Test func bandsAreKeptByColumn() {
    var random = SplitMix64(seed: 2)
    var bands = BandSpectrogram()
    for _ in 0..<9 {
      let column = (0..<BandSpectrogram.layout.binCount).map { _ in abs(random.nextSample()) }
      bands.append(column.span)
    }
    let width = BandSpectrogram.bandCount
    let part = bands.part(2..<5)
    #expect(part.columnCount == 3 && part.columnPowers == Array(bands.columnPowers[2..<5]))
    #expect(part.powers == Array(bands.powers[2 * width..<5 * width]))
    var rest = bands
    rest.removeFirst(4)
    #expect(rest.columnCount == 5 && rest.powers == Array(bands.powers[(4 * width)...]))
    #expect(BandSpectrogram().meanSquare == 0)
  }

  // MARK: - Notes

  @Test func notesAreCompared() {
    var (one, other) = (ChordCourse.Notes(), ChordCourse.Notes())
    (one.low[0], one.middle[3], one.high[7]) = (3, 4, 12)
    (other.low[0], other.middle[3], other.high[6]) = (3, 4, 12)
    #expect(one.product(one) == 169 && one.product(other) == 25)
    #expect(abs(one.likeness(to: other) - 25 / 169) < 1e-6 && one.likeness(to: ChordCourse.Notes()) == 0)
    #expect(abs(one.normalized.product(one.normalized) - 1) < 1e-6)
    #expect(ChordCourse.Notes().normalized.product(one) == 0)
    let (sum, difference) = (one + other, one - other)
    #expect(sum.low[0] == 6 && sum.middle[3] == 8 && sum.high[7] == 12 && sum.high[6] == 12)
    #expect(difference.low[0] == 0 && difference.high[7] == 12 && difference.high[6] == -12)
    #expect((one * 0.5).middle[3] == 2)
  }

  // MARK: - Interpolation

  @Test func valuesBetweenPlaces() {
    let values: [Float] = [1, 3, 9]
    for (place, value) in [(0, 1), (0.5, 2), (1, 3), (1.25, 4.5), (1.99, 8.94), (2, 0), (-0.01, 0), (9, 0)]
      as [(Double, Float)]
    {
      #expect(abs(interpolate(values, place) - value) < 1e-5, "\(place)")
    }
    #expect(interpolate([], 0) == 0 && interpolate([5], 0) == 0)
  }

  @Test func viewsAreReadAtTheirTempi() {
    let view = (0..<Tempogram.tempi.count).map { Float($0) }
    for index in [0, 1, 640, 1_278] {
      #expect(abs(Tempogram.value(view, at: Tempogram.tempi[index] * 1.000_001) - Float(index)) < 0.01)
    }
    #expect(Tempogram.tempi.count == 1_280 && Tempogram.tempi[0] == 38 && abs(Tempogram.tempi[1_279] - 260) < 1e-9)
    #expect(Tempogram.value(view, at: 37.9) == 0 && Tempogram.value(view, at: 261) == 0)
  }

  @Test func envelopesAreStandardized() {
    let found = PulseSurvey.standardized([1, 3, 5, 7])
    #expect(abs(found.reduce(0, +)) < 1e-5 && abs(found.reduce(0) { $0 + $1 * $1 } - 4) < 1e-4)
    #expect(PulseSurvey.standardized([2, 2, 2]) == [0, 0, 0] && PulseSurvey.standardized([]).isEmpty)
  }

  // MARK: - Choice

  /// Tempi above 165 BPM are less likely.
  @Test func fastTempiAreReluctant() {
    #expect(GridChoice.reluctance(bpm: 165) == 0 && GridChoice.reluctance(bpm: 100) == 0)
    #expect(abs(GridChoice.reluctance(bpm: 330) - 3) < 1e-9)
  }

  @Test func gridsAreShifted() {
    let grid = BeatGrid(beats: [10, 20, 40])
    #expect(grid.beats(after: 0.25) == [2.5, 12.5, 25, 45])
    #expect(BeatGrid(beats: [10]).beats(after: 0.5).isEmpty)
    #expect(
      BeatGrid(beats: [0, 10, 20, 30, 44, 54]).medianPeriod == 11 && BeatGrid(beats: [0, 10]).medianPeriod == 10)
    #expect(BeatGrid(beats: [7]).medianPeriod == 0 && BeatGrid(beats: []).medianPeriod == 0)
    let constant = BeatGrid(period: 10, phase: 3, columnCount: 25)
    #expect(constant.beats == [-7, 3, 13, 23, 33])
    #expect(BeatGrid(period: 10, phase: 0, columnCount: 20).beats == [0, 10, 20])
  }
}
