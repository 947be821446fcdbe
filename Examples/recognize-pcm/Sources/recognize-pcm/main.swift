// Recognizes audio that the program has in memory; here it comes from standard input: 16-bit PCM, mono, 16 kHz.
//
//     recognize-pcm add CATALOG TITLE
//     recognize-pcm clip CATALOG
//     recognize-pcm stream CATALOG

import Foundation
import Recognition
import SystemPackage

let sampleRate = 16_000

/// The next samples, full scale ±1; `nil` at the end.
func nextSamples() -> [Float]? {
  // As many bytes as asked for, unless the end comes first.
  guard let bytes = try? FileHandle.standardInput.read(upToCount: 8_192) else { return nil }
  return bytes.withUnsafeBytes { bytes in
    (0..<bytes.count / 2).map {
      Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self))) / 32_768
    }
  }
}

func makeSignature() -> Signature {
  var generator = SignatureGenerator(sampleRate: sampleRate)
  while let samples = nextSamples() { generator.append(samples.span) }
  return generator.signature()
}

func add(_ signature: Signature, title: String, to path: FilePath) throws {
  let item = MediaItem(title: title, artist: "Somebody")
  let reference = ReferenceSignature(identifier: title, signature: signature, items: [item])
  try CatalogDirectory(at: path).add([reference])
}

func recognizeClip(_ samples: [Float], with path: FilePath) throws {
  let session = try RecognitionSession(catalog: CustomCatalog(contentsOf: path))
  var generator = RecognitionQueryGenerator(sampleRate: sampleRate)
  generator.append(samples.span)
  for match in session.match(generator.query()).matches {
    print(match.best.item.title ?? "?", "from second", match.best.matchOffset, "probability", match.best.confidence)
  }
}

func recognizeStream(with catalog: CustomCatalog) async throws {
  let session = try RecognitionSession(catalog: catalog)
  let listening = Task {
    for await result in session.results {
      for match in result.matches {
        print(match.queryStart + match.heard.lowerBound, match.best.item.title ?? "?")
      }
    }
  }
  while let samples = nextSamples() { session.matchStreamingBuffer(samples.span, sampleRate: sampleRate) }
  session.finishStreaming()
  await listening.value
}

let arguments = CommandLine.arguments.dropFirst().map { $0 }
guard arguments.count >= 2 else {
  print("usage: recognize-pcm add|clip|stream CATALOG [TITLE]")
  throw Errno.invalidArgument
}
let path = FilePath(arguments[1])
switch (arguments[0], arguments.count) {
case ("add", 3): try add(makeSignature(), title: arguments[2], to: path)
case ("clip", 2):
  var samples: [Float] = []
  while let next = nextSamples() { samples += next }
  try recognizeClip(samples, with: path)
case ("stream", 2): try await recognizeStream(with: CustomCatalog(contentsOf: path))
default: throw Errno.invalidArgument
}
