
import Analysis
@testable import AudioDecoding

/// Content ids and decoding as in a run: whichever decoder is right for the file.
struct DecodingTarget: FuzzTarget {
  static let name = "decoding"
  private let file: MemoryFile

  init() throws { file = try MemoryFile() }

  func run(_ bytes: [UInt8]) throws {
    try file.hold(bytes)
    _ = try? AudioContent(path: file.path)
    try decode(file, with: nil)
  }
}

/// Decoding by libsndfile, which a run asks for some formats only.
struct SndfileTarget: FuzzTarget {
  static let name = "sndfile"
  private let file: MemoryFile

  init() throws { file = try MemoryFile() }

  func run(_ bytes: [UInt8]) throws {
    try file.hold(bytes)
    try decode(file, with: .libsndfile)
  }
}

/// A few kilobytes of some codecs are hours of silence.
private let blockLimit = 16

private func decode(_ file: MemoryFile, with decoder: AudioDecoder?) throws {
  var source = try AudioSource(path: file.path, decoder: decoder)
  require(StreamLimits.sampleRates.contains(source.format.sampleRate), "rate \(source.format.sampleRate)")
  require(StreamLimits.channelCounts.contains(source.format.channelCount), "channels \(source.format.channelCount)")
  var block = AudioBlock(channelCount: source.format.channelCount)
  var frameCount: Int64 = 0
  for _ in 0..<blockLimit {
    guard source.read(into: &block) else { break }
    require(block.frameCount <= AudioBlock.capacity, "a block holds \(block.frameCount) frames")
    frameCount += Int64(block.frameCount)
    for channel in 0..<block.channelCount {
      for sample in block.samples[block.range(ofChannel: channel)] {
        require(abs(sample) <= AudioSource.sampleLimit, "a sample of \(sample)")
      }
    }
  }
  require(source.summary.frameCount == frameCount, "\(source.summary.frameCount) frames, not \(frameCount)")
}
