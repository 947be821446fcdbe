// Makes a catalog of audio files, and recognizes its tracks in clips, in long recordings and in live sound.
//
//     recognize build CATALOG FILE…
//     recognize clip CATALOG FILE
//     recognize mix CATALOG FILE
//     recognize listen CATALOG          16-bit PCM, mono, 16 kHz on standard input

import Listening
import Recognition
import SystemPackage

func build(_ path: FilePath, from files: [String]) throws {
  var catalog = CustomCatalog()
  for file in files {
    let signature = try SignatureGenerator.signature(ofFile: FilePath(file))
    let item = MediaItem(title: FilePath(file).stem, artist: "Somebody")
    try catalog.add(ReferenceSignature(identifier: file, signature: signature, items: [item]))
  }
  try catalog.write(to: path)
}

func recognize(clip: FilePath, with catalog: CustomCatalog) throws {
  let session = try RecognitionSession(catalog: catalog)
  let query = try RecognitionQueryGenerator.query(ofFile: clip, maximumDuration: 12)
  switch session.match(query) {
  case .matches(let matches):
    for match in matches {
      let best = match.best
      print(best.item.title ?? best.referenceIdentifier, "from second", best.matchOffset)
      print("heard at", match.heard, "probability", best.confidence, "speed", best.speed)
    }
  case .noMatch: print("not in the catalog")
  case .error(let error): print(error)
  }
}

func listTracks(of mix: FilePath, with catalog: CustomCatalog) throws {
  for cue in try CueSheet(ofFile: mix, in: catalog).cues {
    print(cue.start, cue.end, cue.match.item.title ?? "?", cue.speed)
  }
}

func listen(with catalog: CustomCatalog) async throws {
  let source = RecordingSource.standardInput(sampleRate: 16_000, channelCount: 1, encoding: .s16)
  let session = try ManagedRecognitionSession(catalog: catalog, source: source)
  var changes = TrackChanges()
  for try await result in session.start() {
    for change in changes.next(result) where change.kind == .began {
      let best = change.match.best
      print(best.item.title ?? "?", "now at second", best.predictedCurrentMatchOffset)
    }
  }
}

let arguments = CommandLine.arguments.dropFirst().map { $0 }
guard arguments.count >= 2 else {
  print("usage: recognize build|clip|mix|listen CATALOG [FILE…]")
  throw Errno.invalidArgument
}
let path = FilePath(arguments[1])
switch (arguments[0], arguments.count) {
case ("build", 3...): try build(path, from: Array(arguments[2...]))
case ("clip", 3): try recognize(clip: FilePath(arguments[2]), with: CustomCatalog(contentsOf: path))
case ("mix", 3): try listTracks(of: FilePath(arguments[2]), with: CustomCatalog(contentsOf: path))
case ("listen", 2): try await listen(with: CustomCatalog(contentsOf: path))
default: throw Errno.invalidArgument
}
