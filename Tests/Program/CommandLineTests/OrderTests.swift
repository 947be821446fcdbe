import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// The findings of a file do not depend on the files analyzed before it, whatever they share.
@Suite(.bounded) struct OrderTests {
  /// Runs over the hostile files, and over whole and damaged containers around the same audio: all at once on several
  /// threads, and bit by bit from either end.
  @Test func recordsDoNotDependOnTheOrder() throws {
    let place = try Workplace()
    for entry in HostileFiles.all where !entry.name.hasPrefix("bomb") { try place.put(entry.bytes, as: entry.name) }
    let twins = try Twins(in: place)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.library.string).sorted()

    let atOnce = try records(of: place, "at-once", [names], "--jobs", "4")
    // Files that share audio one by one; the others only in handfuls, since programs take time to start.
    let shared = Set(twins.sharing.flatMap(\.self))
    let others = names.filter { !shared.contains($0) }
    let handfuls = stride(from: 0, to: others.count, by: 16).map { Array(others[$0...].prefix(16)) }
    let groups = shared.sorted().map { [$0] } + handfuls
    let forward = try records(of: place, "forward", groups, "--jobs", "1")
    let backward = try records(of: place, "backward", groups.reversed(), "--jobs", "1")
    #expect(atOnce.count == names.count)
    for name in names {
      #expect(atOnce[name] == forward[name], "\(name)")
      #expect(backward[name] == forward[name], "\(name)")
    }
    for name in twins.whole {
      #expect(forward[name]?["status"] == "ok", "\(name): \(forward[name]?["error"] ?? .null)")
    }
    for name in twins.damaged { #expect(forward[name]?["status"] == "partial", "\(name)") }
    // Otherwise the order could have no effect.
    for pair in twins.sharing { #expect(Set(pair.map { forward[$0]?["id"] ?? .null }).count == 1, "\(pair)") }
  }

  /// Each of `groups` is a run over a few files.
  private func records(
    of place: Workplace, _ database: String, _ groups: [[String]], _ options: Argument...
  ) throws -> [String: JSONValue] {
    let database = Argument(place.folder.file("\(database).sqlite"))
    for group in groups {
      _ = try place.start(
        group.map { Argument(place.library.appending($0)) } + ["--database", database, "--pipeline", "fingerprint"]
          + options
      ).end()
    }
    let report = try place.analyze("report", "--report", "ndjson", "--output", "-", "--database", database)
    let records = try report.lines.map { try JSONValue(parsing: $0.utf8).withoutTime }
    return Dictionary(
      records.map { (FilePath($0["path"].textValue).lastComponent?.string ?? "", $0) },
      uniquingKeysWith: { first, _ in first })
  }
}

/// Files around the same encoded audio.
private struct Twins {
  private(set) var whole: [String] = []
  private(set) var damaged: [String] = []
  private(set) var sharing: [[String]] = []
  private let place: Workplace

  init(in place: Workplace) throws {
    self.place = place
    let wav = try place.folder.write(.noise(seed: 11, sampleRate: 44_100, seconds: 4), as: "twins.wav")

    let ogg = try encoded(wav, as: "twin.ogg", ["-c:a", "libvorbis"])
    try put(whole: ogg, damaged: Self.shuffledPages(of: ogg), "ogg")

    // A file whose index claims more than the packets hold.
    let aac = try encoded(wav, as: "twin.m4a", ["-c:a", "aac"])
    let m4a = place.folder.file("twin.m4a")
    let mka = try encoded(m4a, as: "twin.mka", ["-c", "copy"])
    try put(aac, as: "twin whole.m4a")
    try put(Self.withLongerDuration(mka), as: "twin damaged.mka")
    whole.append("twin whole.m4a")
    damaged.append("twin damaged.mka")
    sharing.append(["twin whole.m4a", "twin damaged.mka"])

    // The same frames behind tables that cut off other parts of them: both are whole, and not the same audio.
    let mp3 = try encoded(wav, as: "twin.mp3", ["-c:a", "libmp3lame", "-id3v2_version", "0"])
    try put(mp3, as: "twin.mp3")
    try put(Self.withOtherDelay(mp3), as: "twin with another delay.mp3")
    sharing.append(["twin.mp3", "twin with another delay.mp3"])

    // The checksum in the header is of other audio, which is not for the content id to say.
    let flac = try encoded(wav, as: "twin.flac", ["-c:a", "flac"])
    var other = flac
    for index in 26..<42 { other[index] ^= 0x55 }
    try put(flac, as: "twin.flac")
    try put(other, as: "twin with another checksum.flac")
    sharing.append(["twin.flac", "twin with another checksum.flac"])
  }

