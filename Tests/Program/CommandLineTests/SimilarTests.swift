import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// `analyze similar`: tracks that sound like a file.
@Suite(.bounded) struct SimilarTests {
  /// Two kinds of sound, two tracks of each, and a quieter version of one of them.
  private func library() throws -> Workplace {
    let place = try Workplace()
    func put(_ signal: Signal, as name: String) throws { try place.put(WAVFile(signal).bytes, as: name) }
    try put(.chords(seed: 1, sampleRate: 22_050, seconds: 20), as: "chords.wav")
    try put(.chords(seed: 1, sampleRate: 22_050, seconds: 20).scaled(by: 0.5), as: "quieter.wav")
    try put(.chords(seed: 2, sampleRate: 22_050, seconds: 22), as: "others.wav")
    try put(.clickTrack(bpm: 120, sampleRate: 22_050, seconds: 20), as: "clicks.wav")
    try put(.noise(seed: 1, sampleRate: 22_050, seconds: 20), as: "noise.wav")
    try put(.silence(sampleRate: 22_050, seconds: 20), as: "silence.wav")
    #expect(try place.run(pipeline: "default").status == 0)
    return place
  }

  private func similar(_ place: Workplace, _ arguments: Argument...) throws -> Outcome {
    try place.start(["similar", "--database", Argument(place.database)] + arguments).end()
  }

  private func names(_ answer: JSONValue) -> [String] {
    answer["tracks"].elements.map { URL(filePath: $0["path"].textValue).lastPathComponent }
  }

  @Test func nearestTracksOfALibrary() throws {
    let place = try library()
    let outcome = try similar(place, "library/chords.wav", "--json")
    #expect(outcome.status == 0 && outcome.errors == "")
    let answer = try JSONValue(parsing: outcome.output)
    #expect(names(answer).first == "others.wav" && Set(names(answer)) == ["others.wav", "clicks.wav", "noise.wav"])
    #expect(answer["compared"] == 4 && answer["left_out"] == 1)
    #expect(answer["tracks"].elements.map { $0["rank"] } == [1, 2, 3])
    #expect(answer["tracks"].elements[0]["uri"].textValue.hasPrefix("file:///"))

    let schema = try place.analyze("schema", "similar")
    let validator = try SchemaValidator(schema.text)
    #expect(try validator.complaints(about: JSONSerialization.jsonObject(with: Data(outcome.output))) == [])

    let text = try similar(place, "library/chords.wav", "--limit", "1").text.split(separator: "\n")
    #expect(text.count == 3 && text[0].hasSuffix("chords.wav") && text[1].contains("others"))
    #expect(text[1].hasPrefix("   1  0.") && text[2].contains("1 file"))
  }

  @Test func aFileThatIsNotInTheLibrary() throws {
    let place = try library()
    let sound = Signal.chords(seed: 1, sampleRate: 22_050, seconds: 20)
    try place.write(WAVFile(sound.scaled(by: 0.7)).bytes, to: place.folder.file("elsewhere.wav"))
    let outcome = try similar(place, Argument(place.folder.file("elsewhere.wav")), "--json")
    let answer = try JSONValue(parsing: outcome.output)
    #expect(outcome.status == 0 && names(answer).first == "others.wav")
    #expect(answer["compared"] == 5 && answer["left_out"] == 2)
  }

  @Test func whatCannotBeCompared() throws {
    let place = try library()
    let silent = try similar(place, "library/silence.wav")
    #expect(silent.status == 1 && silent.errors.contains("it is silent"))
    let missing = try similar(place, "library/missing.wav")
    #expect(missing.status == 1 && missing.errors.contains("is not in the database"))
    try place.write("no music", to: place.folder.file("words.mp3"))
    let words = try similar(place, Argument(place.folder.file("words.mp3")))
    #expect(words.status == 1 && words.errors.contains("cannot be read"))
    for limit in ["0", "-1", "1001"] {
      #expect(try similar(place, "library/chords.wav", "--limit=\(limit)").status == 64)
    }
  }

  /// `search --like` finds the same tracks; filters narrow them before copies are left out.
  @Test func searchTakesAFileAndFilters() throws {
    let place = try library()
    func search(_ arguments: Argument...) throws -> Outcome {
      try place.start(["search", "--like", "library/chords.wav", "--database", Argument(place.database)] + arguments)
        .end()
    }
    #expect(try search("--json").output == similar(place, "library/chords.wav", "--json").output)
    #expect(try search().text == similar(place, "library/chords.wav").text)

    let short = try JSONValue(parsing: search("--json", "--duration", "..21").output)
    #expect(Set(names(short)) == ["clicks.wav", "noise.wav"] && short["left_out"] == 1)
    #expect(try search("--duration", "21..", "-0").text == place.library.pushing("others.wav").string + "\0")
    #expect(try search("-l", "--limit", "1").text == place.library.pushing("others.wav").string + "\n")
    #expect(try search("--duration", "30..").status == 1)
    for wrong: [Argument] in [["love"], ["--sort", "bpm"], ["--type", "tracks"], ["--ndjson"], ["--limit", "1001"]] {
      let outcome = try place.start(["search", "--like", "library/chords.wav"] + wrong).end()
      #expect(outcome.status == 64, "\(wrong)")
    }
  }

  @Test func nothingIsDescribedYet() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    #expect(try place.run(pipeline: "fingerprint").status == 0)
    let outcome = try similar(place, "library/a.wav")
    #expect(outcome.status == 1 && outcome.text == "" && outcome.errors.contains("likeness descriptor"))
    let without = try place.start(["similar", "library/a.wav", "--database", "none.sqlite"]).end()
    #expect(without.status == 1 && without.errors != "")
  }
}
