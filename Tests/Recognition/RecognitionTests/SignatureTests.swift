import Analysis
import AnalysisTesting
import DSP
import Landmarks
import SystemPackage
import Testing

@testable import Recognition

@Suite(.bounded) struct SignatureTests {
  @Test func isTheSameForAnyBlockSize() {
    let samples = Music.piece(seed: 3, seconds: 5)
    let whole = Catalogs.signature(of: samples)
    for size in [7, 255, 10_007] {
      var generator = SignatureGenerator(sampleRate: Music.sampleRate)
      var start = 0
      while start < samples.count {
        let end = min(samples.count, start + size)
        generator.append(samples.span.extracting(start..<end))
        start = end
      }
      #expect(generator.signature() == whole)
    }
    #expect(whole.landmarkCount > 60)
  }

  @Test func theAnalyzerGivesTheGeneratorsSignature() throws {
    let samples = Music.piece(seed: 4, seconds: 8)
    let analyzer = try SignatureAnalyzer(NoConfiguration())
    var session = try analyzer.makeSession(for: AudioFile(path: "piece"))
    var stft = STFT(windowLength: LandmarkSpectrum.layout.windowLength, hop: LandmarkSpectrum.layout.hop)
    try stft.push(samples.span) { (power, index) throws(AnalysisError) in try session.consume(power, at: index) }
    try stft.finish { (power, index) throws(AnalysisError) in try session.consume(power, at: index) }
    let finding = try session.finish()
    let signature = Catalogs.signature(of: samples)
    #expect(finding.data == signature.bytes)
    #expect(finding.landmarkCount == signature.landmarkCount)
    #expect(finding.version == Signature.version)
  }

  @Test func silenceAndNothingHaveNoLandmarks() {
    #expect(Catalogs.signature(of: [Float](repeating: 0, count: 80_000)).landmarkCount == 0)
    #expect(Catalogs.signature(of: []).columnCount == 0)
    #expect(Catalogs.signature(of: [1]).columnCount == 1)
  }

  @Test func doesNotDependOnLoudness() {
    let samples = Music.piece(seed: 5, seconds: 10)
    let loud = Set(Catalogs.signature(of: samples).landmarks.map { [$0.column, $0.band] })
    let quiet = Set(Catalogs.signature(of: samples.map { $0 * 0.1 }).landmarks.map { [$0.column, $0.band] })
    #expect(Double(loud.intersection(quiet).count) > 0.85 * Double(loud.count))
  }

  @Test func bytesComeBack() throws {
    let signature = Catalogs.references[0].signature
    #expect(try Signature(bytes: signature.bytes) == signature)
    #expect(Double(signature.bytes.count) < 66 * signature.duration + 64)
    let sparse = Signature(
      landmarks: [Landmark(column: 0, band: 137, strength: 15), Landmark(column: 9000, band: 0, strength: 0)],
      columnCount: 20_000)
    #expect(try Signature(bytes: sparse.bytes).landmarks == sparse.landmarks)
    #expect(sparse.landmarks.map(\.column) == [0, 9000])
  }

  @Test func damagedBytesAreRefused() throws {
    let bytes = Catalogs.references[0].signature.bytes
    #expect(throws: SignatureError.notASignature) { try Signature(bytes: []) }
    #expect(throws: SignatureError.notASignature) { try Signature(bytes: Array("not a signature, but text".utf8)) }
    for position in [4, 9, 17, 20, bytes.count / 2, bytes.count - 1] {
      var damaged = bytes
      damaged[position] ^= 0x10
      #expect(throws: SignatureError.self) { try Signature(bytes: damaged) }
    }
    for length in [10, 20, 21, bytes.count - 1] {
      #expect(throws: SignatureError.self) { try Signature(bytes: Array(bytes[..<length])) }
    }
  }

  @Test func sliceIsThePartWithinTheTimes() {
    let signature = Catalogs.references[1].signature
    let slice = signature.slice(from: 10, to: 22)
    let rate = LandmarkSpectrum.columnsPerSecond
    #expect(abs(slice.duration - 12) < 0.04)
    let first = Int((10 * rate).rounded())
    let expected = signature.landmarks.filter { $0.column >= first && $0.column < first + slice.columnCount }
    #expect(slice.landmarks.map(\.column) == expected.map { $0.column - first })
    #expect(signature.slice(from: 0, to: 1000) == signature)
    #expect(signature.slice(from: 50, to: 60).landmarkCount == 0)
  }
}
