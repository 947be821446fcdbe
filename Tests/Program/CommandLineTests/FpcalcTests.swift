import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

/// `analyze fpcalc`, and the same binary under the name `fpcalc`.
@Suite(.bounded) struct FpcalcTests {
  private func place(_ names: String...) throws -> Workplace {
    let place = try Workplace()
    for (index, name) in names.enumerated() {
      try place.put(WAVFile(.noise(seed: UInt64(index), sampleRate: 11_025, seconds: 6)).bytes, as: name)
    }
    return place
  }

  private func fpcalc(
    _ place: Workplace, _ arguments: Argument..., database: String = "", input: [UInt8]? = nil
  ) throws -> Outcome {
    try place.start(
      ["fpcalc"] + arguments, environment: ["NOCTURNE_DATABASE": database], in: place.library, input: input
    ).end()
  }

  private func fingerprints(_ outcome: Outcome) throws -> [String] {
    try outcome.lines.map { try JSONValue(parsing: Array($0.utf8))["fingerprint"].textValue }
  }

  @Test func severalFilesInTheirOrder() throws {
    let place = try place("a.wav", "b.wav", "c.wav")
    let alone = try ["a.wav", "b.wav", "c.wav"].map { name in
      try fingerprints(try fpcalc(place, "-json", "\(name)"))[0]
    }
    #expect(Set(alone).count == 3 && alone.allSatisfy { $0.hasPrefix("AQAA") })
    let together = try fpcalc(place, "-json", "c.wav", "a.wav", "b.wav", "a.wav")
    #expect(together.status == 0 && together.errors == "")
    #expect(try fingerprints(together) == [alone[2], alone[0], alone[1], alone[0]])
  }

