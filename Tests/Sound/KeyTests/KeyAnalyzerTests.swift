import Analysis
import AnalysisTesting
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct KeyAnalyzerTests {
  @Test(arguments: 0..<12, [MusicalKey.Mode.major, .minor])
  func cadences(tonic: Int, mode: MusicalKey.Mode) throws {
    let finding = try analyze(cadence(tonic, mode, seconds: 24))
    let key = MusicalKey(pitchClass: tonic, mode: mode)
    #expect(finding.tonic == key.tonic && finding.mode == mode.rawValue)
    #expect(finding.confidence > 0.7)
    #expect(finding.reason == nil && finding.map.count == 1 && finding.candidates.first?.key == "\(key)")
  }

  @Test(arguments: [-40.0, -15, 0, 25, 45])
  func detuned(cents: Double) throws {
    let finding = try analyze(cadence(2, .major, seconds: 24, cents: cents))
    #expect(finding.camelot == "10B")
    #expect(abs((finding.tuningCents ?? 99) - cents) < 4)
    #expect(abs((finding.tuningHertz ?? 0) - 440) < 13)
  }

  @Test func theKeyChanges() throws {
    let first = cadence(0, .major, seconds: 80)
    let second = cadence(6, .minor, seconds: 70)
    let both = Signal(sampleRate: sampleRate, channels: [first.mono + second.mono])
    let finding = try analyze(both)
    #expect(finding.openKey == "1d")
    try #require(finding.map.count == 2)
    #expect(finding.map[0].startSeconds == 0)
    #expect(finding.map[1].key == "F# minor")
    #expect(abs(finding.map[1].startSeconds - 80) < 9)
  }

  @Test func soundWithoutAKey() throws {
    #expect(try analyze(Signal.noise(sampleRate: sampleRate, seconds: 30)).reason == "no_key")
    #expect(try analyze(Signal.clickTrack(bpm: 120, sampleRate: sampleRate, seconds: 30)).reason == "no_key")
    #expect(try analyze(Signal.silence(sampleRate: sampleRate, seconds: 30)).reason == "silence")
    #expect(try analyze(Signal.silence(sampleRate: sampleRate, seconds: 0)).reason == "silence")
    #expect(try analyze(cadence(0, .major, seconds: 2)).reason == "too_short")
  }

  @Test func nothingIsFoundBesideAReason() throws {
    let finding = try analyze(Signal.noise(sampleRate: sampleRate, seconds: 30))
    #expect(finding.tonic == nil && finding.confidence == 0 && finding.candidates.isEmpty && finding.map.isEmpty)
    #expect(finding.tuningCents == nil && finding.tuningHertz == nil)
  }

  @Test func stretchesOfALongTrackAreOne() throws {
    let part = cadence(9, .minor, seconds: 60, cents: 20).mono
    let whole = Signal(sampleRate: sampleRate, channels: [(0..<10).flatMap { _ in part }])
    let finding = try analyze(whole)
    #expect(finding.openKey == "1m")
    #expect(finding.map.count == 1)
    #expect(abs((finding.tuningCents ?? 0) - 20) < 4)
  }

  @Test func segmentsAreBounded() {
    var sums = KeySums()
    let frame = [Float](repeating: 1, count: KeyNetwork.width)
    for _ in 0..<20_000 { sums.append(frame[...], logarithms: [0, 0]) }
    #expect(sums.segments.count <= 1024)
    #expect(sums.framesPerSegment == 32)
    #expect(sums.sum(sums.segments.indices).weights == [20_000, 20_000])
  }

  @Test func names() {
    #expect(MusicalKey(pitchClass: 0, mode: .major).camelot == "8B")
    #expect(MusicalKey(pitchClass: 9, mode: .minor).camelot == "8A")
    #expect(MusicalKey(pitchClass: 11, mode: .major).camelot == "1B")
    #expect(MusicalKey(pitchClass: 8, mode: .minor).openKey == "6m")
    #expect(MusicalKey(pitchClass: 7, mode: .major).openKey == "2d")
  }
}
