import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing

@testable import BuiltInAnalyzers

/// Formats and spans that the analyzers of samples accept.
@Suite(.bounded) struct SampleAnalyzersTests {
  private func file(_ sampleRate: Int = 44_100, _ channelCount: Int = 2) -> AudioFile {
    AudioFile(
      path: "/signal.wav",
      format: AudioFormat(
        container: "wav", codec: "pcm_s16", sampleRate: sampleRate, channelCount: channelCount, bitDepth: 16,
        isLossless: true))
  }

  private func accepts<Kind: Analyzer>(_ kind: Kind.Type, _ file: AudioFile) -> Bool
  where Kind.Configuration == NoConfiguration {
    (try? Kind(NoConfiguration()).makeSession(for: file)) != nil
  }

  @Test func audioHasARateAndChannels() {
    let unknown = AudioFile(path: "/signal.wav")
    func check<Kind: Analyzer>(_ kind: Kind.Type, least: Int, needsChannels: Bool = true)
    where Kind.Configuration == NoConfiguration {
      #expect(accepts(kind, file(least)) && accepts(kind, file(least, 1)), "\(kind)")
      #expect(!accepts(kind, file(least - 1)) && !accepts(kind, unknown), "\(kind)")
      #expect(accepts(kind, file(least, 0)) != needsChannels, "\(kind)")
    }
    check(HealthAnalyzer.self, least: 4_000)
    check(OriginAnalyzer.self, least: 8_000)
    check(CuesAnalyzer.self, least: 1)
    check(LoudnessAnalyzer.self, least: 1)
    check(WaveformAnalyzer.self, least: 1, needsChannels: false)
  }

  /// Five samples are no frames of two channels.
  @Test func spansAreWholeFrames() throws {
    let (whole, odd) = ([Float](repeating: 0, count: 4), [Float](repeating: 0, count: 5))
    func check<Kind: Analyzer>(_ kind: Kind.Type) throws where Kind.Configuration == NoConfiguration {
      var session = try Kind(NoConfiguration()).makeSession(for: file())
      try session.consume(whole.span, at: 0)
      let error = #expect(throws: AnalysisError.self) { try session.consume(odd.span, at: 2) }
      guard case .failed(let reason) = error else {
        Issue.record("\(kind): \(error.map { "\($0)" } ?? "no error")")
        return
      }
      #expect(reason.hasPrefix("5 ") && reason.hasSuffix(" are not whole frames of 2 channels"))
    }
    try check(HealthAnalyzer.self)
    try check(OriginAnalyzer.self)
    try check(CuesAnalyzer.self)
    try check(LoudnessAnalyzer.self)
  }

  // MARK: - Health

  private func health(_ channels: [[Float]], rate: Int = 8_000) throws -> HealthFinding {
    var session = HealthAnalyzer.Session(sampleRate: rate, channelCount: channels.count)
    let planar = channels.flatMap { $0 }
    try session.consume(planar.span, at: 0)
    return try session.finish()
  }

  @Test func halfASecondIsJudged() throws {
    let noise = Signal.noise(sampleRate: 8_000, seconds: 1).mono
    #expect(try health([Array(noise.prefix(4_000))]).reason == nil)
    #expect(try health([Array(noise.prefix(3_999))]).reason == "too_short")
  }

  /// All faults are counted, and the first hundred of a kind are listed.
  @Test func listedFaultsAreLimited() throws {
    var random = SplitMix64(seed: 3)
    var samples = Signal.sine(331.7, sampleRate: 8_000, seconds: 60).mono
    for number in 0..<150 {
      let start = 2_000 + 3_100 * number + Int.random(in: 0..<2_000, using: &random)
      for frame in start..<start + 200 { samples[frame] = 0 }
    }
    let found = try health([samples, samples.map { $0 * 0.7 }])
    let dropouts = try #require(found.dropouts)
    #expect(dropouts > 100 && found.faults.count { $0.kind == "dropout" } == 100)
    let places = found.faults.map(\.startSeconds)
    #expect(places == places.sorted())
    // Both channels have each gap.
    #expect(found.faults.first { $0.kind == "dropout" }.map { $0.channel == nil } == true)
  }

  /// Every field of the finding says what the faults say.
  @Test func fieldsAreThoseOfTheFaults() throws {
    let music = Signal.chords(sampleRate: 8_000, seconds: 4).mono
    let silence = [Float](repeating: 0, count: music.count)
    let dead = try health([silence, music])
    #expect(dead.deadChannel == 1 && dead.isInverted == false && dead.isIdentical == false && dead.hasOffset == false)
    #expect(try health([music, silence]).deadChannel == 2)
    let inverted = try health([music, music.map { -$0 }])
    #expect(inverted.isInverted == true && inverted.deadChannel == nil && inverted.isIdentical == false)
    let same = try health([music, music])
    #expect(same.isIdentical == true && same.isInverted == false)
    let offset = try health([music.map { $0 + 0.05 }])
    #expect(offset.hasOffset == true && offset.isIdentical == false && offset.hum == nil)
    let silent = try health([silence])
    #expect(silent.worst == "silent" && silent.clipped == 0 && silent.dropouts == 0 && silent.silences == 0)
    let noise = try health([Signal.noise(amplitude: 0.0103, sampleRate: 8_000, seconds: 5).mono])
    // The level of uniform noise is -44.5 dB.
    #expect(noise.hiss == -45 && noise.isCutAtStart == true && noise.isCutAtEnd == true)
    #expect(noise.faults.first { $0.kind == "cut_end" }?.endSeconds == 5)
  }
}
