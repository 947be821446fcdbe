import Analysis
import AnalysisTesting
import Foundation
import Testing

@testable import BuiltInAnalyzers

/// Track of known form: kick and bass on beats, a melody, silence and fades.
private struct Song {
  var sampleRate = 11_025
  var bpm = 120.0
  var leadingFrames = 0
  var trailingFrames = 0
  /// Bars of intro, body and outro.
  var bars = (intro: 8, body: 24, outro: 8)
  /// Bars of the body in which the melody plays alone.
  var pause = 0..<0
  /// `true` if intro and outro have drums alone; otherwise they have the melody alone.
  var drumsAlone = false
  var gain = 0.5
  var fadeIn = 0.0
  var fadeOut = 0.0

  var period: Double { 60 / bpm }
  var barCount: Int { bars.intro + bars.body + bars.outro }
  var seconds: Double { Double(4 * barCount) * period }
  var start: Double { Double(leadingFrames) / Double(sampleRate) }
  var beats: [Double] { (0..<4 * barCount).map { start + Double($0) * period } }
  func downbeat(_ bar: Int) -> Double { start + Double(4 * bar) * period }

  var tempo: TempoFinding {
    TempoFinding(
      bpm: bpm, confidence: 1, candidates: [], isStable: true, map: [], beats: beats.map { ($0 * 1e3).rounded() / 1e3 },
      metre: "4/4", downbeats: (0..<barCount).map { (downbeat($0) * 1e3).rounded() / 1e3 })
  }

  var signal: Signal {
    let music = Signal(sampleRate: sampleRate, seconds: seconds) { time in
      let bar = Int(time / period / 4)
      let age = fmod(time, period)
      let isBody = bar >= bars.intro && bar < bars.intro + bars.body
      let isFull = isBody && !pause.contains(bar - bars.intro)
      let melody = isBody || !drumsAlone ? 0.1 * cos(2 * .pi * 880 * time) * (0.7 + 0.3 * exp(-6 * age)) : 0
      let kick = isFull || !isBody && drumsAlone ? 0.6 * exp(-20 * age) * cos(2 * .pi * 60 * age) : 0
      let drums = kick + (isFull ? 0.25 * sin(2 * .pi * 55 * time) : 0)
      let left = seconds - time
      let fade = min(1, fadeIn > 0 ? time / fadeIn : 1, fadeOut > 0 ? left / fadeOut : 1)
      return gain * fade * (melody + drums)
    }
    let silence = { [Float](repeating: 0, count: $0) }
    return Signal(
      sampleRate: sampleRate, channels: [silence(leadingFrames) + music.mono + silence(trailingFrames)])
  }
}

private func analyze(
  _ signal: Signal, _ tempo: TempoFinding? = nil, sections: SectionsFinding? = nil, cut: Int = 16_384
) throws -> CuesFinding {
  var session = CuesAnalyzer.Session(sampleRate: signal.sampleRate, channelCount: signal.channelCount)
  for start in stride(from: 0, to: signal.frameCount, by: cut) {
    let end = start + min(cut, signal.frameCount - start)
    let values = signal.channels.flatMap { $0[start..<end] }
    try session.consume(values.span, at: Int64(start))
  }
  let earlier: [(any AnalysisFinding)?] = [tempo, sections]
  return try session.finish(after: EarlierFindings(earlier.compactMap(\.self)))
}