  private mutating func put(whole: [UInt8], damaged: [UInt8], _ suffix: String) throws {
    try put(whole, as: "twin whole.\(suffix)")
    try put(damaged, as: "twin damaged.\(suffix)")
    self.whole.append("twin whole.\(suffix)")
    self.damaged.append("twin damaged.\(suffix)")
    sharing.append(["twin whole.\(suffix)", "twin damaged.\(suffix)"])
  }

  private func put(_ bytes: [UInt8], as name: String) throws { try place.put(bytes, as: name) }

  private func encoded(_ source: FilePath, as name: String, _ arguments: [String]) throws -> [UInt8] {
    let target = place.folder.file(name)
    try ExternalProgram.ffmpeg.run(["-i", source.string] + arguments + ["-map_metadata", "-1", target.string])
    return try Array(Data(contentsOf: URL(filePath: target.string)))
  }

  /// The same pages in the same order, but two audio pages have each other's number, with checksums that are right.
  private static func shuffledPages(of ogg: [UInt8]) throws -> [UInt8] {
    var bytes = ogg
    var pages: [Range<Int>] = []
    var start = 0
    while start + 27 <= bytes.count {
      let segments = Int(bytes[start + 26])
      let end = start + 27 + segments + bytes[start + 27..<start + 27 + segments].reduce(0) { $0 + Int($1) }
      pages.append(start..<end)
      start = end
    }
    try #require(pages.count > 5)
    let (a, b) = (pages[pages.count - 3], pages[pages.count - 2])
    for offset in 18..<22 { bytes.swapAt(a.lowerBound + offset, b.lowerBound + offset) }
    for page in [a, b] {
      bytes.replaceSubrange(page.lowerBound + 22..<page.lowerBound + 26, with: [0, 0, 0, 0])
      let checksum = checksum(bytes[page])
      for index in 0..<4 { bytes[page.lowerBound + 22 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
    }
    return bytes
  }

  /// CRC-32 of Ogg (RFC 3533, section 6): polynomial 0x04C11DB7, not reflected, from 0.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in sum << 1 ^ (sum >> 31) * 0x04C1_1DB7 }
    }
  }

  /// Doubles the duration that a Matroska file claims: element 0x4489, a 64-bit float (RFC 9559, section 5.1.2.10).
  private static func withLongerDuration(_ mka: [UInt8]) throws -> [UInt8] {
    var bytes = mka
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x44, 0x89, 0x88]) }) + 3
    let duration = bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let doubled = (Double(bitPattern: duration) * 2).bitPattern
    for index in 0..<8 { bytes[start + index] = UInt8(truncatingIfNeeded: doubled >> (56 - 8 * index)) }
    // And that of the track, which FFmpeg's muxer writes as a tag.
    if let tag = bytes.indices.first(where: { bytes[$0...].starts(with: Array("DURATION".utf8)) }) {
      bytes.replaceSubrange(tag..<tag + 8, with: Array("NOITARUD".utf8))
    }
    return bytes
  }

  /// Moves some frames from the padding at the end to the delay at the start: 12 bits each, 21 bytes into LAME's extension.
  private static func withOtherDelay(_ mp3: [UInt8]) throws -> [UInt8] {
    var bytes = mp3
    let lame = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("Lav".utf8)) })
    let field = lame + 21
    let word = bytes[field..<field + 3].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let (delay, padding) = (word >> 12, word & 0xFFF)
    try #require(padding > 100)
    let other = (delay + 100) << 12 | (padding - 100)
    for index in 0..<3 { bytes[field + index] = UInt8(truncatingIfNeeded: other >> (16 - 8 * index)) }
    return bytes
  }
}
