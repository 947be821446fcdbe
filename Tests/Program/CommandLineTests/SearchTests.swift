import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// `analyze search`: what is in the library, by words and filters.
@Suite(.bounded) struct SearchTests {
  /// A library with titles that are the names of files and with the tempo of some.
  private func library() throws -> Workplace {
    let place = try Workplace()
    func put(_ name: String, _ signal: Signal) throws {
      try place.put(Self.tagged(WAVFile(signal).bytes, title: String(name.dropLast(4))), as: name)
    }
    try put("Fast Love.wav", .clickTrack(bpm: 150, sampleRate: 22_050, seconds: 20))
    try put("Slow Love.wav", .clickTrack(bpm: 80, sampleRate: 22_050, seconds: 30))
    try put("京都の夜.wav", .noise(seed: 1, sampleRate: 22_050, seconds: 10))
    try put("Silence.wav", .silence(sampleRate: 22_050, seconds: 10))
    try place.put(Array("no music".utf8), as: "broken.wav")
    #expect(try place.run(pipeline: "tempo").status == 3)
    return place
  }

  /// With a title in a chunk LIST of type INFO at the end.
  private static func tagged(_ wav: [UInt8], title: String) -> [UInt8] {
    func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
      Array(name.utf8) + littleEndian(bytes.count) + bytes + (bytes.count.isMultiple(of: 2) ? [] : [0])
    }
    func littleEndian(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    let info = chunk("LIST", Array("INFO".utf8) + chunk("INAM", Array(title.utf8) + [0]))
    return Array(wav[..<4]) + littleEndian(wav.count - 8 + info.count) + wav[8...] + info
  }

  private func search(_ place: Workplace, _ arguments: Argument...) throws -> Outcome {
    try place.start(["search", "--database", Argument(place.database)] + arguments).end()
  }

  private func titles(_ place: Workplace, _ arguments: Argument...) throws -> [String] {
    let outcome = try place.start(
      ["search", "--json", "--type", "tracks", "--database", Argument(place.database)] + arguments
    ).end()
    let titles = try JSONValue(parsing: outcome.output)["tracks"]["hits"].elements.map {
      URL(filePath: $0["path"].textValue).deletingPathExtension().lastPathComponent
    }
    #expect(outcome.status == (titles.isEmpty ? 1 : 0) && outcome.errors == "", "\(outcome.errors)")
    return titles
  }

  @Test func wordsAndFilters() throws {
    let place = try library()
    #expect(try Set(titles(place, "love")) == ["Fast Love", "Slow Love"])
    #expect(try titles(place, "slow", "lo") == ["Slow Love"])
    #expect(try titles(place, "の夜") == ["京都の夜"])
    #expect(try titles(place, "love", "--bpm", "70..90") == ["Slow Love"])
    #expect(try titles(place, "--bpm", "74..76", "--octaves") == ["Fast Love"])
    #expect(try titles(place, "--where", "duration:15.. -bpm:140..") == ["Slow Love"])
    #expect(try titles(place, "--status", "failed") == ["broken"])
    #expect(try titles(place, "love", "--sort=-bpm") == ["Fast Love", "Slow Love"])
    #expect(try titles(place, "--sort", "-duration", "--limit", "1", "--offset", "1") == ["Fast Love"])
    #expect(try titles(place, "--missing", "isrc", "--missing", "bpm", "--lossless").contains("Silence"))
    #expect(try titles(place, "--under", "library/Silence.wav") == ["Silence"])
    #expect(try titles(place, "--added-since", "1d", "--codec", "pcm_s16le", "--lufs", "-70..0") == [])
    #expect(try titles(place, "--added-since", "1970-01-02").count == 5)
    #expect(try titles(place, "--", "\"'); DROP TABLE song; --") == [])
  }

  @Test func formats() throws {
    let place = try library()
    for (arguments, schema): ([Argument], String) in [(["--json"], "search"), (["--ndjson"], "search-hit")] {
      let outcome = try place.start(["search", "love", "--database", Argument(place.database)] + arguments).end()
      let validator = try SchemaValidator(try place.analyze("schema", Argument(stringLiteral: schema)).text)
      let lines = outcome.text.split(separator: "\n")
      #expect(!lines.isEmpty)
      for line in lines {
        #expect(try validator.complaints(about: JSONSerialization.jsonObject(with: Data(line.utf8))) == [])
      }
    }
    let paths = try search(place, "love", "--null").output.split(separator: 0).map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(paths.sorted() == ["Fast Love.wav", "Slow Love.wav"].map { place.library.appending($0).string })
    let text = try search(place, "love").text
    #expect(text.hasPrefix("Tracks (2)\n") && text.contains("\nPaths (2)\n"))
    #expect(text.split(separator: "\n")[1].hasSuffix(".wav"))
    let nothing = try search(place, "xyzzy")
    #expect(nothing.text == "Nothing was found.\n" && nothing.status == 1 && nothing.errors == "")
    #expect(try search(place, "xyzzy", "--null").status == 1)
  }

  @Test func pathsAlone() throws {
    let place = try library()
    for number in 1...12 { try place.put(Array("no music".utf8), as: "broken-\(number).wav") }
    #expect(try place.run(pipeline: "tempo").status == 3)
    // All of them, unless a limit is given.
    #expect(try search(place, "--status", "failed", "-l").text.split(separator: "\n").count == 13)
    #expect(try search(place, "--status", "failed", "-l", "--limit", "2").text.split(separator: "\n").count == 2)
    #expect(try search(place, "--status", "failed", "-0").output.count { $0 == 0 } == 13)
  }

  @Test func failedFilesSayWhy() throws {
    let place = try library()
    let lines = try search(place, "--status", "failed").text.split(separator: "\n")
    #expect(lines.count == 3 && lines[1].hasSuffix("broken.wav"))
    #expect(lines[2].hasPrefix("    ") && lines[2].contains("format"), "\(lines)")
  }

  @Test func mistakes() throws {
    let place = try library()
    let mistakes: [([Argument], String)] = [
      ([], "Say what to look for"), (["--where", "bmp:120"], "--where: at character 1, 'bmp'"),
      (["--where", "bmp:120"], "did you mean 'bpm'?"), (["--bpm", "fast"], "--bpm: 'fast': a tempo such as"),
      (["x", "--sort", "bpn"], "did you mean 'bpm'?"), (["x", "--type", "song"], "valid here: albums, artists"),
      (["x", "--limit", "0"], "--limit expects"), (["x", "--offset=-1"], "--offset expects"),
      (["x", "--json", "--null"], "Give one of"), (["--octaves"], "--octaves needs --bpm"),
      (["--missing", "isrcs"], "did you mean 'isrc'?"),
    ]
    for (arguments, complaint) in mistakes {
      let outcome = try place.start(["search", "--database", Argument(place.database)] + arguments).end()
      #expect(outcome.status == 64 && outcome.errors.contains(complaint), "\(arguments): \(outcome.errors)")
      #expect(outcome.text == "")
    }
    let missing = try place.analyze("search", "x", "--database", "none.sqlite")
    #expect(missing.status == 1 && missing.errors.contains("There is no database"))
  }
}
