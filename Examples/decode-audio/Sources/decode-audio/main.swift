import AudioDecoding

for name in CommandLine.arguments.dropFirst() {
  var source = try AudioSource(path: FilePath(name))
  var block = AudioBlock(channelCount: source.format.channelCount)
  var peak: Float = 0
  while source.read(into: &block) {
    for channel in 0..<block.channelCount {
      peak = block.samples[block.range(ofChannel: channel)].reduce(peak) { max($0, abs($1)) }
    }
  }
  print(name, source.format.codec, source.format.sampleRate, source.summary.frameCount, peak)
}
