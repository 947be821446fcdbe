import AnalysisTesting
import Testing

@testable import Chromaprint

@Suite struct FingerprintTests {
  private func fingerprint(_ signal: Signal) throws -> Fingerprint {
    let context = try ChromaprintContext(sampleRate: signal.sampleRate)
    let samples = signal.mono.map { Int16(max(-32_000, min(32_000, $0 * 32_000))) }
    try context.feed(samples.span)
    let text = try context.finish() ?? ""
    return try #require(Fingerprint(text))
  }

  @Test func encodingsAndOtherMusic() throws {
    let sound = Signal.chords(sampleRate: 11_025, seconds: 40)
    let own = try fingerprint(sound)
    #expect(own.isOfSameRecording(as: own))
    #expect(own.isOfSameRecording(as: try fingerprint(sound.scaled(by: 0.3))))
    // As after an encoder, which puts some samples in front.
    let late = Signal(sampleRate: 11_025, channels: [[Float](repeating: 0, count: 3000) + sound.mono])
    #expect(own.isOfSameRecording(as: try fingerprint(late)))
    #expect(!own.isOfSameRecording(as: try fingerprint(.chords(seed: 8, sampleRate: 11_025, seconds: 40))))
    // Too short to tell.
    #expect(!own.isOfSameRecording(as: try fingerprint(sound.prefix(11_025 * 5))))
  }

  @Test(arguments: ["", "AQ", "no fingerprint!", "AQAAAAAA"]) func nonsense(text: String) {
    if let fingerprint = Fingerprint(text) { #expect(!fingerprint.isOfSameRecording(as: fingerprint)) }
  }
}
