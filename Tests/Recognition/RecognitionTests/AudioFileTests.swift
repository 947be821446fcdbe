import AnalysisTesting
import Landmarks
import Listening
import Testing

@testable import Recognition

/// Recognition in audio files.
@Suite(.bounded) struct AudioFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static func signal(_ samples: [Float]) -> Signal {
    Signal(sampleRate: Music.sampleRate, channels: [samples])
  }

  @Test func aSignatureCoversTheFile() throws {
    let samples = Music.piece(seed: 4, seconds: 9).map { $0 / 2 }
    let path = try folder.write(Self.signal(samples), as: "a.wav", encoding: .float32)
    let signature = try SignatureGenerator.signature(ofFile: path)
    #expect(signature == Catalogs.signature(of: samples) && signature.landmarkCount > 100)
  }

  /// The first minute, unless another limit is given.
  @Test func aQueryCoversTheBeginning() throws {
    let samples = Signal.noise(sampleRate: Music.sampleRate, seconds: 62).channels[0]
    let path = try folder.write(Self.signal(samples), as: "a.wav", encoding: .float32)
    let minute = try RecognitionQueryGenerator.query(ofFile: path)
    let expected = Catalogs.query(Array(samples[..<(60 * Music.sampleRate)]))
    #expect(minute.columnCount == expected.columnCount && abs(minute.duration - 60) < 0.5)
    for seconds in [2.5, 1] {
      let part = Catalogs.query(Array(samples[..<Int(seconds * Double(Music.sampleRate))]))
      let query = try RecognitionQueryGenerator.query(ofFile: path, maximumDuration: seconds)
      #expect(query.columnCount == part.columnCount, "\(seconds) s")
    }
    let clip = Music.piece(seed: 5, seconds: 12, from: 8).map { $0 / 2 }
    let file = try folder.write(Self.signal(clip), as: "b.wav", encoding: .float32)
    let match = try RecognitionSession(catalog: Catalogs.catalog).match(RecognitionQueryGenerator.query(ofFile: file))
      .match
    #expect(match?.best.referenceIdentifier == "piece-5")
  }

  /// Progress rises to 1, block by block, also for files of less than a second.
  @Test(arguments: [0.5, 1, 4]) func progressIsToldOf(seconds: Double) throws {
    let path = try folder.write(Signal.silence(sampleRate: 44_100, seconds: seconds), as: "a.wav")
    var progress: [Double] = []
    let sheet = try CueSheet(ofFile: path, in: Catalogs.catalog) { progress.append($0) }
    #expect(sheet.cues.isEmpty && progress.last == 1 && progress == progress.sorted())
    #expect(progress.count > 1 && progress[0] > 0 && progress[0] < 1)
  }

  @Test func tracksOfAFileAreFound() throws {
    let samples = (Music.piece(seed: 2, seconds: 20, from: 4) + Music.piece(seed: 9, seconds: 20)).map { $0 / 2 }
    let mix = try folder.write(Self.signal(samples), as: "mix.wav", encoding: .float32)
    let sheet = try CueSheet(ofFile: mix, in: Catalogs.catalog)
    #expect(sheet.cues.map(\.match.referenceIdentifier) == ["piece-2", "piece-9"] && sheet.duration == 40)
    let session = try RecognitionSession(catalog: Catalogs.catalog)
    var progress: [Double] = []
    let recording = try RecognizedRecording(ofFile: mix, session) { progress.append($0) }
    #expect(recording.sheet.cues.map(\.match.referenceIdentifier) == ["piece-2", "piece-9"])
    #expect(progress.count > 1 && progress == progress.sorted() && progress.last == 1)
    let short = try folder.write(Self.signal(Array(samples[..<4_000])), as: "short.wav")
    #expect(throws: CatalogError.self) { try RecognizedRecording(ofFile: short, session) }
  }
}