@Suite(.bounded) struct CuesTests {
  @Test(arguments: 0..<12)
  func everythingOfASong(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    var song = Song()
    song.bpm = Double(Int.random(in: 80...160, using: &random))
    song.leadingFrames = Int.random(in: 0..<30_000, using: &random)
    song.trailingFrames = Int.random(in: 0..<30_000, using: &random)
    song.bars = (4 * Int.random(in: 1...4, using: &random), 24, 4 * Int.random(in: 1...4, using: &random))
    song.gain = .random(in: 0.05...0.9, using: &random)
    let finding = try analyze(song.signal, song.tempo)
    #expect(finding.reason == nil)
    #expect(abs(try #require(finding.leadingSilence) - song.start) < 1e-6)
    #expect(abs((finding.trailingSilence ?? 9) - Double(song.trailingFrames) / Double(song.sampleRate)) < 0.001)
    #expect(finding.fadeIn == 0 && finding.fadeOut == 0)
    #expect(abs((finding.firstBeat ?? 9) - song.start) < 0.001)
    let (first, last) = (song.downbeat(song.bars.intro), song.downbeat(song.bars.intro + song.bars.body))
    #expect(abs((finding.introEnd ?? 0) - first) < 0.001)
    #expect(abs((finding.outroStart ?? 0) - last) < 0.001)
    let highlight = try #require(finding.highlightStart)
    #expect(song.tempo.downbeats?.contains(highlight) == true)
    #expect(highlight >= first - 0.001 && highlight + 30 <= last + 2 * song.period)
    #expect(abs((finding.highlightEnd ?? 0) - highlight - 30) < 0.002)
    // Transitions consist of whole phrases of four bars.
    #expect(finding.mixInEnd == finding.introEnd && finding.mixOutStart == finding.outroStart)
    #expect(abs((finding.mixInStart ?? 9) - song.start) < 0.001)
    #expect((finding.mixOutEnd ?? 0) > last && (finding.mixOutEnd ?? 0) <= song.beats.last ?? 0)
  }

  @Test(arguments: [4, 8, 12])
  func drumsAloneAreNoBody(bars: Int) throws {
    var song = Song()
    song.bars = (bars, 32, bars)
    song.drumsAlone = true
    let finding = try analyze(song.signal, song.tempo)
    #expect(abs((finding.introEnd ?? 0) - song.downbeat(bars)) < 0.001)
    #expect(abs((finding.outroStart ?? 0) - song.downbeat(bars + 32)) < 0.001)
  }

  @Test(arguments: [0..<0, 12..<20, 8..<12, 24..<32])
  func aBreakEndsNoBody(pause: Range<Int>) throws {
    var song = Song()
    song.bars = (0, 40, 0)
    song.pause = pause
    let finding = try analyze(song.signal, song.tempo)
    #expect(abs((finding.introEnd ?? 9) - song.start) < 0.001)
    #expect((finding.outroStart ?? 0) > song.downbeat(39))
  }

  @Test func beatsDoWhereDownbeatsAreUnknown() throws {
    var song = Song()
    song.leadingFrames = 5000
    var tempo = song.tempo
    tempo.downbeats = nil
    let finding = try analyze(song.signal, tempo)
    #expect(abs((finding.introEnd ?? 0) - song.downbeat(8)) < 0.001)
    #expect(abs((finding.outroStart ?? 0) - song.downbeat(32)) < 0.001)
  }

  @Test func whatComesBackIsTheHighlight() throws {
    var song = Song()
    song.bars = (4, 60, 4)
    func section(_ bars: Range<Int>, _ label: String, _ level: Double) -> SectionsFinding.Section {
      SectionsFinding.Section(
        startSeconds: song.downbeat(bars.lowerBound), endSeconds: song.downbeat(bars.upperBound), label: label,
        levelDecibels: level)
    }
    for start in [20, 28] {
      let map = [
        section(0..<start, "A", -1), section(start..<start + 16, "B", 0), section(start + 16..<start + 20, "A", -2),
        section(start + 20..<68, "B", 1),
      ]
      let finding = try analyze(song.signal, song.tempo, sections: SectionsFinding(map: map))
      let highlight = try #require(finding.highlightStart)
      let inside = map.filter { $0.label == "B" }.contains {
        highlight > $0.startSeconds - 3 && highlight + 30 < $0.endSeconds + 3
      }
      #expect(inside)
    }
  }

