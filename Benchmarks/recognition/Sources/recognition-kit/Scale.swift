import Glibc
import Recognition
import SystemPackage

/// Writes one part of a large simulated catalog: a folder with one segment of made-up tracks, and with the real ones if
/// it is the first.
/// - Parameters:
///   - number: Of the part, from 1; the seed of its tracks.
///   - seconds: Mean length of a track; half to one and a half times as long are as frequent.
func makePart(_ catalogPath: String, _ folder: String, count: Int, number: Int, seconds: Int) throws {
  var real: [ReferenceSignature] = []
  try CustomCatalog(contentsOf: FilePath(catalogPath)).forEachReference { real.append($0) }
  let columns = seconds * 125 / 4
  var made = MadeUpTracks(
    of: real, lengths: columns / 2...columns * 3 / 2, random: SplitMix64(state: UInt64(number) << 32))
  var tracks = number == 1 ? real : []
  let start = cpuSeconds()
  while tracks.count < count { tracks.append(made.next(identifier: "made-\(number)-\(tracks.count)")) }
  let writing = cpuSeconds()
  try CatalogDirectory(at: FilePath(folder)).add(tracks)
  let end = cpuSeconds()
  let information = try CustomCatalog(contentsOf: FilePath(folder)).information
  print(
    """
    {"made_up_cpu_s": \(writing - start), "write_cpu_s": \(end - writing), "tracks": \(information.referenceCount), \
    "hours": \(information.duration / 3600), "landmarks": \(information.landmarkCount), \
    "postings": \(information.postingCount), "bytes": \(information.sizeBytes), "peak_rss_bytes": \(try memory()["VmHWM"] ?? 0)}
    """)
}

/// Makes the list of a folder from the segments that lie there, having read all of them.
func list(segmentsIn folder: String) throws {
  _ = try CatalogDirectory(at: FilePath(folder)).repair()
  print(try CustomCatalog(contentsOf: FilePath(folder)).information)
}

/// Answers queries with one catalog, and writes what each costs: processor and clock time, and reads from the disk.
func measureCosts(_ catalogPath: String, _ queries: String, _ output: String) throws {
  let (clock, processor) = (clockSeconds(), cpuSeconds())
  let session = try RecognitionSession(catalog: CustomCatalog(contentsOf: FilePath(catalogPath)))
  let opened = (clock: clockSeconds() - clock, processor: cpuSeconds() - processor)
  let atStart = try memory()
  var text = "query,id,offset,confidence,cpu_ms,wall_ms,major_faults,read_bytes\n"
  for query in try list(queries) {
    let samples = try samples(query.path)
    let before = (cpuSeconds(), clockSeconds(), usage(), try readBytes())
    var generator = RecognitionQueryGenerator(sampleRate: 8000)
    generator.append(samples.span)
    let best = session.match(generator.query()).match?.best
    let after = (cpuSeconds(), clockSeconds(), usage(), try readBytes())
    text += "\(query.id),\(best?.referenceIdentifier ?? "NONE"),\(best.map { "\($0.matchOffset)" } ?? ""),"
    text += "\(best.map { "\($0.confidence)" } ?? ""),\((after.0 - before.0) * 1000),\((after.1 - before.1) * 1000),"
    text += "\(after.2 - before.2),\(after.3 - before.3)\n"
  }
  try write(text.utf8, to: output)
  let atEnd = try memory()
  print(
    """
    {"opened_cpu_ms": \(opened.processor * 1000), "opened_wall_ms": \(opened.clock * 1000), \
    "anonymous_at_start_bytes": \(atStart["RssAnon"] ?? 0), "anonymous_bytes": \(atEnd["RssAnon"] ?? 0), \
    "mapped_bytes": \(atEnd["RssFile"] ?? 0), "peak_rss_bytes": \(atEnd["VmHWM"] ?? 0)}
    """)
}

private func clockSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Page faults that waited for the disk.
private func usage() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_majflt
}

/// Bytes of each kind of memory that this process has resident.
private func memory() throws -> [String: Int] {
  var bytes: [String: Int] = [:]
  for line in try systemLines("/proc/self/status") {
    let words = line.split { $0 == ":" || $0 == " " || $0 == "\t" }
    if words.count == 3, words[2] == "kB", let number = Int(words[1]) { bytes[String(words[0])] = number * 1024 }
  }
  return bytes
}

/// Bytes that this process has had read from disks.
private func readBytes() throws -> Int {
  for line in try systemLines("/proc/self/io") where line.hasPrefix("read_bytes: ") {
    return Int(line.dropFirst("read_bytes: ".count)) ?? 0
  }
  return 0
}

private func systemLines(_ path: String) throws -> [Substring] {
  let file = try FileDescriptor.open(FilePath(path), .readOnly)
  defer { try? file.close() }
  var chunk = [UInt8](repeating: 0, count: 1 << 14)
  let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
  return String(decoding: chunk[..<count], as: UTF8.self).split(separator: "\n")
}
