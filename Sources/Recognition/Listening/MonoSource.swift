internal import Analysis
internal import AudioDecoding
internal import SystemPackage

/// Reads an audio file as the mean of its channels.
struct MonoSource: ~Copyable {
  private var source: AudioSource
  private var block: AudioBlock
  private var mono: [Float] = []

  var sampleRate: Int { source.format.sampleRate }
  /// The fraction of the file that has been read, 0 to 1; always 0 if the file's duration is unknown.
  var progress: Double {
    guard let seconds = source.format.duration, seconds > 0 else { return 0 }
    return min(1, Double(source.summary.frameCount) / Double(sampleRate) / seconds)
  }

  init(path: FilePath) throws(DecodeError) {
    source = try AudioSource(path: path)
    block = AudioBlock(channelCount: source.format.channelCount)
  }

  /// Returns the next frames; `nil` at the end.
  mutating func next() -> [Float]? {
    guard source.read(into: &block) else { return nil }
    let count = block.downmix(into: &mono)
    return Array(mono[..<count])
  }
}