  @Test(arguments: [(2.0, 3.0), (6, 12), (0, 25), (15, 0)])
  func fades(fadeIn: Double, fadeOut: Double) throws {
    var song = Song()
    (song.fadeIn, song.fadeOut) = (fadeIn, fadeOut)
    song.bars = (0, 44, 0)
    song.leadingFrames = 1234
    let finding = try analyze(song.signal, song.tempo)
    #expect(abs(try #require(finding.fadeIn) - fadeIn) <= 0.1 * fadeIn + 0.01)
    #expect(abs(try #require(finding.fadeOut) - fadeOut) <= 0.1 * fadeOut + 0.01)
    #expect((finding.introEnd ?? 0) >= song.start + 0.9 * fadeIn)
    #expect((finding.outroStart ?? 99) <= song.start + song.seconds - 0.9 * fadeOut)
  }

  @Test func theFirstBeatOfAFadeInIsSoft() throws {
    var song = Song()
    song.fadeIn = 20
    song.bars = (0, 44, 0)
    song.leadingFrames = 20_000
    var tempo = song.tempo
    tempo.beats.removeFirst(9)
    let finding = try analyze(song.signal, tempo)
    #expect(try #require(finding.leadingSilence) > song.start)
    #expect(abs((finding.firstBeat ?? 0) - song.start) < 0.002)
  }

  @Test func fadesOfNoise() throws {
    for length in [1.5, 4, 11, 30] {
      let signal = Signal.noise(seed: 4, sampleRate: 8000, seconds: 90)
      var faded = signal
      for index in 0..<signal.frameCount {
        let left = Double(signal.frameCount - index) / 8000
        faded.channels[0][index] *= Float(min(1, left / length) * min(1, 2 * Double(index) / 8000 / length))
      }
      let finding = try analyze(faded)
      #expect(abs((finding.fadeOut ?? 0) - length) < 0.04 * length)
      #expect(length < 2.5 || abs((finding.fadeIn ?? 0) - length / 2) < 0.04 * length)
    }
  }

  @Test func silenceIsExactToTheSampleInAnyChannel() throws {
    var signal = Signal.channels([.silence(seconds: 2), .silence(seconds: 2)])
    signal.channels[1][7_001] = -0.00101
    signal.channels[0][80_000] = 0.0011
    // Below -60 dBFS.
    signal.channels[0][100] = 0.0009
    signal.channels[1][88_000] = -0.0009
    for cut in [1, 997, 16_384, .max] {
      let finding = try analyze(signal, cut: cut)
      #expect(abs((finding.leadingSilence ?? 0) - 7_001.0 / 44_100) < 1e-6)
      #expect(abs((finding.trailingSilence ?? 0) - (88_200.0 - 80_001) / 44_100) < 1e-6)
      #expect(finding.reason == "no_beats" && finding.introEnd == nil && finding.highlightStart == nil)
    }
  }

  @Test func nothingIsMadeUp() throws {
    for seconds in [0.0, 3] {
      let finding = try analyze(.silence(seconds: seconds), Song().tempo)
      #expect(
        finding
          == {
            var none = CuesFinding()
            none.reason = "silence"
            return none
          }())
    }
    var noisy = Signal.noise(seconds: 1)
    noisy.channels[0][500] = .nan
    noisy.channels[0][600] = .infinity
    #expect(try analyze(noisy).fadeIn == 0)
    // Beats out of order.
    var tempo = Song().tempo
    tempo.beats = [5, 4, 3] + (0..<40).map { Double($0) }
    #expect(try analyze(Song().signal, tempo).reason == "no_beats")
    // First beat before the start of the file.
    tempo = Song().tempo
    tempo.beats[0] = -0.04
    #expect(try analyze(Song().signal, tempo).introEnd != nil)
    tempo.beats = (0..<40).map { Double($0) * 100 }
    #expect(try analyze(Song().signal, tempo).reason == "no_beats")
  }

  @Test func theCutDoesNotMatter() throws {
    let song = Song()
    let whole = try analyze(song.signal, song.tempo, cut: .max)
    for cut in [441, 10_007] { #expect(try analyze(song.signal, song.tempo, cut: cut) == whole) }
  }
}
