import AnalysisTesting
import Landmarks
import Recognition
import Testing

@Suite(.bounded) struct PCMReceiverTests {
  private let samples = Music.piece(seed: 4, seconds: 6)

  private func signature(_ append: (inout SignatureGenerator) -> Void) -> Signature {
    var generator = SignatureGenerator(sampleRate: Music.sampleRate)
    append(&generator)
    return generator.signature()
  }

  @Test func buffersOfAllKindsAreTheSame() {
    let expected = signature { $0.append(samples.span) }
    #expect(expected.landmarkCount > 100)
    let ofPointer = signature { generator in
      samples.withUnsafeBufferPointer { samples in
        for start in stride(from: 0, to: samples.count, by: 777) {
          generator.append(UnsafeBufferPointer(rebasing: samples[start..<min(start + 777, samples.count)]))
        }
      }
    }
    #expect(ofPointer == expected)
    // The mean of equal channels.
    let interleaved = samples.flatMap { [$0, $0] }
    #expect(signature { $0.append(interleaved: interleaved.span, channelCount: 2) } == expected)
    #expect(signature { $0.append(interleaved: samples.span, channelCount: 1) } == expected)
  }

  @Test func wholeNumbersAreScaled() {
    let numbers = samples.map { Int16(($0 * 32_767).rounded()) }
    let expected = numbers.map { Float($0) / 32_768 }
    #expect(
      signature { $0.append(interleaved: numbers.span, channelCount: 1) } == signature { $0.append(expected.span) })
    // Three channels with audio in one; the last frame is incomplete.
    let three = Array(numbers.flatMap { [0, $0, 0] as [Int16] }.dropLast())
    let whole = Array(numbers.dropLast())
    let ofThree = signature { $0.append(interleaved: three.span, channelCount: 3) }
    #expect(ofThree.columnCount == signature { $0.append(interleaved: whole.span, channelCount: 1) }.columnCount)
    #expect(ofThree.landmarkCount > 100)
  }

  @Test func aStreamTakesSpansAndPointers() async throws {
    let session = try RecognitionSession(catalog: Catalogs.catalog)
    let clip = Music.piece(seed: 5, seconds: 9, from: 10)
    session.matchStreamingBuffer(clip.span.extracting(0..<4000), sampleRate: Music.sampleRate)
    clip.withUnsafeBufferPointer {
      session.matchStreamingBuffer(UnsafeBufferPointer(rebasing: $0[4000...]), sampleRate: Music.sampleRate)
    }
    session.finishStreaming()
    var names: [String] = []
    for await result in session.results { names += result.matches.map(\.best.referenceIdentifier) }
    #expect(names.count >= 2 && Set(names) == ["piece-5"])
  }

  /// A cue sheet made from buffers equals that of the whole audio.
  @Test func aCueSheetComesOfBuffers() throws {
    let mix = Music.piece(seed: 2, seconds: 20, from: 4) + Music.piece(seed: 9, seconds: 20)
    func cueSheet(_ length: Int) throws -> CueSheet {
      var generator = try CueSheetGenerator(catalog: Catalogs.catalog, sampleRate: Music.sampleRate)
      for start in stride(from: 0, to: mix.count, by: length) {
        generator.append(mix.span.extracting(start..<min(start + length, mix.count)))
      }
      return generator.cueSheet()
    }
    let sheet = try cueSheet(mix.count)
    #expect(sheet.cues.map(\.match.referenceIdentifier) == ["piece-2", "piece-9"])
    #expect(sheet.duration == 40)
    #expect(try cueSheet(1234) == sheet)
  }
}
