import Glibc
@_spi(Measuring) import Recognition
import SystemPackage

// Builds a catalog of a kit's tracks and answers its queries; see evaluate.py beside this package.
//
//     recognition-kit build manifest.csv CATALOG      manifest: id,path
//     recognition-kit grow CATALOG DIRECTORY TRACKS
//     recognition-kit match CATALOG queries.csv answers.csv [signature]      queries: id,path
//     recognition-kit tracks CATALOG queries.csv tracks.csv      all that each query holds
//     recognition-kit part CATALOG DIRECTORY TRACKS NUMBER SECONDS      of a large catalog; see scale.py
//     recognition-kit segments DIRECTORY      makes the list of the segments that lie there
//     recognition-kit costs CATALOG queries.csv costs.csv
//     recognition-kit landmarks manifest.csv DIRECTORY
//     recognition-kit adding COUNT      how the time to add references grows with their number
//     recognition-kit evidence CATALOG queries.csv evidence.csv      queries: id,track or NONE,path
//     recognition-kit cells queries.csv cells.i16      queries: id,path,landmarks,column of theirs at which it begins

func cpuSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The mono samples of a raw file of 16-bit numbers at 8 kHz.
func samples(_ path: String) throws -> [Float] { try numbers(path, as: Int16.self).map { Float($0) / 32768 } }

/// The numbers in a file without a header.
func numbers<Number: FixedWidthInteger>(_ path: String, as _: Number.Type) throws -> [Number] {
  let file = try FileDescriptor.open(FilePath(path), .readOnly)
  defer { try? file.close() }
  let size = Int(try file.seek(offset: 0, from: .end))
  try file.seek(offset: 0, from: .start)
  let width = MemoryLayout<Number>.size
  return try [Number](unsafeUninitializedCapacity: size / width) { buffer, count in
    var done = 0
    let bytes = UnsafeMutableRawBufferPointer(buffer)
    while done < size / width * width {
      let read = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[done...]))
      if read == 0 { break }
      done += read
    }
    count = done / width
  }
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

