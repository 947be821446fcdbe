import Analysis
import AnalysisTesting
import AudioDecoding
import Testing

@testable import Fpcalc

private func words(_ seconds: Double) -> [Int16] {
  Signal.noise(seed: 5, sampleRate: 11_025, seconds: seconds).channels[0].map { Int16($0 * 20_000) }
}

private func records(
  _ samples: [Int16], blocks size: Int, _ configure: (inout FpcalcOptions) -> Void
) throws -> [FingerprintRecord] {
  var options = FpcalcOptions()
  configure(&options)
  var stream = try FingerprintStream(options)
  var records: [FingerprintRecord] = []
  var start = 0
  while start < samples.count, stream.wantsMore {
    let end = min(start + size, samples.count)
    try stream.push(samples.span.extracting(start..<end)) { records.append($0) }
    start = end
  }
  if let last = try stream.finish(duration: 99) { records.append(last) }
  return records
}

private func text(_ record: FingerprintRecord) -> String {
  if case .text(let text) = record.value { text } else { "" }
}

@Suite(.bounded) struct `Chunks` {
  @Test func `do not depend on the size of blocks`() throws {
    let samples = words(31)
    for overlaps in [false, true] {
      let runs = try [500, 8_191, 40_000, samples.count].map { size in
        try records(samples, blocks: size) { options in
          options.chunk = 7
          options.overlaps = overlaps
        }.map { "\(text($0)) \($0.timestamp) \($0.duration)" }
      }
      #expect(runs[0].count == 5 && Set(runs).count == 1)
    }
  }

  @Test func `are the fingerprints of their parts`() throws {
    let samples = words(25)
    let chunks = try records(samples, blocks: 3_000) { $0.chunk = 10 }
    #expect(chunks.map(\.timestamp) == [0, 10, 20] && chunks.map(\.duration) == [10, 10, 5])
    for (index, chunk) in chunks.enumerated() {
      let part = Array(samples[index * 110_250..<min(samples.count, (index + 1) * 110_250)])
      let alone = try records(part, blocks: 3_000) { _ in }
      #expect(alone.map(text) == [text(chunk)])
    }
  }

  /// Overlapping chunks begin where the ones before them would end without the overlap.
  @Test func `that overlap are longer`() throws {
    let chunks = try records(words(31), blocks: 5_000) { ($0.chunk, $0.overlaps) = (7, true) }
    let overlap = chunks[0].duration - 7
    #expect(chunks.count == 5 && overlap > 1 && overlap < 4)
    for (index, chunk) in chunks.enumerated() {
      #expect(abs(chunk.timestamp - 7 * Double(index)) < 1e-6)
      // The first chunk has the audio of an overlap more, which the last one lacks.
      #expect(index < 4 ? abs(chunk.duration - overlap - 7) < 1e-6 : abs(chunk.duration - 3) < 0.01)
    }
    // Without chunks, there is nothing to overlap.
    let whole = try records(words(10), blocks: 5_000) { $0.overlaps = true }
    #expect(try whole.map(text) == records(words(10), blocks: 5_000) { _ in }.map(text))
    #expect(whole.map(\.timestamp) == [0] && whole.map(\.duration) == [99])
  }

  @Test func `may be lists of numbers`() throws {
    let chunks = try records(words(11), blocks: 5_000) { ($0.chunk, $0.isRaw) = (5, true) }
    let counts = chunks.map { if case .words(let words) = $0.value { words.count } else { 0 } }
    #expect(counts.count == 2 && counts.allSatisfy { $0 > 5 } && counts[0] == counts[1])
    #expect(try records(words(2), blocks: 1_000) { $0.isRaw = true }.isEmpty)
  }

  @Test func `have no more audio than was asked for`() throws {
    var options = FpcalcOptions()
    options.length = 4
    var stream = try FingerprintStream(options)
    let samples = words(10)
    try stream.push(samples.span.extracting(0..<44_099)) { _ in }
    let wantsOne = stream.wantsMore
    #expect(wantsOne)
    try stream.push(samples.span.extracting(44_099..<samples.count)) { _ in }
    let wantsNone = stream.wantsMore
    #expect(!wantsNone)
    let record = try #require(try stream.finish(duration: 10))
    #expect(try text(record) == records(Array(samples[..<44_100]), blocks: 44_100) { _ in }.map(text).first)
    options.length = 0
    var endless = try FingerprintStream(options)
    try endless.push(samples.span) { _ in }
    let wantsAll = endless.wantsMore
    #expect(wantsAll)
  }

  @Test func `end with the length that was asked for`() throws {
    let samples = words(25)
    let cut = try records(samples, blocks: 7_000) { $0.length = 12 }
    let short = try records(Array(samples[..<132_300]), blocks: 7_000) { _ in }
    #expect(cut.map(text) == short.map(text) && cut.map(\.duration) == [99])
  }

  @Test func `are left out where there is too little`() throws {
    #expect(try records(words(2), blocks: 1_000) { _ in }.isEmpty)
    #expect(try records([], blocks: 1_000) { _ in }.isEmpty)
    // The last chunk has only one second, too little for a fingerprint.
    #expect(try records(words(11), blocks: 1_000) { $0.chunk = 10 }.count == 1)
  }

  @Test(arguments: FpcalcOptions.Output.allForTests)
  func `without a fingerprint keep their place`(output: FpcalcOptions.Output) {
    var options = FpcalcOptions()
    options.output = output
    let text = FpcalcText(options: options).emptyText(duration: 1.239)
    switch output {
    case .text: #expect(text == "DURATION=1\n")
    case .json: #expect(text == "{\"duration\": 1.24, \"fingerprint\": \"\"}\n")
    case .plain: #expect(text == "\n")
    }
  }
}

extension FpcalcOptions.Output {
  static let allForTests: [Self] = [.text, .json, .plain]
}
