import AnalysisTesting
import AudioAnalysis
import Testing

/// Findings of the audio analyzers for two excerpts. If a value changes by more than another compiler or processor may
/// cause, the version of its analyzer must be raised, and this table changed with it.
@Suite(.bounded) struct GoldenSoundTests {
  private static let folder = Repository.path("Fixtures/music")
  private static let kinds: [AnalyzerKind] = [.tempo, .key, .loudness, .waveform, .sections, .cues, .traits, .likeness]

  private func near(_ found: Double?, _ golden: Double, _ tolerance: Double) -> Bool {
    found.map { abs($0 - golden) <= tolerance } ?? false
  }

  @Test func versions() {
    #expect(Self.kinds.map(\.version) == [7, 2, 2, 1, 2, 3, 1, 1])
  }

  @Test func hunting() throws {
    let sound = try Analyses(of: Self.folder.appending("hunting.flac"), Self.kinds)
    #expect(sound.key?.camelot == "9A")
    #expect(near(sound.key?.confidence, 0.423, 0.02))
    #expect(near(sound.loudness?.integrated, -15.22, 0.01))
    #expect(near(sound.loudness?.range, 3.54, 0.02))
    #expect(near(sound.loudness?.maxMomentary, -12.42, 0.01))
    #expect(near(sound.loudness?.maxShortTerm, -13.97, 0.01))
    #expect(near(sound.loudness?.truePeak, 0.13, 0.01))
    #expect(near(sound.loudness?.trackGain, -2.78, 0.01))
    #expect(sound.waveform?.pointCount == 1000)
    #expect(near(sound.waveform?.lowPeak, -1.62, 0.02))
    #expect(near(sound.waveform?.highPeak, -12.12, 0.02))
    #expect(sound.sections?.reason == "too_short")
    #expect(sound.cues?.leadingSilence == 0 && sound.cues?.trailingSilence == 0)
    #expect(near(sound.cues?.firstBeat, 0.018, 0.01))
    #expect(near(sound.cues?.outroStart, 19.576, 0.01))
    #expect(near(sound.cues?.mixInEnd, 6.972, 0.01))
    #expect(near(sound.traits?.energy, 0.674, 0.005))
    #expect(near(sound.traits?.danceability, 0.771, 0.005))
    #expect(near(sound.traits?.speechiness, 0, 0.005))
  }

  @Test func coherence() throws {
    let sound = try Analyses(of: Self.folder.appending("coherence.opus"), Self.kinds)
    #expect(sound.key?.camelot == "12A")
    #expect(near(sound.key?.tuningCents, 41.8, 0.5))
    #expect(near(sound.loudness?.integrated, -17.06, 0.02))
    #expect(sound.sections?.reason == "no_structure")
    #expect(near(sound.cues?.highlightStart, 0.213, 0.01))
    #expect(near(sound.traits?.energy, 0.728, 0.005))
  }
}
