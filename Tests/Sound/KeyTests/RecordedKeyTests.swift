import Analysis
import AnalysisTesting
import Glibc
import SystemPackage
import Testing

@testable import BuiltInAnalyzers

/// Keys of made spectra. A change of a recorded finding needs a higher version of the analyzer.
@Suite(.bounded) struct RecordedKeyTests {
  private static let binWidth = Double(PitchSpectrum.layout.sampleRate) / Double(PitchSpectrum.layout.windowLength)
  /// Power of a full-scale sine.
  private static let full = Float(PitchSpectrum.layout.windowLength * PitchSpectrum.layout.windowLength) / 16

  /// A column of a chord of harmonic notes, given as MIDI pitches, over noise.
  private func column(
    _ pitches: [Double], cents: Double = 0, noise: Float = 1e-6, level: Float = 0.01, _ random: inout SplitMix64
  ) -> [Float] {
    var values = (0..<PitchSpectrum.layout.binCount).map { _ in noise * abs(random.nextSample()) }
    for pitch in pitches {
      for harmonic in 1...5 {
        let place = 440 * exp2((pitch - 69 + cents / 100) / 12) * Double(harmonic) / Self.binWidth
        for bin in Int(place) - 2...Int(place) + 3 where values.indices.contains(bin) {
          let distance = Double(bin) - place
          values[bin] += Float(exp(-0.7 * distance * distance) / Double(harmonic * harmonic))
        }
      }
    }
    return values.map { $0 * level * Self.full }
  }

  private func finding(_ columns: [[Float]]) throws -> KeyFinding {
    var session = try KeyAnalyzer(.init()).makeSession(for: AudioFile(path: "spectrum"))
    for (index, column) in columns.enumerated() { try session.consume(column.span, at: Int64(index)) }
    return try session.finish()
  }

  private static let cadence: [[Double]] = [[48, 64, 67, 72], [53, 65, 69, 72], [43, 62, 67, 71], [45, 64, 69, 72]]

  private func chords(_ count: Int, transposed: Double = 0, cents: Double = 0, noise: Float = 1e-6, seed: UInt64 = 1)
    -> [[Float]]
  {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { index in
      column(Self.cadence[index / 4 % 4].map { $0 + transposed }, cents: cents, noise: noise, &random)
    }
  }

  private func describe(_ found: KeyFinding) -> String {
    let map = found.map.map { "\($0.startSeconds) \($0.key)" }.joined(separator: ", ")
    let candidates = found.candidates.map { "\($0.key) \($0.probability)" }.joined(separator: ", ")
    return
      "\(found.tonic ?? "none") \(found.mode ?? "none") \(found.confidence) \(found.reason ?? "found"); \(candidates); "
      + "\(map); \(found.tuningCents ?? 99) \(found.tuningHertz ?? 0)"
  }

