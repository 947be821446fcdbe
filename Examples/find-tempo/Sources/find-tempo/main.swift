import AudioDecoding
import Tempo

for name in CommandLine.arguments.dropFirst() {
  // Any source of mono PCM will do: here the first channel of a file.
  var source = try AudioSource(path: FilePath(name))
  var block = AudioBlock(channelCount: source.format.channelCount)
  var samples: [Float] = []
  while source.read(into: &block) { samples += block.samples[block.range(ofChannel: 0)] }

  let tempo = TempoFinding(of: samples, sampleRate: source.format.sampleRate)
  print(name, tempo.bpm ?? 0, tempo.confidence, tempo.beats.prefix(4))
}
