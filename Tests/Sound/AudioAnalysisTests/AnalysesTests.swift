import AnalysisTesting
import AudioAnalysis
import Tempo
import Testing

/// Third-party analyzer that counts frames.
private struct FrameCounter: Analyzer {
  struct Session: AnalysisSession {
    struct Finding: AnalysisFinding {
      var frames = 0
    }

    private var finding = Finding()

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      finding.frames += values.count
    }
    mutating func finish() throws(AnalysisError) -> Finding { finding }
  }

  static let id = "frame_counter"
  static let version = 1
  static let summary = "How many frames there are."

  init(_ configuration: NoConfiguration) {}
  var feed: Feed { .samples(SampleLayout(rate: .hertz(8_000))) }
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session { Session() }
}

@Suite(.bounded) struct AnalysesTests {
  private let folder: TemporaryDirectory
  /// Two clicks a second.
  private let clicks = Signal(seconds: 20) { $0.truncatingRemainder(dividingBy: 0.5) < 0.005 ? 0.5 : 0 }

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test func fileAndPCMGiveTheSame() throws {
    let path = try folder.write(clicks, as: "clicks.wav", encoding: .float32)
    let file = try Analyses(of: path, [.tempo, .signature, .chromaprint])
    let samples = clicks.channels[0]
    let pcm = Analyses(of: samples, sampleRate: clicks.sampleRate, [.tempo, .signature, .chromaprint])
    #expect(abs(try #require(file.tempo?.bpm) - 120) < 0.1)
    #expect(file.tempo == pcm.tempo)
    #expect(file.signature == pcm.signature)
    #expect(file.fingerprint == pcm.fingerprint)
    #expect(TempoFinding(of: samples, sampleRate: clicks.sampleRate) == file.tempo)
    #expect(file.contentID != nil && file.problem == nil)
    #expect(file.format?.frameCount == pcm.format?.frameCount)
  }

  @Test func outcomesComeAsTheyWereAskedFor() throws {
    let analyses = Analyses(
      of: [[0, .nan], [0.5, 1]], sampleRate: 8_000, [.tags, AnalyzerKind(FrameCounter.self), .tempo])
    #expect(analyses.outcomes.map(\.analyzer.id) == ["tags", "frame_counter", "tempo"])
    #expect(analyses.tags == nil)
    #expect(analyses[FrameCounter.Session.Finding.self]?.frames == 2)
    #expect(analyses.tempo?.reason == "silence" || analyses.tempo?.reason == "too_short")
    #expect(analyses.fingerprint == nil)
  }

  @Test func tagsNeedNoAudio() throws {
    var bytes = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 16]
    bytes += Array("TIT2".utf8) + [0, 0, 0, 6, 0, 0, 0] + Array("Title".utf8)
    let path = try folder.write(bytes, as: "tags.mp3")
    let analyses = try Analyses(of: path, [.tags, .tempo])
    #expect(analyses.tags?.fields["title"] == ["Title"])
    #expect(analyses.problem != nil && analyses.tempo == nil)
    let error = #expect(throws: DecodeError.self) { try Analyses(of: path, [.tempo]) }
    #expect(error?.code == .unknownFormat)
  }

  @Test func aFileThatIsNotThereIsAnError() throws {
    let error = #expect(throws: DecodeError.self) { try Analyses(of: folder.file("none.wav"), [.tempo]) }
    #expect(error?.code == .unreadable)
  }
}