  @Test func keysOfChords() throws {
    var results = RecordedResults("Sound/key.txt")
    for transposed in stride(from: 0.0, to: 12, by: 5) {
      results.add("transposed by \(transposed)", describe(try finding(chords(40, transposed: transposed))))
    }
    for cents in [-45.0, -20, 0, 10, 33, 49] {
      results.add("\(cents) cents", describe(try finding(chords(32, transposed: 2, cents: cents))))
    }
    for noise in [0.001, 0.01, 0.03, 0.1, 0.3, 1] as [Float] {
      results.add("noise of \(noise)", describe(try finding(chords(32, transposed: 7, noise: noise))))
    }
    // Other keys, for a while or for good.
    for count in [8, 16, 32, 64] {
      let parts = chords(64) + chords(count, transposed: 6, seed: 2) + chords(64, seed: 3)
      results.add("\(count) columns in another key", describe(try finding(parts)))
    }
    // More than a stretch and a half is read in parts.
    let long = chords(500) + chords(350, transposed: 3, cents: 30, seed: 2)
    results.add("a long track", describe(try finding(long)))
    results.add("a stretch and a half", describe(try finding(Array(long.prefix(768)))))
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func fourSecondsAreNeeded() throws {
    // A frame is two columns, and the last one may be one.
    for count in 13...16 {
      #expect((try finding(chords(count)).reason == "too_short") == (count < 15), "\(count) columns")
    }
  }

  /// A bin ten decibels above the floor.
  @Test func silenceIsBelowAFloor() throws {
    func reason(_ decibels: Float) throws -> String? {
      let column = [Float](repeating: 0, count: PitchSpectrum.layout.binCount)
      return try finding(
        (0..<20).map { _ in
          var changed = column
          changed[500] = powf(10, decibels / 10) * Self.full
          return changed
        }
      ).reason
    }
    #expect(try reason(-95) == "silence" && reason(-70) != "silence")
  }

  /// Bins of a third of a semitone, interpolated.
  @Test func spectraAreTuned() throws {
    var random = SplitMix64(seed: 6)
    var spectrum = PitchSpectrum()
    for index in 0..<9 {
      let column = column([50 + Double(index), 62.3], noise: 1e-3, &random)
      spectrum.append(column.span)
    }
    #expect(spectrum.frameCount == 4)
    spectrum.finish()
    spectrum.finish()
    #expect(spectrum.frameCount == 5)
    let width = PitchSpectrum.binCount
    let plain = spectrum.tuned(1..<3, cents: 0)
    #expect(plain == Array(spectrum.levels[width..<3 * width]))
    let moved = spectrum.tuned(1..<3, cents: 50)
    for bin in 1..<width - 2 { #expect(abs(moved[bin] - (plain[bin + 1] + plain[bin + 2]) / 2) < 1e-3) }
    let below = spectrum.tuned(1..<3, cents: -50)
    for bin in 2..<width { #expect(abs(below[bin] - (plain[bin - 1] + plain[bin - 2]) / 2) < 1e-3) }
    // Beyond the ends, the last bin counts.
    #expect(below[0] == plain[0] && moved[width - 1] == plain[width - 1])
    var rest = spectrum
    rest.removeFirst(2)
    #expect(rest.levels == Array(spectrum.levels[(2 * width)...]))
  }

  @Test func tuningsOfColumns() throws {
    var results = RecordedResults("Sound/tuning.txt")
    var random = SplitMix64(seed: 8)
    for (name, level) in [("loud", Float(0.1)), ("faint", 1e-8), ("fainter", 5e-10)] {
      for cents in [-40.0, 0, 25] {
        var tuning = Tuning()
        for index in 0..<5 {
          let column = column([45 + Double(index), 60, 85], cents: cents, noise: 1e-4, level: level, &random)
          tuning.add(column.span)
        }
        results.add("\(name), \(cents)", numbers: [tuning.cents, tuning.clarity])
        var both = tuning
        both.halve()
        both.add(tuning)
        #expect(abs(both.cents - tuning.cents) < 1e-9 && abs(both.clarity - tuning.clarity) < 1e-9)
        var other = Tuning()
        let column = column([64], cents: -10, noise: 0, &random)
        other.add(column.span)
        both.add(other)
        results.add("\(name), \(cents), with another", numbers: [both.cents, both.clarity])
      }
    }
    #expect(Tuning().cents == 0 && Tuning().clarity == 0)
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  // MARK: - Sums

  @Test func weightsAreLimited() {
    var segment = KeySums.Segment()
    let frame = (0..<KeyNetwork.width).map { Float($0) }
    segment.add(frame[...], logarithms: [20, -20])
    #expect(abs(log(segment.weights[0]) - 15) < 1e-3 && abs(log(segment.weights[1]) + 15) < 1e-3)
    var plain = KeySums.Segment()
    plain.add(frame[...], logarithms: [0, 0])
    plain.add(frame[...], logarithms: [0, 0])
    #expect(plain.weights == [2, 2])
    // The means are those of the pitch classes, head by head.
    let channels = KeyNetwork.channels
    for pitchClass in [0, 1, 11] {
      for head in 0..<KeyNetwork.heads {
        let first = (pitchClass * KeyNetwork.heads + head) * channels
        #expect(
          Array(plain.means[first..<first + channels])
            == Array(frame[pitchClass * channels..<(pitchClass + 1) * channels]))
      }
    }
  }

  @Test func segmentsAreEightFrames() {
    var sums = KeySums()
    #expect(sums.isEmpty)
    let frame = [Float](repeating: 1, count: KeyNetwork.width)
    for count in 1...17 {
      sums.append(frame[...], logarithms: [0, 0])
      #expect(sums.segments.count == (count + 7) / 8)
    }
    #expect(sums.sum([0, 2]).weights == [9, 9] && !sums.isEmpty)
    for _ in 0..<8 * 1_024 - 17 { sums.append(frame[...], logarithms: [0, 0]) }
    #expect(sums.segments.count == 1_024 && sums.framesPerSegment == 8)
    sums.append(frame[...], logarithms: [0, 0])
    #expect(sums.segments.count == 513 && sums.framesPerSegment == 16 && sums.segments[512].weights == [1, 1])
  }

  @Test func chancesAddUp() {
    #expect(KeyCurve.chances([0, 0, 0, 0]) == [0.25, 0.25, 0.25, 0.25])
    let found = KeyCurve.chances([1_000, 1_000 + log(3.0)])
    #expect(abs(found[0] - 0.25) < 1e-9 && abs(found[1] - 0.75) < 1e-9)
    let none = KeyCurve(KeySums(), network: .trained)
    #expect(none.keys.isEmpty && none.main == 0)
  }
}
