import AudioAnalysis
import Fingerprinting
import Glibc
import Recognition
import SystemPackage

// Builds a catalog of a kit's tracks and answers its queries; see evaluate.py beside this package.
//
//     recognition-kit build manifest.csv CATALOG      manifest: id,path
//     recognition-kit match CATALOG queries.csv answers.csv [signature]      queries: id,path

func cpuSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The mono samples of a raw file of 16-bit numbers at 8 kHz.
func samples(_ path: String) throws -> [Float] {
  let file = try FileDescriptor.open(FilePath(path), .readOnly)
  defer { try? file.close() }
  let size = Int(try file.seek(offset: 0, from: .end))
  try file.seek(offset: 0, from: .start)
  let values = try [Int16](unsafeUninitializedCapacity: size / 2) { buffer, count in
    var done = 0
    let bytes = UnsafeMutableRawBufferPointer(buffer)
    while done < size / 2 * 2 {
      let read = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[done...]))
      if read == 0 { break }
      done += read
    }
    count = done / 2
  }
  return values.map { Float($0) / 32768 }
}

/// Identifier and path of each line of a list.
func list(_ path: String) throws -> [(id: String, path: String)] {
  let file = try FileDescriptor.open(FilePath(path), .readOnly)
  defer { try? file.close() }
  var text: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
    if count == 0 { break }
    text += chunk[..<count]
  }
  return String(decoding: text, as: UTF8.self).split(separator: "\n").map {
    let fields = $0.split(separator: ",", maxSplits: 1).map(String.init)
    return (fields[0], fields[1])
  }
}

func build(_ manifest: String, _ output: String) throws {
  var catalog = CustomCatalog()
  var seconds = 0.0
  var extraction = 0.0
  var signatureBytes = 0
  for track in try list(manifest) {
    let samples = try samples(track.path)
    let start = cpuSeconds()
    var generator = SignatureGenerator(sampleRate: 8000)
    generator.append(samples.span)
    let signature = generator.signature()
    extraction += cpuSeconds() - start
    seconds += signature.duration
    signatureBytes += signature.bytes.count
    try catalog.add(Reference(identifier: track.id, signature: signature, items: [MediaItem(title: track.id)]))
  }
  let start = cpuSeconds()
  try catalog.write(to: FilePath(output))
  let information = try CustomCatalog(contentsOf: FilePath(output)).information
  let hours = seconds / 3600
  print("references", information.referenceCount, "hours", hours)
  print("extraction with STFT, CPU s per hour", extraction / hours, "building", (cpuSeconds() - start) / hours)
  print("signatures, MB per hour", Double(signatureBytes) / 1e6 / hours)
  print("catalog, MB per hour", Double(information.sizeBytes) / 1e6 / hours)
}

func match(_ catalogPath: String, _ queries: String, _ output: String, fromSignature: Bool) throws {
  let opening = cpuSeconds()
  let session = try Session(catalog: CustomCatalog(contentsOf: FilePath(catalogPath)))
  let opened = cpuSeconds() - opening
  var text = "query,id,offset,score,time_ms,speed\n"
  var times: [Double] = []
  for query in try list(queries) {
    let samples = try samples(query.path)
    let start = cpuSeconds()
    let result: SessionResult
    if fromSignature {
      var generator = SignatureGenerator(sampleRate: 8000)
      generator.append(samples.span)
      result = session.match(generator.signature())
    } else {
      var generator = QueryGenerator(sampleRate: 8000)
      generator.append(samples.span)
      result = session.match(generator.query())
    }
    let time = (cpuSeconds() - start) * 1000
    times.append(time)
    if let best = result.match?.best {
      text += "\(query.id),\(best.referenceIdentifier),\(best.matchOffset),\(best.confidence),\(time),\(best.speed)\n"
    } else {
      text += "\(query.id),NONE,,,\(time),\n"
    }
  }
  let file = try FileDescriptor.open(
    FilePath(output), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
  _ = try file.writeAll(text.utf8)
  try file.close()
  times.sort()
  print("opened in", opened * 1000, "ms CPU; queries", times.count)
  print("CPU ms per query: mean", times.reduce(0, +) / Double(max(1, times.count)), "longest", times.last ?? 0)
}

let arguments = CommandLine.arguments
do {
  switch arguments.dropFirst().first {
  case "build" where arguments.count == 4: try build(arguments[2], arguments[3])
  case "match" where arguments.count >= 5:
    try match(arguments[2], arguments[3], arguments[4], fromSignature: arguments.dropFirst(5).contains("signature"))
  default:
    print("usage: recognition-kit build manifest.csv CATALOG | match CATALOG queries.csv answers.csv [signature]")
    exit(64)
  }
} catch {
  print(error)
  exit(1)
}
