import Analysis
import AnalysisEngine
import BuiltInAnalyzers
import DSP
import Foundation
import Text

@testable import AudioDecoding
@testable import Landmarks
@testable import Pipeline
@testable import Recognition

/// Audio as a list of stretches, so a few bytes are many seconds.
private struct MadeUpAudio {
  static func seeds() -> [[UInt8]] {
    var seeds: [[UInt8]] = []
    for (rate, channels) in [(44_100, 2), (8_000, 1), (1_000, 1), (192_000, 1), (11_025, 6)] {
      for kind in UInt8(0)...7 {
        var seed: [UInt8] = []
        seed.append(UInt32(rate))
        seed.append(UInt8(channels - 1))
        for stretch in 0..<4 {
          seed.append(kind &+ UInt8(stretch % 2) * 3)
          seed.append(UInt16(400 * (stretch + 1)))
          seed.append(Float(stretch + 1).bitPattern)
        }
        seeds.append(seed)
      }
    }
    return seeds
  }

  let frameLimit: Int
  var input: InputReader
  private var phase = 0
  private var state: UInt32 = 1

  init(_ input: InputReader, frameLimit: Int) {
    self.input = input
    self.frameLimit = frameLimit
  }

  /// The next stretch; `nil` at the end.
  mutating func next(atRate rate: Int) -> [Float]? {
    guard !input.isAtEnd else { return nil }
    let kind = input.byte()
    let count = Int(input.number(UInt16.self)) * 64 + Int(kind >> 3)
    let parameter = Float(bitPattern: input.number(UInt32.self))
    guard phase < frameLimit else { return nil }
    let length = min(count, frameLimit - phase)
    defer { phase += length }
    let period = parameter.isFinite ? max(1, Int(min(max(abs(parameter), 1e-4), 1e4) * Float(rate) / 8)) : 1
    return (phase..<phase + length).map { position in
      switch kind & 7 {
      case 0: 0
      case 1: parameter
      case 2: Float(sin(Double(position) / Double(period)))
      case 3: position % period < 64 ? parameter : 0
      case 4: noise()
      case 5: position % period == 0 ? .nan : noise() * parameter
      case 6: position & 1 == 0 ? parameter : -parameter
      default: Float(bitPattern: random())
      }
    }
  }

  private mutating func random() -> UInt32 {
    state = state &* 1_664_525 &+ 1_013_904_223
    return state
  }

  private mutating func noise() -> Float { Float(Int32(bitPattern: random())) / 0x1p31 }
}

/// Decoded audio of any kind through all feeds and analyzers.
struct FeedTarget: FuzzTarget {
  static let name = "feeds"
  private let plugins: [AnalyzerPlugin]

  static func seeds() -> [[UInt8]] { MadeUpAudio.seeds() }

  init() throws {
    plugins = try BuiltInAnalyzers.all.map { try $0.make(resampler: "soxr") }.filter { $0.feed != .file }
  }

  func run(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    let rate = Int(input.number(UInt32.self))
    let channelCount = Int(input.byte()) + 1
    try StreamLimits.check(sampleRate: rate, channelCount: channelCount)
    let format = AudioFormat(
      container: "fuzz", codec: "fuzz", sampleRate: rate, channelCount: channelCount, isLossless: true)
    let graph = FeedGraph(
      plugins: plugins, file: AudioFile(path: "/dev/null", format: format), format: format,
      encoding: SampleEncoding(sampleType: .float), resampler: .soxr)
    var audio = MadeUpAudio(input, frameLimit: min(30 * rate, 2_000_000) / channelCount)
    var block = AudioBlock(channelCount: channelCount)
    while let frames = audio.next(atRate: rate) {
      var start = 0
      while start < frames.count {
        block.frameCount = min(AudioBlock.capacity, frames.count - start)
        for channel in 0..<channelCount {
          let range = block.range(ofChannel: channel)
          let sign: Float = channel % 2 == 0 ? 1 : -0.5
          for (index, place) in range.enumerated() { block.samples[place] = frames[start + index] * sign }
        }
        // As every block of a decoder.
        _ = block.sanitize(limit: AudioSource.sampleLimit)
        graph.push(block)
        start += block.frameCount
      }
    }
    for outcome in graph.finish() {
      switch outcome.result {
      case .finding(let finding):
        do { _ = try JSONValue(encoding: finding) } catch { fatalError("\(outcome.analyzer.id): \(error)") }
      case .notApplicable: break
      case .failed(let reason):
        // A rate that no resampler supports is reported as such.
        require(reason.contains("cannot be resampled"), "\(outcome.analyzer.id) fails: \(reason)")
      }
    }
  }
}

/// Samples of other programs, which nobody has made harmless, to be recognized.
struct ClipTarget: FuzzTarget {
  static let name = "clips"
  private let catalog: CustomCatalog

  static func seeds() -> [[UInt8]] { MadeUpAudio.seeds() }

  init() throws {
    var catalog = CustomCatalog()
    try catalog.addReferenceSignature(madeUpSignature(seed: 1, seconds: 20), representing: [MediaItem()])
    try catalog.seal()
    self.catalog = catalog
  }

  func run(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    let rate = Int(input.number(UInt32.self))
    let choice = input.byte()
    guard StreamLimits.sampleRates.contains(rate) else { return }
    let session = try RecognitionSession(catalog: catalog)
    var signature = SignatureGenerator(sampleRate: rate)
    var query = RecognitionQueryGenerator(sampleRate: rate)
    var audio = MadeUpAudio(input, frameLimit: min(20 * rate, 1_000_000))
    while let frames = audio.next(atRate: rate) {
      if choice & 1 != 0 { session.matchStreamingBuffer(frames.span, sampleRate: rate) }
      if choice & 2 != 0 { query.append(frames.span) }
      if choice & 3 == 0 { signature.append(frames.span) }
    }
    if choice & 1 != 0 { session.finishStreaming() }
    if choice & 2 != 0 { _ = session.match(query.query()) }
    if choice & 3 == 0 {
      let result = signature.signature()
      require(try Signature(bytes: result.bytes) == result, "a signature reads back as itself")
      _ = session.match(result)
    }
  }
}
