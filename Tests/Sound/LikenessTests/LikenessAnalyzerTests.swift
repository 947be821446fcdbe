import Analysis
import AnalysisTesting
import DSP
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import Likeness

@Suite(.bounded) struct LikenessAnalyzerTests {
  @Test(arguments: [-40, -12, 12] as [Double]) func gainDoesNotMatter(decibels: Double) throws {
    let sound = music()
    let found = try analyze(sound.scaled(by: Float(pow(10, decibels / 20))))
    #expect(try cosine(found, analyze(sound)) > 0.995)
  }

  @Test func partsOfATrackAreNearerThanOtherMusic() throws {
    let track = try analyze(music(seconds: 40))
    let part = try analyze(music(seconds: 20, start: 10))
    let others = try [
      analyze(music([40, 55, 59], bpm: 83)), analyze(.noise(sampleRate: sampleRate, seconds: 30)),
      analyze(.clickTrack(bpm: 150, sampleRate: sampleRate, seconds: 30)),
    ]
    for other in others { #expect(cosine(track, part) > cosine(track, other) + 0.2) }
  }

  /// Simulates an encoder: noise far below the music, nothing above 10 kHz, rounding.
  @Test func roundingAndFaintNoiseHardlyMatter() throws {
    let sound = music()
    let noisy = sound + Signal.noise(sampleRate: sampleRate, seconds: 30).scaled(by: 0.0005)
    let rounded = Signal(sampleRate: sampleRate, channels: [noisy.mono.map { ($0 * 2048).rounded() / 2048 }])
    let other = try analyze(music([40, 55, 59], bpm: 83))
    let found = try analyze(sound)
    #expect(try cosine(found, analyze(rounded)) > max(0.6, cosine(found, other) + 0.2))
  }

  @Test func silenceBeforeAndAfterHardlyMatters() throws {
    let pause = [Float](repeating: 0, count: 20 * sampleRate)
    let sound = music(seconds: 60)
    let padded = Signal(sampleRate: sampleRate, channels: [pause + sound.mono + pause])
    #expect(try cosine(analyze(sound), analyze(padded)) > 0.9)
  }

  @Test func soundThatCannotBeDescribed() throws {
    #expect(try analyze(.silence(sampleRate: sampleRate, seconds: 30)) == .none(reason: "silence"))
    #expect(try analyze(.silence(sampleRate: sampleRate, seconds: 0)) == .none(reason: "too_short"))
    #expect(try analyze(music(seconds: 4)) == .none(reason: "too_short"))
    let constant = Signal(sampleRate: sampleRate, channels: [[Float](repeating: 0.5, count: 10 * sampleRate)])
    #expect(try analyze(constant).descriptor.count == SoundDescriptor.count)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
  func columnsThatAreNoSpectra(value: Float) throws {
    var session = LikenessAnalyzer(.init()).makeSession(for: AudioFile(path: "signal"))
    let column = [Float](repeating: value, count: SoundFrame.layout.binCount)
    for index in 0..<4000 { try session.consume(column.span, at: Int64(index)) }
    #expect(try session.finish().reason == "silence")
    #expect(throws: AnalysisError.self) { try session.consume([1, 2].span, at: 0) }
  }

  /// Values written by `Benchmarks/golden.py` with the scripts used to fit the projection, in version 1.
  @Test func theDescriptorIsTheOneThatWasFitted() throws {
    #expect(LikenessAnalyzer.version == 1 && SoundDescriptor.version == 1)
    let path = Repository.url("Tests/Fixtures/golden-likeness.tsv")
    let golden = try Data(contentsOf: path).withUnsafeBytes { NumberTable($0) }
    let descriptor = try #require(golden["descriptor"])
    let found = try analyze(Signal.golden(sampleRate: sampleRate, seconds: 30)).descriptor
    try #require(found.count == descriptor.count)
    for (number, expected) in zip(found, descriptor) { #expect(abs(Double(Int8(bitPattern: number)) - expected) <= 1) }
  }
}