func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
  let file = try FileDescriptor.open(
    FilePath(path), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
  defer { try? file.close() }
  _ = try file.writeAll(bytes)
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
    try catalog.add(ReferenceSignature(identifier: track.id, signature: signature, items: [MediaItem(title: track.id)]))
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

/// Writes all tracks that each query holds: where each starts and ends in it, and where in the track that is.
func tracks(_ catalogPath: String, _ queries: String, _ output: String) throws {
  let session = try RecognitionSession(catalog: CustomCatalog(contentsOf: FilePath(catalogPath)))
  var text = "query,id,start,end,offset,confidence\n"
  let start = cpuSeconds()
  let queries = try list(queries)
  for query in queries {
    let samples = try samples(query.path)
    var generator = RecognitionQueryGenerator(sampleRate: 8000)
    generator.append(samples.span)
    for match in session.match(generator.query()).matches {
      let best = match.best
      text += "\(query.id),\(best.referenceIdentifier),\(match.heard.lowerBound),\(match.heard.upperBound),"
      text += "\(best.matchOffset),\(best.confidence)\n"
    }
  }
  print("CPU ms per query", (cpuSeconds() - start) * 1000 / Double(max(1, queries.count)))
  try write(text.utf8, to: output)
}

func match(_ catalogPath: String, _ queries: String, _ output: String, fromSignature: Bool) throws {
  let opening = cpuSeconds()
  let session = try RecognitionSession(catalog: CustomCatalog(contentsOf: FilePath(catalogPath)))
  let opened = cpuSeconds() - opening
  var text = "query,id,offset,score,time_ms,speed\n"
  var times: [Double] = []
  for query in try list(queries) {
    let samples = try samples(query.path)
    let start = cpuSeconds()
    let result: RecognitionSession.Result
    if fromSignature {
      var generator = SignatureGenerator(sampleRate: 8000)
      generator.append(samples.span)
      result = session.match(generator.signature())
    } else {
      var generator = RecognitionQueryGenerator(sampleRate: 8000)
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
  try write(text.utf8, to: output)
  times.sort()
  print("opened in", opened * 1000, "ms CPU; queries", times.count)
  print("CPU ms per query: mean", times.reduce(0, +) / Double(max(1, times.count)), "longest", times.last ?? 0)
}

/// Puts made-up tracks of some 195 s beside a kit's own into a catalog directory, until there are so many, and makes one
/// segment of it.
func grow(_ catalogPath: String, _ directoryPath: String, _ trackCount: Int) throws {
  var real: [ReferenceSignature] = []
  try CustomCatalog(contentsOf: FilePath(catalogPath)).forEachReference { real.append($0) }
  let directory = CatalogDirectory(at: FilePath(directoryPath))
  var tracks = MadeUpTracks(of: real, lengths: 3000...9200, random: SystemRandomNumberGenerator())
  // A directory that was begun is grown further.
  var made = max(real.count, try directory.catalog().information.referenceCount)
  while made < trackCount {
    let start = cpuSeconds()
    // The kit's own tracks lie among the others, in a segment like the others.
    var batch = made == real.count ? real : []
    while made < trackCount, batch.count < 4000 {
      made += 1
      batch.append(tracks.next(identifier: "made-\(made)"))
    }
    try directory.add(batch)
    print("tracks", made, "CPU s for the batch", cpuSeconds() - start)
  }
  try directory.compact()
  print(try directory.catalog().information)
}

/// Writes the landmarks of each track: column, band and strength, 32 bits each.
func writeLandmarks(_ manifest: String, _ directory: String) throws {
  for track in try list(manifest) {
    let samples = try samples(track.path)
    var generator = SignatureGenerator(sampleRate: 8000)
    generator.append(samples.span)
    let numbers = generator.signature().landmarks.flatMap { [Int32($0.column), Int32($0.band), Int32($0.strength)] }
    try numbers.withUnsafeBytes { try write($0, to: "\(directory)/\(track.id).landmarks") }
  }
}

/// Reads what `writeLandmarks` wrote for a track.
func landmarks(_ path: String) throws -> [Landmark] {
  let numbers = try numbers(path, as: Int32.self)
  return stride(from: 0, to: numbers.count - 2, by: 3).map {
    Landmark(column: Int(numbers[$0]), band: Int(numbers[$0 + 1]), strength: Int(numbers[$0 + 2]))
  }
}

/// Writes what speaks for the best place of each query, and the same with its track taken out of the catalog.
func writeEvidence(_ catalogPath: String, _ queries: String, _ output: String) throws {
  let session = try RecognitionSession(catalog: CustomCatalog(contentsOf: FilePath(catalogPath)))
  var text = ""
  for query in try list(queries) {
    let fields = query.path.split(separator: ",", maxSplits: 1).map(String.init)
    let samples = try samples(fields[1])
    var generator = RecognitionQueryGenerator(sampleRate: 8000)
    generator.append(samples.span)
    let clip = generator.query()
    for excluded in fields[0] == "NONE" ? [nil] : [nil, fields[0]] {
      guard let evidence = session.evidence(for: clip, without: excluded) else { continue }
      if text.isEmpty {
        text = "query,without,id,offset,confidence," + evidence.values.map(\.key).joined(separator: ",") + "\n"
      }
      text += "\(query.id),\(excluded == nil ? 0 : 1),\(evidence.referenceIdentifier),\(evidence.matchOffset),"
      text += "\(evidence.confidence)," + evidence.values.map { "\($0.value)" }.joined(separator: ",") + "\n"
    }
  }
  try write(text.utf8, to: output)
}

/// Adds made-up references to a catalog in memory, and says what each costs: it must not grow with their number.
func add(_ count: Int) throws {
  let landmarks = (0..<90).map { Landmark(column: $0, band: 7 * $0 % Landmark.bandCount, strength: 5) }
  let signature = Signature(landmarks: landmarks, columnCount: 100)
  for count in [count / 4, count / 2, count] {
    let start = cpuSeconds()
    var catalog = CustomCatalog()
    for number in 0..<count {
      try catalog.add(ReferenceSignature(identifier: "made-\(number)", signature: signature, items: []))
    }
    print("references", catalog.count, "CPU µs for each", (cpuSeconds() - start) * 1e6 / Double(count))
  }
}

/// Writes the cells that the pairs of each query may fall into, for rarity.py: ranks of anchor and target, number of
/// stronger targets, distance in hundredths, and number of pairs that the track has there, 16 bits each.
func writeCells(_ queries: String, _ output: String) throws {
  var numbers: [Int16] = []
  for query in try list(queries) {
    let fields = query.path.split(separator: ",").map(String.init)
    let samples = try samples(fields[0])
    var generator = RecognitionQueryGenerator(sampleRate: 8000)
    generator.append(samples.span)
    for cell in generator.query().pairCells(of: try landmarks(fields[1]), from: Float(fields[2]) ?? 0) {
      numbers += [cell.anchorRank, cell.targetRank, cell.strongerTargetCount].map(Int16.init)
      numbers += [Int16((cell.distance * 100).rounded()), Int16(cell.referencePairCount)]
    }
  }
  try numbers.withUnsafeBytes { try write($0, to: output) }
}

let arguments = CommandLine.arguments
do {
  switch arguments.dropFirst().first {
  case "build" where arguments.count == 4: try build(arguments[2], arguments[3])
  case "match" where arguments.count >= 5:
    try match(arguments[2], arguments[3], arguments[4], fromSignature: arguments.dropFirst(5).contains("signature"))
  case "adding" where arguments.count == 3: try add(Int(arguments[2]) ?? 0)
  case "tracks" where arguments.count == 5: try tracks(arguments[2], arguments[3], arguments[4])
  case "grow" where arguments.count == 5: try grow(arguments[2], arguments[3], Int(arguments[4]) ?? 0)
  case "part" where arguments.count == 7:
    try makePart(
      arguments[2], arguments[3], count: Int(arguments[4]) ?? 0, number: Int(arguments[5]) ?? 0,
      seconds: Int(arguments[6]) ?? 0)
  case "segments" where arguments.count == 3: try list(segmentsIn: arguments[2])
  case "costs" where arguments.count == 5: try measureCosts(arguments[2], arguments[3], arguments[4])
  case "landmarks" where arguments.count == 4: try writeLandmarks(arguments[2], arguments[3])
  case "evidence" where arguments.count == 5: try writeEvidence(arguments[2], arguments[3], arguments[4])
  case "cells" where arguments.count == 4: try writeCells(arguments[2], arguments[3])
  default:
    print(
      """
      usage: recognition-kit build manifest.csv CATALOG | grow CATALOG DIRECTORY TRACKS
             recognition-kit match CATALOG queries.csv answers.csv [signature] | landmarks manifest.csv DIRECTORY
             recognition-kit tracks CATALOG queries.csv tracks.csv
             recognition-kit adding COUNT | part CATALOG DIRECTORY TRACKS NUMBER SECONDS | segments DIRECTORY
             recognition-kit costs CATALOG queries.csv costs.csv
             recognition-kit evidence CATALOG queries.csv evidence.csv | cells queries.csv cells.i16
      """)
    exit(64)
  }
} catch {
  print(error)
  exit(1)
}