  @Test func whatCannotBeReadEndsNothing() throws {
    let place = try place("a.wav", "b.wav")
    try place.put(Array("fLaC".utf8) + [UInt8](repeating: 0, count: 500), as: "bad.flac")
    try place.put(WAVFile(.noise(seed: 9, sampleRate: 11_025, seconds: 1)).bytes, as: "short.wav")
    let outcome = try fpcalc(place, "-json", "bad.flac", "a.wav", "short.wav", "missing", "b.wav")
    #expect(outcome.status == 2)
    #expect(try fingerprints(outcome).map(\.isEmpty) == [true, false, true, true, false])
    for name in ["bad.flac", "short.wav", "missing"] { #expect(outcome.errors.contains("ERROR: \(name): ")) }

    let short = try fpcalc(place, "short.wav")
    #expect(short.status == 0 && short.text == "DURATION=1\n")
    let bad = try fpcalc(place, "bad.flac")
    #expect(bad.status == 2 && bad.text == "")
  }

  /// Lengths at which the encoder's delay and padding decide about the second: Chromaprint's program counts them.
  @Test(arguments: [(22_050, 2.979), (24_000, 4.993), (11_025, 2.914), (44_100, 3.99)])
  func durationsOfShortMP3sAreThoseOfChromaprint(rate: Int, seconds: Double) throws {
    let place = try place()
    let source = "anoisesrc=d=\(seconds):r=\(rate):a=0.2:seed=1"
    for options in [["-b:a", "64k"], ["-b:a", "64k", "-write_xing", "0"], ["-q:a", "5", "-write_xing", "0"]] {
      try ExternalProgram.ffmpeg.run(
        ["-f", "lavfi", "-i", source] + options + [place.library.appending("a.mp3").string])
      // With FFmpeg 5.1, Chromaprint's program ends with 3.
      let expected = try ExternalProgram("fpcalc").run([place.library.appending("a.mp3").string], endingWith: [0, 3])
      let found = try fpcalc(place, "a.mp3")
      let duration = { (text: String) in text.split(separator: "\n").first { $0.hasPrefix("DURATION=") } }
      #expect(duration(found.text) == duration(String(decoding: expected, as: UTF8.self)), "\(options)")
      // Known files have the same.
      #expect(try place.run(pipeline: "fingerprint").status == 0)
      #expect(try fpcalc(place, "a.mp3", database: place.database.string).text == found.text)
    }
  }

  @Test func hostileFilesEndNothing() throws {
    let place = try place("good.wav")
    let hostile = try HostileFiles.all.map { try place.put($0.bytes, as: $0.name) }
    let outcome = try place.start(
      ["fpcalc", "-plain"] + hostile.map { Argument($0) } + ["good.wav"], environment: ["NOCTURNE_DATABASE": ""],
      in: place.library
    ).end()
    #expect([0, 2, 3].contains(outcome.status))
    #expect(outcome.text.split(separator: "\n", omittingEmptySubsequences: false).count == hostile.count + 2)
    #expect(outcome.lines.last?.hasPrefix("AQAA") == true)
  }

  @Test func knownFilesAreNotDecoded() throws {
    let place = try place("a.wav", "b.wav")
    #expect(try place.run().status == 0)
    let database = place.database.string
    let before = try Data(contentsOf: URL(filePath: database))
    let decoded = try fpcalc(place, "-json", "a.wav", "b.wav")
    let known = try fpcalc(place, "-json", "a.wav", "b.wav", database: database)
    #expect(known.text == decoded.text && known.status == 0)
    #expect(try fpcalc(place, "-raw", "a.wav", database: database).text == fpcalc(place, "-raw", "a.wav").text)

    // Other bytes under the same size and time: only the database has the fingerprint.
    let file = place.library.appending("a.wav")
    var status = stat()
    #expect(stat(file.string, &status) == 0)
    let size = Int(status.st_size)
    try Data(repeating: 0, count: size).write(to: URL(filePath: file.string))
    var times = [status.st_atim, status.st_mtim]
    #expect(utimensat(AT_FDCWD, file.string, &times, 0) == 0)
    #expect(try fpcalc(place, "-json", "a.wav", database: database).text == known.lines[0] + "\n")
    #expect(try fpcalc(place, "-json", "a.wav").status == 2)
    // Other options, and another time, need the file.
    #expect(try fpcalc(place, "-length", "3", "a.wav", database: database).status == 2)
    #expect(try fpcalc(place, "-algorithm", "1", "a.wav", database: database).status == 2)
    times[1].tv_sec += 1
    #expect(utimensat(AT_FDCWD, file.string, &times, 0) == 0)
    #expect(try fpcalc(place, "-json", "a.wav", database: database).status == 2)

    #expect(try Data(contentsOf: URL(filePath: database)) == before)
    let missing = place.folder.file("none.sqlite")
    #expect(try fpcalc(place, "-json", "b.wav", database: missing.string).text == known.lines[1] + "\n")
    #expect(!FileManager.default.fileExists(atPath: missing.string))
    let text = try place.put(Array("no database".utf8), as: "text.sqlite")
    #expect(try fpcalc(place, "-json", "b.wav", database: text.string).text == known.lines[1] + "\n")
  }

  @Test func standardInput() throws {
    let place = try place("a.wav")
    let bytes = WAVFile(.noise(seed: 0, sampleRate: 11_025, seconds: 6)).bytes
    let fromFile = try fingerprints(try fpcalc(place, "-json", "a.wav"))
    #expect(try fingerprints(try fpcalc(place, "-json", "-", input: bytes)) == fromFile)
    let bare = Array(bytes.dropFirst(44))
    let described = try fpcalc(
      place, "-json", "-format", "s16le", "-rate", "11025", "-channels", "1", "-", input: bare)
    #expect(try fingerprints(described) == fromFile)
  }

  @Test func theNameOfTheProgram() throws {
    let place = try place("a.wav")
    let link = place.folder.file("fpcalc")
    try FileManager.default.createSymbolicLink(
      atPath: link.string, withDestinationPath: RunningProgram.executable.string)
    let named = try RunningProgram(
      ["-plain", "a.wav"], of: link, environment: place.environment, workingFolder: place.library
    ).end()
    #expect(try named.status == 0 && named.text == fpcalc(place, "-plain", "a.wav").text)
    let version = try fpcalc(place, "-version")
    #expect(version.status == 0 && version.text.hasPrefix("fpcalc version 1."))
    let wrong = try fpcalc(place, "-jsn", "a.wav")
    #expect(wrong.status == 2 && wrong.errors == "ERROR: Unknown option -jsn\n")
  }
}
