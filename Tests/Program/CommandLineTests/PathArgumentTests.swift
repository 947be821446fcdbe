import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing
import Text

/// Paths on the command line: words that are not paths, names that are not UTF-8, and places that cannot be written.
@Suite(.bounded) struct PathArgumentTests {
  @Test func unknownCommandsAreNamed() throws {
    let place = try Workplace()
    for (arguments, hint) in [
      (["doctr"], "did you mean 'analyze doctor'?"), (["repot", "x.wav"], "did you mean 'analyze report'?"),
      (["zzzzz", "foo"], "Unknown command 'zzzzz'"), (["zzzzz", "foo"], "report, export, search"),
      (["--pipeline", "tempo", "run", "foo"], "Put 'run' first"),
    ] as [([Argument], String)] {
      let outcome = try place.start(arguments).end()
      #expect(outcome.status == 64 && outcome.errors.contains(hint), "\(outcome.errors)")
    }
    // A missing library is another matter, and so are folders that have such a name.
    #expect(try place.analyze("zzzzz").status == 1)
    #expect(try place.analyze("Music", "Podcasts").status == 1)
    #expect(try place.analyze("zzzzz/foo", "doctr/x").status == 1)
    try place.makeFolder(place.folder.file("doctr"))
    #expect(try place.analyze("doctr", "--database", Argument(place.database)).status != 64)
  }

  @Test func whatIsNowhereCannotBeExplained() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.put(Audio.wav(2), as: "gone.wav")
    _ = try place.run()
    try place.remove("gone.wav")
    try place.put(Audio.wav(3), as: "new.wav")
    func explain(_ path: Argument) throws -> Outcome {
      try place.analyze("show", "--why", path, "--database", Argument(place.database))
    }
    let nowhere = try explain("library/nonexistent")
    #expect(nowhere.status == 1 && nowhere.text == "" && nowhere.errors.contains("There is no such file either"))
    for name: Argument in ["library/a.wav", "library/gone.wav", "library/new.wav"] {
      #expect(try explain(name).status == 0)
    }
  }

  @Test func namesAreTakenAsTheyAreShown() throws {
    let place = try Workplace()
    let latin = FilePath(bytes: Array("caf".utf8) + [0xE9] + Array(".wav".utf8))
    try place.put(WAVFile(Signal.clickTrack(bpm: 120, sampleRate: 22_050, seconds: 10)).bytes, as: latin)
    try place.put(Audio.wav(2), as: #"two\xE9.wav"#)
    try place.put(Audio.wav(3), as: FilePath(bytes: Array("two".utf8) + [0xE9] + Array(".wav".utf8)))
    _ = try place.run(pipeline: "tempo")
    let shown = #"library/caf\xE9.wav"#
    let database = Argument(place.database)
    let explained = try place.analyze("show", "--why", "\(shown)", "--pipeline", "tempo", "--database", database)
    #expect(explained.status == 0 && explained.lines[0].hasSuffix(shown) && explained.text.contains("cached"))
    #expect(try place.analyze("show", "\(shown)", "--database", database).lines[0].hasSuffix(shown))
    #expect(try place.analyze("set", "\(shown)", "--half", "--database", database).status == 0)
    #expect(try place.analyze("\(shown)", "--pipeline", "tempo", "--database", database).status == 0)
    let report = try place.analyze(
      "report", "\(shown)", "--report", "ndjson", "--output", "-", "--database", database)
    #expect(report.lines.count == 1)
    // A file of exactly that name takes precedence.
    let both = try place.analyze("show", #"library/two\xE9.wav"#, "--json", "--database", database)
    #expect(try JSONValue(parsing: both.output)["uri"].textValue.hasSuffix("two%5CxE9.wav"))
    let escaped = try place.analyze("show", #"library/two\x5CxE9.wav"#, "--json", "--database", database)
    #expect(escaped.output == both.output)
    // Also for files that are gone.
    try place.remove(latin)
    #expect(try place.analyze("show", "--why", "\(shown)", "--database", database).status == 0)
  }

  @Test func outputMustBeAFolder() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    for output in ["/dev/null", "library/a.wav", "library/a.wav/deeper"] {
      let outcome = try place.analyze(
        "library", "--report", "json", "--output", "\(output)", "--database", Argument(place.database))
      #expect(outcome.status == 64 && outcome.errors.contains("--output -"), "\(outcome.errors)")
      // Nothing was analyzed first.
      #expect(!FileManager.default.fileExists(atPath: place.database.string))
    }
    let device = try place.analyze("library", "--database", "/dev/null")
    #expect(device.status == 64 && device.errors.contains("not a database"))
  }

  @Test func foldersOfAnswersAreMerged() throws {
    let place = try Workplace()
    for number in 1...3 { try place.put(Audio.wav(UInt64(number)), as: "\(number).wav") }
    let answers = try (1...3).map { number in
      try place.analyze(
        "worker", "--pipeline", "fingerprint", input: Array("library/\(number).wav\n".utf8)
      ).output
    }
    let folder = place.folder.file("answers")
    for path in ["answers/_temporary/0", "answers/deeper"] { try place.makeFolder(place.folder.file(path)) }
    try place.write(answers[0], to: folder.appending("part-00000"))
    try place.write(answers[1], to: folder.appending("deeper").appending("part-00001"))
    try place.write(answers[2], to: folder.appending("_temporary").appending("part-00002"))
    try place.write("crc\u{0}", to: folder.appending(".part-00000.crc"))
    try place.write("", to: folder.appending("_SUCCESS"))
    for inputs: [Argument] in [
      ["answers"], ["answers/_SUCCESS", "answers/_temporary", "answers/deeper", "answers/part-00000"],
    ] {
      let database = Argument(place.folder.file("\(inputs.count).sqlite"))
      let merged = try place.start(["merge", "--verbose", "--database", database] + inputs).end()
      #expect(merged.status == 0 && merged.errors.contains("2 lines: 2 merged"), "\(merged.errors)")
      #expect(merged.errors.contains("_temporary exists"))
    }
    let empty = try place.analyze("merge", "library/none", "--database", "x.sqlite")
    #expect(empty.status == 1)
    try place.makeFolder(place.folder.file("empty"))
    let nothing = try place.analyze("merge", "empty", "--database", "x.sqlite")
    #expect(nothing.status == 1 && nothing.errors.contains("no answer files"))
    #expect(!FileManager.default.fileExists(atPath: place.folder.file("x.sqlite").string))
  }
}
