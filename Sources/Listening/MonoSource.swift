internal import Analysis
internal import AudioDecoding
internal import SystemPackage

/// The mean of the channels of a file.
struct MonoSource: ~Copyable {
  private var source: AudioSource
  private var block: AudioBlock
  private var mono: [Float] = []

  var sampleRate: Int { source.format.sampleRate }

  init(path: FilePath) throws(DecodeError) {
    source = try AudioSource(path: path)
    block = AudioBlock(channelCount: source.format.channelCount)
  }

  /// The next frames, `nil` at the end.
  mutating func next() -> [Float]? {
    guard source.read(into: &block) else { return nil }
    let count = block.downmix(into: &mono)
    return Array(mono[..<count])
  }
}
