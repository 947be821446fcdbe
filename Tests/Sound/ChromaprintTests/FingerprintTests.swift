import AnalysisTesting
import Testing

@testable import Chromaprint

@Suite(.bounded) struct FingerprintTests {
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
    // Encoders prepend some samples.
    let late = Signal(sampleRate: 11_025, channels: [[Float](repeating: 0, count: 3000) + sound.mono])
    #expect(own.isOfSameRecording(as: try fingerprint(late)))
    #expect(!own.isOfSameRecording(as: try fingerprint(.chords(seed: 8, sampleRate: 11_025, seconds: 40))))
    // Too short to decide.
    #expect(!own.isOfSameRecording(as: try fingerprint(sound.prefix(11_025 * 5))))
  }

  /// A fingerprint text of libchromaprint decodes completely; a truncated one is invalid.
  @Test func damagedTexts() throws {
    let context = try ChromaprintContext(sampleRate: 11_025)
    let samples = Signal.chords(sampleRate: 11_025, seconds: 20).mono.map { Int16($0 * 20_000) }
    try context.feed(samples.span)
    let text = try #require(try context.finish())
    let whole = try #require(FingerprintText.items(of: text))
    #expect(whole.count > 100 && Set(whole).count > 20)
    for length in stride(from: 0, to: text.utf8.count - 2, by: 7) {
      #expect(FingerprintText.items(of: String(text.prefix(length))) == nil)
    }
    #expect(
      FingerprintText.items(of: text + "=") == nil && FingerprintText.items(of: "AQ____" + text.dropFirst(6)) == nil)
    #expect(FingerprintText.items(of: "AQAAAA") == [])
  }

  @Test(arguments: ["", "AQ", "no fingerprint!", "AQAAAAAA"]) func nonsense(text: String) {
    if let fingerprint = Fingerprint(text) { #expect(!fingerprint.isOfSameRecording(as: fingerprint)) }
  }
}
