import AudioAnalysis

for name in CommandLine.arguments.dropFirst() {
  let analyses = try Analyses(of: FilePath(name), [.tempo, .tags])
  let title = analyses.tags?.fields["title"]?.first ?? "no title"
  print(name, title, analyses.tempo?.bpm ?? 0, analyses.tempo?.beats.count ?? 0)
}

// PCM of any source works as well: here two clicks a second for twenty seconds.
let clicks = (0..<882_000).map { $0 % 22_050 < 200 ? Float(0.5) : 0 }
print("clicks", Analyses(of: clicks, sampleRate: 44_100, [.tempo]).tempo?.bpm ?? 0)
